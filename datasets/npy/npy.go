package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/oatta/oatta/internal/npy"
)

// Array is an array of numbers in row-major order.
type Array struct {
	Type  string // of an element, as the header has it: "<f4", "|u1"
	Shape []int
	Data  []byte // the elements, little-endian
}

// maxAxes is NumPy's own limit, before its version 2.
const maxAxes = 32

// sizes are the bytes of the elements that are known here.
var sizes = map[string]int{"|b1": 1, "|u1": 1, "|i1": 1, "<u2": 2, "<i2": 2, "<u4": 4, "<i4": 4, "<u8": 8, "<i8": 8, "<f4": 4, "<f8": 8}

// Read reads an array of at most limit bytes of elements.
func Read(r io.Reader, limit int64) (*Array, error) {
	h, err := npy.ReadHeader(r, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	a, size, err := arrayOf(h)
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, fmt.Errorf("array of %d bytes, more than %d", size, limit)
	}
	if a.Data, err = io.ReadAll(io.LimitReader(r, size+1)); err != nil {
		return nil, err
	}
	if int64(len(a.Data)) != size {
		return nil, fmt.Errorf("%s%v: want %d bytes of elements, got %d or more", a.Type, a.Shape, size, len(a.Data))
	}
	return a, nil
}

// arrayOf returns the array without its elements, and their bytes.
func arrayOf(h npy.Header) (*Array, int64, error) {
	size := int64(sizes[h.Descr])
	switch {
	case size == 0:
		return nil, 0, fmt.Errorf("elements of type %q: want little-endian numbers", h.Descr)
	case h.Fortran:
		return nil, 0, errors.New("column-major order: want fortran_order False")
	case len(h.Shape) > maxAxes:
		return nil, 0, fmt.Errorf("%d axes, more than %d", len(h.Shape), maxAxes)
	}
	for _, n := range h.Shape {
		if n > 0 && size > math.MaxInt64/2/int64(n) {
			return nil, 0, fmt.Errorf("shape %v out of range", h.Shape)
		}
		size *= int64(n)
	}
	return &Array{Type: h.Descr, Shape: h.Shape}, size, nil
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
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) }
