package oracle

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// mapped applies a function to the floats of input 0.
func mapped(f func(float64) float64) func(*call) []Tensor {
	return withAttrs(func(*call) func(float64) float64 { return f })
}

// withAttrs is mapped for a function that depends on attributes.
func withAttrs(prepare func(*call) func(float64) float64) func(*call) []Tensor {
	return func(c *call) []Tensor {
		x := c.floats(0)
		return one(c.mapFloats(x, prepare(c)))
	}
}

func (c *call) mapFloats(x Tensor, f func(float64) float64) Tensor {
	y := c.make(x.Elem, x.Dims)
	for i, v := range x.F {
		y.F[i] = f(v)
	}
	return y
}

// numeric applies one function to floats and another to integers, whose result wraps as the type does.
func numeric(f func(float64) float64, g func(int64) int64) func(*call) []Tensor {
	return func(c *call) []Tensor {
		x := c.in[0]
		switch {
		case x.Elem.IsFloat():
			return one(c.mapFloats(x, f))
		case !x.Elem.IsInt():
			panic(failf("input 0 is %v, want numbers", x.Elem))
		}
		y := c.make(x.Elem, x.Dims)
		for i, v := range x.I {
			y.I[i] = wrapped(x.Elem, g(v))
		}
		return one(y)
	}
}

func neg(x float64) float64 { return -x }
func negInt(x int64) int64  { return -x }
func absInt(x int64) int64  { return max(x, -x) }

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x // 0 and NaN
}

// relu hands NaN on.
func relu(x float64) float64 { return max(x, 0) }

// sigmoid raises e to a negative power on either side, so that it neither overflows nor loses digits.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// softplus is log(1+exp(x)), which is x itself when x is large.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func mish(x float64) float64 { return x * math.Tanh(softplus(x)) }

func softsign(x float64) float64 { return x / (1 + math.Abs(x)) }

func hardSwish(x float64) float64 { return x * clamp(x/6+0.5, 0, 1) }

// clamp hands NaN on; where low is above high, high wins, as in min(max(x, low), high).
func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

// gelu is x P(X <= x) of a normal X. Erfc keeps the digits that 1 + Erf loses far below 0.
func gelu(x float64) float64 { return 0.5 * x * math.Erfc(-x/math.Sqrt2) }

// geluTanh is the approximation that BERT's first code used.
func geluTanh(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func geluOf(c *call) func(float64) float64 {
	if c.n.Str("approximate", "none") == "tanh" {
		return geluTanh
	}
	return gelu
}

// elu: Expm1, here and in its kin, keeps the digits of what is near 0.
func elu(c *call) func(float64) float64 {
	alpha := c.float("alpha", 1)
	return func(x float64) float64 {
		if x < 0 {
			return alpha * math.Expm1(x)
		}
		return x
	}
}

// celu is elu that is smooth for any alpha.
func celu(c *call) func(float64) float64 {
	alpha := c.float("alpha", 1)
	return func(x float64) float64 { return max(x, 0) + min(0, alpha*math.Expm1(x/alpha)) }
}

func selu(c *call) func(float64) float64 {
	alpha, gamma := c.float("alpha", 1.67326319217681884765625), c.float("gamma", 1.05070102214813232421875)
	return func(x float64) float64 {
		if x <= 0 {
			return gamma * alpha * math.Expm1(x)
		}
		return gamma * x
	}
}

func leakyRelu(c *call) func(float64) float64 {
	alpha := c.float("alpha", 0.01)
	return func(x float64) float64 {
		if x < 0 {
			return alpha * x
		}
		return x
	}
}

func thresholdedRelu(c *call) func(float64) float64 {
	alpha := c.float("alpha", 1)
	return func(x float64) float64 {
		if x > alpha {
			return x
		}
		return 0 * x // 0, or NaN
	}
}

func hardSigmoid(c *call) func(float64) float64 {
	alpha, beta := c.float("alpha", 0.2), c.float("beta", 0.5)
	return func(x float64) float64 { return clamp(alpha*x+beta, 0, 1) }
}

func swish(c *call) func(float64) float64 {
	alpha := c.float("alpha", 1)
	return func(x float64) float64 { return x * sigmoid(alpha*x) }
}

func quickGelu(c *call) func(float64) float64 {
	alpha := c.float("alpha", 1.702)
	return func(x float64) float64 { return x * sigmoid(alpha*x) }
}

func shrink(c *call) []Tensor {
	bias, lambd := c.float("bias", 0), c.float("lambd", 0.5)
	f := func(x float64) float64 {
		switch {
		case x < -lambd:
			return x + bias
		case x > lambd:
			return x - bias
		}
		return 0
	}
	return numeric(f, func(n int64) int64 { return int64(f(float64(n))) })(c)
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func not(c *call) []Tensor {
	if c.in[0].Elem != graph.Bool {
		panic(failf("input 0 is %v, want bool", c.in[0].Elem))
	}
	return one(c.mapInts(c.in[0], func(n int64) int64 { return 1 - n }))
}

func (c *call) mapInts(x Tensor, f func(int64) int64) Tensor {
	y := c.make(x.Elem, x.Dims)
	for i, n := range x.I {
		y.I[i] = wrapped(x.Elem, f(n))
	}
	return y
}

// clip: the bounds are inputs 1 and 2, scalars of the type of input 0; the upper one wins where they cross.
func clip(c *call) []Tensor {
	x := c.in[0]
	c.same(0, 1, 2)
	for i := 1; i < 3; i++ {
		if c.has(i) && c.in[i].size() != 1 {
			panic(failf("input %d has shape %v, want a scalar", i, c.in[i].Dims))
		}
	}
	y := x
	if c.has(1) {
		y = c.pairwise(y, c.in[1], maxOf)
	}
	if c.has(2) {
		y = c.pairwise(y, c.in[2], minOf)
	}
	return one(y.reshaped(x.Dims))
}

// dropout passes its input. With training mode it would draw random numbers, which an oracle must not: masks are inputs of graphs here.
func dropout(c *call) []Tensor {
	x := c.in[0]
	ratio := c.scalar(1, 0.5)
	training := c.scalar(2, 0)
	if training != 0 && ratio != 0 {
		panic(failf("training mode with ratio %v draws random numbers: use a mask that is an input", ratio))
	}
	mask := c.make(graph.Bool, x.Dims)
	for i := range mask.I {
		mask.I[i] = 1
	}
	return []Tensor{x, mask}
}
