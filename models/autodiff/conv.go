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
