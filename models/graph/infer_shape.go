package graph

import (
	"fmt"
	"slices"
)

// sizesOf returns the shape that an input of sizes spells out: its elements where they are known, else what its length tells.
func (c *inference) sizesOf(i int) Shape {
	if data := c.data(i); data != nil && c.rank(i) == 1 {
		out := make(Shape, len(data))
		for j, d := range data {
			out[j] = d.dim()
		}
		return out
	}
	if s := c.shape(i); len(s) == 1 && s[0].Known() {
		return unknown(int(min(s[0].Size, maxRank+1)))
	}
	return nil
}

// reshape: 0 copies a size (unless allowzero), -1 takes what is left.
func reshape(c *inference) error {
	x := c.shape(0)
	want := c.data(1)
	if want == nil || c.rank(1) != 1 {
		return c.set(0, c.elem(0), c.sizesOf(1))
	}
	if len(want) > maxRank {
		return fmt.Errorf("%d sizes, more than %d", len(want), maxRank)
	}
	out, open, copied := make(Shape, len(want)), -1, make([]bool, len(x))
	for i, d := range want {
		switch {
		case d.is(0) && c.n.Int("allowzero", 0) == 0:
			if out[i] = Any; x != nil {
				if i >= len(x) {
					return fmt.Errorf("size %d is to be copied from shape %v", i, x)
				}
				out[i], copied[i] = x[i], true
			}
		case d.is(-1):
			if open >= 0 {
				return fmt.Errorf("two sizes are -1")
			}
			open = i
			out[i] = Any
		case d.isNumber() && d.n < 0:
			return fmt.Errorf("size %d", d.n)
		default:
			out[i] = d.dim()
		}
	}
	if x == nil {
		return c.set(0, c.elem(0), out)
	}
	if err := fill(out, open, x, copied); err != nil {
		return fmt.Errorf("from %v to %v: %w", x, out, err)
	}
	return c.set(0, c.elem(0), out)
}

// fill works out the size at open so that out has the elements of x, and reports shapes that cannot have the same number. Sizes that
// both have cancel, known or not: [N,?,4] to [N,?,2,-1] leaves 2 if the first two are copied.
func fill(out Shape, open int, x Shape, copied []bool) error {
	if open < 0 {
		return equalDims("elements", x.Elements(), out.Elements())
	}
	rest, taken := Shape{}, Shape{}
	for i, d := range x {
		if !copied[i] {
			rest = append(rest, d)
		}
	}
	for i, d := range out {
		if i == open || i < len(copied) && copied[i] {
			continue
		}
		j := slices.IndexFunc(rest, func(e Dim) bool { return d != N(0) && d.Same(e) })
		if j < 0 {
			taken = append(taken, d)
			continue
		}
		rest = slices.Delete(rest, j, j+1)
	}
	have, need := datumOf(rest.Elements()), datumOf(taken.Elements())
	if have.isNumber() && need.isNumber() {
		if need.n == 0 {
			return nil // 0 elements: anything fits
		}
		if have.n%need.n != 0 {
			return fmt.Errorf("%d elements are no multiple of %d", have.n, need.n)
		}
	}
	out[open] = have.div(need).dim()
	return nil
}

func transpose(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	order, err := c.n.Order(len(x))
	if err != nil {
		return err
	}
	out := make(Shape, len(x))
	for i, a := range order {
		out[i] = x[a]
	}
	return c.set(0, c.elem(0), out)
}

func flatten(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), unknown(2))
	}
	a := c.n.Int("axis", 1)
	if a < -int64(len(x)) || a > int64(len(x)) {
		return fmt.Errorf("axis %d of a tensor of rank %d", a, len(x))
	}
	if a < 0 {
		a += int64(len(x))
	}
	return c.set(0, c.elem(0), Shape{x[:a].elements(), x[a:].elements()})
}

// elements is Elements for a part of a shape, which is nil when it is empty.
func (s Shape) elements() Dim { return append(Shape{}, s...).Elements() }

