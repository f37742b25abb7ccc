package oracle

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// window is a [graph.Window] with the sizes of its sides: in is wide, out narrow.
type window struct {
	graph.Window
	in, out []int64
}

// What stands for a place outside the input.
const (
	padding = -1 // in the pads
	beyond  = -2 // behind them, where only ceil_mode reaches
)

// slide returns the window of a convolution or pooling of spatial sizes in.
func (c *call) slide(in, kernel []int64) window {
	w := window{Window: must(c.n.Window(kernel)), in: in}
	w.out = sizesOf(w.Narrow, in)
	w.Resolve(w.in, w.out)
	return w
}

// unslide returns the window of the convolution whose adjoint is wanted, from sizes out to those of the result.
func (c *call) unslide(out, kernel []int64) window {
	w := window{Window: must(c.n.Window(kernel)), out: out}
	w.in = sizesOf(w.Wide, out)
	w.Resolve(w.in, w.out)
	return w
}

func sizesOf(size func(axis int, of graph.Dim) (graph.Dim, error), of []int64) []int64 {
	out := make([]int64, len(of))
	for i, n := range of {
		out[i] = must(size(i, graph.N(n))).Size
	}
	return out
}

// taps lists for each element of the kernel where in the input it lies for each place of the window.
func (c *call) taps(w window) [][]int {
	positions := c.count(w.out)
	taps := c.count(w.Kernel)
	c.count([]int64{int64(taps), int64(positions)})
	out := make([][]int, 0, taps)
	each(w.Kernel, func(tap []int64) {
		list := make([]int, 0, positions)
		each(w.out, func(at []int64) { list = append(list, w.place(at, tap)) })
		out = append(out, list)
	})
	return out
}

// each calls f with all indices below dims, in row-major order.
func each(dims []int64, f func(at []int64)) {
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
		p := at[i]*w.Stride[i] + tap[i]*w.Dilation[i] - w.Begin[i]
		switch {
		case p >= w.in[i]+max(0, w.End[i]):
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
