package oracle

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// index brings an index into 0..size-1. What lies outside is an error, where engines may read whatever is there.
func index(i, size int64) int {
	if i < -size || i >= size {
		panic(failf("index %d into %d elements", i, size))
	}
	if i < 0 {
		i += size
	}
	return int(i)
}

// gather takes whole slices along an axis.
func gather(c *call) []Tensor {
	x := c.in[0]
	a := axis(c.n.Int("axis", 0), len(x.Dims))
	indices := c.ints(1)
	dims := slices.Concat(x.Dims[:a], c.in[1].Dims, x.Dims[a+1:])
	c.count(dims)
	r := along(x.Dims, a)
	list := make([]int, 0, product(dims))
	for o := range r.outer {
		for _, i := range indices {
			at := index(i, int64(r.n))
			for k := range r.inner {
				list = append(list, (o*r.n+at)*r.inner+k)
			}
		}
	}
	return one(take(x, dims, list, Tensor{}))
}

// elementPlaces lists, for each element of indices, the place in a tensor of sizes dims that has its coordinates but for the index along
// the axis.
func (c *call) elementPlaces(dims []int64, indices Tensor) []int {
	a := axis(c.n.Int("axis", 0), len(dims))
	if !indices.Elem.IsInt() || len(indices.Dims) != len(dims) {
		panic(failf("indices are %v%v for shape %v", indices.Elem, indices.Dims, dims))
	}
	for i, d := range indices.Dims {
		if i != a && d > dims[i] {
			panic(failf("indices of shape %v for shape %v", indices.Dims, dims))
		}
	}
	c.count(indices.Dims)
	strides := rowMajor(dims)
	step := strides[a]
	strides[a] = 0
	list := places(indices.Dims, 0, strides)
	for i := range list {
		list[i] += index(indices.I[i], dims[a]) * step
	}
	return list
}

// gatherElements: y[i, j, ...] = x[i, at[i, j, ...], ...] for axis 1.
func gatherElements(c *call) []Tensor {
	list := c.elementPlaces(c.in[0].Dims, c.in[1])
	return one(take(c.in[0], c.in[1].Dims, list, Tensor{}))
}

// tuples reads indices whose last axis holds coordinates: it returns the place of the first element that each tuple names in dims, and
// how many axes a tuple names. The first batch axes are common to both.
func (c *call) tuples(dims []int64, indices Tensor, batch int) (first []int, depth int) {
	rank := len(indices.Dims)
	if !indices.Elem.IsInt() || rank == 0 || batch < 0 || batch >= rank || batch > len(dims) {
		panic(failf("indices are %v%v for shape %v", indices.Elem, indices.Dims, dims))
	}
	if !slices.Equal(indices.Dims[:batch], dims[:batch]) || indices.Dims[rank-1] > int64(len(dims)-batch) {
		panic(failf("indices of shape %v for shape %v", indices.Dims, dims))
	}
	depth = int(indices.Dims[rank-1])
	n := c.count(indices.Dims[:rank-1])
	strides := rowMajor(dims)
	per := max(1, product(indices.Dims[batch:rank-1]))
	whole := product(dims[batch:])
	first = make([]int, n)
	for i := range first {
		first[i] = i / per * whole
		for k := range depth {
			first[i] += index(indices.I[i*depth+k], dims[batch+k]) * strides[batch+k]
		}
	}
	return first, depth
}

// gatherND takes the slices of x that tuples name. at: [B..., M..., depth], y: [B..., M..., what the tuples leave of x].
func gatherND(c *call) []Tensor {
	x, indices := c.in[0], c.in[1]
	batch := c.n.Int("batch_dims", 0)
	if batch < 0 || batch > int64(len(x.Dims)) {
		panic(failf("attribute batch_dims: %d", batch))
	}
	first, depth := c.tuples(x.Dims, indices, int(batch))
	rest := x.Dims[int(batch)+depth:]
	dims := slices.Concat(indices.Dims[:len(indices.Dims)-1], rest)
	c.count(dims)
	return one(take(x, dims, runs(first, product(rest)), Tensor{}))
}

// runs lists n places from each of the first on.
func runs(first []int, n int) []int {
	list := make([]int, 0, len(first)*n)
	for _, at := range first {
		for k := range n {
			list = append(list, at+k)
		}
	}
	return list
}

// scatterElements writes updates into a copy of input 0, or folds them in: reduction add, mul, min, max. Equal places fold one after
// another; without reduction the last one stays.
func scatterElements(c *call) []Tensor {
	if !slices.Equal(c.in[1].Dims, c.in[2].Dims) {
		panic(failf("indices of shape %v, updates of shape %v", c.in[1].Dims, c.in[2].Dims))
	}
	list := c.elementPlaces(c.in[0].Dims, c.in[1])
	return c.scatterTo(list)
}

// scatterND writes slices of updates to the places that tuples of indices name.
func scatterND(c *call) []Tensor {
	x, indices, updates := c.in[0], c.in[1], c.in[2]
	first, depth := c.tuples(x.Dims, indices, 0)
	rest := x.Dims[depth:]
	if dims := slices.Concat(indices.Dims[:len(indices.Dims)-1], rest); !slices.Equal(dims, updates.Dims) {
		panic(failf("updates of shape %v, want %v", updates.Dims, dims))
	}
	c.count(updates.Dims)
	return c.scatterTo(runs(first, product(rest)))
}

// scatterTo folds update i into place list[i].
func (c *call) scatterTo(list []int) []Tensor {
	c.same(0, 2)
	x, updates := c.in[0], c.in[2]
	y := c.make(x.Elem, x.Dims)
	y.copy(0, x, 0, x.size())
	p, ok := map[string]pair{"none": {}, "add": addOf, "mul": mulOf, "min": minOf, "max": maxOf}[c.n.Str("reduction", "none")]
	if !ok || p.i != nil && !numbers(x.Elem) {
		panic(failf("attribute reduction: %q of %v", c.n.Str("reduction", ""), x.Elem))
	}
	for i, at := range list {
		switch {
		case p.f == nil:
			y.set(at, updates, i)
		case y.F != nil:
			y.F[at] = p.f(y.F[at], updates.F[i])
		default:
			y.I[at] = wrapped(y.Elem, p.i(y.I[at], updates.I[i]))
		}
	}
	return one(y)
}

// nonZero lists the coordinates of what is not 0: one row per axis.
func nonZero(c *call) []Tensor {
	x := c.in[0]
	var found []int
	for i := range x.size() {
		if x.F != nil && x.F[i] != 0 || x.I != nil && x.I[i] != 0 {
			found = append(found, i)
		}
	}
	rank := len(x.Dims)
	y := c.make(graph.Int64, []int64{int64(rank), int64(len(found))})
	for k, at := range found {
		for a := rank - 1; a >= 0; a-- {
			y.I[a*len(found)+k] = int64(at) % x.Dims[a]
			at /= int(x.Dims[a])
		}
	}
	return one(y)
}
