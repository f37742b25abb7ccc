package graph

import (
	"fmt"
	"math"
	"slices"
)

// blocks returns blocksize and the channels and spatial sizes of a picture.
func (c *inference) blocks() (block int64, x Shape, err error) {
	block = c.n.Int("blocksize", 0)
	if block < 1 || block > maxWindow {
		return 0, nil, fmt.Errorf("attribute blocksize: %d", block)
	}
	return block, c.shape(0), c.want(0, 4)
}

func depthToSpace(c *inference) error {
	b, x, err := c.blocks()
	if err != nil || x == nil {
		return firstOf(err, c.set(0, c.elem(0), nil))
	}
	if x[1].Known() && x[1].Size%(b*b) != 0 {
		return fmt.Errorf("%d channels in blocks of %d", x[1].Size, b)
	}
	times := func(d Dim) Dim { return datumOf(d).mul(number(b)).dim() }
	return c.set(0, c.elem(0), Shape{x[0], datumOf(x[1]).div(number(b * b)).dim(), times(x[2]), times(x[3])})
}

func spaceToDepth(c *inference) error {
	b, x, err := c.blocks()
	if err != nil || x == nil {
		return firstOf(err, c.set(0, c.elem(0), nil))
	}
	part := func(d Dim) Dim { return datumOf(d).div(number(b)).dim() }
	return c.set(0, c.elem(0), Shape{x[0], datumOf(x[1]).mul(number(b * b)).dim(), part(x[2]), part(x[3])})
}

// resize: sizes (input 3) or scales (input 2), of all axes or of those that the attribute axes lists.
func resize(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	where := counting(len(x))
	if list := c.n.Ints("axes"); list != nil {
		var err error
		if where, err = Axes(list, len(x)); err != nil {
			return fmt.Errorf("attribute axes: %w", err)
		}
	}
	out := slices.Clone(x)
	if c.has(3) {
		if err := c.resizeTo(out, where); err != nil {
			return err
		}
		return c.set(0, c.elem(0), out)
	}
	scales, ok := c.floats(2)
	if !ok {
		return c.set(0, c.elem(0), unknown(len(x)))
	}
	if len(scales) != len(where) {
		return fmt.Errorf("%d scales for %d axes", len(scales), len(where))
	}
	for i, a := range where {
		switch {
		case !(scales[i] > 0):
			return fmt.Errorf("scale %v", scales[i])
		case scales[i] == 1:
		case x[a].Known():
			out[a] = scaled(x[a].Size, scales[i])
		case scales[i] == math.Trunc(scales[i]) && scales[i] < maxWindow:
			out[a] = datumOf(x[a]).mul(number(int64(scales[i]))).dim()
		default:
			out[a] = Any
		}
	}
	return c.set(0, c.elem(0), out)
}

// scaled rounds down. The scale was a float32, and the engine multiplies in float32.
func scaled(size int64, scale float64) Dim {
	p := float64(float32(size) * float32(scale))
	if p > maxElements {
		return Any
	}
	return N(int64(p))
}

func (c *inference) resizeTo(out Shape, where []int) error {
	sizes := c.sizesOf(3)
	if sizes == nil {
		copy(out, unknown(len(out)))
		return nil
	}
	if len(sizes) != len(where) {
		return fmt.Errorf("%d sizes for %d axes", len(sizes), len(where))
	}
	policy := c.n.Str("keep_aspect_ratio_policy", "stretch")
	if policy == "stretch" {
		for i, a := range where {
			out[a] = sizes[i]
		}
		return nil
	}
	scale := 0.0
	for i, a := range where {
		if !out[a].Known() || !sizes[i].Known() || out[a].Size == 0 {
			for _, b := range where {
				out[b] = Any
			}
			return nil
		}
		s := float64(sizes[i].Size) / float64(out[a].Size)
		if i == 0 || policy == "not_larger" && s < scale || policy == "not_smaller" && s > scale {
			scale = s
		}
	}
	for _, a := range where {
		out[a] = N(int64(math.Floor(scale*float64(out[a].Size) + 0.5)))
	}
	return nil
}
