package posts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/oatta/oatta/datasets/internal/textfile"
)

// lineReader tells lines without their ends, and goes on behind one that is too long.
type lineReader struct {
	r    *bufio.Reader
	max  int
	line []byte
	at   int
}

var errLong = errors.New("line is too long")

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(&textfile.LineEnds{R: r}, 64<<10), max: limit}
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
