package posts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineEnds makes CR and CRLF a line feed, so that what reads on sees lines.
type lineEnds struct {
	r   io.Reader
	was bool // the last byte given out was a CR; it went out as LF
}

// Read implements [io.Reader]. A CR goes out as LF, and an LF behind it not at all.
func (l *lineEnds) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, err := l.r.Read(p)
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

// lineReader tells lines without their ends, and goes on behind one that is too long.
type lineReader struct {
	r    *bufio.Reader
	max  int
	line []byte
	at   int
}

var errLong = errors.New("line is too long")

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(&lineEnds{r: r}, 64<<10), max: limit}
}

// next returns a line, valid until the call after; errLong is of this line only.
func (l *lineReader) next() ([]byte, error) {
	l.line = l.line[:0]
	l.at++
	size := 0
	for {
		part, err := l.r.ReadSlice('\n')
		size += len(part)
		if size <= l.max+1 {
			l.line = append(l.line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && size == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case size > l.max+1:
			return nil, fmt.Errorf("%w: over %d bytes", errLong, l.max)
		}
		return bytes.TrimSuffix(l.line, []byte("\n")), nil
	}
}
