package autodiff

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// unary makes a rule of a function from input, result and adjoint to the adjoint of the input.
func unary(f func(c *call, x, y, dy graph.Value) graph.Value) entry {
	return entry{rule: func(c *call) ([]graph.Value, error) {
		return []graph.Value{f(c, c.x(), c.y(), c.dy())}, nil
	}}
}

// pass is the rule of operators that hand on what they get, or only stretch it.
func pass(c *call) ([]graph.Value, error) { return []graph.Value{c.dy()}, nil }

// inside is 1 where low < v < high and else 0.
func (c *call) inside(v graph.Value, low, high float64) graph.Value {
	return c.cast(c.op("And", c.op("Greater", v, c.num(low, v)), c.op("Less", v, c.num(high, v))), v)
}

// square returns v*v.
func (c *call) square(v graph.Value) graph.Value { return c.mul(v, v) }

// minus returns f - v.
func (c *call) minus(f float64, v graph.Value) graph.Value { return c.sub(c.num(f, v), v) }

// Functions of exponentials and powers. Where the result gives the derivative more cheaply than the input, it is used.

func dExp(c *call, _, y, dy graph.Value) graph.Value     { return c.mul(dy, y) }
func dLog(c *call, x, _, dy graph.Value) graph.Value     { return c.div(dy, x) }
func dNeg(c *call, _, _, dy graph.Value) graph.Value     { return c.neg(dy) }
func dAbs(c *call, x, _, dy graph.Value) graph.Value     { return c.mul(dy, c.op("Sign", x)) }
func dSqrt(c *call, _, y, dy graph.Value) graph.Value    { return c.div(dy, c.times(y, 2)) }
func dInverse(c *call, _, y, dy graph.Value) graph.Value { return c.neg(c.mul(dy, c.square(y))) }

// dErf: 2/sqrt(pi) exp(-x^2).
func dErf(c *call, x, _, dy graph.Value) graph.Value {
	return c.mul(dy, c.times(c.op("Exp", c.neg(c.square(x))), 2/math.SqrtPi))
}

// Sigmoids: the results are in memory anyway.

func dTanh(c *call, _, y, dy graph.Value) graph.Value { return c.mul(dy, c.minus(1, c.square(y))) }

func dSigmoid(c *call, _, y, dy graph.Value) graph.Value {
	return c.mul(dy, c.mul(y, c.minus(1, y)))
}

// dRelu: y > 0 where x > 0.
func dRelu(c *call, _, y, dy graph.Value) graph.Value { return c.mul(dy, c.step(y)) }

// Trigonometric functions and their inverses.

func dSin(c *call, x, _, dy graph.Value) graph.Value  { return c.mul(dy, c.op("Cos", x)) }
func dCos(c *call, x, _, dy graph.Value) graph.Value  { return c.neg(c.mul(dy, c.op("Sin", x))) }
func dTan(c *call, _, y, dy graph.Value) graph.Value  { return c.mul(dy, c.plus(c.square(y), 1)) }
func dSinh(c *call, x, _, dy graph.Value) graph.Value { return c.mul(dy, c.op("Cosh", x)) }
func dCosh(c *call, x, _, dy graph.Value) graph.Value { return c.mul(dy, c.op("Sinh", x)) }
func dAsin(c *call, x, _, dy graph.Value) graph.Value {
	return c.div(dy, c.op("Sqrt", c.minus(1, c.square(x))))
}
func dAcos(c *call, x, y, dy graph.Value) graph.Value { return c.neg(dAsin(c, x, y, dy)) }
func dAtan(c *call, x, _, dy graph.Value) graph.Value { return c.div(dy, c.plus(c.square(x), 1)) }
func dAsinh(c *call, x, _, dy graph.Value) graph.Value {
	return c.div(dy, c.op("Sqrt", c.plus(c.square(x), 1)))
}

