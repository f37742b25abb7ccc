package weights

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	npyMagic = "\x93NUMPY"
	// maxNPYHeader is numpy's own limit on a header that it evaluates, raised to what fits into version 1.
	maxNPYHeader = 1<<16 - 1
)

// readNPY reads a single array, which has no name in its file: its tensor is called "".
func readNPY(r io.ReaderAt, size int64) (*File, error) {
	f := newFile(NPY)
	t, err := npyTensor("", r, size)
	if err != nil {
		return nil, err
	}
	return f, f.add(t)
}

// readNPZ reads an archive of npy files.
func readNPZ(r io.ReaderAt, size int64, z *zip.Reader) (*File, error) {
	f := newFile(NPZ)
	for _, file := range z.File {
		name, ok := strings.CutSuffix(file.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("member %q is no .npy file: neither npz nor a PyTorch state dict", file.Name)
		}
		m, err := newMember(r, size, file)
		if err != nil {
			return nil, err
		}
		t, err := npyTensor(name, m, m.size)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", file.Name, err)
		}
		if err := f.add(t); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// npyHeader is what the Python dictionary at the start of an npy file says.
type npyHeader struct {
	descr   string
	fortran bool
	shape   []int
}

// npyTensor reads magic, version, length and dictionary, as numpy.lib.format describes them.
func npyTensor(name string, r io.ReaderAt, size int64) (*Tensor, error) {
	text, start, err := npyText(r, size)
	if err != nil {
		return nil, err
	}
	h, err := parseNPYHeader(text)
	if err != nil {
		return nil, fmt.Errorf("header %.80q: %w", text, err)
	}
	d, big, err := parseDescr(h.descr)
	if err != nil {
		return nil, err
	}
	v := view{r: r, base: start, big: big}
	if h.fortran {
		v.stride = columnMajor(h.shape)
	}
	t, err := newViewed(name, d, h.shape, v, size-start)
	if err == nil && t.size != size-start {
		err = fmt.Errorf("%s%v takes %d bytes, there are %d", d, h.shape, t.size, size-start)
	}
	return t, err
}

// npyText returns the dictionary and the offset of the elements.
func npyText(r io.ReaderAt, size int64) (string, int64, error) {
	if size < 12 {
		return "", 0, fmt.Errorf("%d bytes are no npy file", size)
	}
	var head [12]byte
	if err := readFull(r, head[:], 0); err != nil {
		return "", 0, err
	}
	if string(head[:6]) != npyMagic {
		return "", 0, errors.New("no npy file")
	}
	at, n := int64(10), int64(le.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3: // a longer length, then UTF-8: only for records, which no tensor is
		at, n = 12, int64(le.Uint32(head[8:]))
	default:
		return "", 0, fmt.Errorf("npy version %d", head[6])
	}
	if n > maxNPYHeader-12 || n > size-at {
		return "", 0, fmt.Errorf("npy header of %d bytes", n)
	}
	text := make([]byte, n)
	err := readFull(r, text, at)
	return string(text), at + n, err
}

// parseDescr reads a type such as "<f4", "|b1" or ">i8".
func parseDescr(descr string) (d DType, big bool, err error) {
	if strings.HasPrefix(descr, "|O") {
		return 0, false, errors.New("an array of Python objects: only numbers are read")
	}
	if len(descr) < 2 || !strings.ContainsRune("<>|", rune(descr[0])) {
		return 0, false, fmt.Errorf("dtype %q is not known here", descr)
	}
	d, ok := dtypeBy(numpyOf, descr[1:])
	if !ok || descr[0] == '|' && d.Size() > 1 {
		return 0, false, fmt.Errorf("dtype %q is not known here", descr)
	}
	return d, descr[0] == '>', nil
}

// parseNPYHeader reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } in any order of keys, each exactly once.
func parseNPYHeader(text string) (h npyHeader, err error) {
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
			h.descr = p.quoted()
		case key == "fortran_order":
			h.fortran = p.boolean()
		case key == "shape":
			h.shape = p.tuple()
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
		if err != nil || len(shape) == maxRank {
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
