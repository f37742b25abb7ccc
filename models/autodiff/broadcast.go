package autodiff

import (
	"github.com/oatta/oatta/models/graph"
)

// These rules return adjoints of the shape of the result; the walk sums them to the shape of the input.

func ruleAdd(c *call) ([]graph.Value, error) { return []graph.Value{c.dy(), c.dy()}, nil }

func ruleSub(c *call) ([]graph.Value, error) {
	out := []graph.Value{c.dy(), graph.None}
	if c.needs(1) {
		out[1] = c.neg(c.dy())
	}
	return out, nil
}

func ruleMul(c *call) ([]graph.Value, error) {
	out := make([]graph.Value, 2)
	for i := range out {
		if c.needs(i) {
			out[i] = c.mul(c.dy(), c.in(1-i))
		}
	}
	return out, nil
}

func ruleDiv(c *call) ([]graph.Value, error) {
	d := c.div(c.dy(), c.in(1))
	out := []graph.Value{d, graph.None}
	if c.needs(1) {
		out[1] = c.neg(c.mul(d, c.y()))
	}
	return out, nil
}

// mod: with fmod = 1, a = b trunc(a/b) + y; without it, for floats not allowed.
func mod(c *call) ([]graph.Value, error) {
	out := []graph.Value{c.dy(), graph.None}
	if c.needs(1) {
		out[1] = c.neg(c.mul(c.dy(), c.div(c.sub(c.x(), c.y()), c.in(1))))
	}
	return out, nil
}

// power: exponents of the commonest networks, 2 and 1/2, take the cheap forms. The derivative by the exponent needs positive bases.
func power(c *call) ([]graph.Value, error) {
	x, dy := c.x(), c.dy()
	e := c.cast(c.in(1), x)
	out := make([]graph.Value, 2)
	if c.needs(0) {
		switch v, ok := c.scalarOf(c.in(1)); {
		case ok && v == 2:
			out[0] = c.mul(dy, c.times(x, 2))
		case ok && v == 0.5:
			out[0] = c.div(dy, c.times(c.y(), 2))
		case ok:
			out[0] = c.mul(dy, c.times(c.op("Pow", x, c.num(v-1, x)), v))
		default:
			out[0] = c.mul(dy, c.mul(e, c.op("Pow", x, c.plus(e, -1))))
		}
	}
	if c.needs(1) {
		out[1] = c.cast(c.mul(dy, c.mul(c.y(), c.op("Log", x))), c.in(1))
	}
	return out, nil
}

// scalarOf returns the number that a constant of one element holds.
func (c *call) scalarOf(v graph.Value) (float64, bool) {
	t := c.g.ConstOf(v)
	if t == nil || t.Len() != 1 {
		return 0, false
	}
	values, err := t.Float64s()
	if err != nil {
		return 0, false
	}
	return values[0], true
}

// extreme serves Min and Max: among equal inputs the gradient is shared evenly, as PyTorch does it.
func extreme(c *call) ([]graph.Value, error) {
	dy := c.dy()
	masks := make([]graph.Value, len(c.n.Inputs))
	total := graph.None
	for i, v := range c.n.Inputs {
		masks[i] = c.cast(c.op("Equal", v, c.y()), dy)
		if total == graph.None {
			total = masks[i]
		} else {
			total = c.add(total, masks[i])
		}
	}
	share := c.div(dy, total)
	for i, m := range masks {
		masks[i] = graph.None
		if c.needs(i) {
			masks[i] = c.mul(share, m)
		}
	}
	return masks, nil
}

func ruleSum(c *call) ([]graph.Value, error) {
	out := make([]graph.Value, len(c.n.Inputs))
	for i := range out {
		out[i] = c.dy()
	}
	return out, nil
}

// average serves the operator Mean of several tensors.
func average(c *call) ([]graph.Value, error) {
	d := c.times(c.dy(), 1/float64(len(c.n.Inputs)))
	out := make([]graph.Value, len(c.n.Inputs))
	for i := range out {
		out[i] = d
	}
	return out, nil
}

func where(c *call) ([]graph.Value, error) {
	zero := c.num(0, c.dy())
	out := make([]graph.Value, 3)
	if c.needs(1) {
		out[1] = c.op("Where", c.x(), c.dy(), zero)
	}
	if c.needs(2) {
		out[2] = c.op("Where", c.x(), zero, c.dy())
	}
	return out, nil
}

// prelu: below 0 the slope is input 1.
func prelu(c *call) ([]graph.Value, error) {
	x, slope, dy := c.x(), c.in(1), c.dy()
	out := make([]graph.Value, 2)
	positive := c.step(x)
	if c.needs(0) {
		out[0] = c.mul(dy, c.add(positive, c.mul(c.minus(1, positive), slope)))
	}
	if c.needs(1) {
		out[1] = c.mul(dy, c.mul(x, c.minus(1, positive)))
	}
	return out, nil
}
