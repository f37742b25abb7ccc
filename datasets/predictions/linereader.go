package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader cuts an input into records, lines or rows, in a buffer that grows to the longest of them and no further than the limit. What it
// exports is that part of [Lines].
type lineReader struct {
	in         wideReader
	max        int
	buf        []byte
	start, end int   // of what is in the buffer and not told yet
	err        error // of the reader, once there was one
	told       int64 // bytes up to the end of the record
	at, lines  int   // line of the record that was told, from 1, and lines up to its end
	record     []byte
	more       bool // the record is only the beginning of a line that is over the limit, and its rest has not been read
	grows      bool // more may be written to the input
	left       bool // the input ends in a record without its end, which was not told
}

var (
	errLong  = errors.New("line is too long")
	errQuote = errors.New("a quote that is not closed")
)

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{in: wideReader{from: r}, max: limit, buf: make([]byte, min(256<<10, limit+2))}
}

// next tells the next line with its line end, valid until the call after. With rows, quoted line ends do not end a record. errLong and errQuote are of
// this record only.
func (l *lineReader) next(rows bool) ([]byte, error) {
	if err := l.copyRest(io.Discard); err != nil {
		return nil, err
	}
	l.at = l.lines + 1
	var c cutter
	for {
		data := l.buf[l.start:l.end]
		if end := c.cut(data, rows); end > 0 {
			return l.tell(end), nil
		}
		if l.err == nil && len(data) <= l.max {
			l.fill()
			continue
		}
		return l.last(data, &c, rows)
	}
}

// peek returns the next line, or as much of it as there is, and leaves it to be told.
func (l *lineReader) peek() []byte {
	var c cutter
	for {
		data := l.buf[l.start:l.end]
		if end := c.cut(data, false); end > 0 {
			return data[:end]
		}
		switch {
		case l.grows && l.err == io.EOF:
			return nil
		case l.err != nil || len(data) > l.max:
			return data
		}
		l.fill()
	}
}

// cutter looks for the end of a record in data that grows.
type cutter struct {
	scanned   int // up to the last line end
	quotes    int // in that
	firstLine int // end of the first line; 0 if there is none yet
}

// cut returns the end of the record, 0 if it is not there yet.
func (c *cutter) cut(data []byte, rows bool) int {
	for {
		i := bytes.IndexByte(data[c.scanned:], '\n')
		if i < 0 {
			return 0
		}
		if rows {
			c.quotes += bytes.Count(data[c.scanned:c.scanned+i], quote)
		}
		c.scanned += i + 1
		if c.firstLine == 0 {
			c.firstLine = c.scanned
		}
		if c.quotes%2 == 0 {
			return c.scanned
		}
	}
}

// last tells a record that has no end, since the input or the limit has been reached.
func (l *lineReader) last(data []byte, c *cutter, rows bool) ([]byte, error) {
	switch {
	case l.grows && l.err == io.EOF && len(data) > 0 && len(data) <= l.max:
		l.left = true
		return nil, io.EOF
	case c.quotes%2 == 1 && c.firstLine > 0: // go on behind the line of the stray quote, not behind all that it swallowed
		return l.tell(c.firstLine), errQuote
	case len(data) > l.max:
		l.more = true
		l.record, l.start = data, l.end
		l.told += int64(len(data))
		return l.record, fmt.Errorf("%w: over %d bytes", errLong, l.max)
	case l.err != io.EOF:
		return nil, l.err
	case len(data) == 0:
		return nil, io.EOF
	}
	odd := rows && (c.quotes+bytes.Count(data[c.scanned:], quote))%2 == 1
	l.tell(len(data)) // the last line has no line end
	if odd {
		return l.record, errQuote
	}
	return l.record, nil
}

var quote = []byte(`"`)

// tell makes the next n bytes the record.
func (l *lineReader) tell(n int) []byte {
	l.record = l.buf[l.start : l.start+n]
	l.start += n
	l.told += int64(n)
	l.lines += max(1, bytes.Count(l.record, newline))
	return l.record
}

// Grow implements [Lines].
func (l *lineReader) Grow() { l.grows = true }

// Open implements [Lines].
func (l *lineReader) Open() bool { return l.left }

// Line implements [Lines].
func (l *lineReader) Line() int { return l.at }

// Offset implements [Lines].
func (l *lineReader) Offset() Offset { return Offset{l.told, l.lines} }

// SkipTo implements [Lines].
func (l *lineReader) SkipTo(o Offset) error {
	if err := l.copyRest(io.Discard); err != nil {
		return err
	}
	for l.told < o.Bytes {
		if l.start == l.end {
			if l.err != nil {
				return fmt.Errorf("the input ends %d bytes before byte %d: %w", o.Bytes-l.told, o.Bytes, l.err)
			}
			l.fill()
		}
		n := min(int64(l.end-l.start), o.Bytes-l.told)
		l.start += int(n)
		l.told += n
	}
	l.lines = o.Lines
	return nil
}

var newline = []byte("\n")

// fill reads on, after making room.
func (l *lineReader) fill() {
	if l.start > 0 && l.end == len(l.buf) {
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, min(len(l.buf), l.max+2-len(l.buf)))...)
	}
	for range 100 { // as bufio does: a reader that returns nothing again and again is broken
		n, err := l.in.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// Hold implements [Lines].
func (l *lineReader) Hold() Held { return Held{bytes.Clone(l.record), l.at} }

// recall makes a record that was held the one that was told.
func (l *lineReader) recall(h Held) []byte {
	l.record, l.at = h.text, h.line
	return l.record
}

// Unchanged implements [Lines]: it writes the record that was told, with all of its rest if it was too long to be held.
func (l *lineReader) Unchanged(w io.Writer) error {
	w = l.in.writer(w)
	if _, err := w.Write(l.record); err != nil {
		return err
	}
	return l.copyRest(w)
}

// copyRest writes what is left of a line that is over the limit.
func (l *lineReader) copyRest(w io.Writer) error {
	for l.more {
		data := l.buf[l.start:l.end]
		i := bytes.IndexByte(data, '\n')
		if i >= 0 {
			data = data[:i+1]
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		l.start += len(data)
		l.told += int64(len(data))
		if i >= 0 || l.err != nil {
			l.more = false
			l.lines++
			break
		}
		l.fill()
	}
	if l.err != nil && l.err != io.EOF && l.start == l.end {
		return l.err
	}
	return nil
}
