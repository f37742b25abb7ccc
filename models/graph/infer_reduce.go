package graph

import (
	"fmt"
	"slices"
)

// reduce: axes are an input since operator set 13 to 18.
func reduce(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	keep := c.n.Int("keepdims", 1) != 0
	list, known := c.ints(1)
	switch known = known || !c.has(1); {
	case !known && keep:
		return c.set(0, c.elem(0), unknown(len(x)))
	case !known:
		s := c.shape(1)
		if len(s) != 1 || !s[0].Known() || s[0].Size > int64(len(x)) || s[0].Size == 0 {
			return c.set(0, c.elem(0), nil)
		}
		return c.set(0, c.elem(0), unknown(len(x)-int(s[0].Size)))
	}
	gone, noop, err := c.n.Reduced(list, len(x))
	if err != nil || noop {
		return firstOf(err, same(c))
	}
	return c.set(0, c.elem(0), reduced(x, gone, keep))
}

// reduced drops axes of a shape, or makes them 1.
func reduced(x Shape, gone []int, keep bool) Shape {
	out := Shape{}
	for i, d := range x {
		switch {
		case !slices.Contains(gone, i):
			out = append(out, d)
		case keep:
			out = append(out, N(1))
		}
	}
	return out
}

// argReduce returns positions along one axis.
func argReduce(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, Int64, nil)
	}
	a, err := Axis(c.n.Int("axis", 0), len(x))
	if err != nil {
		return err
	}
	return c.set(0, Int64, reduced(x, []int{a}, c.n.Int("keepdims", 1) != 0))
}

// topK: values and positions; k is an input.
func topK(c *inference) error {
	x := c.shape(0)
	var out Shape
	if x != nil {
		a, err := Axis(c.n.Int("axis", -1), len(x))
		if err != nil {
			return err
		}
		out = append(Shape{}, x...)
		out[a] = Any
		if k := c.data(1); len(k) == 1 {
			out[a] = k[0].dim()
			if out[a].Known() && x[a].Known() && out[a].Size > x[a].Size {
				return fmt.Errorf("k is %d, axis %d has %d elements", out[a].Size, a, x[a].Size)
			}
		}
	}
	if err := c.set(1, Int64, out); err != nil {
		return err
	}
	return c.set(0, c.elem(0), out)
}

// cumSum keeps the shape; its axis is an input.
func cumSum(c *inference) error {
	if list, ok := c.ints(1); ok && len(list) == 1 && c.rank(0) >= 0 {
		if _, err := Axis(list[0], c.rank(0)); err != nil {
			return err
		}
	}
	return same(c)
}
