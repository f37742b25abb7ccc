package autodiff

import (
	"github.com/oatta/oatta/models/graph"
)

// reduction is what a Reduce node does. Axes may be known, all, or found at run time.
type reduction struct {
	noop bool        // no axes are reduced, and nothing else is done
	axes []int64     // in 0..rank-1, if known
	open graph.Value // axes that are not known; None otherwise
	keep bool        // reduced axes stay, with size 1
}

func (c *call) reduction() (r reduction, err error) {
	r.keep = c.n.Int("keepdims", 1) != 0
	list, known := c.g.KnownInts(c.in(1))
	if c.has(1) && !known {
		r.open = c.in(1)
		return r, nil
	}
	rank, err := c.rank(c.x())
	if err != nil {
		return r, err
	}
	axes, noop, err := c.n.Reduced(list, rank)
	r.axes, r.noop = int64s(axes), noop
	return r, err
}

func int64s(list []int) []int64 {
	out := make([]int64, len(list))
	for i, n := range list {
		out[i] = int64(n)
	}
	return out
}

// kept returns a value of the result's shape with the reduced axes put back as size 1.
func (c *call) kept(v graph.Value, r reduction) graph.Value {
	switch {
	case r.keep:
		return v
	case r.open != graph.None:
		return c.op("Unsqueeze", v, r.open)
	}
	return c.op("Unsqueeze", v, c.g.Ints(r.axes...))
}

// sumOver sums over the reduced axes and keeps them.
func (c *call) sumOver(v graph.Value, r reduction) graph.Value {
	if r.open != graph.None {
		return c.opWith("ReduceSum", []graph.Attr{graph.A("noop_with_empty_axes", c.n.Int("noop_with_empty_axes", 0))}, v, r.open)
	}
	return c.sum(v, r.axes...)
}

// reducing makes a rule of a function from x, and y and dy with the axes kept, to an adjoint that broadcasts to x.
func reducing(f func(c *call, x, y, dy graph.Value, r reduction) (graph.Value, error)) entry {
	return entry{rule: func(c *call) ([]graph.Value, error) {
		r, err := c.reduction()
		if err != nil {
			return nil, err
		}
		if r.noop { // ONNX's text of set 18, and engines, hand on the input as it is: no square, no logarithm
			return pass(c)
		}
		d, err := f(c, c.x(), c.kept(c.y(), r), c.kept(c.dy(), r), r)
		return []graph.Value{d}, err
	}}
}

// stretch repeats v along the axes on which it has size 1 and x more.
func (c *call) stretch(v, x graph.Value) graph.Value {
	if c.shape(v).Same(c.shape(x)) {
		return v
	}
	return c.op("Expand", v, c.shapeOf(x))
}

func dReduceSum(c *call, x, _, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.stretch(dy, x), nil
}

func dReduceMean(c *call, x, y, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.stretch(c.div(dy, c.ratio(x, y)), x), nil
}

// ratio returns how many elements of x come to one of y, as a number of x's type.
func (c *call) ratio(x, y graph.Value) graph.Value {
	whole, wholeOK := c.shape(x).Sizes()
	part, partOK := c.shape(y).Sizes()
	if wholeOK && partOK && len(whole) == len(part) {
		n := int64(1)
		for i := range whole {
			if part[i] != whole[i] {
				n *= whole[i]
			}
		}
		return c.num(float64(n), x)
	}
	if n := quotient(c.shape(x), c.shape(y)); n > 0 {
		return c.num(float64(n), x)
	}
	return c.cast(c.op("Div", c.op("Size", x), c.op("Size", y)), x)
}

// quotient returns the product of the sizes of x that are 1 in y, 0 if one is not known. Sizes with equal names cancel.
func quotient(x, y graph.Shape) int64 {
	if x == nil || len(x) != len(y) {
		return 0
	}
	n := int64(1)
	for i, d := range x {
		switch {
		case d.Same(y[i]):
		case d.Known() && y[i].Size == 1:
			n *= d.Size
		default:
			return 0
		}
	}
	return n
}

// dReduceExtreme: among equal elements the gradient is shared evenly, as PyTorch's amax does it.
func dReduceExtreme(c *call, x, y, dy graph.Value, r reduction) (graph.Value, error) {
	mask := c.cast(c.op("Equal", x, y), dy)
	return c.mul(mask, c.div(dy, c.sumOver(mask, r))), nil
}

// dReduceLogSumExp: the softmax, which exp(x - y) is.
func dReduceLogSumExp(c *call, x, y, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.mul(dy, c.op("Exp", c.sub(x, y))), nil
}

// dReduceLogSum: 1 / sum(x), which exp(-y) is.
func dReduceLogSum(c *call, x, y, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.stretch(c.mul(dy, c.op("Exp", c.neg(y))), x), nil
}

func dReduceSumSquare(c *call, x, _, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.mul(c.times(dy, 2), x), nil
}

func dReduceL1(c *call, x, _, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.mul(dy, c.op("Sign", x)), nil
}

func dReduceL2(c *call, x, y, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.mul(c.div(dy, y), x), nil
}

// dReduceProd divides by x, which must not be 0.
func dReduceProd(c *call, x, y, dy graph.Value, _ reduction) (graph.Value, error) {
	return c.div(c.mul(dy, y), x), nil
}

// cumSum: what comes back is summed from the other end.
func cumSum(c *call) ([]graph.Value, error) {
	attrs := []graph.Attr{graph.A("exclusive", c.n.Int("exclusive", 0)), graph.A("reverse", 1-c.n.Int("reverse", 0))}
	return []graph.Value{c.opWith("CumSum", attrs, c.dy(), c.in(1))}, nil
}

// topK puts the adjoints of the values back where they came from.
func topK(c *call) ([]graph.Value, error) {
	if c.dy() == graph.None {
		return nil, nil
	}
	axis, err := c.axis(c.n.Int("axis", -1), c.x())
	if err != nil {
		return nil, err
	}
	at := c.g.AddOutput(c.n, 1, "indices")
	return []graph.Value{c.scatterElements(c.zeros(c.x()), at, c.dy(), axis)}, nil
}

// scatterElements adds updates to data along an axis.
func (c *call) scatterElements(data, at, updates graph.Value, axis int64) graph.Value {
	attrs := []graph.Attr{graph.A("axis", axis), graph.A("reduction", "add")}
	return c.opWith("ScatterElements", attrs, data, at, updates)
}

// softmax: y (dy - sum(y dy)), written with one product.
func softmax(c *call) ([]graph.Value, error) {
	axis := c.n.Int("axis", -1)
	t := c.mul(c.dy(), c.y())
	return []graph.Value{c.sub(t, c.mul(c.y(), c.sum(t, axis)))}, nil
}

// logSoftmax: dy - softmax(x) sum(dy).
func logSoftmax(c *call) ([]graph.Value, error) {
	axis := c.n.Int("axis", -1)
	return []graph.Value{c.sub(c.dy(), c.mul(c.op("Exp", c.y()), c.sum(c.dy(), axis)))}, nil
}
