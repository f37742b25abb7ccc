package oracle

import (
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// farAway bounds places and sizes, so that they are whole numbers of an int.
const farAway = 1 << 30

// resize: sizes (input 3) or scales (input 2), of all axes or of those that the attribute axes lists. Interpolation is separable: one
// axis after another.
func resize(c *call) []Tensor {
	x := c.in[0]
	if !numbers(x.Elem) {
		panic(failf("input 0 is %v", x.Elem))
	}
	where := span(len(x.Dims))
	if list := c.n.Ints("axes"); list != nil {
		where = axes(list, len(x.Dims))
	}
	plans := c.resamples(where)
	y := c.asFloats(x)
	for i, a := range where {
		if plans[i].In == plans[i].Out && plans[i].Scale == 1 {
			continue // it would be interpolated at its own places
		}
		y = c.resizeAxis(y, a, plans[i])
	}
	return one(c.castTo(y, x.Elem))
}

// resamples reads what is to become of each axis.
func (c *call) resamples(where []int) []graph.Resampling {
	dims := c.in[0].Dims
	scales := c.scales(where)
	out := make([]graph.Resampling, len(where))
	for i, a := range where {
		size := math.Floor(float64(float32(dims[a]) * float32(scales[i]))) // as the engine: scales are float32
		if c.has(3) {
			size = math.Round(scales[i] * float64(dims[a]))
		}
		if !(size >= 0 && size <= farAway) || size > 0 && dims[a] == 0 {
			panic(failf("axis %d of %v becomes %v", a, dims, size))
		}
		out[i] = graph.Resampling{In: dims[a], Out: int64(size), Scale: scales[i], Length: float64(dims[a]) * scales[i]}
	}
	return out
}

// scales returns one scale per axis: as stated, or so that the sizes come out, which keep_aspect_ratio_policy may make equal.
func (c *call) scales(where []int) []float64 {
	dims := c.in[0].Dims
	if !c.has(3) {
		t := c.floats(2)
		if len(t.F) != len(where) {
			panic(failf("%d scales for %d axes", len(t.F), len(where)))
		}
		for _, s := range t.F {
			if !(s > 0) {
				panic(failf("scales %v", t.F))
			}
		}
		return t.F
	}
	sizes := c.vector(3)
	if len(sizes) != len(where) {
		panic(failf("%d sizes for %d axes", len(sizes), len(where)))
	}
	out := make([]float64, len(sizes))
	for i, a := range where {
		if sizes[i] < 0 || dims[a] == 0 {
			panic(failf("sizes %v for shape %v", sizes, dims))
		}
		out[i] = float64(sizes[i]) / float64(dims[a])
	}
	switch policy := c.n.Str("keep_aspect_ratio_policy", "stretch"); {
	case policy == "not_larger" && len(out) > 0:
		out = slices.Repeat([]float64{slices.Min(out)}, len(out))
	case policy == "not_smaller" && len(out) > 0:
		out = slices.Repeat([]float64{slices.Max(out)}, len(out))
	}
	return out
}

// tap is one element of the input and its weight.
type tap struct {
	at     int
	weight float64
}

// resizeAxis interpolates along one axis.
func (c *call) resizeAxis(x Tensor, a int, r graph.Resampling) Tensor {
	dims := slices.Clone(x.Dims)
	dims[a] = r.Out
	y := c.make(x.Elem, dims)
	from, to := along(x.Dims, a), along(dims, a)
	for i := range int(r.Out) {
		origin := must(r.Origin(c.n, int64(i)))
		taps := c.resizeTaps(origin, r)
		for o := range from.outer {
			for k := range from.inner {
				at := (o*to.n+i)*to.inner + k
				for _, t := range taps {
					y.F[at] += t.weight * x.F[(o*from.n+t.at)*from.inner+k]
				}
			}
		}
	}
	return y
}

// resizeTaps returns what an output element is made of: places of the input, brought inside, and weights that add up to 1.
func (c *call) resizeTaps(origin float64, r graph.Resampling) []tap {
	inside := func(p float64) int { return max(0, int(min(float64(r.In-1), p))) }
	switch mode := c.n.Str("mode", "nearest"); mode {
	case "nearest":
		return []tap{{inside(float64(must(r.Nearest(c.n, origin)))), 1}}
	case "linear", "cubic":
	default:
		panic(failf("attribute mode: %q", mode))
	}
	kernel, reach := triangle, 1.0
	if c.n.Str("mode", "") == "cubic" {
		kernel, reach = cubic(c.float("cubic_coeff_a", -0.75)), 2
	}
	stretch := 1.0
	if c.n.Int("antialias", 0) != 0 && r.Scale < 1 {
		stretch = 1 / r.Scale // the kernel covers what one output element does
	}
	if !(reach*stretch < farAway && math.Abs(origin) < farAway) {
		panic(failf("scale %v of an axis of %d", r.Scale, r.In))
	}
	c.count([]int64{2*int64(reach*stretch) + 2})
	return c.kernelTaps(origin, r, kernel, reach*stretch, stretch, inside)
}

func (c *call) kernelTaps(origin float64, r graph.Resampling, kernel func(float64) float64, reach, stretch float64, inside func(float64) int) []tap {
	exclude := c.n.Int("exclude_outside", 0) != 0
	var taps []tap
	sum := 0.0
	for p := math.Floor(origin-reach) + 1; p < origin+reach+1; p++ {
		w := kernel((p - origin) / stretch)
		if w == 0 || exclude && (p < 0 || p > float64(r.In-1)) {
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
