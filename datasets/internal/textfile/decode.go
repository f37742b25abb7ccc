package textfile

import (
	"bufio"
	"bytes"
	"io"
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
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		return bufio.NewReaderSize(transform.NewReader(br, decoder), 64<<10), nil
	case bytes.HasPrefix(head, byteOrderMark):
		_, _ = br.Discard(len(byteOrderMark)) // peeked, so it is there
	}
	return br, nil
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
