package predictions

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// wideReader gives out UTF-8 for UTF-16 with its mark, line feeds where lines end in CR alone, and all else byte for byte.
type wideReader struct {
	from  io.Reader
	text  io.Reader              // nil before the first read: a pipe may take its time
	order binary.AppendByteOrder // nil: it was no UTF-16
	lines oldMac
}

// Read implements [io.Reader].
func (w *wideReader) Read(p []byte) (int, error) {
	if w.text == nil {
		b := bufio.NewReaderSize(w.from, 64<<10)
		head, _ := b.Peek(2) // an error comes again
		if w.text, w.order = b, textfile.UTF16(head); w.order != nil {
			w.text = textfile.DecodeUTF16(b)
		}
		w.lines.from = w.text
		w.text = &w.lines
	}
	return w.text.Read(p)
}

// appendMark appends the mark of UTF-16 if that is what the input is.
func (w *wideReader) appendMark(dst []byte) []byte {
	if w.order == nil {
		return dst
	}
	return w.order.AppendUint16(dst, '\ufeff')
}

// encoded makes what stands in dst behind its first n bytes what the input is in.
func (w *wideReader) encoded(dst []byte, n int) []byte {
	w.lines.translate(dst[n:], '\n', '\r')
	if w.order == nil {
		return dst
	}
	return textfile.AppendUTF16(dst[:n], w.order, bytes.Clone(dst[n:]))
}

// writer returns a writer of UTF-8 to out, which gets what the input is in. What a write cuts from a character waits for the next.
func (w *wideReader) writer(out io.Writer) io.Writer {
	if w.order != nil {
		out = &wideWriter{order: w.order, to: out}
	}
	return w.lines.writer(out)
}

// wideWriter writes UTF-8 as UTF-16.
type wideWriter struct {
	order binary.AppendByteOrder
	to    io.Writer
	rest  []byte // of a character
}

// Write implements [io.Writer].
func (w *wideWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for i := max(0, len(text)-utf8.UTFMax+1); i < len(text); i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			whole = i
			break
		}
	}
	if _, err := w.to.Write(textfile.AppendUTF16(nil, w.order, text[:whole])); err != nil {
		return 0, err
	}
	w.rest = bytes.Clone(text[whole:])
	return len(p), nil
}
