package autodiff

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
)

// resize is linear along each axis: y = M x with a matrix [out, in] that the geometry gives, so that the adjoint is a product with its
// transpose along each axis that changed.
func resize(c *call) ([]graph.Value, error) {
	x := c.x()
	wide, err := c.sizes(c.y(), 2)
	if err != nil {
		return nil, err
	}
	narrow, err := c.sizes(x, 2)
	if err != nil {
		return nil, err
	}
	d := c.dy()
	rank := len(wide) + 2
	for i := range wide {
		axis := i + 2
		r := graph.Resampling{In: narrow[i], Out: wide[i], Scale: float64(wide[i]) / float64(narrow[i]), Length: float64(wide[i])}
		if s, ok := c.resizeScale(axis); ok {
			r.Scale = s
		}
		if r.In == r.Out && r.Scale == 1 {
			continue
		}
		matrix, err := resizeMatrix(r, c.n)
		if err != nil {
			return nil, err
		}
		if d, err = c.along(d, matrix, r, axis, rank); err != nil {
			return nil, err
		}
	}
	return []graph.Value{d}, nil
}

// resizeScale returns the scale of an axis if the node states scales and not sizes.
func (c *call) resizeScale(axis int) (float64, bool) {
	if !c.has(2) || c.has(3) {
		return 0, false
	}
	t := c.g.ConstOf(c.in(2))
	if t == nil {
		return 0, false
	}
	values, err := t.Float64s()
	if err != nil {
		return 0, false
	}
	axes := c.n.Ints("axes")
	if axes == nil {
		axes = upTo(0, len(values))
	}
	for i, a := range axes {
		if a, err := c.axis(a, c.x()); err == nil && int(a) == axis && i < len(values) {
			return values[i], true
		}
	}
	return 1, len(values) > 0
}

// along multiplies an axis of size out by the transpose of a matrix [out, in].
func (c *call) along(d graph.Value, matrix []float64, r graph.Resampling, axis, rank int) (graph.Value, error) {
	t, err := graph.Rounded(c.elem(d), matrix, r.Out, r.In)
	if err != nil {
		return graph.None, err
	}
	m := c.g.Const("resampling", t)
	if axis == rank-1 {
		return c.op("MatMul", d, m), nil
	}
	perm := upTo(0, rank)
	perm[axis], perm[rank-1] = perm[rank-1], perm[axis]
	return c.transpose(c.op("MatMul", c.transpose(d, perm...), m), perm...), nil
}

// resizeMatrix returns the weights [out, in] of linear and nearest resampling.
func resizeMatrix(r graph.Resampling, n *graph.Node) ([]float64, error) {
	mode := n.Str("mode", "nearest")
	if mode != "linear" && mode != "nearest" || n.Int("antialias", 0) != 0 {
		return nil, fmt.Errorf("no rule for mode %q, antialias %d", mode, n.Int("antialias", 0))
	}
	out := make([]float64, r.In*r.Out)
	put := func(p, i int64, weight float64) {
		out[p*r.In+max(0, min(r.In-1, i))] += weight
	}
	for p := range r.Out {
		at, err := r.Origin(n, p)
		if err != nil {
			return nil, err
		}
		if mode == "nearest" {
			i, err := r.Nearest(n, at)
			if err != nil {
				return nil, err
			}
			put(p, i, 1)
			continue
		}
		at = max(0, min(float64(r.In-1), at)) // both neighbours of a place beyond the edge are the edge
		low := math.Floor(at)
		put(p, int64(low), 1-(at-low))
		put(p, int64(low)+1, at-low)
	}
	return out, nil
}
