package augment

import (
	"fmt"

	"gonum.org/v1/gonum/interp"
)

// curves are the cubic splines through a fixed number of points, evenly spaced over a window. A spline is linear in the values of
// its points, so it is enough to know those through the unit vectors: a curve then costs one multiplication a point and sample,
// and no memory.
type curves struct {
	n     int       // points
	basis []float64 // [samples, n]: what each point contributes to each sample
}

// newCurves takes 4 points or more.
func newCurves(samples, n int) (curves, error) {
	xs, ys := make([]float64, n), make([]float64, n)
	for k := range xs {
		xs[k] = float64(k) / float64(n-1)
	}
	c := curves{n, make([]float64, samples*n)}
	for k := range n {
		clear(ys)
		ys[k] = 1
		var spline interp.NotAKnotCubic
		if err := spline.Fit(xs, ys); err != nil {
			return curves{}, fmt.Errorf("spline through %d points: %w", n, err)
		}
		for i := range samples {
			c.basis[i*n+k] = spline.Predict(float64(i) / float64(max(samples-1, 1)))
		}
	}
	return c, nil
}

// at returns the value of the curve through points at sample i.
func (c *curves) at(i int, points []float64) float64 {
	sum := 0.0
	for k, b := range c.basis[i*c.n : (i+1)*c.n] {
		sum += float64(b * points[k])
	}
	return sum
}
