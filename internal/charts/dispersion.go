package charts

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Disperse is one of many who differ in two shares, and what was gained there.
type Disperse struct {
	X, Y   float64 // 0 to 1
	Change float64 // its sign gives the shape, its size the shade
}

// Dispersion draws points in the unit square: triangles upward for gains, blue, downward for losses, vermilion, the darker the more; rings
// where nothing changed. What changed most is drawn last. Points that are not finite are left out.
func Dispersion(title, x, y, change string, points []Disperse) Figure {
	return Figure{Width: 12 * vg.Centimeter, Height: 13 * vg.Centimeter, Draw: func(c draw.Canvas) {
		c = draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4))
		const key = 26
		p := newPlot(printable(title), x, y)
		unitAxis(&p.X)
		unitAxis(&p.Y)
		most := 0.0
		for _, one := range points {
			if one.finite() {
				most = max(most, math.Abs(one.Change))
			}
		}
		p.Add(dispersed{points, most})
		p.Draw(draw.Crop(c, 0, 0, vg.Points(key), 0))
		drawChangeKey(draw.Crop(c, 0, 0, 0, -(c.Max.Y-c.Min.Y-vg.Points(key))), printable(change), most)
	}}
}

func (d Disperse) finite() bool { v := d.X + d.Y + d.Change; return v-v == 0 }

// dispersed draws the points.
type dispersed struct {
	points []Disperse
	most   float64
}

// Plot implements [plot.Plotter].
func (d dispersed) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(draw.LineStyle{Color: grey, Width: thin, Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}, x(0), y(1), x(1), y(0))
	for _, round := range []func(part float64) bool{
		func(part float64) bool { return part == 0 },
		func(part float64) bool { return part > 0 && part < 0.5 },
		func(part float64) bool { return part >= 0.5 },
	} {
		for _, one := range d.points {
			if one.finite() && round(math.Abs(one.Change)/max(d.most, math.SmallestNonzeroFloat64)) {
				c.DrawGlyph(changeGlyph(one.Change, d.most), vg.Point{X: x(one.X), Y: y(one.Y)})
			}
		}
	}
}

// changeGlyph is the mark of a change; most is the greatest.
func changeGlyph(change, most float64) draw.GlyphStyle {
	g := draw.GlyphStyle{Color: color.RGBA{0x88, 0x88, 0x88, 0xFF}, Radius: vg.Points(2), Shape: draw.RingGlyph{}}
	if change == 0 {
		return g
	}
	g.Color, g.Radius = changeColour(change/most), vg.Points(3.4)
	g.Shape = triangle{up: change > 0}
	return g
}

// changeColour is a diverging scale over -1 to 1, without its pale middle.
func changeColour(part float64) color.RGBA {
	end := rgba(0) // blue
	if part < 0 {
		end = rgba(1) // vermilion
	}
	return blend(paper, end, 0.35+0.65*min(math.Abs(part), 1))
}

// triangle is a filled triangle with a thin dark edge, so that pale ones are seen and those that lie over each other part.
type triangle struct{ up bool }

// DrawGlyph implements [draw.GlyphDrawer].
func (t triangle) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	tip, r := s.Radius, s.Radius*0.9
	if !t.up {
		tip = -tip
	}
	var p vg.Path
	p.Move(vg.Point{X: at.X, Y: at.Y + tip})
	p.Line(vg.Point{X: at.X + r, Y: at.Y - tip*0.7})
	p.Line(vg.Point{X: at.X - r, Y: at.Y - tip*0.7})
	p.Close()
	c.SetColor(s.Color)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: vg.Points(0.25)})
	c.Stroke(p)
}

// drawChangeKey draws the scale of changes on one line, and what they are of on another.
func drawChangeKey(c draw.Canvas, name string, most float64) {
	style, middle := letters(tickSize, draw.XCenter, draw.YCenter), (c.Min.X+c.Max.X)/2
	c.FillText(style, vg.Point{X: middle, Y: c.Min.Y + vg.Points(5)}, name)
	line := c.Min.Y + vg.Points(19)
	parts := []float64{-1, -0.5, 0, 0.5, 1}
	if most == 0 {
		parts = []float64{0}
	}
	const each = 62
	for i, part := range parts {
		x := middle + vg.Points(each)*vg.Length(float64(i)-float64(len(parts)-1)/2)
		text := "0"
		if part != 0 {
			text = fmt.Sprintf("%+.3g", part*most)
		}
		c.DrawGlyph(changeGlyph(part*most, max(most, 1e-300)), vg.Point{X: x - vg.Points(10), Y: line})
		c.FillText(letters(tickSize, draw.XLeft, draw.YCenter), vg.Point{X: x - vg.Points(4), Y: line}, text)
	}
}
