package oracle

import (
	"slices"
)

// window is the geometry of a convolution or pooling, one entry per spatial axis: how a kernel slides over an input.
type window struct {
	in, out          []int64
	kernel           []int64
	stride, dilation []int64
	begin, end       []int64 // pads; may be negative
}

// What stands for a place outside the input.
const (
	padding = -1 // in the pads
	beyond  = -2 // behind them, where only ceil_mode reaches
)

// maxWindow bounds what attributes may say, so that their products fit.
const maxWindow = 1 << 30

// spatial reads an attribute of n numbers, each at least least.
func (c *call) spatial(name string, n int, def, least int64) []int64 {
	values := c.n.Ints(name)
	if values == nil {
		values = slices.Repeat([]int64{def}, n)
	}
	if len(values) != n {
		panic(failf("attribute %s: want %d values, got %d", name, n, len(values)))
	}
	for _, v := range values {
		if v < least || v > maxWindow {
			panic(failf("attribute %s: %d", name, v))
		}
	}
	return values
}

// attributes reads what all kinds of windows share, for a kernel and the sizes that it slides over.
func (c *call) attributes(in, kernel []int64) (w window) {
	n := len(kernel)
	w = window{in: in, kernel: kernel, out: make([]int64, n)}
	for i, k := range kernel {
		if k < 1 || k > maxWindow || in[i] > maxWindow {
			panic(failf("kernel of sizes %v over %v", kernel, in))
		}
	}
	w.stride = c.spatial("strides", n, 1, 1)
	w.dilation = c.spatial("dilations", n, 1, 1)
	pads := c.spatial("pads", 2*n, 0, -maxWindow)
	w.begin, w.end = slices.Clone(pads[:n]), slices.Clone(pads[n:])
	switch auto := c.n.Str("auto_pad", "NOTSET"); auto {
	case "NOTSET", "", "VALID", "SAME_UPPER", "SAME_LOWER":
	default:
		panic(failf("attribute auto_pad: %q", auto))
	}
	return w
}

func (w window) reach(i int) int64 { return w.dilation[i]*(w.kernel[i]-1) + 1 }

// slide works out pads and the sizes of the result.
func (c *call) slide(in, kernel []int64) window {
	w := c.attributes(in, kernel)
	auto, ceil := c.n.Str("auto_pad", "NOTSET"), c.n.Int("ceil_mode", 0) != 0
	for i := range kernel {
		switch auto {
		case "SAME_UPPER", "SAME_LOWER":
			w.out[i] = (in[i] + w.stride[i] - 1) / w.stride[i]
			w.share(i, max(0, (w.out[i]-1)*w.stride[i]+w.reach(i)-in[i]), auto)
			continue
		case "VALID":
			w.begin[i], w.end[i] = 0, 0
		}
		room := in[i] + w.begin[i] + w.end[i] - w.reach(i)
		if in[i] == 0 || room < 0 {
			panic(failf("a kernel that reaches over %d elements does not fit into %d", w.reach(i), in[i]+w.begin[i]+w.end[i]))
		}
		w.out[i] = room/w.stride[i] + 1
		if ceil && room%w.stride[i] != 0 && w.out[i]*w.stride[i] < in[i]+w.begin[i] {
			w.out[i]++ // only a window that begins inside the input or the padding before it
		}
	}
	return w
}

// share divides pads between both sides; the odd one is at the end for SAME_UPPER.
func (w window) share(i int, total int64, auto string) {
	w.begin[i] = total / 2
	if auto == "SAME_LOWER" {
		w.begin[i] = total - total/2
	}
	w.end[i] = total - w.begin[i]
}

// taps lists for each element of the kernel where in the input it lies for each place of the window.
func (c *call) taps(w window) [][]int {
	positions := c.count(w.out)
	taps := c.count(w.kernel)
	c.count([]int64{int64(taps), int64(positions)})
	out := make([][]int, 0, taps)
	w.each(w.kernel, func(tap []int64) {
		list := make([]int, 0, positions)
		w.each(w.out, func(at []int64) { list = append(list, w.place(at, tap)) })
		out = append(out, list)
	})
	return out
}

// each calls f with all indices below dims, in row-major order.
func (w window) each(dims []int64, f func(at []int64)) {
	if slices.Contains(dims, 0) {
		return
	}
	at := make([]int64, len(dims))
	for {
		f(at)
		k := len(dims) - 1
		for ; k >= 0; k-- {
			if at[k]++; at[k] < dims[k] {
				break
			}
			at[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// place returns where in the input a tap lies.
func (w window) place(at, tap []int64) int {
	flat, outside := int64(0), 0
	for i := range at {
		p := at[i]*w.stride[i] + tap[i]*w.dilation[i] - w.begin[i]
		switch {
		case p >= w.in[i]+max(0, w.end[i]):
			return beyond
		case p < 0 || p >= w.in[i]:
			outside = padding
		}
		flat = flat*w.in[i] + p
	}
	if outside != 0 {
		return outside
	}
	return int(flat)
}
