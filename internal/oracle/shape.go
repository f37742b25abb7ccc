package oracle

import (
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// reshape: 0 copies a size (unless allowzero), -1 takes what is left.
func reshape(c *call) []Tensor {
	x := c.in[0]
	want := c.vector(1)
	dims, open := slices.Clone(want), -1
	for i, d := range dims {
		switch {
		case d == 0 && c.n.Int("allowzero", 0) == 0:
			if i >= len(x.Dims) {
				panic(failf("size %d is to be copied from shape %v", i, x.Dims))
			}
			dims[i] = x.Dims[i]
		case d == -1 && open < 0:
			open, dims[i] = i, 1
		case d < 0:
			panic(failf("sizes %v", want))
		}
	}
	n, ok := elements(dims, c.p.s.MaxElements)
	if open >= 0 && n > 0 {
		dims[open] = int64(x.size()) / n
		n *= dims[open]
	} else if open >= 0 {
		dims[open] = 0
	}
	if !ok || n != int64(x.size()) {
		panic(failf("shape %v does not become %v", x.Dims, want))
	}
	return one(x.reshaped(dims))
}

// flatten reads x as a matrix; the axis may be behind the last, which leaves one column.
func flatten(c *call) []Tensor {
	x := c.in[0]
	a := c.n.Int("axis", 1)
	if rank := int64(len(x.Dims)); a < -rank || a > rank {
		panic(failf("axis %d of a tensor of %d axes", a, rank))
	} else if a < 0 {
		a += rank
	}
	return one(x.reshaped([]int64{int64(product(x.Dims[:a])), int64(product(x.Dims[a:]))}))
}

// squeeze takes axes of size 1 out, without a list all of them.
func squeeze(c *call) []Tensor {
	x := c.in[0]
	var list []int64
	if c.has(1) {
		list = c.vector(1)
	} else {
		for i, d := range x.Dims {
			if d == 1 {
				list = append(list, int64(i))
			}
		}
	}
	gone := axes(list, len(x.Dims))
	for _, a := range gone {
		if x.Dims[a] != 1 {
			panic(failf("axis %d of %v is not 1", a, x.Dims))
		}
	}
	_, dims := shrunk(x.Dims, gone, false)
	return one(x.reshaped(dims))
}

// unsqueeze puts axes of size 1 in: the places are those of the result.
func unsqueeze(c *call) []Tensor {
	x := c.in[0]
	list := c.vector(1)
	rank := len(x.Dims) + len(list)
	if rank > maxRank {
		panic(failf("%d axes, more than %d", rank, maxRank))
	}
	added := axes(list, rank)
	dims, next := make([]int64, rank), 0
	for i := range dims {
		if slices.Contains(added, i) {
			dims[i] = 1
			continue
		}
		dims[i] = x.Dims[next]
		next++
	}
	return one(x.reshaped(dims))
}

func transpose(c *call) []Tensor {
	x := c.in[0]
	return one(c.permuted(x, must(c.n.Order(len(x.Dims)))))
}

func (c *call) permuted(x Tensor, order []int) Tensor {
	from := rowMajor(x.Dims)
	dims, strides := make([]int64, len(order)), make([]int, len(order))
	for i, a := range order {
		dims[i], strides[i] = x.Dims[a], from[a]
	}
	return c.move(x, dims, 0, strides)
}

// concat joins along an axis: rows of what lies before it are put one after another.
func concat(c *call) []Tensor {
	c.sameAll()
	first := c.in[0]
	a := axis(c.n.Int("axis", 0), len(first.Dims))
	dims := slices.Clone(first.Dims)
	for i, t := range c.in[1:] {
		if t.absent() || len(t.Dims) != len(dims) {
			panic(failf("inputs 0 and %d have shapes %v and %v", i+1, first.Dims, t.Dims))
		}
		for k, d := range t.Dims {
			if k != a && d != dims[k] {
				panic(failf("inputs 0 and %d have shapes %v and %v", i+1, first.Dims, t.Dims))
			}
		}
		dims[a] += t.Dims[a]
	}
	y := c.make(first.Elem, dims)
	at := 0
	for o := range product(dims[:a]) {
		for _, t := range c.in {
			n := product(t.Dims[a:])
			at += y.copy(at, t, o*n, n)
		}
	}
	return one(y)
}

// copy copies n elements from place j of a tensor of the same type to place i, and returns n.
func (t Tensor) copy(i int, from Tensor, j, n int) int {
	if n > 0 {
		if t.F != nil {
			copy(t.F[i:i+n], from.F[j:j+n])
		} else {
			copy(t.I[i:i+n], from.I[j:j+n])
		}
	}
	return n
}

// split: sizes are an input, or else there are as many parts as outputs, of which the last may be smaller.
func split(c *call) []Tensor {
	x := c.in[0]
	a := axis(c.n.Int("axis", 0), len(x.Dims))
	sizes := c.parts(x.Dims[a])
	out := make([]Tensor, len(sizes))
	strides, from := rowMajor(x.Dims), 0
	for i, n := range sizes {
		dims := slices.Clone(x.Dims)
		dims[a] = n
		out[i] = c.move(x, dims, from*strides[a], strides)
		from += int(n)
	}
	return out
}

func (c *call) parts(size int64) []int64 {
	parts := len(c.n.Outputs)
	if !c.has(1) {
		return graph.Parts(size, parts)
	}
	sizes := c.vector(1)
	sum := int64(0)
	for _, n := range sizes {
		if n < 0 || n > size-sum {
			panic(failf("parts %v of an axis of %d", sizes, size))
		}
		sum += n
	}
	if sum != size || len(sizes) != parts {
		panic(failf("parts %v of an axis of %d for %d outputs", sizes, size, parts))
	}
	return sizes
}

// expand broadcasts both ways: a size of 1 that is asked for leaves that of x.
func expand(c *call) []Tensor {
	want := c.vector(1)
	for _, d := range want {
		if d < 0 {
			panic(failf("sizes %v", want))
		}
	}
	dims := broadcast(c.in[0].Dims, want)
	return one(c.stretched(c.in[0], dims))
}

// tile puts copies side by side along each axis: the axis is read as [repeats, size], of which the first has stride 0.
func tile(c *call) []Tensor {
	x := c.in[0]
	repeats := c.vector(1)
	if len(repeats) != len(x.Dims) {
		panic(failf("%d repeats for shape %v", len(repeats), x.Dims))
	}
	from := rowMajor(x.Dims)
	var pairs, dims []int64
	var strides []int
	for i, n := range repeats {
		if n < 0 || x.Dims[i] > 0 && n > math.MaxInt64/x.Dims[i] {
			panic(failf("repeats %v", repeats))
		}
		pairs = append(pairs, n, x.Dims[i])
		strides = append(strides, 0, from[i])
		dims = append(dims, n*x.Dims[i])
	}
	y := c.move(x, pairs, 0, strides)
	return one(y.reshaped(dims))
}

func shapeOf(c *call) []Tensor {
	from, to := c.n.ShapeSpan(len(c.in[0].Dims))
	return one(Int64s(append([]int64{}, c.in[0].Dims[from:to]...), int64(to-from)))
}

func sizeOf(c *call) []Tensor {
	return one(Int64s([]int64{int64(c.in[0].size())}))
}

// depthToSpace: [N, C, H, W] to [N, C/b^2, H*b, W*b]; the block comes before the channel (DCR) or after (CRD).
func depthToSpace(c *call) []Tensor {
	b := c.block()
	d := c.in[0].Dims
	if d[1]%(b*b) != 0 {
		panic(failf("%d channels in blocks of %d", d[1], b))
	}
	split, order := []int64{d[0], b, b, d[1] / (b * b), d[2], d[3]}, []int{0, 3, 4, 1, 5, 2}
	if c.n.Str("mode", "DCR") == "CRD" {
		split, order = []int64{d[0], d[1] / (b * b), b, b, d[2], d[3]}, []int{0, 1, 4, 2, 5, 3}
	}
	y := c.permuted(c.in[0].reshaped(split), order)
	return one(y.reshaped([]int64{d[0], d[1] / (b * b), d[2] * b, d[3] * b}))
}

func spaceToDepth(c *call) []Tensor {
	b := c.block()
	d := c.in[0].Dims
	if d[2]%b != 0 || d[3]%b != 0 {
		panic(failf("input 0 of shape %v in blocks of %d", d, b))
	}
	y := c.permuted(c.in[0].reshaped([]int64{d[0], d[1], d[2] / b, b, d[3] / b, b}), []int{0, 3, 5, 1, 2, 4})
	return one(y.reshaped([]int64{d[0], d[1] * b * b, d[2] / b, d[3] / b}))
}

func (c *call) block() int64 {
	b := c.n.Int("blocksize", 0)
	if b < 1 || b > 1<<15 {
		panic(failf("attribute blocksize: %d", b))
	}
	c.rank(0, 4)
	return b
}