// squeeze without a list drops every 1; as long as a size may turn out to be one, not even the rank is known.
func squeeze(c *inference) error {
	x := c.shape(0)
	list, known := c.ints(1)
	if x == nil || c.has(1) && !known {
		return c.set(0, c.elem(0), nil)
	}
	if !c.has(1) {
		for i, d := range x {
			if !d.Known() {
				return c.set(0, c.elem(0), nil) // it may be 1, or not
			}
			if d.Size == 1 {
				list = append(list, int64(i))
			}
		}
	}
	gone, err := Axes(list, len(x))
	if err != nil {
		return err
	}
	for _, a := range gone {
		if x[a].Known() && x[a].Size != 1 {
			return fmt.Errorf("axis %d of %v is not 1", a, x)
		}
	}
	return c.set(0, c.elem(0), reduced(x, gone, false))
}

func unsqueeze(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	list, known := c.ints(1)
	if !known {
		if s := c.shape(1); len(s) == 1 && s[0].Known() && s[0].Size <= maxRank {
			return c.set(0, c.elem(0), unknown(len(x)+int(s[0].Size)))
		}
		return c.set(0, c.elem(0), nil)
	}
	rank := len(x) + len(list)
	if rank > maxRank {
		return fmt.Errorf("%d sizes, more than %d", rank, maxRank)
	}
	added, err := Axes(list, rank)
	if err != nil {
		return err
	}
	out, next := make(Shape, 0, rank), 0
	for i := range rank {
		if slices.Contains(added, i) {
			out = append(out, N(1))
			continue
		}
		out = append(out, x[next])
		next++
	}
	return c.set(0, c.elem(0), out)
}

// concat adds sizes along its axis, and along all others joins what its inputs know of them.
func concat(c *inference) error {
	elem, err := c.sameElem(c.all()...)
	if err != nil {
		return err
	}
	first := c.shape(0)
	if first == nil {
		return c.set(0, elem, nil)
	}
	a, err := Axis(c.n.Int("axis", 0), len(first))
	if err != nil {
		return err
	}
	out, total := slices.Clone(first), datumOf(first[a])
	for i := 1; i < len(c.n.Inputs); i++ {
		s := c.shape(i)
		if s == nil {
			total = datum{}
			continue // what is not known fits
		}
		if len(s) != len(out) {
			return fmt.Errorf("shapes %v and %v", first, s)
		}
		total = total.add(datumOf(s[a]))
		for j, d := range s {
			if j == a {
				continue
			}
			if err := equalDims(fmt.Sprintf("axis %d of inputs 0 and %d", j, i), out[j], d); err != nil {
				return err
			}
			if !out[j].Known() && (d.Known() || out[j].Name == "") {
				out[j] = d
			}
		}
	}
	out[a] = total.dim()
	return c.set(0, elem, out)
}

// split: sizes are an input, or else there are num_outputs parts of which the last may be smaller.
func split(c *inference) error {
	x := c.shape(0)
	parts := len(c.n.Outputs)
	if x == nil {
		for i := range parts {
			if err := c.set(i, c.elem(0), nil); err != nil {
				return err
			}
		}
		return nil
	}
	a, err := Axis(c.n.Int("axis", 0), len(x))
	if err != nil {
		return err
	}
	sizes, err := c.parts(x[a], parts)
	if err != nil {
		return err
	}
	for i := range parts {
		out := slices.Clone(x)
		out[a] = sizes[i]
		if err := c.set(i, c.elem(0), out); err != nil {
			return err
		}
	}
	return nil
}

func (c *inference) parts(whole Dim, parts int) (Shape, error) {
	if c.has(1) {
		sizes := c.sizesOf(1)
		if sizes == nil {
			return unknown(parts), nil
		}
		if len(sizes) != parts {
			return nil, fmt.Errorf("%d sizes for %d outputs", len(sizes), parts)
		}
		total := number(0)
		for _, d := range sizes {
			total = total.add(datumOf(d))
		}
		return sizes, equalDims("size of the axis and sum of the parts", whole, total.dim())
	}
	if !whole.Known() {
		return slices.Repeat(Shape{datumOf(whole).div(number(int64(parts))).dim()}, parts), nil
	}
	return Of(Parts(whole.Size, parts)...), nil
}
