package oracle

import (
	"fmt"
	"math"
	"slices"
)

// resample is Resize along one axis.
type resample struct {
	in, out int
	scale   float64
}

// resize: sizes (input 3) or scales (input 2), of all axes or of those that the attribute axes lists. Interpolation is separable: one
// axis after another.
func resize(c *call) ([]Tensor, error) {
	x, err := c.in[0], error(nil)
	if !numbers(x.Elem) {
		return nil, fmt.Errorf("input 0 is %v", x.Elem)
	}
	where := span(len(x.Dims))
	if list := c.n.Ints("axes"); list != nil {
		if where, err = axes(list, len(x.Dims)); err != nil {
			return nil, err
		}
	}
	plans, err := c.resamples(where)
	if err != nil {
		return nil, err
	}
	y, err := c.asFloats(x)
	if err != nil {
		return nil, err
	}
	for i, a := range where {
		if plans[i].in == plans[i].out && plans[i].scale == 1 {
			continue // it would be interpolated at its own places
		}
		if y, err = c.resizeAxis(y, a, plans[i]); err != nil {
			return nil, err
		}
	}
	return one(c.castTo(y, x.Elem))
}

// resamples reads what is to become of each axis.
func (c *call) resamples(where []int) ([]resample, error) {
	dims := c.in[0].Dims
	scales, err := c.scales(where)
	if err != nil {
		return nil, err
	}
	out := make([]resample, len(where))
	for i, a := range where {
		size := math.Floor(float64(float32(dims[a]) * float32(scales[i]))) // as the engine: scales are float32
		if c.has(3) {
			size = math.Round(scales[i] * float64(dims[a]))
		}
		if !(size >= 0 && size <= maxWindow) || size > 0 && dims[a] == 0 {
			return nil, fmt.Errorf("axis %d of %v becomes %v", a, dims, size)
		}
		out[i] = resample{int(dims[a]), int(size), scales[i]}
	}
	return out, nil
}

// scales returns one scale per axis: as stated, or so that the sizes come out, which keep_aspect_ratio_policy may make equal.
func (c *call) scales(where []int) ([]float64, error) {
	dims := c.in[0].Dims
	if !c.has(3) {
		t, err := c.floats(2)
		if err != nil {
			return nil, err
		}
		if len(t.F) != len(where) {
			return nil, fmt.Errorf("%d scales for %d axes", len(t.F), len(where))
		}
		for _, s := range t.F {
			if !(s > 0) {
				return nil, fmt.Errorf("scales %v", t.F)
			}
		}
		return t.F, nil
	}
	sizes, err := c.vector(3)
	if err != nil {
		return nil, err
	}
	if len(sizes) != len(where) {
		return nil, fmt.Errorf("%d sizes for %d axes", len(sizes), len(where))
	}
	out := make([]float64, len(sizes))
	for i, a := range where {
		if sizes[i] < 0 || dims[a] == 0 {
			return nil, fmt.Errorf("sizes %v for shape %v", sizes, dims)
		}
		out[i] = float64(sizes[i]) / float64(dims[a])
	}
	switch policy := c.n.Str("keep_aspect_ratio_policy", "stretch"); {
	case policy == "not_larger" && len(out) > 0:
		out = slices.Repeat([]float64{slices.Min(out)}, len(out))
	case policy == "not_smaller" && len(out) > 0:
		out = slices.Repeat([]float64{slices.Max(out)}, len(out))
	}
	return out, nil
}

// origin returns where in the input, in its own units, place i of the output lies.
func (r resample) origin(i int, mode string) (float64, error) {
	p, in := float64(i), float64(r.in)
	length := in * r.scale // of the output, before it was rounded to whole elements
	switch mode {
	case "half_pixel":
		return (p+0.5)/r.scale - 0.5, nil
	case "half_pixel_symmetric":
		adjustment := float64(r.out) / length
		return in/2*(1-adjustment) + (p+0.5)/r.scale - 0.5, nil
	case "pytorch_half_pixel":
		if r.out > 1 {
			return (p+0.5)/r.scale - 0.5, nil
		}
		return 0, nil
	case "align_corners":
		if length == 1 || r.out <= 1 {
			return 0, nil
		}
		return p * (in - 1) / (length - 1), nil
	case "asymmetric":
		return p / r.scale, nil
	}
	return 0, fmt.Errorf("attribute coordinate_transformation_mode: %q", mode)
}

