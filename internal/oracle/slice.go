package oracle

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// slice: starts, ends, axes and steps are inputs.
func slice(c *call) []Tensor {
	x := c.in[0]
	starts := c.vector(1)
	ends := c.vector(2)
	list := c.vectorOr(3, func(i int) int64 { return int64(i) }, len(starts))
	steps := c.vectorOr(4, func(int) int64 { return 1 }, len(starts))
	if len(ends) != len(starts) || len(list) != len(starts) || len(steps) != len(starts) {
		panic(failf("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(list), len(steps)))
	}
	where := axes(list, len(x.Dims))
	dims, strides, offset := slices.Clone(x.Dims), rowMajor(x.Dims), 0
	for i, a := range where {
		if steps[i] == 0 {
			panic(failf("step 0"))
		}
		from, n, step := graph.Cut(starts[i], ends[i], steps[i], x.Dims[a])
		dims[a] = n
		offset += int(from) * strides[a]
		strides[a] *= int(step)
	}
	return one(c.move(x, dims, offset, strides))
}

// vectorOr is vector, with what f gives for each of n places if the input is left out.
func (c *call) vectorOr(i int, f func(int) int64, n int) []int64 {
	if c.has(i) {
		return c.vector(i)
	}
	out := make([]int64, n)
	for k := range out {
		out[k] = f(k)
	}
	return out
}

// pad: pads are input 1, the begins of all axes (or of those in input 3) and then the ends; negative ones cut.
func pad(c *call) []Tensor {
	x := c.in[0]
	c.same(0, 2)
	pads := c.vector(1)
	list := c.vectorOr(3, func(i int) int64 { return int64(i) }, len(x.Dims))
	where := axes(list, len(x.Dims))
	if len(pads) != 2*len(where) {
		panic(failf("%d pads for %d axes", len(pads), len(where)))
	}
	fill := c.input(2)
	if c.has(2) && fill.size() != 1 {
		panic(failf("input 2 has shape %v, want a scalar", fill.Dims))
	}
	y, mode := x, c.n.Str("mode", "constant")
	for i, a := range where {
		y = c.padAxis(y, fill, a, pads[i], pads[len(where)+i], mode)
	}
	return one(y)
}

// padAxis pads one axis. One axis after another gives what all at once would: corners are padded from padding that is right already.
func (c *call) padAxis(x, fill Tensor, a int, before, after int64, mode string) Tensor {
	size := x.Dims[a]
	if min(before, after) < -maxPad || max(before, after) > maxPad || before+size+after < 0 {
		panic(failf("axis %d of %v with pads %d and %d", a, x.Dims, before, after))
	}
	dims := slices.Clone(x.Dims)
	dims[a] = before + size + after
	c.count(dims)
	from := make([]int, dims[a])
	for i := range from {
		p := padPlace(int64(i)-before, size, mode)
		from[i] = int(p)
	}
	r := along(x.Dims, a)
	list := make([]int, 0, product(dims))
	for o := range r.outer {
		for _, p := range from {
			for i := range r.inner {
				at := -1
				if p >= 0 {
					at = (o*r.n+p)*r.inner + i
				}
				list = append(list, at)
			}
		}
	}
	return take(x, dims, list, fill)
}

const maxPad = 1 << 40

// padPlace returns where along an axis a padded place is read from, -1 for the fill.
func padPlace(p, size int64, mode string) int64 {
	if p >= 0 && p < size {
		return p
	}
	switch {
	case mode == "constant":
		return -1
	case size == 0:
		panic(failf("nothing to pad from"))
	case mode == "edge":
		return max(0, min(size-1, p))
	case mode == "wrap":
		return (p%size + size) % size
	case mode == "reflect" && size > 1:
		period := 2 * (size - 1)
		p = (p%period + period) % period
		return min(p, period-p)
	case mode == "reflect":
		return 0
	}
	panic(failf("attribute mode: %q", mode))
}
