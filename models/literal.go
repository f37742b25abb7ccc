package models

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLiteral bounds a text that lists class names, in bytes.
const maxLiteral = 16 << 20

// parseNames reads class names in the notations that exporters leave in a model's metadata:
//
//	{0: 'cat', 1: "bird's nest"}      str() of a Python dictionary, as Ultralytics writes it
//	{"0": "cat", "1": "dog"}          JSON object
//	['cat', 'dog'] or ("cat", "dog")  Python list or tuple, JSON array
//
// A dictionary must have the keys 0 to n-1, each once, in any order; the names come back in the order of the keys.
func parseNames(text string) ([]string, error) {
	if len(text) > maxLiteral {
		return nil, fmt.Errorf("%d bytes of class names, more than %d", len(text), maxLiteral)
	}
	p := literal{text: text}
	names, err := p.collection()
	if err == nil {
		p.space()
		if p.at < len(p.text) {
			err = errors.New("something follows the closing bracket")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("class names, byte %d: %w", p.at, err)
	}
	return names, nil
}

// literal parses the small part of Python's literals that is needed, of which JSON's is nearly a part.
type literal struct {
	text string
	at   int
}

func (p *literal) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next byte behind white space, or 0 at the end.
func (p *literal) peek() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *literal) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *literal) collection() ([]string, error) {
	switch {
	case p.take('{'):
		return p.dictionary()
	case p.take('['):
		return p.sequence(']')
	case p.take('('):
		return p.sequence(')')
	}
	return nil, errors.New("want a dictionary or a list")
}

func (p *literal) sequence(end byte) ([]string, error) {
	var names []string
	for !p.take(end) {
		if len(names) > 0 && !p.take(',') {
			return nil, fmt.Errorf("want , or %c", end)
		}
		if p.take(end) { // Python allows a comma behind the last
			break
		}
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (p *literal) dictionary() ([]string, error) {
	type entry struct {
		key  int
		name string
	}
	var entries []entry
	for !p.take('}') {
		if len(entries) > 0 && !p.take(',') {
			return nil, errors.New("want , or }")
		}
		if p.take('}') {
			break
		}
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		if !p.take(':') {
			return nil, errors.New("want a colon")
		}
		name, err := p.str()
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{key, name})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].key < entries[j].key })
	names := make([]string, len(entries))
	for i, e := range entries {
		if e.key != i {
			return nil, fmt.Errorf("the keys of %d classes are not 0 to %d", len(entries), len(entries)-1)
		}
		names[i] = e.name
	}
	return names, nil
}

// key reads the number of a class, which JSON puts in quotes.
func (p *literal) key() (int, error) {
	digits := ""
	if c := p.peek(); c == '\'' || c == '"' {
		var err error
		if digits, err = p.str(); err != nil {
			return 0, err
		}
	} else {
		start := p.at
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
		digits = p.text[start:p.at]
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("want the number of a class, got %q", clip(digits))
	}
	return n, nil
}

// str reads a string in single or double quotes, with Python's and JSON's escapes.
func (p *literal) str() (string, error) {
	quote := p.peek()
	if quote != '\'' && quote != '"' {
		return "", errors.New("want a name in quotes")
	}
	p.at++
	var out strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch c {
		case quote:
			return out.String(), nil
		case '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out.WriteRune(r)
		default:
			out.WriteByte(c)
		}
	}
	return "", errors.New("a name has no closing quote")
}

var escapes = map[byte]rune{'\\': '\\', '\'': '\'', '"': '"', '/': '/', 'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// escape reads what stands behind a backslash.
func (p *literal) escape() (rune, error) {
	if p.at == len(p.text) {
		return 0, errors.New("a name ends in a backslash")
	}
	c := p.text[p.at]
	p.at++
	if r, ok := escapes[c]; ok {
		return r, nil
	}
	digits, ok := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if !ok {
		return 0, fmt.Errorf("unknown escape \\%c", c)
	}
	r, err := p.hex(digits)
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	return p.lowSurrogate(r)
}

// lowSurrogate reads the second half of a character that JSON writes as two escapes.
func (p *literal) lowSurrogate(high rune) (rune, error) {
	if !strings.HasPrefix(p.text[p.at:], `\u`) {
		return 0, errors.New("half a surrogate pair")
	}
	p.at += 2
	low, err := p.hex(4)
	if err != nil {
		return 0, err
	}
	r := utf16.DecodeRune(high, low)
	if r == utf8.RuneError {
		return 0, errors.New("half a surrogate pair")
	}
	return r, nil
}

func (p *literal) hex(digits int) (rune, error) {
	if len(p.text)-p.at < digits {
		return 0, errors.New("an escape is cut off")
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+digits], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, fmt.Errorf("bad escape %q", p.text[p.at:p.at+digits])
	}
	p.at += digits
	return rune(n), nil
}
