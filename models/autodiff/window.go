package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// window is the geometry of a convolution or pooling: one entry per spatial axis. Pads are resolved.
type window struct {
	kernel, stride, dilation []int64
	begin, end               []int64
}

// reach is how many elements the kernel spans along an axis.
func (w window) reach(i int) int64 { return w.dilation[i]*(w.kernel[i]-1) + 1 }

// plain reports a window that takes every element once, in its place: a 1x1 kernel.
func (w window) plain() bool {
	for i := range w.kernel {
		if w.kernel[i] != 1 || w.stride[i] != 1 || w.begin[i] != 0 || w.end[i] != 0 {
			return false
		}
	}
	return true
}

func (w window) dense() bool {
	for _, s := range w.stride {
		if s != 1 {
			return false
		}
	}
	return true
}

// taps returns the offsets of the kernel's elements, in row-major order.
func (w window) taps() [][]int64 {
	out := [][]int64{{}}
	for i := range w.kernel {
		var next [][]int64
		for _, t := range out {
			for k := range w.kernel[i] {
				next = append(next, append(append([]int64{}, t...), k*w.dilation[i]))
			}
		}
		out = next
	}
	return out
}

// orOnes returns an attribute of n numbers, ones if it is absent.
func (c *call) orOnes(name string, n int) []int64 {
	if v := c.n.Ints(name); v != nil {
		return v
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// window reads a node whose wide side (the input of a convolution, the output of a transposed one) is in, and the other side out.
func (c *call) window(kernel []int64, in, out graph.Value) (window, error) {
	n := len(kernel)
	w := window{kernel: kernel, stride: c.orOnes("strides", n), dilation: c.orOnes("dilations", n), begin: make([]int64, n), end: make([]int64, n)}
	switch auto := c.n.Str("auto_pad", "NOTSET"); auto {
	case "NOTSET", "":
		if pads := c.n.Ints("pads"); pads != nil {
			w.begin, w.end = pads[:n], pads[n:]
		}
	case "VALID":
	default:
		return w, c.same(w, in, out, auto == "SAME_UPPER")
	}
	return w, nil
}

// same fills in the pads of SAME_UPPER and SAME_LOWER, which depend on the sizes: the odd one goes to the end or to the beginning.
func (c *call) same(w window, in, out graph.Value, upper bool) error {
	wide, err := c.sizes(in, 2)
	if err != nil {
		return fmt.Errorf("attribute auto_pad: %w", err)
	}
	narrow, err := c.sizes(out, 2)
	if err != nil {
		return fmt.Errorf("attribute auto_pad: %w", err)
	}
	for i := range wide {
		total := max(0, (narrow[i]-1)*w.stride[i]+w.reach(i)-wide[i])
		w.begin[i] = total / 2
		if !upper {
			w.begin[i] = total - total/2
		}
		w.end[i] = total - w.begin[i]
	}
	return nil
}

// convAttrs are the attributes of a Conv or ConvTranspose.
func (w window) attrs(group int64, begin, end []int64) []graph.Attr {
	return []graph.Attr{
		graph.A("kernel_shape", w.kernel), graph.A("strides", w.stride), graph.A("dilations", w.dilation), graph.A("group", group),
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
	n := len(w.kernel)
	end, extra := make([]int64, n), make([]int64, n)
	for i := range end {
		// What the windows did not reach comes out as zeros (extra); windows that went beyond the padding (ceil_mode) are cut.
		end[i] = (narrow[i]-1)*w.stride[i] + w.reach(i) - w.begin[i] - wide[i]
		if end[i] < 0 {
			extra[i], end[i] = -end[i], 0
		}
	}
	return c.padTail(c.opWith("ConvTranspose", append(w.attrs(group, w.begin, end), graph.A("output_padding", w.allowed(extra))), d, weight), extra, w)
}

// allowed limits output_padding to what engines accept, less than the stride.
func (w window) allowed(extra []int64) []int64 {
	out := make([]int64, len(extra))
	for i, e := range extra {
		out[i] = min(e, w.stride[i]-1)
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
	n := len(w.kernel)
	none, extra := make([]int64, n), make([]int64, n)
	for i := range extra {
		extra[i] = w.stride[i] - 1
	}
	full := c.opWith("ConvTranspose", append(w.attrs(group, none, none), graph.A("output_padding", extra)), d, weight)
	for i := range n {
		full = c.op("Slice", full, c.g.Ints(w.begin[i]), c.value(c.linear(c.dim(x, 2+i), 1, w.begin[i])), c.g.Ints(int64(2+i)), c.g.Ints(1))
	}
	return full
}