func dAcosh(c *call, x, _, dy graph.Value) graph.Value {
	return c.div(dy, c.op("Sqrt", c.plus(c.square(x), -1)))
}
func dAtanh(c *call, x, _, dy graph.Value) graph.Value { return c.div(dy, c.minus(1, c.square(x))) }

// attr returns a float attribute of the node.
func (c *call) attr(name string, def float32) float64 { return float64(c.n.Float(name, def)) }

// slopes returns dy where x > 0 times above, elsewhere times below.
func (c *call) slopes(x, dy graph.Value, above float64, below graph.Value) graph.Value {
	return c.op("Where", c.op("Greater", x, c.num(0, x)), c.times(dy, above), c.mul(dy, below))
}

// dLeakyRelu: at 0 the slope is alpha, as in PyTorch.
func dLeakyRelu(c *call, x, _, dy graph.Value) graph.Value {
	alpha := c.attr("alpha", 0.01)
	return c.mul(dy, c.plus(c.times(c.step(x), 1-alpha), alpha))
}

// dElu: y = alpha (exp(x) - 1) below 0.
func dElu(c *call, x, y, dy graph.Value) graph.Value {
	return c.slopes(x, dy, 1, c.plus(y, c.attr("alpha", 1)))
}

// dCelu: y = alpha (exp(x/alpha) - 1) below 0.
func dCelu(c *call, x, y, dy graph.Value) graph.Value {
	return c.slopes(x, dy, 1, c.plus(c.times(y, 1/c.attr("alpha", 1)), 1))
}

// dSelu: y = gamma alpha (exp(x) - 1) below 0. The defaults are the operator's.
func dSelu(c *call, x, y, dy graph.Value) graph.Value {
	alpha, gamma := c.attr("alpha", 1.67326319217681884765625), c.attr("gamma", 1.05070102214813232421875)
	return c.slopes(x, dy, gamma, c.plus(y, alpha*gamma))
}

// dThresholdedRelu: y = x above alpha, 0 below.
func dThresholdedRelu(c *call, x, _, dy graph.Value) graph.Value {
	return c.mul(dy, c.step(c.plus(x, -c.attr("alpha", 1))))
}

// dShrink: |x| above lambd is brought nearer to 0 by bias, the rest becomes 0.
func dShrink(c *call, x, _, dy graph.Value) graph.Value {
	return c.mul(dy, c.step(c.plus(c.op("Abs", x), -c.attr("lambd", 0.5))))
}

// dSoftplus: y = log(1 + exp(x)).
func dSoftplus(c *call, x, _, dy graph.Value) graph.Value { return c.mul(dy, c.op("Sigmoid", x)) }

// dSoftsign: y = x / (1 + |x|).
func dSoftsign(c *call, x, _, dy graph.Value) graph.Value {
	return c.div(dy, c.square(c.plus(c.op("Abs", x), 1)))
}

// dHardSigmoid: y = clip(alpha x + beta, 0, 1).
func dHardSigmoid(c *call, _, y, dy graph.Value) graph.Value {
	return c.mul(dy, c.times(c.inside(y, 0, 1), c.attr("alpha", 0.2)))
}

// dHardSwish: y = x h with h = clip(x/6 + 1/2, 0, 1).
func dHardSwish(c *call, x, _, dy graph.Value) graph.Value {
	h := c.opWith("HardSigmoid", []graph.Attr{graph.A("alpha", 1.0/6), graph.A("beta", 0.5)}, x)
	return c.mul(dy, c.add(h, c.times(c.mul(x, c.inside(x, -3, 3)), 1.0/6)))
}

// dMish: y = x t with t = tanh(softplus(x)).
func dMish(c *call, x, _, dy graph.Value) graph.Value {
	t := c.op("Tanh", c.op("Softplus", x))
	rise := c.mul(c.mul(x, c.op("Sigmoid", x)), c.minus(1, c.square(t)))
	return c.mul(dy, c.add(t, rise))
}

