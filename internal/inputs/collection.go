package inputs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/runtime"
)

// collection is what all inputs share. Items come first, then, in a stream of no name, what could not be listed.
type collection struct {
	noun     string
	items    []pipeline.Item
	labels   []string // of items, "" for none; may be shorter
	failures []failure
	warnings []string
	hash     string
	shape    []int64
	streams  int
	listed   int // items that are no failures
}

// failure is a file that could not be listed.
type failure struct{ name, reason string }

// fail records a file that could not be listed.
func (c *collection) fail(name string, err error) {
	c.failures = append(c.failures, failure{Readable(name), err.Error()})
}

func (c *collection) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// close counts the streams and appends the failures to the items.
func (c *collection) close() {
	c.listed = len(c.items)
	for i := range c.items {
		if i == 0 || c.items[i].Stream != c.items[i-1].Stream {
			c.streams++
		}
	}
	for _, f := range c.failures {
		c.items = append(c.items, pipeline.Item{Name: f.name})
	}
}

// Noun implements [Input].
func (c *collection) Noun() string { return c.noun }

// Items implements [Input].
func (c *collection) Items() []pipeline.Item { return c.items }

// Streams implements [Input].
func (c *collection) Streams() int { return c.streams }

// Hash implements [Input].
func (c *collection) Hash() string { return c.hash }

// Unread implements [Input].
func (c *collection) Unread() (name, why string, n int) {
	if n = len(c.failures); n > 0 {
		name, why = c.failures[0].name, c.failures[0].reason
	}
	return name, why, n
}

// Warnings implements [Input].
func (c *collection) Warnings() []string { return c.warnings }

// Shape implements [Input].
func (c *collection) Shape() []int64 { return c.shape }

// Session implements [Input]: the network's input is that of the loader.
func (c *collection) Session(s runtime.Session) (runtime.Session, error) { return s, nil }

// Close implements [Input].
func (c *collection) Close() error { return nil }

// Label implements [Input].
func (c *collection) Label(i int) string {
	if i < len(c.labels) {
		return c.labels[i]
	}
	return ""
}

// failed returns why item i could not be listed, or nil.
func (c *collection) failed(i int) error {
	if i < c.listed {
		return nil
	}
	return errors.New(c.failures[i-c.listed].reason)
}

// withoutPath leaves the file out of an error: the record has its name, and where a folder lies is nobody's business who gets the
// results.
func withoutPath(err error, path string) error {
	var b strings.Builder
	text, at := err.Error(), 0
	for path != "" {
		i := strings.Index(text[at:], path)
		if i < 0 {
			break
		}
		from, to := at+i, at+i+len(path)
		rest, before := strings.CutPrefix(text[to:], ": ")
		switch {
		case from > 0 && isOfName(text[from-1]) || to < len(text) && text[to] != '/' && isOfName(text[to]): // as . in a.txt
			b.WriteString(text[at:to])
		case before:
			b.WriteString(text[at:from])
			to = len(text) - len(rest)
		default:
			b.WriteString(text[at:from] + "the file")
		}
		at = to
	}
	return errors.New(b.String() + text[at:])
}

// isOfName tells a byte that can stand within a path.
func isOfName(c byte) bool {
	return c >= utf8.RuneSelf || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("._-/", c) >= 0
}

// Readable returns a name as outputs can hold it: bytes that are no UTF-8, which JSON cannot, are written as \xFF, so that two names
// stay two.
func Readable(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02X`, name[i])
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}
