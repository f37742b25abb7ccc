package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Tensor is a constant. It is never changed once it is made: graphs and their clones share it.
//
// The elements are in row-major order, little-endian, as in ONNX's raw data: two to a byte for types of 4 bits, low half first. They may
// lie in a file, from which they are read when they are first asked for.
type Tensor struct {
	elem    DType
	dims    []int64
	raw     []byte
	strings []string
	load    func() ([]byte, error) // nil unless the elements lie elsewhere

	// Keep is what a file format remembers of the tensor for the way back; this package does not look at it.
	Keep any
}

// maxElements bounds the elements of a tensor: a terabyte of bytes, whose bits no int64 overflows.
const maxElements = 1 << 40

// maxRank bounds the sizes of a tensor. ONNX states no limit; frameworks stop at 8 to 64.
const maxRank = 64

// countElements returns the product of sizes, or an error if one is negative or there are too many of either.
func countElements(dims []int64) (int64, error) {
	if len(dims) > maxRank {
		return 0, fmt.Errorf("%d sizes, more than %d", len(dims), maxRank)
	}
	n, empty := int64(1), false
	for _, d := range dims {
		if d < 0 {
			return 0, fmt.Errorf("sizes %v: %d is negative", dims, d)
		}
		if d == 0 {
			empty = true
			continue
		}
		if n > maxElements/d {
			return 0, fmt.Errorf("sizes %v: too many elements", dims)
		}
		n *= d
	}
	if empty {
		n = 0
	}
	return n, nil
}

// byteLen returns the bytes that elements take.
func byteLen(elem DType, dims []int64) (int64, error) {
	n, err := countElements(dims)
	if err != nil {
		return 0, err
	}
	if elem.Bits() == 0 {
		return 0, fmt.Errorf("elements of type %v have no fixed size", elem)
	}
	return (n*int64(elem.Bits()) + 7) / 8, nil
}

// RawTensor returns a tensor over little-endian elements, which are not copied. Bytes that do not fill the sizes are an error.
func RawTensor(elem DType, dims []int64, raw []byte) (*Tensor, error) {
	want, err := byteLen(elem, dims)
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) != want {
		return nil, fmt.Errorf("%v%v needs %d bytes, not %d", elem, dims, want, len(raw))
	}
	return &Tensor{elem: elem, dims: slices.Clone(dims), raw: raw}, nil
}

// LazyTensor returns a tensor whose elements are read by load when they are first needed, once. What load returns is not copied, and is
// an error then if it does not fill the sizes.
func LazyTensor(elem DType, dims []int64, load func() ([]byte, error)) (*Tensor, error) {
	want, err := byteLen(elem, dims)
	if err != nil {
		return nil, err
	}
	once := sync.OnceValues(func() ([]byte, error) {
		raw, err := load()
		if err == nil && int64(len(raw)) != want {
			return nil, fmt.Errorf("%v%v needs %d bytes, not %d", elem, dims, want, len(raw))
		}
		return raw, err
	})
	return &Tensor{elem: elem, dims: slices.Clone(dims), load: once}, nil
}

// StringTensor returns a tensor of strings, which need not be UTF-8. The slice is not copied.
func StringTensor(dims []int64, values []string) (*Tensor, error) {
	n, err := countElements(dims)
	if err != nil {
		return nil, err
	}
	if int64(len(values)) != n {
		return nil, fmt.Errorf("string%v needs %d elements, not %d", dims, n, len(values))
	}
	return &Tensor{elem: String, dims: slices.Clone(dims), strings: values}, nil
}

// ForeignTensor returns a tensor whose elements this package cannot read, as a sparse one: keep is the file format's own.
func ForeignTensor(elem DType, dims []int64, keep any) (*Tensor, error) {
	if _, err := countElements(dims); err != nil {
		return nil, err
	}
	unread := func() ([]byte, error) { return nil, errors.New("the tensor is not stored densely") }
	return &Tensor{elem: elem, dims: slices.Clone(dims), load: unread, Keep: keep}, nil
}

// Element lists the Go types that [NewTensor] takes.
type Element interface {
	float32 | float64 | int64 | int32 | int8 | uint8 | bool
}

// NewTensor returns a tensor of a copy of values. It panics if they do not fill the sizes: that is the caller's bug.
func NewTensor[T Element](values []T, dims ...int64) *Tensor {
	elem, raw := encode(values)
	t, err := RawTensor(elem, dims, raw)
	if err != nil {
		panic("graph: NewTensor: " + err.Error())
	}
	return t
}

func encode[T Element](values []T) (DType, []byte) {
	var elem DType
	switch any(values).(type) {
	case []float32:
		elem = Float32
	case []float64:
		elem = Float64
	case []int64:
		elem = Int64
	case []int32:
		elem = Int32
	case []int8:
		elem = Int8
	case []uint8:
		elem = Uint8
	case []bool:
		elem = Bool
	}
	raw, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic("graph: NewTensor: unreachable: all of Element have a fixed size: " + err.Error())
	}
	return elem, raw
}

// Full returns a tensor of one floating-point or integer value, rounded to the type.
func Full(elem DType, value float64, dims ...int64) (*Tensor, error) {
	n, err := countElements(dims)
	if err != nil {
		return nil, err
	}
	one, err := encodeAs(elem, value)
	if err != nil {
		return nil, err
	}
	return RawTensor(elem, dims, slices.Repeat(one, int(n)))
}

// Rounded returns a tensor of numbers, each rounded to the type as [Full] does.
func Rounded(elem DType, values []float64, dims ...int64) (*Tensor, error) {
	raw := make([]byte, 0, len(values)*elem.Bits()/8)
	for _, v := range values {
		one, err := encodeAs(elem, v)
		if err != nil {
			return nil, err
		}
		raw = append(raw, one...)
	}
	return RawTensor(elem, dims, raw)
}

// Elem returns the element type.
func (t *Tensor) Elem() DType { return t.elem }

// Dims returns the sizes, which the caller must not change.
func (t *Tensor) Dims() []int64 { return t.dims }

// Type returns element type and sizes as a type.
func (t *Tensor) Type() Type { return Type{Elem: t.elem, Shape: Of(t.dims...)} }

// Len returns the number of elements.
func (t *Tensor) Len() int64 {
	n, _ := countElements(t.dims) // checked when t was made
	return n
}

// ByteLen returns the bytes that the elements take, without reading them; 0 for strings.
func (t *Tensor) ByteLen() int64 {
	return (t.Len()*int64(t.elem.Bits()) + 7) / 8
}

// Bytes returns the elements as little-endian bytes, which the caller must not change. It may read a file.
func (t *Tensor) Bytes() ([]byte, error) {
	switch {
	case t.elem == String:
		return nil, errors.New("a tensor of strings has no bytes")
	case t.load != nil:
		return t.load()
	}
	return t.raw, nil
}

// Lazy reports a tensor whose elements lie in a file.
func (t *Tensor) Lazy() bool { return t.load != nil }

// Strings returns the elements of a tensor of strings.
func (t *Tensor) Strings() []string { return t.strings }