// swish: y = x s with s = sigmoid(alpha x); y' = s + alpha y (1 - s).
func (c *call) swish(x, y, dy graph.Value, alpha float64) graph.Value {
	s := c.op("Sigmoid", c.times(x, alpha))
	return c.mul(dy, c.add(s, c.times(c.mul(y, c.minus(1, s)), alpha)))
}

// dSwish: the operator of set 24.
func dSwish(c *call, x, y, dy graph.Value) graph.Value {
	return c.swish(x, y, dy, c.attr("alpha", 1))
}

// dQuickGelu: ONNX Runtime's own, which CLIP's exporters write.
func dQuickGelu(c *call, x, y, dy graph.Value) graph.Value {
	return c.swish(x, y, dy, c.attr("alpha", 1.702))
}

func dGelu(c *call, x, _, dy graph.Value) graph.Value {
	if c.n.Str("approximate", "none") == "tanh" {
		return c.geluTanh(x, dy)
	}
	return c.gelu(x, dy)
}

// gelu: y = x P(x) with the normal distribution P; y' = P(x) + x p(x).
func (c *call) gelu(x, dy graph.Value) graph.Value {
	cdf := c.times(c.plus(c.op("Erf", c.times(x, 1/math.Sqrt2)), 1), 0.5)
	pdf := c.times(c.op("Exp", c.times(c.square(x), -0.5)), 1/math.Sqrt(2*math.Pi))
	return c.mul(dy, c.add(cdf, c.mul(x, pdf)))
}

// geluTanh: y = x (1 + t)/2 with t = tanh(k (x + a x^3)).
func (c *call) geluTanh(x, dy graph.Value) graph.Value {
	const a = 0.044715
	k := math.Sqrt(2 / math.Pi)
	square := c.square(x)
	t := c.op("Tanh", c.times(c.mul(x, c.plus(c.times(square, a), 1)), k))
	inner := c.plus(c.times(square, 3*a*k), k)
	rise := c.mul(c.mul(x, inner), c.minus(1, c.square(t)))
	return c.mul(dy, c.times(c.add(c.plus(t, 1), rise), 0.5))
}

// biasGelu: the fused operators of ONNX Runtime that add a vector first.
func biasGelu(f func(c *call, x, dy graph.Value) graph.Value) rule {
	return func(c *call) ([]graph.Value, error) {
		x := c.x()
		if c.has(1) {
			x = c.add(x, c.in(1))
		}
		d := f(c, x, c.dy())
		return []graph.Value{d, d}, nil
	}
}

// clip: at a bound the gradient passes, as in PyTorch; outside it goes to the bound.
func clip(c *call) ([]graph.Value, error) {
	x, dy := c.x(), c.dy()
	inside := dy
	out := make([]graph.Value, 3)
	for i, cmp := range []string{1: "Less", 2: "Greater"} {
		if !c.has(i) || cmp == "" {
			continue
		}
		beyond := c.cast(c.op(cmp, x, c.in(i)), x)
		inside = c.mul(inside, c.minus(1, beyond))
		if c.needs(i) {
			out[i] = c.mul(dy, beyond)
		}
	}
	out[0] = inside
	return out, nil
}

// dropout: a node that is not training hands on what it gets. One that may train needs the mask.
func dropout(c *call) ([]graph.Value, error) {
	dy := c.dy()
	training, known := c.g.KnownInts(c.in(2))
	if !c.has(2) || known && training[0] == 0 || dy == graph.None {
		return []graph.Value{dy}, nil
	}
	mask := c.cast(c.g.AddOutput(c.n, 1, "mask"), dy)
	keep := c.num(0.5, dy) // the default ratio
	if c.has(1) {
		keep = c.minus(1, c.cast(c.in(1), dy))
	}
	if !known {
		keep = c.op("Where", c.in(2), keep, c.num(1, dy)) // the mask is all true then
	}
	return []graph.Value{c.div(c.mul(dy, mask), keep)}, nil
}
