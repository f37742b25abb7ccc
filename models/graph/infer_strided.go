package graph

import "slices"

// strided picks elements: of[i,j,...] = data[offset + i*strides[0] + j*strides[1] + ...].
func strided(data []datum, of []int64, offset int64, strides []int64) []datum {
	out := []datum{}
	var walk func(axis int, at int64)
	walk = func(axis int, at int64) {
		if axis == len(of) {
			out = append(out, data[at])
			return
		}
		for i := range of[axis] {
			walk(axis+1, at+i*strides[axis])
		}
	}
	walk(0, offset)
	return out
}

// rowMajor returns how far apart neighbours along each axis are.
func rowMajor(sizes []int64) []int64 {
	out := make([]int64, len(sizes))
	step := int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		out[i] = step
		step *= sizes[i]
	}
	return out
}

// layouts returns the elements of input 0, how they lie, and the sizes of the output; ok only if all is known.
func (c *inference) layouts() (data []datum, strides, from, to []int64, ok bool) {
	data = c.data(0)
	from, known := c.shape(0).Sizes()
	to, also := c.g.TypeOf(c.n.Outputs[0]).Shape.Sizes()
	if data == nil || !known || !also || slices.Contains(to, 0) {
		return nil, nil, nil, nil, false
	}
	return data, rowMajor(from), from, to, true
}

// sliceData: exporters turn the pads of a picture around with it.
func sliceData(c *inference) []datum {
	data, strides, from, to, ok := c.layouts()
	spans, err := c.spans(len(from))
	if !ok || err != nil || spans == nil {
		return nil
	}
	offset := int64(0)
	for a, s := range spans {
		if !s.start.isNumber() || !s.end.isNumber() {
			return nil
		}
		first, _, step := Cut(s.start.n, s.end.n, s.step, from[a])
		offset += first * strides[a]
		strides[a] *= step
	}
	return strided(data, to, offset, strides)
}

func transposeData(c *inference) []datum {
	data, strides, from, to, ok := c.layouts()
	if !ok {
		return nil
	}
	order, err := c.n.Order(len(from))
	if err != nil {
		return nil
	}
	turned := make([]int64, len(order))
	for i, a := range order {
		turned[i] = strides[a]
	}
	return strided(data, to, 0, turned)
}

// expandData repeats elements along axes of size 1.
func expandData(c *inference) []datum {
	data, strides, from, to, ok := c.layouts()
	if !ok || len(from) > len(to) {
		return nil
	}
	wide := make([]int64, len(to))
	for i, n := range from {
		if n != 1 {
			wide[len(to)-len(from)+i] = strides[i]
		}
	}
	return strided(data, to, 0, wide)
}
