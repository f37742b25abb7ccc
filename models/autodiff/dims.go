package autodiff

import "github.com/oatta/oatta/models/graph"

// dim is one size: a number, or a vector of one int64 that is computed at run time.
type dim struct {
	n int64
	v graph.Value // None for a number
}

func fixed(n int64) dim { return dim{n: n} }

// dim returns the size of an axis, which must exist.
func (c *call) dim(v graph.Value, axis int) dim {
	if s := c.shape(v); s != nil && s[axis].Known() {
		return fixed(s[axis].Size)
	}
	return dim{v: c.opWith("Shape", []graph.Attr{graph.A("start", axis), graph.A("end", axis+1)}, v)}
}

// dims returns the sizes of axes from to to-1.
func (c *call) dims(v graph.Value, from, to int) []dim {
	var out []dim
	for a := from; a < to; a++ {
		out = append(out, c.dim(v, a))
	}
	return out
}

// linear returns a*d + b.
func (c *call) linear(d dim, a, b int64) dim {
	if d.v == graph.None {
		return fixed(a*d.n + b)
	}
	if a != 1 {
		d.v = c.mul(d.v, c.g.Ints(a))
	}
	if b != 0 {
		d.v = c.add(d.v, c.g.Ints(b))
	}
	return d
}

// value returns a size as a vector of one element.
func (c *call) value(d dim) graph.Value {
	if d.v == graph.None {
		return c.g.Ints(d.n)
	}
	return d.v
}

// vector returns sizes as one vector, a constant if all are numbers.
func (c *call) vector(dims ...dim) graph.Value {
	if ints, ok := numbers(dims); ok {
		return c.g.Ints(ints...)
	}
	parts := make([]graph.Value, len(dims))
	for i, d := range dims {
		parts[i] = c.value(d)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return c.opWith("Concat", []graph.Attr{graph.A("axis", 0)}, parts...)
}

func numbers(dims []dim) ([]int64, bool) {
	out := make([]int64, len(dims))
	for i, d := range dims {
		if d.v != graph.None {
			return nil, false
		}
		out[i] = d.n
	}
	return out, true
}

// reshape gives v other sizes. A single one that is not known is written -1, so that no shape is computed at run time.
func (c *call) reshape(v graph.Value, dims ...dim) graph.Value {
	open, at, zero := 0, 0, false
	for i, d := range dims {
		if d.v != graph.None || d.n < 0 {
			open, at = open+1, i
		}
		zero = zero || d.v == graph.None && d.n == 0
	}
	if open == 1 && !zero {
		dims = append([]dim{}, dims...)
		dims[at] = fixed(-1)
	}
	if zero {
		return c.opWith("Reshape", []graph.Attr{graph.A("allowzero", true)}, v, c.vector(dims...))
	}
	return c.op("Reshape", v, c.vector(dims...))
}

// reshapeLike gives v the shape of another value with as many elements.
func (c *call) reshapeLike(v, like graph.Value) graph.Value {
	s := c.shape(like)
	if s.Same(c.shape(v)) {
		return v
	}
	if s == nil {
		return c.op("Reshape", v, c.op("Shape", like))
	}
	return c.reshape(v, c.dims(like, 0, len(s))...)
}

// shapeOf returns the shape of a value as a vector, a constant if it is known.
func (c *call) shapeOf(v graph.Value) graph.Value {
	if sizes, ok := c.shape(v).Sizes(); ok {
		return c.g.Ints(sizes...)
	}
	return c.op("Shape", v)
}

// zeros returns zeros of the type and shape of a value.
func (c *call) zeros(like graph.Value) graph.Value {
	return c.op("Expand", c.num(0, like), c.shapeOf(like))
}

// zerosOf returns zeros of the type of a value and of given sizes.
func (c *call) zerosOf(like graph.Value, dims ...dim) graph.Value {
	return c.op("Expand", c.num(0, like), c.vector(dims...))
}

// cut returns elements from..to-1 along an axis, every step-th, and v itself if that is all.
func (c *call) cut(v graph.Value, axis int, from, to dim, step int64) graph.Value {
	if from == fixed(0) && to == c.dim(v, axis) && to.v == graph.None && step == 1 {
		return v
	}
	return c.op("Slice", v, c.value(from), c.value(to), c.g.Ints(int64(axis)), c.g.Ints(step))
}
