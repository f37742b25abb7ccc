package textfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// byteOrderMark is that of UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Decode returns a reader of UTF-8 without a byte order mark. UTF-16 is known by its mark; all other bytes pass as they are.
func Decode(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, err := br.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case UTF16(head) != nil:
		return bufio.NewReaderSize(DecodeUTF16(br), 64<<10), nil
	case bytes.HasPrefix(head, byteOrderMark):
		_, _ = br.Discard(len(byteOrderMark)) // peeked, so it is there
	}
	return br, nil
}

// UTF16 returns in which order the bytes of UTF-16 stand by the mark that a text begins with; nil for one that is no UTF-16.
func UTF16(head []byte) binary.AppendByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return binary.LittleEndian
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return binary.BigEndian
	}
	return nil
}

// DecodeUTF16 returns a reader of UTF-8 for UTF-16 with its mark, which is left out. What is no UTF-16 becomes U+FFFD.
func DecodeUTF16(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder())
}

// AppendUTF16 appends a text in UTF-8 as UTF-16 without a mark.
func AppendUTF16(dst []byte, order binary.AppendByteOrder, text []byte) []byte {
	var units [2]uint16
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		for _, u := range utf16.AppendRune(units[:0], r) {
			dst = order.AppendUint16(dst, u)
		}
		text = text[size:]
	}
	return dst
}

// UTF8 returns a text as UTF-8: itself if it is that, else what it is in Windows-1252, of which Latin-1 is a part but for control characters that
// nobody writes. was tells which.
func UTF8(s string) (text string, was bool) {
	if utf8.ValidString(s) {
		return s, true
	}
	out := make([]byte, 0, len(s)+len(s)/4)
	for i := range len(s) {
		out = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(s[i]))
	}
	return string(out), false
}

// Windows1252 returns a text in UTF-8 as Windows-1252, the reverse of UTF8; one that has other characters stays.
func Windows1252(s string) string {
	if out, err := charmap.Windows1252.NewEncoder().String(s); err == nil {
		return out
	}
	return s
}

// LineEnds makes CR and CRLF a line feed, so that what reads on sees lines.
type LineEnds struct {
	R   io.Reader
	was bool // the last byte given out was a CR; it went out as LF
}

// Read implements [io.Reader]. A CR goes out as LF, and an LF behind it not at all.
func (l *LineEnds) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, err := l.R.Read(p)
		out := p[:0]
		for _, b := range p[:n] {
			if b != '\n' || !l.was {
				if b == '\r' {
					out = append(out, '\n')
				} else {
					out = append(out, b)
				}
			}
			l.was = b == '\r'
		}
		if len(out) > 0 || err != nil {
			return len(out), err
		}
	}
}

// OldMac tells whether a text that begins so has lines that end in CR alone.
func OldMac(head []byte) bool {
	i := bytes.IndexByte(head, '\r')
	return i >= 0 && i+1 < len(head) && bytes.IndexByte(head, '\n') < 0
}
