package oracle

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Operators that only move elements work on lists of places: element i of the result is element list[i] of the source, or the fill
// where that is negative. They are thereby one code for all types.

// rowMajor returns how far apart neighbours along each axis are.
func rowMajor(dims []int64) []int {
	out := make([]int, len(dims))
	step := 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = step
		step *= int(dims[i])
	}
	return out
}

// places lists offset + sum i[k]*strides[k] for all i below dims, in row-major order. A nil list of dims has one place.
func places(dims []int64, offset int, strides []int) []int {
	n := product(dims)
	out := make([]int, 0, n)
	if n == 0 {
		return out
	}
	at := make([]int64, len(dims))
	for {
		out = append(out, offset)
		k := len(dims) - 1
		for ; k >= 0; k-- {
			at[k]++
			offset += strides[k]
			if at[k] < dims[k] {
				break
			}
			offset -= int(at[k]) * strides[k]
			at[k] = 0
		}
		if k < 0 {
			return out
		}
	}
}

// take returns the elements of t at the places, and fill where a place is negative. The list has as many elements as dims, which the
// caller has counted.
func take(t Tensor, dims []int64, list []int, fill Tensor) Tensor {
	out := Tensor{Elem: t.Elem, Dims: slices.Clone(dims)}
	if t.Elem.IsFloat() {
		out.F = pick(t.F, list, fill.F)
	} else {
		out.I = pick(t.I, list, fill.I)
	}
	return out
}

func pick[T any](from []T, list []int, fill []T) []T {
	out := make([]T, len(list))
	for i, at := range list {
		switch {
		case at >= 0:
			out[i] = from[at]
		case len(fill) > 0:
			out[i] = fill[0]
		}
	}
	return out
}

// move is take with its limits checked: dims elements of input t with the given strides.
func (c *call) move(t Tensor, dims []int64, offset int, strides []int) Tensor {
	c.count(dims)
	return take(t, dims, places(dims, offset, strides), Tensor{})
}

// broadcast returns the sizes to which all of the shapes stretch.
func broadcast(shapes ...[]int64) []int64 {
	all := graph.Shape{}
	for _, s := range shapes {
		all = must(graph.Broadcast(all, graph.Of(s...)))
	}
	sizes, _ := all.Sizes() // known, as those of all shapes are
	return sizes
}

// stretch returns the strides with which a tensor of sizes from is read as one of sizes to, to which it broadcasts.
func stretch(from, to []int64) []int {
	out := make([]int, len(to))
	strides := rowMajor(from)
	for i, d := range from {
		if d != 1 {
			out[len(to)-len(from)+i] = strides[i]
		}
	}
	return out
}

// stretched returns t broadcast to sizes; t itself if it has them.
func (c *call) stretched(t Tensor, to []int64) Tensor {
	if slices.Equal(t.Dims, to) {
		return t
	}
	if !slices.Equal(broadcast(t.Dims, to), to) {
		panic(failf("shape %v does not broadcast to %v", t.Dims, to))
	}
	return c.move(t, to, 0, stretch(t.Dims, to))
}

// stretchAll broadcasts inputs to one another.
func (c *call) stretchAll(in ...Tensor) ([]Tensor, []int64) {
	shapes := make([][]int64, len(in))
	for i, t := range in {
		shapes[i] = t.Dims
	}
	dims := broadcast(shapes...)
	out := make([]Tensor, len(in))
	for i, t := range in {
		out[i] = c.stretched(t, dims)
	}
	return out, dims
}
