package oracle

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// pooled is what all poolings share: the input: [N, C, ...], the window and where its taps lie.
type pooled struct {
	win          window
	taps         [][]int
	dims         []int64 // of the result
	area, places int     // spatial elements of input and result
}

func (c *call) pooled() (p pooled) {
	x, kernel := c.in[0], c.n.Ints("kernel_shape")
	if len(kernel) == 0 || len(x.Dims) != 2+len(kernel) {
		panic(failf("input 0 has shape %v, the kernel sizes %v", x.Dims, kernel))
	}
	p.win = c.slide(x.Dims[2:], kernel)
	p.taps = c.taps(p.win)
	p.dims = append([]int64{x.Dims[0], x.Dims[1]}, p.win.out...)
	p.area, p.places = product(x.Dims[2:]), product(p.win.out)
	return p
}

// maxPool returns the largest element of each window, the first of equals, and its place in the input as output 1. A window that lies in
// the pads alone has the lowest number there is, and no place.
func maxPool(c *call) []Tensor {
	if c.n.Int("storage_order", 0) != 0 {
		panic(failf("attribute storage_order: columns before rows are not evaluated"))
	}
	x := c.floats(0)
	p := c.pooled()
	y := c.make(x.Elem, p.dims)
	where := c.make(graph.Int64, p.dims) // into the whole of x: [N, C, ...], as the rule of MaxPool scatters
	for i := range where.I {
		plane := i / p.places * p.area
		best := -1
		for _, list := range p.taps {
			if at := list[i%p.places]; at >= 0 && (best < 0 || x.order(plane+at, best) > 0) {
				best = plane + at
			}
		}
		y.F[i], where.I[i] = math.Inf(-1), int64(best)
		if best >= 0 {
			y.F[i] = x.F[best]
		}
	}
	return []Tensor{y, where}
}

// averagePool divides by the number of elements under the window, or with count_include_pad also of pads. What lies behind the pads, where
// ceil_mode alone reaches, is not counted, as in PyTorch and in ONNX Runtime since operator set 19; for older sets ONNX Runtime counts it
// too, and so does this.
func averagePool(c *call) []Tensor {
	include, older := c.n.Int("count_include_pad", 0) != 0, c.p.g.Opset("") < 19
	return c.poolFloats(func(x []float64, list func(func(at int))) float64 {
		sum, n := 0.0, 0
		list(func(at int) {
			if at >= 0 {
				sum += x[at]
			}
			if at >= 0 || include && (at == padding || older) {
				n++
			}
		})
		return sum / float64(n)
	})
}

// poolFloats applies f to each window: f is given the plane, and calls list to visit the places of the taps in it.
func (c *call) poolFloats(f func(plane []float64, list func(func(at int))) float64) []Tensor {
	x := c.floats(0)
	p := c.pooled()
	y := c.make(x.Elem, p.dims)
	for i := range y.F {
		first := i / p.places * p.area
		y.F[i] = f(x.F[first:first+p.area], func(visit func(at int)) {
			for _, list := range p.taps {
				visit(list[i%p.places])
			}
		})
	}
	return one(y)
}

// globalPool reduces all spatial axes.
func globalPool(r reduction) func(*call) []Tensor {
	return func(c *call) []Tensor {
		x := c.floats(0)
		if len(x.Dims) < 2 {
			panic(failf("input 0 has shape %v, want at least two axes", x.Dims))
		}
		ones, _ := shrunk(x.Dims, span(len(x.Dims))[2:], true)
		return one(r.evalFloats(c, x, ones, ones))
	}
}
