package oracle

import (
	"fmt"
	"slices"
)

// slice: starts, ends, axes and steps are inputs.
func slice(c *call) ([]Tensor, error) {
	x := c.in[0]
	starts, err := c.vector(1)
	if err != nil {
		return nil, err
	}
	ends, err := c.vector(2)
	if err != nil {
		return nil, err
	}
	list, err := c.vectorOr(3, func(i int) int64 { return int64(i) }, len(starts))
	if err != nil {
		return nil, err
	}
	steps, err := c.vectorOr(4, func(int) int64 { return 1 }, len(starts))
	if err != nil {
		return nil, err
	}
	if len(ends) != len(starts) || len(list) != len(starts) || len(steps) != len(starts) {
		return nil, fmt.Errorf("%d starts, %d ends, %d axes, %d steps", len(starts), len(ends), len(list), len(steps))
	}
	where, err := axes(list, len(x.Dims))
	if err != nil {
		return nil, err
	}
	dims, strides, offset := slices.Clone(x.Dims), rowMajor(x.Dims), 0
	for i, a := range where {
		if steps[i] == 0 {
			return nil, fmt.Errorf("step 0")
		}
		from, n, step := cut(starts[i], ends[i], steps[i], x.Dims[a])
		dims[a] = n
		offset += int(from) * strides[a]
		strides[a] *= int(step)
	}
	return one(c.move(x, dims, offset, strides))
}

// vectorOr is vector, with what f gives for each of n places if the input is left out.
func (c *call) vectorOr(i int, f func(int) int64, n int) ([]int64, error) {
	if c.has(i) {
		return c.vector(i)
	}
	out := make([]int64, n)
	for k := range out {
		out[k] = f(k)
	}
	return out, nil
}

// cut returns the first place, how many are taken, and a step that no product overflows. Places beyond the axis are brought to its ends.
func cut(start, end, step, size int64) (from, n, by int64) {
	if size == 0 {
		return 0, 0, 1
	}
	lowest, highest := int64(0), size
	if step < 0 {
		lowest, highest = -1, size-1
	}
	place := func(p int64) int64 {
		if p < 0 {
			p = max(p, -2*size-2) + size
		}
		return max(lowest, min(highest, p))
	}
	step = max(-size-1, min(size+1, step))
	from, to := max(0, place(start)), place(end)
	if step > 0 {
		return from, max(0, (to-from+step-1)/step), step
	}
	return from, max(0, (from-to-step-1)/-step), step
}

// pad: pads are input 1, the begins of all axes (or of those in input 3) and then the ends; negative ones cut.
func pad(c *call) ([]Tensor, error) {
	x := c.in[0]
	if err := c.same(0, 2); err != nil {
		return nil, err
	}
	pads, err := c.vector(1)
	if err != nil {
		return nil, err
	}
	list, err := c.vectorOr(3, func(i int) int64 { return int64(i) }, len(x.Dims))
	if err != nil {
		return nil, err
	}
	where, err := axes(list, len(x.Dims))
	if err != nil {
		return nil, err
	}
	if len(pads) != 2*len(where) {
		return nil, fmt.Errorf("%d pads for %d axes", len(pads), len(where))
	}
	fill := c.input(2)
	if c.has(2) && fill.Len() != 1 {
		return nil, fmt.Errorf("input 2 has shape %v, want a scalar", fill.Dims)
	}
	y, mode := x, c.n.Str("mode", "constant")
	for i, a := range where {
		if y, err = c.padAxis(y, fill, a, pads[i], pads[len(where)+i], mode); err != nil {
			return nil, err
		}
	}
	return one(y, nil)
}

// padAxis pads one axis. One axis after another gives what all at once would: corners are padded from padding that is right already.
func (c *call) padAxis(x, fill Tensor, a int, before, after int64, mode string) (Tensor, error) {
	size := x.Dims[a]
	if min(before, after) < -maxPad || max(before, after) > maxPad || before+size+after < 0 {
		return x, fmt.Errorf("axis %d of %v with pads %d and %d", a, x.Dims, before, after)
	}
	dims := slices.Clone(x.Dims)
	dims[a] = before + size + after
	if _, err := c.count(dims); err != nil {
		return x, err
	}
	from := make([]int, dims[a])
	for i := range from {
		p, err := padPlace(int64(i)-before, size, mode)
		if err != nil {
			return x, err
		}
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
	return take(x, dims, list, fill), nil
}

const maxPad = 1 << 40

// padPlace returns where along an axis a padded place is read from, -1 for the fill.
func padPlace(p, size int64, mode string) (int64, error) {
	if p >= 0 && p < size {
		return p, nil
	}
	switch {
	case mode == "constant":
		return -1, nil
	case size == 0:
		return 0, fmt.Errorf("nothing to pad from")
	case mode == "edge":
		return max(0, min(size-1, p)), nil
	case mode == "wrap":
		return (p%size + size) % size, nil
	case mode == "reflect" && size > 1:
		period := 2 * (size - 1)
		p = (p%period + period) % period
		return min(p, period-p), nil
	case mode == "reflect":
		return 0, nil
	}
	return 0, fmt.Errorf("attribute mode: %q", mode)
}
