package oracle

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// castTo converts elements. Between floats nothing is rounded. Floats become integers by truncation, and wrap; beyond the range of int64,
// where engines differ, they are the largest or smallest int64. NaN is 0. Anything but 0 is true.
func (c *call) castTo(t Tensor, to graph.DType) Tensor {
	if t.Elem == to || t.Elem.IsFloat() && to.IsFloat() {
		t.Elem = to // the elements are float64 whatever the type
		return t
	}
	out := c.make(to, t.Dims)
	switch {
	case t.Elem.IsFloat():
		for i, v := range t.F {
			out.I[i] = wrapped(to, truncated(v, to))
		}
	case to.IsFloat():
		for i, n := range t.I {
			out.F[i] = float64(n)
		}
	default:
		for i, n := range t.I {
			out.I[i] = wrapped(to, n)
		}
	}
	return out
}

func truncated(v float64, to graph.DType) int64 {
	switch {
	case v != v:
		return boolInt(to == graph.Bool)
	case to == graph.Bool:
		return boolInt(v != 0)
	case v >= 0x1p63:
		return math.MaxInt64
	case v < -0x1p63:
		return math.MinInt64
	}
	return int64(v)
}

// asFloats converts numbers to float64.
func (c *call) asFloats(t Tensor) Tensor {
	if !numbers(t.Elem) {
		panic(failf("input of type %v, want numbers", t.Elem))
	}
	return c.castTo(t, graph.Float64)
}

func cast(c *call) []Tensor { return one(c.castTo(c.in[0], graph.DType(c.n.Int("to", 0)))) }

func castLike(c *call) []Tensor { return one(c.castTo(c.in[0], c.in[1].Elem)) }

func identity(c *call) []Tensor { return one(c.in[0]) }
