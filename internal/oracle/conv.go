package oracle

import "github.com/oatta/oatta/models/graph"

// kernelOf returns the spatial sizes of a weight, which the attribute must not contradict.
func (c *call) kernelOf(x, w Tensor) []int64 {
	return must(c.n.Kernel(graph.Of(x.Dims...), graph.Of(w.Dims...)))
}

// groupsOf reads attribute group, into which both numbers of channels must divide.
func (c *call) groupsOf(channels ...int64) int64 {
	group := c.n.Int("group", 1)
	for _, n := range channels {
		if group < 1 || n%group != 0 {
			panic(failf("%d channels in %d groups", n, group))
		}
	}
	return group
}

// bias adds one number per channel to y: [N, M, ...].
func (c *call) bias(y Tensor, i int) {
	if !c.has(i) {
		return
	}
	b := c.in[i]
	if !b.Elem.IsFloat() || len(b.Dims) != 1 || b.Dims[0] != y.Dims[1] {
		panic(failf("input %d (bias) is %v%v for %d channels", i, b.Elem, b.Dims, y.Dims[1]))
	}
	area := product(y.Dims[2:])
	for j := range y.F {
		y.F[j] += b.F[j/area%len(b.F)]
	}
}

// conv: x: [N, C, ...], w: [M, C/group, ...], bias: [M].
func conv(c *call) []Tensor {
	c.allFloats()
	c.sameAll()
	y := c.convolve(c.in[0], c.in[1])
	c.bias(y, 2)
	return one(y)
}

// convolve gathers, for each picture and group, the elements under each tap into a row, and multiplies the weight with these rows: one
// product that reads both sides in order, so that whole networks can be evaluated too.
func (c *call) convolve(x, w Tensor) Tensor {
	kernel := c.kernelOf(x, w)
	group := c.groupsOf(x.Dims[1], w.Dims[0])
	if w.Dims[1] != x.Dims[1]/group {
		panic(failf("input of shape %v with a weight of shape %v in %d groups", x.Dims, w.Dims, group))
	}
	win := c.slide(x.Dims[2:], kernel)
	y := c.make(x.Elem, append([]int64{x.Dims[0], w.Dims[0]}, win.out...))
	taps := c.taps(win)
	area, places := product(x.Dims[2:]), product(win.out)
	depth, wide := int(w.Dims[1])*len(taps), int(w.Dims[0]/group)
	if len(y.F) == 0 {
		return y
	}
	c.count([]int64{int64(depth), int64(places)})
	columns := make([]float64, depth*places)
	for i := range int(x.Dims[0] * group) { // picture and group: their channels lie together
		g := i % int(group)
		unfold(columns, x.F[i*int(w.Dims[1])*area:], taps, area, int(w.Dims[1]))
		multiplyInto(y.F[i*wide*places:(i+1)*wide*places], rowsOf(w.F[g*wide*depth:(g+1)*wide*depth], wide, depth), rowsOf(columns, depth, places))
	}
	return y
}

// unfold writes one row per channel and tap: what lies under the tap in each place of the window, 0 in the pads. rows: [C/group * taps,
// places], x: the channels of one group of one picture.
func unfold(rows, x []float64, taps [][]int, area, channels int) {
	at := 0
	for ch := range channels {
		plane := x[ch*area : (ch+1)*area]
		for _, list := range taps {
			for _, p := range list {
				rows[at] = 0
				if p >= 0 {
					rows[at] = plane[p]
				}
				at++
			}
		}
	}
}

// convTranspose is the adjoint of conv: each element of x: [N, C, ...] adds the weight: [C, M/group, ...] times itself to the places over
// which conv's window would have read.
func convTranspose(c *call) []Tensor {
	c.allFloats()
	c.sameAll()
	x, w := c.in[0], c.in[1]
	kernel := c.kernelOf(x, w)
	group := c.groupsOf(x.Dims[1])
	if w.Dims[0] != x.Dims[1] {
		panic(failf("input of shape %v with a weight of shape %v", x.Dims, w.Dims))
	}
	win := c.unslide(x.Dims[2:], kernel)
	m := w.Dims[1] * group
	y := c.make(x.Elem, append([]int64{x.Dims[0], m}, win.in...))
	taps := c.taps(win)
	if len(y.F) > 0 {
		c.foldAll(y, x, w, taps, int(group))
	}
	c.bias(y, 2)
	return one(y)
}

func (c *call) foldAll(y, x, w Tensor, taps [][]int, group int) {
	places, area := product(x.Dims[2:]), product(y.Dims[2:])
	in, wide := int(x.Dims[1])/group, int(w.Dims[1])
	depth := wide * len(taps)
	c.count([]int64{int64(depth), int64(places)})
	for i := range int(x.Dims[0]) * group {
		g := i % group
		columns := make([]float64, depth*places)
		weight := rowsOf(w.F[g*in*depth:(g+1)*in*depth], in, depth).transposed()
		multiplyInto(columns, weight, rowsOf(x.F[i*in*places:(i+1)*in*places], in, places))
		for ch := range wide {
			plane := y.F[(i*wide+ch)*area : (i*wide+ch+1)*area]
			for t, list := range taps {
				for j, p := range list {
					if p >= 0 {
						plane[p] += columns[(ch*len(taps)+t)*places+j]
					}
				}
			}
		}
	}
}
