package charts

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Band is a curve, and how far what it is the mean of goes to both sides, as a light field behind it.
type Band struct {
	Curve
	Low, High []float64 // at each X; nil: no field
}

// Bands draws curves before their fields, and a dashed upright line at each of the places on the horizontal axis. Points that are not
// finite are left out.
func Bands(title, x, y string, bands []Band, places ...float64) Figure {
	return Figure{Width: 15 * vg.Centimeter, Height: 8 * vg.Centimeter, Draw: func(c draw.Canvas) {
		p := newPlot(printable(title), x, y)
		var curves []Curve
		for _, b := range bands {
			if field := b.field(); field != nil {
				p.Add(field)
			}
			curves = append(curves, b.Curve)
		}
		p.Add(uprights(places))
		addCurves(p, curves, true)
		roomy(p, len(curves))
		p.Draw(draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4)))
	}}
}

// field is the area between Low and High, or nil.
func (b Band) field() *plotter.Polygon {
	n := min(len(b.X), len(b.Low), len(b.High))
	outline, upper := finite(b.X[:n], b.Low[:n]), finite(b.X[:n], b.High[:n])
	if len(outline) == 0 || len(upper) == 0 {
		return nil
	}
	for i := range upper {
		outline = append(outline, upper[len(upper)-1-i])
	}
	field, err := plotter.NewPolygon(outline)
	must(err)
	field.LineStyle.Width, field.Color = 0, blend(paper, rgba(b.Colour), 0.25)
	return field
}

// uprights are dashed lines at places on the horizontal axis.
type uprights []float64

// Plot implements [plot.Plotter].
func (u uprights) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := draw.LineStyle{Color: color.Gray{0x99}, Width: thin, Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}
	for _, v := range u {
		if v >= p.X.Min && v <= p.X.Max {
			c.StrokeLine2(style, x(v), c.Min.Y, x(v), c.Max.Y)
		}
	}
}
