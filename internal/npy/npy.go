package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Magic is how every file begins.
const Magic = "\x93NUMPY"

// MaxAxes is the most axes that an array may have: NumPy's own limit.
const MaxAxes = 64

// maxHeader is NumPy's own limit on a header that it evaluates, raised to what fits into version 1.
const maxHeader = 1<<16 - 1

// Header is what stands before the elements.
type Header struct {
	Descr   string // type of the elements: "<f4", "|u1", ">i8"
	Fortran bool   // elements are in column-major order
	Shape   []int
	Size    int64 // bytes of magic, version, length and dictionary
}

// ReadHeader reads a header of a file of size bytes, and no further. Shapes are numbers from 0; that their product fits anywhere is for
// the reader of the elements to check.
func ReadHeader(r io.Reader, size int64) (Header, error) {
	if size < 12 {
		return Header{}, fmt.Errorf("%d bytes are no npy file", size)
	}
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil {
		return Header{}, err
	}
	if string(head[:6]) != Magic {
		return Header{}, errors.New("no npy file")
	}
	at, n := int64(10), int64(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3: // a longer length, then UTF-8: only for records, which no array of numbers is
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return Header{}, err
		}
		at, n = 12, int64(binary.LittleEndian.Uint32(head[8:]))
	default:
		return Header{}, fmt.Errorf("npy version %d", head[6])
	}
	if n > maxHeader-12 || n > size-at {
		return Header{}, fmt.Errorf("npy header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return Header{}, err
	}
	h, err := parse(string(text))
	if err != nil {
		return Header{}, fmt.Errorf("header %.80q: %w", text, err)
	}
	h.Size = at + n
	return h, nil
}

// parse reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } in any order of keys, each exactly once.
func parse(text string) (h Header, err error) {
	p := literal{rest: strings.TrimSpace(text)}
	var seen []string
	p.want("{")
	for p.err == nil && !p.skip("}") {
		key := p.quoted()
		p.want(":")
		switch {
		case slices.Contains(seen, key):
			p.fail("a key stands twice")
		case key == "descr":
			h.Descr = p.quoted()
		case key == "fortran_order":
			h.Fortran = p.boolean()
		case key == "shape":
			h.Shape = p.tuple()
		default:
			p.fail("an unknown key")
		}
		seen = append(seen, key)
		if !p.skip(",") && !strings.HasPrefix(p.rest, "}") {
			p.fail("a comma is missing")
		}
	}
	if p.err == nil && (p.rest != "" || len(seen) != 3) {
		p.fail("want descr, fortran_order and shape, and nothing else")
	}
	return h, p.err
}

// literal reads the few Python literals of a header. After an error its methods do nothing.
type literal struct {
	rest string
	err  error
}

func (p *literal) fail(why string) {
	if p.err == nil {
		p.err = errors.New(why)
	}
}

// skip passes over token and the white space after it, and tells whether it was there.
func (p *literal) skip(token string) bool {
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = strings.TrimLeft(rest, " \n\t")
	}
	return ok
}

func (p *literal) want(token string) {
	if !p.skip(token) {
		p.fail("want " + token)
	}
}

func (p *literal) quoted() string {
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("want a quoted string (records are not read)")
		return ""
	}
	s, after, ok := strings.Cut(p.rest[1:], p.rest[:1])
	if !ok || strings.Contains(s, `\`) {
		p.fail("a string without end, or with an escape")
		return ""
	}
	p.rest = strings.TrimLeft(after, " \n\t")
	return s
}

func (p *literal) boolean() bool {
	if p.skip("True") {
		return true
	}
	p.want("False")
	return false
}

func (p *literal) tuple() []int {
	shape := []int{}
	p.want("(")
	for p.err == nil && !p.skip(")") {
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.Atoi(p.rest[:digits])
		if err != nil || len(shape) == MaxAxes {
			p.fail("a shape is some numbers")
			return nil
		}
		shape = append(shape, n)
		p.rest = strings.TrimPrefix(p.rest[digits:], "L") // Python 2 wrote its long integers so
		p.rest = strings.TrimLeft(p.rest, " ")
		if !p.skip(",") && !strings.HasPrefix(p.rest, ")") {
			p.fail("a comma is missing in the shape")
		}
	}
	return shape
}
