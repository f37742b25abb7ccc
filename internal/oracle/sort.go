package oracle

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// topK: the k largest (or smallest) along an axis, and their places; of equals the first comes first. They are always sorted.
func topK(c *call) []Tensor {
	x := c.in[0]
	if !numbers(x.Elem) {
		panic(failf("input 0 is %v", x.Elem))
	}
	k := c.one(1)
	a := axis(c.n.Int("axis", -1), len(x.Dims))
	if k < 0 || k > x.Dims[a] {
		panic(failf("k is %d, axis %d has %d elements", k, a, x.Dims[a]))
	}
	dims := slices.Clone(x.Dims)
	dims[a] = k
	where := c.make(graph.Int64, dims)
	list := make([]int, where.size())
	r, to := along(x.Dims, a), along(dims, a)
	largest, row := c.n.Int("largest", 1) != 0, 0
	r.each(func(first int) {
		order := span(r.n)
		slices.SortStableFunc(order, func(i, j int) int {
			if !largest {
				i, j = j, i
			}
			return x.order(first+j*r.inner, first+i*r.inner)
		})
		for j, p := range order[:k] {
			at := (row/to.inner*to.n+j)*to.inner + row%to.inner
			where.I[at], list[at] = int64(p), first+p*r.inner
		}
		row++
	})
	return []Tensor{take(x, dims, list, Tensor{}), where}
}

// cumSum adds up along the axis in input 1; exclusive leaves each element out of its own sum, reverse goes from the end. Sums of integers
// are exact to 2^53.
func cumSum(c *call) []Tensor {
	x := c.asFloats(c.in[0])
	y := c.make(x.Elem, x.Dims)
	exclusive, reverse := c.n.Int("exclusive", 0) != 0, c.n.Int("reverse", 0) != 0
	r := along(x.Dims, axis(c.one(1), len(x.Dims)))
	r.each(func(first int) {
		sum := 0.0
		for j := range r.n {
			if reverse {
				j = r.n - 1 - j
			}
			at := first + j*r.inner
			y.F[at] = sum
			sum += x.F[at]
			if !exclusive {
				y.F[at] = sum
			}
		}
	})
	return one(c.castTo(y, c.in[0].Elem))
}
