package oracle

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	case t.Elem == graph.String:
		return out, out.parse(t.S)
	case to == graph.String:
		out.print(t)
	case t.Elem.IsFloat() && to.IsFloat():
		copy(out.F, t.F)
	case t.Elem.IsFloat():
		for i, v := range t.F {
			out.I[i] = wrapped(to, truncated(v, to))
		}
	case to.IsFloat():
		for i, n := range t.I {
			out.F[i] = intFloat(t.Elem, n)
		}
	default:
		for i, n := range t.I {
			out.I[i] = wrapped(to, n)
		}
	}
	return out, nil
}

func intFloat(elem graph.DType, n int64) float64 {
	if elem == graph.Uint64 {
		return float64(uint64(n))
	}
	return float64(n)
}

func truncated(v float64, to graph.DType) int64 {
	switch {
	case v != v:
		return boolInt(to == graph.Bool)
	case to == graph.Bool:
		return boolInt(v != 0)
	case to == graph.Uint64 && v >= 0x1p64:
		return -1 // all bits
	case to == graph.Uint64 && v >= 0x1p63:
		return int64(uint64(v))
	case v >= 0x1p63:
		return math.MaxInt64
	case v < -0x1p63:
		return math.MinInt64
	}
	return int64(v)
}

// parse reads numbers as Go and C do; "INF" and "nan" in any case too.
func (t Tensor) parse(from []string) error {
	for i, s := range from {
		s = strings.TrimSpace(s)
		var err error
		switch {
		case t.Elem.IsFloat():
			t.F[i], err = strconv.ParseFloat(s, 64)
		case t.Elem == graph.Uint64:
			var n uint64
			n, err = strconv.ParseUint(s, 10, 64)
			t.I[i] = int64(n)
		default:
			var n int64
			n, err = strconv.ParseInt(s, 10, 64)
			t.I[i] = wrapped(t.Elem, n)
		}
		if err != nil {
			return fmt.Errorf("element %d: %q is no number", i, s)
		}
	}
	return nil
}

// print writes floats with the fewest digits that give the same number of their type.
func (t Tensor) print(from Tensor) {
	bits := 32
	if from.Elem == graph.Float64 {
		bits = 64
	}
	for i, v := range from.F {
		switch {
		case v != v:
			t.S[i] = "NaN"
		case math.IsInf(v, 0):
			t.S[i] = strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+")[:3+int(boolInt(v < 0))]
			t.S[i] = strings.ToUpper(t.S[i])
		default:
			t.S[i] = strconv.FormatFloat(v, 'g', -1, bits)
		}
	}
	for i, n := range from.I {
		if from.Elem == graph.Uint64 {
			t.S[i] = strconv.FormatUint(uint64(n), 10)
			continue
		}
		t.S[i] = strconv.FormatInt(n, 10)
	}
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
