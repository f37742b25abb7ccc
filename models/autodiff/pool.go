package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// maxPool sends each adjoint to where its maximum came from, which the operator's second output tells. Overlapping windows may share a
// place, so that adjoints are added (MaxUnpool cannot).
func maxPool(c *call) ([]graph.Value, error) {
	if c.n.Int("storage_order", 0) != 0 {
		return nil, fmt.Errorf("no rule for storage_order 1")
	}
	at := c.g.AddOutput(c.n, 1, "indices") // into the whole of x
	x, line := c.x(), fixed(-1)
	count := fixed(c.shape(x).Elements().Size)
	if count.n < 0 {
		count = dim{v: c.reshape(c.op("Size", x), fixed(1))}
	}
	zeros := c.zerosOf(x, count)
	d := c.scatterElements(zeros, c.reshape(at, line), c.reshape(c.dy(), line), 0)
	return []graph.Value{c.reshapeLike(d, x)}, nil
}

// averagePool is a convolution of each channel by itself with equal weights, so that its adjoint is one ConvTranspose. Channels are read
// as rows.
func averagePool(c *call) ([]graph.Value, error) {
	x, dy := c.x(), c.dy()
	kernel := c.n.Ints("kernel_shape")
	if _, err := c.rank(x); err != nil {
		return nil, err
	}
	w, err := c.window(kernel, x, c.y())
	if err != nil {
		return nil, err
	}
	taps := int64(1)
	for _, k := range kernel {
		taps *= k
	}
	counts, even, err := c.counts(w)
	if err != nil {
		return nil, err
	}
	weight := 1.0
	if even {
		weight = 1 / float64(taps)
	} else {
		dy = c.div(dy, counts)
	}
	ones, err := graph.Full(c.elem(x), weight, append([]int64{1, 1}, kernel...)...)
	if err != nil {
		return nil, err
	}
	rank := len(kernel) + 2
	row := func(v graph.Value) graph.Value {
		return c.reshape(v, append([]dim{fixed(-1), fixed(1)}, c.dims(v, 2, rank)...)...)
	}
	wide := x
	if _, err := c.sizes(x, 2); err != nil {
		wide = row(x)
	}
	return []graph.Value{c.reshapeLike(c.spread(row(dy), c.g.Const("pool", ones), wide, w, 1), x)}, nil
}

// counts returns by how many elements each window divides, shaped as the places; even says that it is always the whole kernel.
func (c *call) counts(w window) (counts graph.Value, even bool, err error) {
	whole := c.n.Int("count_include_pad", 0) != 0
	ceil := c.n.Int("ceil_mode", 0) != 0
	padded := false
	for i := range w.Kernel {
		padded = padded || w.Begin[i] != 0 || w.End[i] != 0
	}
	if !ceil && (whole || !padded) {
		return graph.None, true, nil
	}
	wide, err := c.sizes(c.x(), 2)
	if err != nil {
		return graph.None, false, err
	}
	narrow, err := c.sizes(c.y(), 2)
	if err != nil {
		return graph.None, false, err
	}
	values := []float64{1}
	for i := range wide {
		var next []float64
		low, high := int64(0), wide[i]
		if whole { // windows that go beyond the padding count what is before its end
			low, high = -w.Begin[i], wide[i]+w.End[i]
		}
		for _, v := range values {
			for p := range narrow[i] {
				next = append(next, v*float64(w.covered(i, p, low, high)))
			}
		}
		values = next
	}
	t, err := graph.Rounded(c.elem(c.x()), values, append([]int64{1, 1}, narrow...)...)
	if err != nil {
		return graph.None, false, err
	}
	return c.g.Const("counts", t), false, nil
}

// covered counts the elements of the window at place p that lie in low..high-1.
func (w window) covered(i int, p, low, high int64) (n int64) {
	for k := range w.Kernel[i] {
		if at := p*w.Stride[i] - w.Begin[i] + k*w.Dilation[i]; at >= low && at < high {
			n++
		}
	}
	return n
}

func globalAveragePool(c *call) ([]graph.Value, error) {
	d := c.div(c.dy(), c.ratio(c.x(), c.y()))
	return []graph.Value{c.stretch(d, c.x())}, nil
}

func globalMaxPool(c *call) ([]graph.Value, error) {
	rank, err := c.rank(c.x())
	if err != nil {
		return nil, err
	}
	r := reduction{axes: upTo(2, rank), keep: true}
	d, err := dReduceExtreme(c, c.x(), c.y(), c.dy(), r)
	return []graph.Value{d}, err
}
