package autodiff

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// rule returns the adjoints of a node's inputs from those of its results, one per input in order, None for zero and for what need says
// nobody asks for; the tail may be missing. What it appends that goes wrong is found in the graph's error by the walk.
type rule func(c *call) ([]graph.Value, error)

// call is what a rule is given, and the vocabulary in which rules are written.
type call struct {
	g    *graph.Graph
	n    *graph.Node
	dys  []graph.Value // adjoints of the results, None for zero; at least one is not None
	need []bool        // inputs whose adjoint is asked for

	forms ConvForms // of a Conv
}

func (c *call) has(i int) bool { return i < len(c.n.Inputs) && c.n.Inputs[i] != graph.None }

func (c *call) needs(i int) bool { return i < len(c.need) && c.need[i] }

// in returns an input, None if it is left out.
func (c *call) in(i int) graph.Value {
	if !c.has(i) {
		return graph.None
	}
	return c.n.Inputs[i]
}

func (c *call) x() graph.Value  { return c.in(0) }
func (c *call) y() graph.Value  { return c.n.Outputs[0] }
func (c *call) dy() graph.Value { return c.dys[0] }

func (c *call) elem(v graph.Value) graph.DType  { return c.g.TypeOf(v).Elem }
func (c *call) shape(v graph.Value) graph.Shape { return c.g.TypeOf(v).Shape }

// rank returns the number of sizes, or an error that names the value.
func (c *call) rank(v graph.Value) (int, error) {
	if s := c.shape(v); s != nil {
		return len(s), nil
	}
	return 0, fmt.Errorf("the rank of %q is not known", c.g.NameOf(v))
}

// sizes returns the sizes of the axes from a given one on, or an error if one is not known.
func (c *call) sizes(v graph.Value, from int) ([]int64, error) {
	if s := c.shape(v); s != nil && from <= len(s) {
		if out, ok := s[from:].Sizes(); ok {
			return out, nil
		}
	}
	return nil, fmt.Errorf("the sizes of %q must be known, it is %v", c.g.NameOf(v), c.g.TypeOf(v))
}

// axis brings an axis of a value into 0..rank-1.
func (c *call) axis(a int64, v graph.Value) (int64, error) {
	rank, err := c.rank(v)
	if err != nil {
		return 0, err
	}
	n, err := graph.Axis(a, rank)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", c.g.NameOf(v), err)
	}
	return int64(n), nil
}

// op appends a node without attributes.
func (c *call) op(name string, inputs ...graph.Value) graph.Value { return c.g.Op(name, inputs) }

// opWith appends a node with attributes.
func (c *call) opWith(name string, attrs []graph.Attr, inputs ...graph.Value) graph.Value {
	return c.g.Op(name, inputs, attrs...)
}

func (c *call) add(a, b graph.Value) graph.Value { return c.op("Add", a, b) }
func (c *call) sub(a, b graph.Value) graph.Value { return c.op("Sub", a, b) }
func (c *call) mul(a, b graph.Value) graph.Value { return c.op("Mul", a, b) }
func (c *call) div(a, b graph.Value) graph.Value { return c.op("Div", a, b) }
func (c *call) neg(a graph.Value) graph.Value    { return c.op("Neg", a) }

// num returns a number of the type of a value.
func (c *call) num(f float64, like graph.Value) graph.Value { return c.g.Scalar(c.elem(like), f) }

// times multiplies by a number, which costs nothing if it is 1.
func (c *call) times(v graph.Value, f float64) graph.Value {
	switch f {
	case 1:
		return v
	case -1:
		return c.neg(v)
	}
	return c.mul(v, c.num(f, v))
}

// plus adds a number.
func (c *call) plus(v graph.Value, f float64) graph.Value { return c.add(v, c.num(f, v)) }

