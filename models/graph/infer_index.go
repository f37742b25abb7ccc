package graph

import (
	"fmt"
	"math"
	"slices"
)

// pad: pads are an input, the begins of all axes and then the ends; axes are input 3.
func pad(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	where := counting(len(x))
	if c.has(3) {
		list, ok := c.ints(3)
		if !ok {
			return c.set(0, c.elem(0), unknown(len(x)))
		}
		var err error
		if where, err = Axes(list, len(x)); err != nil {
			return err
		}
	}
	pads := c.data(1)
	if pads == nil {
		return c.set(0, c.elem(0), unknown(len(x)))
	}
	if len(pads) != 2*len(where) {
		return fmt.Errorf("%d pads for %d axes", len(pads), len(where))
	}
	out := slices.Clone(x)
	for i, a := range where {
		d := datumOf(x[a]).add(pads[i].add(pads[len(where)+i]))
		if d.isNumber() && d.n < 0 {
			return fmt.Errorf("axis %d of %v is padded to %d", a, x, d.n)
		}
		out[a] = d.dim()
	}
	return c.set(0, c.elem(0), out)
}

// expand broadcasts both ways, so that a size of 1 in the shape that is asked for leaves that of the input.
func expand(c *inference) error {
	s, err := Broadcast(c.shape(0), c.sizesOf(1))
	if err != nil {
		return err
	}
	return c.set(0, c.elem(0), s)
}

// tile multiplies sizes, known or named; without them only the rank stays.
func tile(c *inference) error {
	x := c.shape(0)
	repeats := c.data(1)
	if x == nil || repeats == nil {
		return c.set(0, c.elem(0), unknown(len(x)))
	}
	if len(repeats) != len(x) {
		return fmt.Errorf("%d repeats for shape %v", len(repeats), x)
	}
	out := make(Shape, len(x))
	for i, d := range x {
		out[i] = datumOf(d).mul(repeats[i]).dim()
	}
	return c.set(0, c.elem(0), out)
}

func gather(c *inference) error {
	x, indices := c.shape(0), c.shape(1)
	if x == nil || indices == nil {
		return c.set(0, c.elem(0), nil)
	}
	a, err := Axis(c.n.Int("axis", 0), len(x))
	if err != nil {
		return err
	}
	return c.set(0, c.elem(0), join(x[:a], indices, x[a+1:]))
}

func gatherElements(c *inference) error {
	if r, s := c.rank(0), c.rank(1); r >= 0 && s >= 0 && r != s {
		return fmt.Errorf("shapes %v and %v", c.shape(0), c.shape(1))
	}
	if r := c.rank(0); r >= 0 {
		if _, err := Axis(c.n.Int("axis", 0), r); err != nil {
			return err
		}
	}
	return c.set(0, c.elem(0), c.shape(1))
}

func gatherND(c *inference) error {
	x, indices := c.shape(0), c.shape(1)
	if x == nil || indices == nil {
		return c.set(0, c.elem(0), nil)
	}
	batch := int(c.n.Int("batch_dims", 0))
	if batch < 0 || batch >= len(indices) || batch > len(x) {
		return fmt.Errorf("attribute batch_dims: %d", batch)
	}
	last := indices[len(indices)-1]
	if !last.Known() {
		return c.set(0, c.elem(0), nil)
	}
	if last.Size > int64(len(x)-batch) {
		return fmt.Errorf("indices of shape %v into shape %v", indices, x)
	}
	return c.set(0, c.elem(0), join(indices[:len(indices)-1], x[batch+int(last.Size):]))
}

// scatter keeps the shape of what is scattered into.
func scatter(c *inference) error {
	if _, err := c.sameElem(0, 2); err != nil {
		return err
	}
	return same(c)
}

func oneHot(c *inference) error {
	s := c.shape(0)
	if s == nil {
		return c.set(0, c.elem(2), nil)
	}
	a, err := Axis(c.n.Int("axis", -1), len(s)+1)
	if err != nil {
		return err
	}
	depth := Any
	if d := c.data(1); len(d) == 1 {
		depth = d[0].dim()
	}
	return c.set(0, c.elem(2), slices.Insert(slices.Clone(s), a, depth))
}

func eyeLike(c *inference) error {
	elem := c.elem(0)
	if _, ok := c.n.Attr("dtype"); ok {
		elem = DType(c.n.Int("dtype", 0))
	}
	return c.set(0, elem, c.shape(0))
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// shapeOp is the operator Shape: the sizes from start to end.
func shapeOp(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, Int64, Shape{Any})
	}
	from, to := c.n.ShapeSpan(len(x))
	return c.set(0, Int64, Of(int64(to-from)))
}

func sizeOp(c *inference) error { return c.set(0, Int64, Shape{}) }

func constantOfShape(c *inference) error {
	elem := Float32
	if t := attr[*Tensor](c.n, "value", nil); t != nil {
		elem = t.Elem()
	}
	return c.set(0, elem, c.sizesOf(0))
}

func constant(c *inference) error {
	t := attr[*Tensor](c.n, "value", nil)
	if t == nil {
		return nil
	}
	return c.set(0, t.Elem(), t.Type().Shape)
}

func rangeOp(c *inference) error {
	elem, err := c.sameElem(0, 1, 2)
	if err != nil {
		return err
	}
	count := Any
	start, limit, delta := c.data(0), c.data(1), c.data(2)
	switch {
	case len(start) == 1 && len(limit) == 1 && len(delta) == 1:
		d := limit[0].add(start[0].neg())
		switch {
		case delta[0].is(0):
			return fmt.Errorf("delta is 0")
		case d.isNumber() && delta[0].isNumber():
			count = N(max(0, int64(math.Ceil(float64(d.n)/float64(delta[0].n)))))
		case delta[0].is(1):
			count = d.dim()
		}
	case elem.IsFloat():
		count = c.floatRange()
	}
	return c.set(0, elem, Shape{count})
}

func (c *inference) floatRange() Dim {
	var v [3]float64
	for i := range v {
		f, ok := c.floats(i)
		if !ok || len(f) != 1 {
			return Any
		}
		v[i] = f[0]
	}
	n := math.Max(0, math.Ceil((v[1]-v[0])/v[2]))
	if !(n <= maxElements) {
		return Any
	}
	return N(int64(n))
}

// nonZero returns as many columns as the data has elements that are not 0, which no shape tells.
func nonZero(c *inference) error {
	r := Any
	if n := c.rank(0); n >= 0 {
		r = N(int64(n))
	}
	return c.set(0, Int64, Shape{r, Any})
}

// join puts parts of shapes one after another. The result is not nil: of nothing it is a scalar's.
func join(parts ...Shape) Shape {
	out := Shape{}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
