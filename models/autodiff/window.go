package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// window is a [graph.Window] whose pads are known, and what rules ask of it.
type window struct{ graph.Window }

// plain reports a window that takes every element once, in its place: a 1x1 kernel.
func (w window) plain() bool {
	for i := range w.Kernel {
		if w.Kernel[i] != 1 || w.Stride[i] != 1 || w.Begin[i] != 0 || w.End[i] != 0 {
			return false
		}
	}
	return true
}

func (w window) dense() bool {
	for _, s := range w.Stride {
		if s != 1 {
			return false
		}
	}
	return true
}

// taps returns the offsets of the kernel's elements, in row-major order.
func (w window) taps() [][]int64 {
	out := [][]int64{{}}
	for i := range w.Kernel {
		var next [][]int64
		for _, t := range out {
			for k := range w.Kernel[i] {
				next = append(next, append(append([]int64{}, t...), k*w.Dilation[i]))
			}
		}
		out = next
	}
	return out
}

// window reads a node whose wide side (the input of a convolution, the output of a transposed one) is in, and the other side out.
func (c *call) window(kernel []int64, in, out graph.Value) (w window, err error) {
	if w.Window, err = c.n.Window(kernel); err != nil || !w.Implied() {
		return w, err
	}
	wide, err := c.sizes(in, 2)
	if err != nil {
		return w, fmt.Errorf("attribute auto_pad: %w", err)
	}
	narrow, err := c.sizes(out, 2)
	if err != nil {
		return w, fmt.Errorf("attribute auto_pad: %w", err)
	}
	w.Resolve(wide, narrow)
	return w, nil
}

// attrs are the attributes of a Conv or ConvTranspose.
func (w window) attrs(group int64, begin, end []int64) []graph.Attr {
	return []graph.Attr{
		graph.A("kernel_shape", w.Kernel), graph.A("strides", w.Stride), graph.A("dilations", w.Dilation), graph.A("group", group),
		graph.A("pads", append(append([]int64{}, begin...), end...)),
	}
}

// spread is the adjoint of a convolution by its input: a ConvTranspose from the sizes of d to those of x. weight: [M, C/group, ...] as the
// Conv has it, which is how ConvTranspose wants it.
func (c *call) spread(d, weight, x graph.Value, w window, group int64) graph.Value {
	wide, err := c.sizes(x, 2)
	narrow, err2 := c.sizes(d, 2)
	if err != nil || err2 != nil {
		return c.spreadOpen(d, weight, x, w, group)
	}
	n := len(w.Kernel)
	end, extra := make([]int64, n), make([]int64, n)
	for i := range end {
		// What the windows did not reach comes out as zeros (extra); windows that went beyond the padding (ceil_mode) are cut.
		end[i] = w.Excess(i, wide[i], narrow[i]) - w.Begin[i]
		if end[i] < 0 {
			extra[i], end[i] = -end[i], 0
		}
	}
	return c.padTail(c.opWith("ConvTranspose", append(w.attrs(group, w.Begin, end), graph.A("output_padding", w.allowed(extra))), d, weight), extra, w)
}

// allowed limits output_padding to what engines accept, less than the stride.
func (w window) allowed(extra []int64) []int64 {
	out := make([]int64, len(extra))
	for i, e := range extra {
		out[i] = min(e, w.Stride[i]-1)
	}
	return out
}

// padTail appends the zeros that output_padding did not: of input that no window reaches because the kernel's end is cut by negative pads.
func (c *call) padTail(v graph.Value, extra []int64, w window) graph.Value {
	n := len(extra)
	pads, any := make([]int64, 2*(n+2)), false
	for i, e := range w.allowed(extra) {
		pads[n+2+2+i] = extra[i] - e
		any = any || extra[i] != e
	}
	if !any {
		return v
	}
	return c.op("Pad", v, c.g.Ints(pads...))
}

// spreadOpen is spread where sizes are found at run time: everything that the windows may have covered, cut to x.
func (c *call) spreadOpen(d, weight, x graph.Value, w window, group int64) graph.Value {
	n := len(w.Kernel)
	none, extra := make([]int64, n), make([]int64, n)
	for i := range extra {
		extra[i] = w.Stride[i] - 1
	}
	full := c.opWith("ConvTranspose", append(w.attrs(group, none, none), graph.A("output_padding", extra)), d, weight)
	for i := range n {
		from := max(0, w.Begin[i])
		if cut := max(0, -w.Begin[i]); cut > 0 || w.End[i] < 0 { // of x that was cut away nothing comes back
			full = c.padded1(full, 2+i, cut, max(0, -w.End[i]))
		}
		full = c.op("Slice", full, c.g.Ints(from), c.value(c.linear(c.dim(x, 2+i), 1, from)), c.g.Ints(int64(2+i)), c.g.Ints(1))
	}
	return full
}