// tap is one element of the input and its weight.
type tap struct {
	at     int
	weight float64
}

// resizeAxis interpolates along one axis.
func (c *call) resizeAxis(x Tensor, a int, r resample) (Tensor, error) {
	dims := slices.Clone(x.Dims)
	dims[a] = int64(r.out)
	y, err := c.make(x.Elem, dims)
	if err != nil {
		return y, err
	}
	from, to := along(x.Dims, a), along(dims, a)
	mode := c.n.Str("coordinate_transformation_mode", "half_pixel")
	for i := range r.out {
		origin, err := r.origin(i, mode)
		if err != nil {
			return y, err
		}
		taps, err := c.resizeTaps(origin, r)
		if err != nil {
			return y, err
		}
		if err := c.m.work(int64(len(taps)), int64(from.outer), int64(from.inner)); err != nil {
			return y, err
		}
		for o := range from.outer {
			for k := range from.inner {
				at := (o*to.n+i)*to.inner + k
				for _, t := range taps {
					y.F[at] += t.weight * x.F[(o*from.n+t.at)*from.inner+k]
				}
			}
		}
	}
	return y, nil
}

// resizeTaps returns what an output element is made of: places of the input, brought inside, and weights that add up to 1.
func (c *call) resizeTaps(origin float64, r resample) ([]tap, error) {
	inside := func(p float64) int { return max(0, int(min(float64(r.in-1), p))) }
	switch mode := c.n.Str("mode", "nearest"); mode {
	case "nearest":
		p, err := nearest(origin, c.n.Str("nearest_mode", "round_prefer_floor"))
		return []tap{{inside(max(0, p)), 1}}, err
	case "linear", "cubic":
	default:
		return nil, fmt.Errorf("attribute mode: %q", mode)
	}
	kernel, reach := triangle, 1.0
	if c.n.Str("mode", "") == "cubic" {
		kernel, reach = cubic(c.float("cubic_coeff_a", -0.75)), 2
	}
	stretch := 1.0
	if c.n.Int("antialias", 0) != 0 && r.scale < 1 {
		stretch = 1 / r.scale // the kernel covers what one output element does
	}
	if !(reach*stretch < maxWindow && math.Abs(origin) < maxWindow) {
		return nil, fmt.Errorf("scale %v of an axis of %d", r.scale, r.in)
	}
	if err := c.m.work(2*int64(reach*stretch) + 2); err != nil {
		return nil, err
	}
	return c.kernelTaps(origin, r, kernel, reach*stretch, stretch, inside), nil
}

func (c *call) kernelTaps(origin float64, r resample, kernel func(float64) float64, reach, stretch float64, inside func(float64) int) []tap {
	exclude := c.n.Int("exclude_outside", 0) != 0
	var taps []tap
	sum := 0.0
	for p := math.Floor(origin-reach) + 1; p < origin+reach+1; p++ {
		w := kernel((p - origin) / stretch)
		if w == 0 || exclude && (p < 0 || p > float64(r.in-1)) {
			continue
		}
		taps = append(taps, tap{inside(p), w})
		sum += w
	}
	for i := range taps {
		taps[i].weight /= sum
	}
	return taps
}

func nearest(p float64, mode string) (float64, error) {
	switch mode {
	case "round_prefer_floor":
		return math.Ceil(p - 0.5), nil
	case "round_prefer_ceil":
		return math.Floor(p + 0.5), nil
	case "floor":
		return math.Floor(p), nil
	case "ceil":
		return math.Ceil(p), nil
	}
	return 0, fmt.Errorf("attribute nearest_mode: %q", mode)
}

func triangle(x float64) float64 { return max(0, 1-math.Abs(x)) }

// cubic is Keys' kernel with parameter a.
func cubic(a float64) func(float64) float64 {
	return func(x float64) float64 {
		x = math.Abs(x)
		switch {
		case x <= 1:
			return ((a+2)*x-(a+3))*x*x + 1
		case x < 2:
			return ((a*x-5*a)*x+8*a)*x - 4*a
		}
		return 0
	}
}
