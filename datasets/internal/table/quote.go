package table

import (
	"bufio"
	"fmt"
	"io"
)

// Quote says what quotes mean in a table.
type Quote string

// The ways of quoting.
const (
	QuoteRFC       Quote = ""          // RFC 4180: around cells, and doubled inside them
	QuoteNone      Quote = "none"      // a quote is a character like any
	QuoteBackslash Quote = "backslash" // around cells; inside them \" is a quote and \\ a backslash
)

// Validate refuses other words.
func (q Quote) Validate() error {
	switch q {
	case QuoteRFC, QuoteNone, QuoteBackslash:
		return nil
	}
	return fmt.Errorf("quotes %q: want none or backslash", string(q))
}

// requoted gives out a table as RFC 4180 has it.
type requoted struct {
	r     *bufio.Reader
	step  func(b byte, out []byte) []byte
	rest  []byte // of the last step
	inner bool   // in a cell, for none; between quotes, for backslash
	slash bool   // a backslash came last
	none  bool   // quotes mean nothing
	comma byte
	err   error
}

// requote returns a reader of RFC 4180 for a table that is quoted otherwise, with lines that end in LF.
func requote(r io.Reader, q Quote, comma byte) io.Reader {
	x := &requoted{r: bufio.NewReaderSize(r, 64<<10), comma: comma}
	switch q {
	case QuoteNone:
		x.step, x.none = x.plain, true
	case QuoteBackslash:
		x.step = x.escaped
	default:
		return r
	}
	return x
}

// Read implements [io.Reader].
func (x *requoted) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(x.rest) > 0 {
			k := copy(p[n:], x.rest)
			x.rest, n = x.rest[k:], n+k
			continue
		}
		if x.err != nil || n > 0 && x.r.Buffered() == 0 {
			break
		}
		var b byte
		if b, x.err = x.r.ReadByte(); x.err == nil {
			x.rest = x.step(b, x.rest[:0])
		} else if x.inner && x.none && x.err == io.EOF { // the last line has no end
			x.inner, x.rest = false, append(x.rest[:0], '"')
		}
	}
	if n == 0 && x.err != nil {
		return 0, x.err
	}
	return n, nil
}

// plain puts quotes around cells and doubles those inside.
func (x *requoted) plain(b byte, out []byte) []byte {
	switch {
	case b == x.comma && !x.inner:
		return append(out, '"', '"', b)
	case b == '\n' && !x.inner: // an empty line, or an empty cell at its end, which is none less
		return append(out, b)
	case b == x.comma || b == '\n':
		x.inner = false
		return append(out, '"', b)
	case !x.inner:
		x.inner = true
		out = append(out, '"')
	}
	if b == '"' {
		out = append(out, '"')
	}
	return append(out, b)
}

// escaped doubles quotes that a backslash stands before.
func (x *requoted) escaped(b byte, out []byte) []byte {
	if x.slash {
		x.slash = false
		switch b {
		case '"':
			return append(out, '"', '"')
		case '\\':
			return append(out, b)
		}
		return append(out, '\\', b)
	}
	switch {
	case b == '"':
		x.inner = !x.inner
	case b == '\\' && x.inner:
		x.slash = true
		return out
	}
	return append(out, b)
}
