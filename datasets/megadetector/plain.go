package megadetector

import (
	"bytes"
	"fmt"
	"sort"
)

// Plain is the text of a file without the numbers that Python writes and JSON does not know: each NaN, Infinity and -Infinity outside of
// strings is null, an unknown value.
type Plain struct {
	Text    []byte
	Unknown int // values that are null in their place

	moved []shift
}

// shift tells that places from one on lie further back in Text than in what was read, or before it.
type shift struct{ from, by int }

// NewPlain returns the text itself where there is nothing to replace, and a copy else.
func NewPlain(text []byte) Plain {
	if !bytes.Contains(text, nan) && !bytes.Contains(text, infinity) {
		return Plain{Text: text}
	}
	p := Plain{Text: make([]byte, 0, len(text)+16)}
	for i := 0; i < len(text); {
		rest := text[i:]
		if n := unknown(rest); n > 0 {
			p.Text = append(p.Text, "null"...)
			p.Unknown++
			i += n
			p.moved = append(p.moved, shift{len(p.Text), len(p.Text) - i})
			continue
		}
		n := 1
		if rest[0] == '"' {
			n = quoted(rest)
		}
		p.Text = append(p.Text, rest[:n]...)
		i += n
	}
	return p
}

// Offset returns where a place of Text, between two values or tokens, is in the text that was read.
func (p Plain) Offset(i int) int {
	k := sort.Search(len(p.moved), func(k int) bool { return p.moved[k].from > i })
	if k == 0 {
		return i
	}
	return i - p.moved[k-1].by
}

// Note says what was read as unknown, for people; "" for nothing.
func (p Plain) Note() string {
	switch p.Unknown {
	case 0:
		return ""
	case 1:
		return "1 value is NaN or infinite, which JSON does not know: it is read as unknown"
	}
	return fmt.Sprintf("%d values are NaN or infinite, which JSON does not know: they are read as unknown", p.Unknown)
}

var nan, infinity, minusInfinity = []byte("NaN"), []byte("Infinity"), []byte("-Infinity")

// unknown returns the length of the number beyond JSON that text begins with; 0 if it does not.
func unknown(text []byte) int {
	for _, word := range [][]byte{nan, infinity, minusInfinity} {
		if bytes.HasPrefix(text, word) {
			return len(word)
		}
	}
	return 0
}

// quoted returns the length of the string that text begins with.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
