package charts

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Powers draws curves with their points over two logarithmic axes, on which powers are straight lines. Points that are not above 0 are left
// out.
func Powers(title, x, y string, curves []Curve) Figure {
	return Figure{Width: 15 * vg.Centimeter, Height: 9 * vg.Centimeter, Draw: func(c draw.Canvas) {
		p := newPlot(printable(title), x, y)
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
		var kept []Curve
		for _, curve := range curves {
			curve.X, curve.Y = above(curve.X, curve.Y)
			if len(curve.X) > 0 {
				kept = append(kept, curve)
			}
		}
		addCurves(p, kept, true)
		for _, curve := range kept {
			dots, err := plotter.NewScatter(finite(curve.X, curve.Y))
			must(err)
			dots.Color, dots.Shape, dots.Radius = Colour(curve.Colour), shapes[curve.Colour%len(shapes)], vg.Points(2)
			p.Add(dots)
		}
		decades(&p.X)
		decades(&p.Y)
		p.Legend.Left = true
		p.Draw(draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4)))
	}}
}

// above returns the points of which both are above 0.
func above(x, y []float64) (ax, ay []float64) {
	for i := range min(len(x), len(y)) {
		if x[i] > 0 && y[i] > 0 {
			ax, ay = append(ax, x[i]), append(ay, y[i])
		}
	}
	return ax, ay
}

// decades makes an axis of numbers above 0 begin and end at powers of ten, which are what it names; one without any goes from 1 to 10.
func decades(a *plot.Axis) {
	if !(a.Min > 0) || !(a.Max > 0) || a.Min-a.Min != 0 || a.Max-a.Max != 0 {
		a.Min, a.Max = 1, 10
	}
	low, high := math.Floor(math.Log10(a.Min)), math.Ceil(math.Log10(a.Max))
	a.Min, a.Max = math.Pow(10, low), math.Pow(10, max(high, low+1))
}
