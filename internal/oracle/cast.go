package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// castTo converts elements. Between floats nothing is rounded (see [Settings].Round). Floats become integers by truncation, and wrap;
// beyond the range of int64, where engines differ, they are the largest or smallest int64. NaN is 0. Anything but 0 is true.
func (c *call) castTo(t Tensor, to graph.DType) (Tensor, error) {
	if t.Elem == to {
		return t, nil
	}
	out, err := c.make(to, t.Dims)
	if err != nil {
		return out, err
	}
	switch {
	case t.Elem.IsFloat() && to.IsFloat():
		copy(out.F, t.F)
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
	return out, nil
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
func (c *call) asFloats(t Tensor) (Tensor, error) {
	if t.Elem.IsFloat() {
		t.Elem = graph.Float64
		return t, nil
	}
	if !t.Elem.IsInt() {
		return t, fmt.Errorf("input of type %v, want numbers", t.Elem)
	}
	return c.castTo(t, graph.Float64)
}

func cast(c *call) ([]Tensor, error) { return one(c.castTo(c.in[0], graph.DType(c.n.Int("to", 0)))) }

func castLike(c *call) ([]Tensor, error) { return one(c.castTo(c.in[0], c.in[1].Elem)) }

func identity(c *call) ([]Tensor, error) { return slices.Clone(c.in[:1]), nil }
