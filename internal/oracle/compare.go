package oracle

import (
	"cmp"

	"github.com/oatta/oatta/models/graph"
)

// ordering tells how a compares to b: floats as they are, so that nothing holds of NaN.
type ordering struct {
	less, equal, greater bool
}

// compare is an operator from two tensors of one type to bools.
func compare(o ordering, types func(graph.DType) bool) func(*call) []Tensor {
	return func(c *call) []Tensor {
		c.same(0, 1)
		if !types(c.in[0].Elem) {
			panic(failf("inputs of type %v", c.in[0].Elem))
		}
		in, dims := c.stretchAll(c.in[0], c.in[1])
		out := c.make(graph.Bool, dims)
		a, b := in[0], in[1]
		for i := range a.F {
			x, y := a.F[i], b.F[i]
			out.I[i] = boolInt(o.less && x < y || o.equal && x == y || o.greater && x > y)
		}
		for i := range a.I {
			out.I[i] = boolInt(o.holds(cmp.Compare(a.I[i], b.I[i])))
		}
		return one(out)
	}
}

func (o ordering) holds(order int) bool {
	return o.less && order < 0 || o.equal && order == 0 || o.greater && order > 0
}

func anyType(graph.DType) bool { return true }

func numbers(elem graph.DType) bool { return elem.IsFloat() || elem.IsInt() }

// where takes from input 1 where input 0 holds, and else from input 2.
func where(c *call) []Tensor {
	if c.in[0].Elem != graph.Bool {
		panic(failf("input 0 is %v, want bool", c.in[0].Elem))
	}
	c.same(1, 2)
	in, dims := c.stretchAll(c.in...)
	out := c.make(c.in[1].Elem, dims)
	for i, n := range in[0].I {
		from := in[2]
		if n != 0 {
			from = in[1]
		}
		out.set(i, from, i)
	}
	return one(out)
}

// set copies element j of a tensor of the same type to element i.
func (t Tensor) set(i int, from Tensor, j int) {
	if t.F != nil {
		t.F[i] = from.F[j]
		return
	}
	t.I[i] = from.I[j]
}
