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
		r := resampling{in: narrow[i], out: wide[i], scale: float64(wide[i]) / float64(narrow[i])}
		if s, ok := c.resizeScale(axis); ok {
			r.scale = s
		}
		if r.in == r.out && r.scale == 1 {
			continue
		}
		matrix, err := r.matrix(c.n)
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
func (c *call) along(d graph.Value, matrix []float64, r resampling, axis, rank int) (graph.Value, error) {
	t, err := floats(c.elem(d), matrix, r.out, r.in)
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

// resampling is the geometry along one axis.
type resampling struct {
	in, out int64
	scale   float64
}

// place returns where output p lies among the inputs.
func (r resampling) place(mode string, p float64) (float64, error) {
	switch mode {
	case "half_pixel":
		return (p+0.5)/r.scale - 0.5, nil
	case "half_pixel_symmetric":
		wanted := r.scale * float64(r.in)
		shift := float64(r.in) / 2 * (1 - float64(r.out)/wanted)
		return shift + (p+0.5)/r.scale - 0.5, nil
	case "pytorch_half_pixel":
		if r.out > 1 {
			return (p+0.5)/r.scale - 0.5, nil
		}
		return 0, nil
	case "align_corners":
		if r.out == 1 {
			return 0, nil
		}
		return p * float64(r.in-1) / float64(r.out-1), nil
	case "asymmetric":
		return p / r.scale, nil
	}
	return 0, fmt.Errorf("no rule for coordinate_transformation_mode %q", mode)
}

// matrix returns the weights [out, in] of linear and nearest resampling.
func (r resampling) matrix(n *graph.Node) ([]float64, error) {
	mode := n.Str("mode", "nearest")
	if mode != "linear" && mode != "nearest" || n.Int("antialias", 0) != 0 {
		return nil, fmt.Errorf("no rule for mode %q, antialias %d", mode, n.Int("antialias", 0))
	}
	out := make([]float64, r.in*r.out)
	put := func(p, i int64, weight float64) {
		out[p*r.in+max(0, min(r.in-1, i))] += weight
	}
	for p := range r.out {
		at, err := r.place(n.Str("coordinate_transformation_mode", "half_pixel"), float64(p))
		if err != nil {
			return nil, err
		}
		if mode == "nearest" {
			put(p, nearest(n.Str("nearest_mode", "round_prefer_floor"), at), 1)
			continue
		}
		at = max(0, min(float64(r.in-1), at)) // both neighbours of a place beyond the edge are the edge
		low := math.Floor(at)
		put(p, int64(low), 1-(at-low))
		put(p, int64(low)+1, at-low)
	}
	return out, nil
}

func nearest(mode string, at float64) int64 {
	switch mode {
	case "round_prefer_ceil":
		return int64(math.Floor(at + 0.5))
	case "floor":
		return int64(math.Floor(at))
	case "ceil":
		return int64(math.Ceil(at))
	}
	return int64(math.Ceil(at - 0.5)) // round_prefer_floor
}
