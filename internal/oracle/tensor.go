package oracle

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Tensor is a dense array in row-major order. Its elements are in F for float types, and in I for integers and bools (0 and 1). The zero
// Tensor stands for an input that is left out.
type Tensor struct {
	Elem graph.DType
	Dims []int64
	F    []float64
	I    []int64
}

// Float64s returns a tensor of type float64 over values, which are not copied. It panics if they do not fill the sizes.
func Float64s(values []float64, dims ...int64) Tensor {
	return FloatsOf(graph.Float64, values, dims...)
}

// Float32s returns a tensor whose declared type is float32. The values are not rounded. It panics if they do not fill the sizes.
func Float32s(values []float64, dims ...int64) Tensor {
	return FloatsOf(graph.Float32, values, dims...)
}

// FloatsOf returns a tensor of a float type over values, which are neither copied nor rounded. It panics if they do not fill the sizes or
// the type is none of floats.
func FloatsOf(elem graph.DType, values []float64, dims ...int64) Tensor {
	t := Tensor{Elem: elem, Dims: slices.Clone(dims), F: values}
	if err := t.Check(); err != nil {
		panic("oracle: FloatsOf: " + err.Error())
	}
	return t
}

// Int64s returns a tensor of int64 over values, which are not copied. It panics if they do not fill the sizes.
func Int64s(values []int64, dims ...int64) Tensor { return IntsOf(graph.Int64, values, dims...) }

// IntsOf returns a tensor of an integer type or bool over values, which are not copied. It panics if they do not fill the sizes or the
// type is another one.
func IntsOf(elem graph.DType, values []int64, dims ...int64) Tensor {
	t := Tensor{Elem: elem, Dims: slices.Clone(dims), I: values}
	if err := t.Check(); err != nil {
		panic("oracle: IntsOf: " + err.Error())
	}
	return t
}

// absent reports the zero Tensor.
func (t Tensor) absent() bool { return t.Elem == graph.Undefined }

// size returns the number of elements.
func (t Tensor) size() int { return len(t.F) + len(t.I) }

// whole reports the types whose elements an int64 holds: networks index, count and mask with them. Of uint64 no network makes use.
func whole(elem graph.DType) bool { return elem.IsInt() && elem != graph.Uint64 || elem == graph.Bool }

// Check reports elements that do not fill the sizes, or lie in a slice that the type does not use.
func (t Tensor) Check() error {
	n, ok := elements(t.Dims, math.MaxInt64)
	if !ok {
		return fmt.Errorf("sizes %v", t.Dims)
	}
	used, other := len(t.F), len(t.I)
	if !t.Elem.IsFloat() {
		used, other = other, used
	}
	switch {
	case !t.Elem.IsFloat() && !whole(t.Elem):
		return fmt.Errorf("elements of type %v are not evaluated", t.Elem)
	case int64(used) != n || other != 0:
		return fmt.Errorf("%v%v with %d floats, %d integers", t.Elem, t.Dims, len(t.F), len(t.I))
	}
	return nil
}

// maxRank bounds the axes of a tensor, as package graph does.
const maxRank = 64

// elements returns the product of sizes; ok is false if one is negative or there are too many of either. Sizes beside one of 0 count, so
// that no part of a shape has a product over the limit.
func elements(dims []int64, limit int64) (n int64, ok bool) {
	n = 1
	for _, d := range dims {
		if d < 0 || len(dims) > maxRank || d > 0 && n > limit/d {
			return 0, false
		}
		n *= max(1, d)
	}
	if slices.Contains(dims, 0) {
		n = 0
	}
	return n, true
}

// FromGraph converts a constant. It may read a file.
func FromGraph(t *graph.Tensor) (Tensor, error) {
	out := Tensor{Elem: t.Elem(), Dims: slices.Clone(t.Dims())}
	var err error
	switch {
	case t.Elem().IsFloat():
		out.F, err = t.Float64s()
	case whole(t.Elem()):
		out.I, err = t.Int64s()
	default:
		err = fmt.Errorf("elements of type %v are not evaluated", t.Elem())
	}
	return out, err
}

// Graph converts to a constant, rounded to the declared type.
func (t Tensor) Graph() (*graph.Tensor, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Elem.IsFloat() {
		return graph.Rounded(t.Elem, t.F, t.Dims...)
	}
	var raw []byte
	for _, v := range t.I {
		raw = append(raw, binary.LittleEndian.AppendUint64(nil, uint64(v))[:t.Elem.Bits()/8]...)
	}
	return graph.RawTensor(t.Elem, t.Dims, raw)
}

// wrapped keeps the bits of an integer that its type has.
func wrapped(elem graph.DType, n int64) int64 {
	switch elem {
	case graph.Int8:
		return int64(int8(n))
	case graph.Uint8:
		return int64(uint8(n))
	case graph.Int16:
		return int64(int16(n))
	case graph.Uint16:
		return int64(uint16(n))
	case graph.Int32:
		return int64(int32(n))
	case graph.Uint32:
		return int64(uint32(n))
	case graph.Bool:
		if n != 0 {
			return 1
		}
	}
	return n
}
