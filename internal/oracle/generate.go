package oracle

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

func constantOfShape(c *call) []Tensor {
	dims := c.vector(0)
	fill := Float32s([]float64{0})
	if a, ok := c.n.Attr("value"); ok {
		t, ok := a.Value.(*graph.Tensor)
		if !ok || t == nil || t.Len() != 1 {
			panic(failf("attribute value: want a tensor of one element"))
		}
		fill = must(FromGraph(t))
	}
	return one(c.move(fill, dims, 0, make([]int, len(dims))))
}

// rangeOf counts from start to before limit by delta.
func rangeOf(c *call) []Tensor {
	c.sameAll()
	for i, t := range c.in {
		if t.size() != 1 || !numbers(t.Elem) {
			panic(failf("input %d is %v%v, want one number", i, t.Elem, t.Dims))
		}
	}
	n := rangeLength(c.in[0], c.in[1], c.in[2])
	y := c.make(c.in[0].Elem, []int64{n})
	for i := range y.F {
		y.F[i] = c.in[0].F[0] + float64(i)*c.in[2].F[0]
	}
	for i := range y.I {
		y.I[i] = wrapped(y.Elem, c.in[0].I[0]+int64(i)*c.in[2].I[0])
	}
	return one(y)
}

// rangeLength is ceil((limit-start)/delta), at least 0. Integers far apart lose digits here, but then they are too many anyway.
func rangeLength(start, limit, delta Tensor) int64 {
	value := func(t Tensor) float64 {
		if t.F != nil {
			return t.F[0]
		}
		return float64(t.I[0])
	}
	n := math.Ceil((value(limit) - value(start)) / value(delta))
	if value(delta) == 0 || n != n || n > 1<<50 {
		panic(failf("from %v to %v by %v", value(start), value(limit), value(delta)))
	}
	return int64(max(0, n))
}

// trilu keeps the upper or lower triangle of the last two axes; input 1 moves the diagonal.
func trilu(c *call) []Tensor {
	x := c.in[0]
	rank := len(x.Dims)
	if rank < 2 {
		panic(failf("input 0 has shape %v, want matrices", x.Dims))
	}
	k := int64(0)
	if c.has(1) {
		k = c.one(1)
	}
	c.count(x.Dims)
	upper := c.n.Int("upper", 1) != 0
	rows, columns := x.Dims[rank-2], x.Dims[rank-1]
	k = max(-rows-1, min(columns+1, k))
	list := make([]int, x.size())
	for i := range list {
		row, column := int64(i)/columns%rows, int64(i)%columns
		list[i] = i
		if upper && column < row+k || !upper && column > row+k {
			list[i] = -1
		}
	}
	return one(take(x, x.Dims, list, Tensor{}))
}
