package oracle

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// pair is an operation on two numbers of one type.
type pair struct {
	f func(a, b float64) float64
	i func(a, b int64) int64
}

var (
	addOf = pair{f: func(a, b float64) float64 { return a + b }, i: func(a, b int64) int64 { return a + b }}
	subOf = pair{f: func(a, b float64) float64 { return a - b }, i: func(a, b int64) int64 { return a - b }}
	mulOf = pair{f: func(a, b float64) float64 { return a * b }, i: func(a, b int64) int64 { return a * b }}
	// Integers are divided towards zero.
	divOf = pair{f: func(a, b float64) float64 { return a / b }, i: func(a, b int64) int64 { return a / b }}
	minOf = pair{f: func(a, b float64) float64 { return min(a, b) }, i: func(a, b int64) int64 { return min(a, b) }}
	maxOf = pair{f: func(a, b float64) float64 { return max(a, b) }, i: func(a, b int64) int64 { return max(a, b) }}
	andOf = pair{i: func(a, b int64) int64 { return a & b }}
	orOf  = pair{i: func(a, b int64) int64 { return a | b }}
)

// pairwise broadcasts two tensors of one type and applies an operation element by element.
func (c *call) pairwise(a, b Tensor, p pair) Tensor {
	if a.Elem != b.Elem {
		panic(failf("inputs of types %v and %v", a.Elem, b.Elem))
	}
	if a.Elem.IsFloat() && p.f == nil || whole(a.Elem) && p.i == nil {
		panic(failf("inputs of type %v", a.Elem))
	}
	in, dims := c.stretchAll(a, b)
	out := c.make(a.Elem, dims)
	for i := range out.F {
		out.F[i] = p.f(in[0].F[i], in[1].F[i])
	}
	for i := range out.I {
		out.I[i] = wrapped(a.Elem, p.i(in[0].I[i], in[1].I[i]))
	}
	return out
}

// arithmetic is an operator on two numbers.
func arithmetic(p pair) func(*call) []Tensor {
	return func(c *call) []Tensor {
		if c.in[0].Elem == graph.Bool {
			panic(failf("inputs of type bool"))
		}
		return one(c.pairwise(c.in[0], c.in[1], p))
	}
}

// logical is an operator on two bools.
func logical(p pair) func(*call) []Tensor {
	return func(c *call) []Tensor {
		if c.in[0].Elem != graph.Bool {
			panic(failf("inputs of type %v, want bool", c.in[0].Elem))
		}
		return one(c.pairwise(c.in[0], c.in[1], p))
	}
}

// variadic applies an operation to any number of inputs, from the left.
func variadic(p pair) func(*call) []Tensor {
	return func(c *call) []Tensor {
		if c.in[0].Elem == graph.Bool {
			panic(failf("inputs of type %v", c.in[0].Elem))
		}
		out := c.in[0]
		for i, t := range c.in[1:] {
			if t.absent() {
				panic(failf("input %d is left out", i+1))
			}
			out = c.pairwise(out, t, p)
		}
		return one(out)
	}
}

func mean(c *call) []Tensor {
	c.allFloats()
	out := variadic(addOf)(c)
	n := float64(len(c.in))
	return one(c.mapFloats(out[0], func(x float64) float64 { return x / n }))
}

// divide refuses what integers have no answer for.
func divide(p pair) func(*call) []Tensor {
	return func(c *call) []Tensor {
		for _, n := range c.in[1].I {
			if n == 0 {
				panic(failf("integer division by zero"))
			}
		}
		return arithmetic(p)(c)
	}
}

// mod has the sign of the divisor, or with fmod that of the dividend, as C has it. Floats need fmod.
func mod(c *call) []Tensor {
	fmod := c.n.Int("fmod", 0) != 0
	if c.in[0].Elem.IsFloat() && !fmod {
		panic(failf("floats need attribute fmod"))
	}
	p := pair{f: math.Mod, i: floorMod}
	if fmod {
		p.i = func(a, b int64) int64 { return a % b }
	}
	return divide(p)(c)
}

func floorMod(a, b int64) int64 {
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// power: base and exponent may be of different types; the result has that of the base. Powers of integers are exact where float64 is.
func power(c *call) []Tensor {
	a := c.asFloats(c.in[0])
	b := c.asFloats(c.in[1])
	out := c.pairwise(a, b, pair{f: math.Pow})
	return one(c.castTo(out, c.in[0].Elem))
}

// prelu: the slope broadcasts to x, and x not to it.
func prelu(c *call) []Tensor {
	slope := c.stretched(c.in[1], c.in[0].Dims)
	p := pair{
		f: func(x, s float64) float64 {
			if x < 0 {
				return s * x
			}
			return x
		},
		i: func(x, s int64) int64 {
			if x < 0 {
				return s * x
			}
			return x
		},
	}
	return one(c.pairwise(c.in[0], slope, p))
}
