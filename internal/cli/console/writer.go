package console

import (
	"fmt"
	"io"
	"os"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Checked writes to w and remembers the first error, for those who print and do not look.
type Checked struct {
	w   io.Writer
	err error
}

// NewChecked returns a writer without an error yet.
func NewChecked(w io.Writer) *Checked { return &Checked{w: w} }

// Write implements [io.Writer].
func (c *Checked) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// Err returns the first error, nil if all was written.
func (c *Checked) Err() error { return c.err }

// Unwrap returns the writer below.
func (c *Checked) Unwrap() io.Writer { return c.w }

// Plain returns a writer for people: what a terminal would obey, control and formatting characters, comes out as text. A name in a file,
// a label of a model or a message of the engine may hold any.
func Plain(w io.Writer) io.Writer {
	if _, ok := w.(plain); ok || w == nil {
		return w
	}
	return plain{w}
}

type plain struct{ w io.Writer }

// Unwrap returns the writer below.
func (p plain) Unwrap() io.Writer { return p.w }

// Write implements [io.Writer].
func (p plain) Write(text []byte) (int, error) {
	out := make([]byte, 0, len(text)+16)
	for rest := text; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, rest[0])
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			out = append(out, rest[:n]...)
		case r < 0x80:
			out = fmt.Appendf(out, `\x%02x`, r)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\U%08x`, r)
		}
		rest = rest[n:]
	}
	if _, err := p.w.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}

// IsTerminal tells whether what is written goes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := bottom(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// bottom returns what is below the writers of this package.
func bottom(w io.Writer) io.Writer {
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}
