package oracle

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// call is one node with its inputs at hand.
type call struct {
	n  *graph.Node
	in []Tensor
	p  *Program
}

// failure is what an operator panics with. Operators thereby read as the arithmetic that they are; [operator.eval] makes an error of it.
type failure struct{ error }

func failf(format string, args ...any) failure { return failure{fmt.Errorf(format, args...)} }

// must returns v, or raises what went wrong with it.
func must[T any](v T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return v
}

// input returns input i, the zero Tensor if it is left out.
func (c *call) input(i int) Tensor {
	if i >= len(c.in) {
		return Tensor{}
	}
	return c.in[i]
}

func (c *call) has(i int) bool { return !c.input(i).absent() }

// make returns a tensor of zeros, within the limit.
func (c *call) make(elem graph.DType, dims []int64) Tensor {
	n := c.count(dims)
	t := Tensor{Elem: elem, Dims: slices.Clone(dims)}
	switch {
	case elem.IsFloat():
		t.F = make([]float64, n)
	case whole(elem):
		t.I = make([]int64, n)
	default:
		panic(failf("elements of type %v are not evaluated", elem))
	}
	return t
}

// count returns the elements of a shape, within the limit.
func (c *call) count(dims []int64) int {
	n, ok := elements(dims, c.p.s.MaxElements)
	if !ok {
		panic(failf("sizes %v: negative, or more than %d elements", dims, c.p.s.MaxElements))
	}
	return int(n)
}

// floats returns input i, which must be of floats.
func (c *call) floats(i int) Tensor {
	t := c.input(i)
	if !t.Elem.IsFloat() {
		panic(failf("input %d is %v, want floats", i, t.Elem))
	}
	return t
}

// allFloats reports an input that is neither of floats nor left out.
func (c *call) allFloats() {
	for i, t := range c.in {
		if !t.absent() && !t.Elem.IsFloat() {
			panic(failf("input %d is %v, want floats", i, t.Elem))
		}
	}
}

// ints returns the elements of input i, which must be integers.
func (c *call) ints(i int) []int64 {
	t := c.input(i)
	if !t.Elem.IsInt() {
		panic(failf("input %d is %v, want integers", i, t.Elem))
	}
	return t.I
}

// vector is ints for an input of one axis at most.
func (c *call) vector(i int) []int64 {
	if t := c.input(i); len(t.Dims) > 1 {
		panic(failf("input %d has shape %v, want one axis", i, t.Dims))
	}
	return c.ints(i)
}

// one returns the only element of an integer input.
func (c *call) one(i int) int64 {
	list := c.ints(i)
	if len(list) != 1 {
		panic(failf("input %d has %d elements, want one", i, len(list)))
	}
	return list[0]
}

// scalar returns the only element of a number input as a float, def if it is left out.
func (c *call) scalar(i int, def float64) float64 {
	t := c.input(i)
	switch {
	case t.absent():
		return def
	case t.size() != 1:
		panic(failf("input %d is %v%v, want one number", i, t.Elem, t.Dims))
	case t.Elem.IsFloat():
		return t.F[0]
	}
	return float64(t.I[0])
}

// float returns an attribute as the float64 of its float32.
func (c *call) float(name string, def float32) float64 { return float64(c.n.Float(name, def)) }

// same reports inputs of different element types; those that are left out fit.
func (c *call) same(inputs ...int) {
	elem := graph.Undefined
	for _, i := range inputs {
		t := c.input(i)
		switch {
		case t.absent():
		case elem == graph.Undefined:
			elem = t.Elem
		case t.Elem != elem:
			panic(failf("inputs of types %v and %v", elem, t.Elem))
		}
	}
}

// sameAll is same for all inputs.
func (c *call) sameAll() {
	c.same(span(len(c.in))...)
}

// rank reports an input whose number of axes is another.
func (c *call) rank(i, want int) {
	if t := c.input(i); !t.absent() && len(t.Dims) != want {
		panic(failf("input %d has shape %v, want %d axes", i, t.Dims, want))
	}
}

// axis brings an axis into 0..rank-1.
func axis(a int64, rank int) int { return must(graph.Axis(a, rank)) }

// axes brings axes into 0..rank-1, none of which may be named twice.
func axes(list []int64, rank int) []int { return must(graph.Axes(list, rank)) }

// span returns 0, 1, ... n-1.
func span(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// product of sizes that belong to a tensor, so that it cannot overflow.
func product(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

func one(t Tensor) []Tensor { return []Tensor{t} }

// reshaped returns t with other sizes of the same product.
func (t Tensor) reshaped(dims []int64) Tensor {
	t.Dims = slices.Clone(dims)
	return t
}
