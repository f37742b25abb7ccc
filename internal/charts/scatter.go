package charts

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Points are one series of a scatter plot, such as a gain against an accuracy, one for each data set.
type Points struct {
	Name   string
	X, Y   []float64
	Colour int // of the palette; it chooses the shape of the points as well
	Line   *Line
}

// Line is y = At0 + Slope x, such as a fit.
type Line struct{ At0, Slope float64 }

// Scatter draws series of points over a thin line at 0, each with its line over the range of its points. Points that are not finite are
// left out.
func Scatter(title, x, y string, series []Points) Figure {
	return Figure{Width: 15 * vg.Centimeter, Height: 10 * vg.Centimeter, Draw: func(c draw.Canvas) {
		p := newPlot(printable(title), x, y)
		p.Add(zeroLine{})
		for _, s := range series {
			s.addTo(p)
		}
		p.Legend.Top, p.Legend.Left = true, true
		p.Legend.Padding, p.Legend.ThumbnailWidth = vg.Points(2), vg.Points(18)
		widen(&p.X, 0.03, 0.03)
		roomy(p, len(series))
		p.Draw(draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4)))
	}}
}

func (s Points) addTo(p *plot.Plot) {
	points := finite(s.X, s.Y)
	if len(points) == 0 {
		return
	}
	dots, err := plotter.NewScatter(points)
	must(err)
	dots.Color, dots.Shape, dots.Radius = Colour(s.Colour), shapes[s.Colour%len(shapes)], vg.Points(2.5)
	p.Add(dots)
	thumbs := []plot.Thumbnailer{dots}
	if s.Line != nil {
		line := s.Line.over(points)
		line.Color, line.Width = Colour(s.Colour), vg.Points(0.8)
		p.Add(line)
		thumbs = append(thumbs, line)
	}
	p.Legend.Add(printable(s.Name), thumbs...)
}

// shapes tell series apart where colours do not.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}}

// over returns the line over the range of points.
func (l Line) over(points plotter.XYs) *plotter.Line {
	from, to, _, _ := plotter.XYRange(points)
	line, err := plotter.NewLine(plotter.XYs{{X: from, Y: l.At0 + l.Slope*from}, {X: to, Y: l.At0 + l.Slope*to}})
	must(err)
	return line
}

// roomy gives the vertical axis room for a legend of so many lines above what is drawn, and both axes round ticks.
func roomy(p *plot.Plot, lines int) {
	widen(&p.Y, 0.03, 0.03+0.05*float64(lines))
	p.X.Tick.Marker, p.Y.Tick.Marker = round{}, round{}
}

// widen adds parts of its length to both ends of an axis. One without anything on it stays as it is.
func widen(a *plot.Axis, below, above float64) {
	if length := a.Max - a.Min; length > 0 && length-length == 0 {
		a.Min, a.Max = a.Min-below*length, a.Max+above*length
	}
}

// zeroLine is a thin line at y = 0 across the plot.
type zeroLine struct{}

// Plot implements [plot.Plotter].
func (zeroLine) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	if p.Y.Min < 0 && p.Y.Max > 0 {
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0x99}, Width: thin}, c.Min.X, y(0), c.Max.X, y(0))
	}
}
