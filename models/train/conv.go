package train

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// manyPlaces is from how many places of its result on a convolution stays one: engines compute it row by row, which is slow where a row
// has few places (512 channels, 5 places, 64 rows on one core: 14.8 ms, and 9 as below).
const manyPlaces = 32

// convolutions writes those with few places and a weight that is trained as one matrix product over all rows, of the weight
// [M, C taps] with what the taps see [C taps, places N]. The derivative has the same products.
func (b *builder) convolutions(d *draft) error {
	trained := slices.Concat(b.groups...)
	l := newLayout(d, b)
	for _, n := range slices.Clone(d.Nodes()) {
		if n.Domain != "" || l.follow(n) {
			continue
		}
		if n.Op != "Conv" || n.Int("group", 1) != 1 || !slices.Contains(trained, n.Inputs[1]) {
			continue
		}
		if c, ok := newProduct(d.Graph, n); ok {
			c.last = l.enter(n.Inputs[0])
			l.put(n, c.build())
		}
	}
	if err := d.Sort(); err != nil {
		return err
	}
	return d.Err()
}

// product is a convolution that becomes a matrix product.
type product struct {
	g                    *graph.Graph
	n                    *graph.Node
	last                 graph.Value // what it takes, rows last
	w                    graph.Window
	kernel, wide, narrow []int64
}

func newProduct(g *graph.Graph, n *graph.Node) (c product, ok bool) {
	c = product{g: g, n: n}
	weight, x, y := g.TypeOf(n.Inputs[1]).Shape, g.TypeOf(n.Inputs[0]).Shape, g.TypeOf(n.Outputs[0]).Shape
	if len(weight) < 3 || len(x) != len(weight) || len(y) != len(weight) {
		return c, false
	}
	var known [3]bool
	c.kernel, known[0] = weight[2:].Sizes()
	c.wide, known[1] = x[2:].Sizes()
	c.narrow, known[2] = y[2:].Sizes()
	if known != [3]bool{true, true, true} || volume(c.narrow) >= manyPlaces {
		return c, false
	}
	var err error
	if c.w, err = n.Window(c.kernel); err != nil {
		return c, false
	}
	if c.w.Implied() {
		c.w.Resolve(c.wide, c.narrow)
	}
	return c, true
}

func volume(sizes []int64) int64 {
	n := int64(1)
	for _, d := range sizes {
		n *= d
	}
	return n
}

// build returns the result, rows last: [M, places, N].
func (c product) build() graph.Value {
	g, weight := c.g, c.n.Inputs[1]
	dims := g.ConstOf(weight).Dims()
	taps := volume(c.kernel)
	rows := g.Op("Reshape", []graph.Value{weight, g.Ints(dims[0], dims[1]*taps)})
	all := g.Op("Gemm", []graph.Value{rows, c.seen(dims[1], taps)})
	if len(c.n.Inputs) > 2 && c.n.Inputs[2] != graph.None {
		all = g.Op("Add", []graph.Value{all, g.Op("Unsqueeze", []graph.Value{c.n.Inputs[2], g.Ints(1)})})
	}
	return g.Op("Reshape", []graph.Value{all, g.Ints(append(append([]int64{dims[0]}, c.narrow...), -1)...)})
}

// seen returns what the taps read of x, [C taps, places N].
func (c product) seen(channels, taps int64) graph.Value {
	g := c.g
	var parts []graph.Value
	for tap := range taps {
		parts = append(parts, g.Op("Unsqueeze", []graph.Value{c.tap(c.last, tap), g.Ints(1)}))
	}
	all := parts[0]
	if taps > 1 {
		all = g.Op("Concat", parts, graph.A("axis", 1))
	}
	return g.Op("Reshape", []graph.Value{all, g.Ints(channels*taps, -1)})
}

// tap returns what one element of the kernel reads, a number in row-major order: from its offset on, a stride apart, as often as there are
// places, with zeros where it reads beyond x.
func (c product) tap(x graph.Value, tap int64) graph.Value {
	axes := len(c.kernel)
	pads := make([]int64, 2*(axes+2))
	for i := axes - 1; i >= 0; i-- {
		begin := tap%c.kernel[i]*c.w.Dilation[i] - c.w.Begin[i]
		tap /= c.kernel[i]
		pads[1+i], pads[axes+3+i] = -begin, begin+c.narrow[i]*c.w.Stride[i]-c.wide[i]
	}
	if slices.ContainsFunc(pads, func(p int64) bool { return p != 0 }) {
		x = c.g.Op("Pad", []graph.Value{x, c.g.Ints(pads...)})
	}
	return c.thinned(x)
}

// thinned keeps the first of every stride along each axis. Each stride becomes an axis, because the derivative of a Slice with steps is slow.
func (c product) thinned(x graph.Value) graph.Value {
	g := c.g
	dims := []int64{0} // channels stay
	var axes, from, to []int64
	for i, n := range c.narrow {
		dims = append(dims, n)
		if s := c.w.Stride[i]; s != 1 {
			axes, from, to = append(axes, int64(len(dims))), append(from, 0), append(to, 1)
			dims = append(dims, s)
		}
	}
	if len(axes) == 0 {
		return x
	}
	dims = append(dims, -1) // rows are open
	apart := g.Op("Reshape", []graph.Value{x, g.Ints(dims...)})
	first := g.Op("Slice", []graph.Value{apart, g.Ints(from...), g.Ints(to...), g.Ints(axes...)})
	return g.Op("Squeeze", []graph.Value{first, g.Ints(axes...)})
}
