package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Array is an array of numbers in row-major order.
type Array struct {
	Type  string // of an element, as the header has it: "<f4", "|u1"
	Shape []int
	Data  []byte // the elements, little-endian
}

// magic is how every file begins.
const magic = "\x93NUMPY"

// maxHeader is NumPy's own limit on a header that it evaluates, raised to what fits into version 1.
const maxHeader = 1<<16 - 1

// maxAxes is NumPy's own limit, before its version 2.
const maxAxes = 32

// The parts of the header that matter here.
var (
	descr = regexp.MustCompile(`'descr':\s*'([^']*)'`)
	order = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	shape = regexp.MustCompile(`'shape':\s*\(([0-9L, ]*)\)`)
)

// sizes are the bytes of the elements that are known here.
var sizes = map[string]int{"|b1": 1, "|u1": 1, "|i1": 1, "<u2": 2, "<i2": 2, "<u4": 4, "<i4": 4, "<u8": 8, "<i8": 8, "<f4": 4, "<f8": 8}

// Read reads an array of at most limit bytes of elements.
func Read(r io.Reader, limit int64) (*Array, error) {
	text, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	a, size, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("header %.80q: %w", text, err)
	}
	if size > limit {
		return nil, fmt.Errorf("array of %d bytes, more than %d", size, limit)
	}
	if a.Data, err = io.ReadAll(io.LimitReader(r, size+1)); err != nil {
		return nil, err
	}
	if int64(len(a.Data)) != size {
		return nil, fmt.Errorf("header %.80q: want %d bytes of elements, got %d or more", text, size, len(a.Data))
	}
	return a, nil
}

// readHeader reads magic, version, length (two bytes in version 1, four later) and the dictionary.
func readHeader(r io.Reader) (string, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil || string(head[:6]) != magic {
		return "", errors.New("no array in NumPy's format")
	}
	n := int64(binary.LittleEndian.Uint16(head[8:]))
	if head[6] > 1 {
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return "", fmt.Errorf("length of the header: %w", err)
		}
		n = int64(binary.LittleEndian.Uint32(head[8:]))
	}
	if n > maxHeader {
		return "", fmt.Errorf("header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", fmt.Errorf("header of %d bytes: %w", n, err)
	}
	return string(text), nil
}

// parse returns the array without its elements, and their bytes.
func parse(text string) (*Array, int64, error) {
	m := descr.FindStringSubmatch(text)
	if m == nil || sizes[m[1]] == 0 {
		return nil, 0, errors.New("want little-endian numbers")
	}
	a := &Array{Type: m[1]}
	if m := order.FindStringSubmatch(text); m == nil || m[1] != "False" {
		return nil, 0, errors.New("want fortran_order False")
	}
	if m = shape.FindStringSubmatch(text); m == nil {
		return nil, 0, errors.New("want a shape")
	}
	size := int64(sizes[a.Type])
	for _, field := range strings.Split(m[1], ",") {
		field = strings.TrimSuffix(strings.TrimSpace(field), "L") // Python 2 wrote its long integers so
		if field == "" {
			continue // after the last comma, or the shape of a single number
		}
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil || n > 0 && size > math.MaxInt64/2/n || len(a.Shape) == maxAxes {
			return nil, 0, errors.New("shape out of range")
		}
		a.Shape = append(a.Shape, int(n))
		size *= n
	}
	return a, size, nil
}

// Len returns the number of elements.
func (a *Array) Len() int { return len(a.Data) / sizes[a.Type] }

// Ints returns the elements of an array of integers (or booleans).
func (a *Array) Ints() ([]int, error) {
	out := make([]int, a.Len())
	le := binary.LittleEndian
	for i := range out {
		b := a.Data[i*sizes[a.Type]:]
		switch a.Type {
		case "|u1", "|b1":
			out[i] = int(b[0])
		case "|i1":
			out[i] = int(int8(b[0]))
		case "<u2":
			out[i] = int(le.Uint16(b))
		case "<i2":
			out[i] = int(int16(le.Uint16(b)))
		case "<u4":
			out[i] = int(le.Uint32(b))
		case "<i4":
			out[i] = int(int32(le.Uint32(b)))
		case "<i8":
			out[i] = int(int64(le.Uint64(b)))
		case "<u8":
			v := le.Uint64(b)
			if v > math.MaxInt64 {
				return nil, fmt.Errorf("element %d is %d", i, v)
			}
			out[i] = int(v)
		default:
			return nil, fmt.Errorf("elements of type %s: want integers", a.Type)
		}
	}
	return out, nil
}

// Float32s returns the elements of an array of single precision; doubles are refused, since they would be rounded.
func (a *Array) Float32s() ([]float32, error) {
	if a.Type != "<f4" {
		return nil, fmt.Errorf("elements of type %s: want <f4", a.Type)
	}
	out := make([]float32, a.Len())
	_, err := binary.Decode(a.Data, binary.LittleEndian, out)
	return out, err
}

// Is tells whether a file that begins so may be an array; six bytes are enough.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