// cast turns a value into the type of another, if it is not of that type.
func (c *call) cast(v, like graph.Value) graph.Value {
	if c.elem(v) == c.elem(like) {
		return v
	}
	return c.opWith("Cast", []graph.Attr{graph.A("to", c.elem(like))}, v)
}

// step is 1 where v > 0 and else 0: a HardSigmoid so steep that only the smallest of positive numbers fall on its slope. It costs 1.2 of
// an elementwise operation; comparing and casting 1.5, Where 2.0.
//
// A number that steep is infinite in half precision, and infinity times 0 no number: there the comparison stays.
func (c *call) step(v graph.Value) graph.Value {
	if e := c.elem(v); e == graph.Float16 || e == graph.BFloat16 {
		return c.cast(c.op("Greater", v, c.num(0, v)), v)
	}
	return c.opWith("HardSigmoid", []graph.Attr{graph.A("alpha", 1e30), graph.A("beta", 0.0)}, v)
}

// sum reduces along axes, keeping them as size 1. No axes: v itself.
func (c *call) sum(v graph.Value, axes ...int64) graph.Value {
	return c.reduce("ReduceSum", v, true, axes)
}

// mean is [call.sum] divided by the number of elements.
func (c *call) mean(v graph.Value, axes ...int64) graph.Value {
	return c.reduce("ReduceMean", v, true, axes)
}

func (c *call) reduce(op string, v graph.Value, keep bool, axes []int64) graph.Value {
	if len(axes) == 0 {
		return v
	}
	return c.opWith(op, []graph.Attr{graph.A("keepdims", keep)}, v, c.g.Ints(axes...))
}

// sumTo undoes the broadcasting of v from a shape to d's: it sums over the axes that were added or stretched. Where sizes leave open
// whether an axis was stretched, that is found at run time.
func (c *call) sumTo(d, v graph.Value) graph.Value {
	from, to := c.shape(d), c.shape(v)
	if from == nil || to == nil || len(from) < len(to) {
		return c.sumToDynamic(d, v)
	}
	lead := len(from) - len(to)
	d = c.reduce("ReduceSum", d, false, upTo(0, lead))
	var stretched []int64
	for i, t := range to {
		switch f := from[lead+i]; {
		case t.Size == 1 && f.Size != 1:
			stretched = append(stretched, int64(i))
		case !t.Known() && !t.Same(f):
			return c.sumToDynamic(d, v)
		}
	}
	return c.sum(d, stretched...)
}

// sumToDynamic sums over the axes of v that are 1 at run time, after putting axes of size 1 before v's.
func (c *call) sumToDynamic(d, v graph.Value) graph.Value {
	shape, full := c.op("Shape", v), c.op("Shape", d)
	// The shape of a shape is the rank.
	lead := c.sub(c.op("Shape", full), c.op("Shape", shape))
	ones := c.opWith("ConstantOfShape", []graph.Attr{graph.A("value", graph.NewTensor([]int64{1}, 1))}, lead)
	padded := c.opWith("Concat", []graph.Attr{graph.A("axis", 0)}, ones, shape)
	// Axes of size 1 in d as well are summed for nothing; where there is no axis at all, noop_with_empty_axes leaves d as it is.
	axes := c.reshape(c.op("NonZero", c.op("Equal", padded, c.g.Int(1))), fixed(-1))
	d = c.opWith("ReduceSum", []graph.Attr{graph.A("keepdims", true), graph.A("noop_with_empty_axes", true)}, d, axes)
	return c.op("Reshape", d, shape)
}

// upTo returns the numbers from a to b-1.
func upTo(a, b int) []int64 {
	out := []int64{}
	for i := a; i < b; i++ {
		out = append(out, int64(i))
	}
	return out
}

// transpose permutes axes, unless that changes nothing.
func (c *call) transpose(v graph.Value, perm ...int64) graph.Value {
	if slices.Equal(perm, upTo(0, len(perm))) {
		return v
	}
	return c.opWith("Transpose", []graph.Attr{graph.A("perm", perm)}, v)
}
