package plainjson

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sort"
)

// Text is a text that was made plain.
type Text struct {
	Text    []byte
	Unknown int // values that are null in their place

	moved []shift
}

// shift tells that places from one on lie further back in Text than in what was read, or before it.
type shift struct{ from, by int }

// New returns the text itself where there is nothing to replace, and a copy else.
func New(text []byte) Text {
	if !bytes.Contains(text, nan) && !bytes.Contains(text, infinity) {
		return Text{Text: text}
	}
	p := Text{Text: make([]byte, 0, len(text)+16)}
	var r Reader
	for i := 0; i < len(text); {
		n := r.same(text[i:])
		p.Text = append(p.Text, text[i:i+n]...)
		i += n
		if n = unknown(text[i:]); n > 0 {
			p.Text = append(p.Text, null...)
			p.Unknown++
			i += n
			p.moved = append(p.moved, shift{len(p.Text), len(p.Text) - i})
		} else if i < len(text) {
			p.Text = append(p.Text, text[i])
			i++
		}
	}
	return p
}

// Offset returns where a place of Text, between two values or tokens, is in the text that was read.
func (p Text) Offset(i int) int {
	k := sort.Search(len(p.moved), func(k int) bool { return p.moved[k].from > i })
	if k == 0 {
		return i
	}
	return i - p.moved[k-1].by
}

// Reader makes what it reads plain.
type Reader struct {
	Unknown int // values so far that are null in their place

	from    *bufio.Reader
	string  bool   // between quotes
	escaped bool   // behind a backslash in them
	rest    []byte // to be told before more is read
	first   [1]byte
}

// NewReader returns a reader of text from r.
func NewReader(r io.Reader) *Reader { return &Reader{from: bufio.NewReaderSize(r, 64<<10)} }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.rest) > 0 {
			k := copy(p[n:], r.rest)
			n, r.rest = n+k, r.rest[k:]
			continue
		}
		if r.from.Buffered() == 0 {
			if n > 0 {
				break // more may take its time
			}
			if _, err := r.from.Peek(1); err != nil {
				return 0, err
			}
		}
		text, _ := r.from.Peek(min(r.from.Buffered(), len(p)-n))
		same := r.same(text)
		n += copy(p[n:], text[:same])
		_, _ = r.from.Discard(same) // peeked, so it is there
		if same < len(text) {
			r.word()
		}
	}
	return n, nil
}

// same returns how much of a text goes through as it is, before what may be a value that JSON does not know.
func (r *Reader) same(text []byte) int {
	for i, b := range text {
		switch {
		case r.escaped:
			r.escaped = false
		case b == '"':
			r.string = !r.string
		case r.string:
			r.escaped = b == '\\'
		case b == 'N' || b == 'I' || b == '-':
			return i
		}
	}
	return len(text)
}

// word takes what may be a value that JSON does not know: null stands for it, or its first byte for itself.
func (r *Reader) word() {
	text, _ := r.from.Peek(len(minusInfinity))
	if n := unknown(text); n > 0 {
		r.rest, r.Unknown = null, r.Unknown+1
		_, _ = r.from.Discard(n)
		return
	}
	r.first[0] = text[0]
	r.rest = r.first[:]
	_, _ = r.from.Discard(1)
}

// Note says of how many values that were read as unknown, for people; "" for none.
func Note(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 value is NaN or infinite, which JSON does not know: it is read as unknown"
	}
	return fmt.Sprintf("%d values are NaN or infinite, which JSON does not know: they are read as unknown", n)
}

var null, nan, infinity, minusInfinity = []byte("null"), []byte("NaN"), []byte("Infinity"), []byte("-Infinity")

// unknown returns the length of the number beyond JSON that text begins with; 0 if it does not.
func unknown(text []byte) int {
	for _, word := range [][]byte{nan, infinity, minusInfinity} {
		if bytes.HasPrefix(text, word) {
			return len(word)
		}
	}
	return 0
}
