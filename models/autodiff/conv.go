package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// conv: x: [N, C, ...], w: [M, C/group, ...], bias: [M], y: [N, M, ...].
func conv(c *call) ([]graph.Value, error) {
	x, weight, dy := c.x(), c.in(1), c.dy()
	w, group, err := c.filter(func(kernel []int64) (window, error) { return c.window(kernel, x, c.y()) })
	if err != nil {
		return nil, err
	}
	out := make([]graph.Value, 3)
	if c.needs(0) {
		if out[0], err = c.convInput(dy, weight, x, w, group); err != nil {
			return nil, err
		}
	}
	if c.needs(1) {
		if out[1], err = c.convWeight(x, dy, weight, w, group); err != nil {
			return nil, err
		}
	}
	if c.needs(2) {
		out[2] = c.sumChannels(dy, len(w.Kernel)+2)
	}
	return out, nil
}

// filter reads what a convolution and a transposed one are told alike.
func (c *call) filter(read func(kernel []int64) (window, error)) (w window, group int64, err error) {
	kernel, err := c.sizes(c.in(1), 2)
	if err != nil {
		return w, 0, err
	}
	if _, err := c.rank(c.x()); err != nil {
		return w, 0, err
	}
	w, err = read(kernel)
	return w, c.n.Int("group", 1), err
}

// convInput: at stride 1 a convolution with the weight turned around, if that is a constant which can be turned beforehand, is faster than
// a ConvTranspose (0.57 against 0.79 ms; depthwise 0.67 against 4.2); turned at run time it would be slower (13 against 2).
func (c *call) convInput(dy, weight, x graph.Value, w window, group int64) (graph.Value, error) {
	t := c.g.ConstOf(weight)
	if t == nil || !w.dense() {
		return c.spread(dy, weight, x, w, group), nil
	}
	// Reading backwards, the first place of x is reached by the last tap: what the forward pads lack to the reach, these have.
	begin, end := make([]int64, len(w.Kernel)), make([]int64, len(w.Kernel))
	for i := range begin {
		begin[i], end[i] = w.Reach(i)-1-w.Begin[i], w.Reach(i)-1-w.End[i]
		if begin[i] < 0 || end[i] < 0 {
			return c.spread(dy, weight, x, w, group), nil
		}
	}
	turned, err := turn(t, group)
	if err != nil {
		return graph.None, fmt.Errorf("weight %q: %w", c.g.NameOf(weight), err)
	}
	return c.opWith("Conv", w.attrs(group, begin, end), dy, c.g.Const(c.g.NameOf(weight)+"_turned", turned)), nil
}

// turn returns a weight [M, C/group, K...] as [C, M/group, K...] with the kernel read backwards.
func turn(t *graph.Tensor, group int64) (*graph.Tensor, error) {
	raw, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	dims := t.Dims()
	taps := int64(1)
	for _, k := range dims[2:] {
		taps *= k
	}
	m, c := dims[0]/group, dims[1] // of one group
	size := int64(t.Elem().Bits() / 8)
	out := make([]byte, 0, len(raw))
	for g := range group {
		for j := range c {
			for i := range m {
				for k := taps - 1; k >= 0; k-- {
					at := (((g*m+i)*c+j)*taps + k) * size
					out = append(out, raw[at:at+size]...)
				}
			}
		}
	}
	return graph.RawTensor(t.Elem(), append([]int64{group * c, m}, dims[2:]...), out)
}

// convTranspose: x: [N, C, ...], w: [C, M/group, ...], y: [N, M, ...]. Its adjoint by x is the Conv with the same weight, and by the weight
// that of this Conv.
func convTranspose(c *call) ([]graph.Value, error) {
	x, weight, dy := c.x(), c.in(1), c.dy()
	w, group, err := c.filter(c.transposedWindow)
	if err != nil {
		return nil, err
	}
	out := make([]graph.Value, 3)
	if c.needs(0) {
		d := c.opWith("Conv", w.attrs(group, w.Begin, w.End), dy, weight)
		for i := range w.Kernel { // output_padding of a stride or more makes room for one more window
			if !c.shape(d)[2+i].Same(c.shape(x)[2+i]) {
				d = c.cut(d, 2+i, fixed(0), c.dim(x, 2+i), 1)
			}
		}
		out[0] = d
	}
	if c.needs(1) {
		if out[1], err = c.convWeight(dy, x, weight, w, group); err != nil {
			return nil, err
		}
	}
	if c.needs(2) {
		out[2] = c.sumChannels(dy, len(w.Kernel)+2)
	}
	return out, nil
}

// transposedWindow: where the sizes of the output are given instead of pads, an even number of pads is shared between both ends; who gets
// the odd one has changed between versions of the operator, so that it is refused.
func (c *call) transposedWindow(kernel []int64) (window, error) {
	w, err := c.window(kernel, c.y(), c.x())
	if err != nil || !w.Implied() {
		return w, err
	}
	wide, _ := c.sizes(c.y(), 2) // the window needed them
	narrow, _ := c.sizes(c.x(), 2)
	for i := range wide {
		if total := w.Excess(i, wide[i], narrow[i]); total < 0 || total%2 != 0 {
			return w, fmt.Errorf("no rule for %d pads that follow from the size of the output", total)
		}
	}
	return w, nil
}
