package graph

import "fmt"

// filter is what a convolution and a transposed one are told alike. The kernel is nil where it is not known.
type filter struct {
	elem   DType
	x, w   Shape
	kernel []int64
	group  int64
}

// filter reads the inputs of a convolution; ok is false where the rank of one is not known.
func (c *inference) filter() (f filter, ok bool, err error) {
	f = filter{x: c.shape(0), w: c.shape(1), group: c.n.Int("group", 1)}
	if f.elem, err = c.sameElem(0, 1, 2); err != nil || f.x == nil || f.w == nil {
		return f, false, firstOf(err, c.set(0, f.elem, nil))
	}
	if f.kernel, err = c.n.Kernel(f.x, f.w); err == nil && (f.group < 1 || f.group > maxWindow) {
		err = fmt.Errorf("attribute group: %d", f.group)
	}
	return f, err == nil, err
}

// conv: x: [N, C, ...], w: [M, C/group, ...], bias: [M].
func conv(c *inference) error {
	f, ok, err := c.filter()
	if !ok {
		return err
	}
	x, w := f.x, f.w
	if w[0].Known() && w[0].Size%f.group != 0 {
		return fmt.Errorf("%d output channels in %d groups", w[0].Size, f.group)
	}
	if w[1].Known() {
		if err := equalDims("channels of the input and of the weight's groups", x[1], N(mulSat(w[1].Size, f.group))); err != nil {
			return err
		}
	}
	if err := c.bias(2, w[0]); err != nil {
		return err
	}
	out, err := c.spatial(x, w[0], f.kernel, Window.Narrow)
	if err != nil {
		return err
	}
	return c.set(0, f.elem, out)
}

// convTranspose: x: [N, C, ...], w: [C, M/group, ...].
func convTranspose(c *inference) error {
	f, ok, err := c.filter()
	if !ok {
		return err
	}
	x, w := f.x, f.w
	if err := equalDims("channels of the input and of the weight", x[1], w[0]); err != nil {
		return err
	}
	m := datumOf(w[1]).mul(number(f.group)).dim()
	if err := c.bias(2, m); err != nil {
		return err
	}
	out, err := c.spatial(x, m, f.kernel, Window.Wide)
	if err != nil {
		return err
	}
	return c.set(0, f.elem, out)
}

// bias checks that an input, if it is there, is a vector of m elements.
func (c *inference) bias(i int, m Dim) error {
	b := c.shape(i)
	if b == nil {
		return nil
	}
	if len(b) != 1 {
		return fmt.Errorf("input %d (bias) has shape %v, want one size", i, b)
	}
	return equalDims("channels of weight and bias", m, b[0])
}

// spatial returns [N, channels, ...] with the sizes that a window makes of those of x; kernel nil: not known.
func (c *inference) spatial(x Shape, channels Dim, kernel []int64, size func(w Window, axis int, of Dim) (Dim, error)) (Shape, error) {
	out := append(Shape{x[0], channels}, unknown(len(x)-2)...)
	if kernel == nil {
		return out, nil
	}
	w, err := c.n.Window(kernel)
	if err != nil {
		return nil, err
	}
	for i := range kernel {
		if out[2+i], err = size(w, i, x[2+i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pool: the second output of MaxPool holds indices.
func pool(c *inference) error {
	x := c.shape(0)
	kernel := c.n.Ints("kernel_shape")
	if kernel == nil {
		return fmt.Errorf("attribute kernel_shape is missing")
	}
	var out Shape
	if x != nil {
		if len(x) != 2+len(kernel) {
			return fmt.Errorf("input 0 has shape %v, the kernel sizes %v", x, kernel)
		}
		var err error
		if out, err = c.spatial(x, x[1], kernel, Window.Narrow); err != nil {
			return err
		}
	}
	if err := c.set(1, Int64, out); err != nil {
		return err
	}
	return c.set(0, c.elem(0), out)
}

func globalPool(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	if len(x) < 2 {
		return fmt.Errorf("input 0 has shape %v, want at least two sizes", x)
	}
	out := Shape{x[0], x[1]}
	for range x[2:] {
		out = append(out, N(1))
	}
	return c.set(0, c.elem(0), out)
}
