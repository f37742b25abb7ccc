package charts

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ReliabilityBin is the items whose confidence lies in one of the equal parts of [0, 1].
type ReliabilityBin struct {
	Items                int
	Confidence, Accuracy float64 // means over the items, 0 to 1
}

// ReliabilitySeries is the bins of one predictor, from low confidence to high.
type ReliabilitySeries struct {
	Name string
	ECE  float64 // for the legend; 0 to 1
	Bins []ReliabilityBin
}

// Reliability draws accuracy against confidence, one line a series, over a histogram of the confidences. The gap between a bin's
// accuracy and its mean confidence is shaded; whiskers are Wilson's 95 % intervals of the accuracy, as if items were independent.
func Reliability(title string, series []ReliabilitySeries) Figure {
	return Figure{Width: 11 * vg.Centimeter, Height: 13.5 * vg.Centimeter, Draw: func(c draw.Canvas) {
		c = draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4))
		above, below := reliabilityPlot(title, series), confidencePlot(series)
		height := c.Max.Y - c.Min.Y
		top, bottom := draw.Crop(c, 0, 0, .3*height, 0), draw.Crop(c, 0, 0, 0, -.705*height)
		a, b := above.DataCanvas(top), below.DataCanvas(bottom)
		left, right := max(a.Min.X, b.Min.X), min(a.Max.X, b.Max.X) // the two share their horizontal axis
		above.Draw(draw.Crop(top, left-a.Min.X, right-a.Max.X, 0, 0))
		below.Draw(draw.Crop(bottom, left-b.Min.X, right-b.Max.X, 0, 0))
	}}
}

func reliabilityPlot(title string, series []ReliabilitySeries) *plot.Plot {
	p := newPlot(title, "", "accuracy")
	unitAxis(&p.X)
	unitAxis(&p.Y)
	p.X.Tick.Marker = silent(p.X.Tick.Marker)
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	must(err)
	diagonal.Width, diagonal.Color, diagonal.Dashes = vg.Points(0.75), grey, []vg.Length{vg.Points(3), vg.Points(2)}
	p.Add(diagonal)
	for i, s := range series {
		p.Add(gaps{s.Bins, translucent(beforeAfter(i), 0x38)})
	}
	for i, s := range series {
		line := accuracies{s.Bins, beforeAfter(i), beforeAfterShape(i)}
		p.Add(line)
		p.Legend.Add(fmt.Sprintf("%s, ECE %.3f", s.Name, s.ECE), line)
	}
	p.Legend.Add("confidence = accuracy", diagonal)
	if anyScarce(series) {
		p.Legend.Add(fmt.Sprintf("hollow: under %d items", scarce), hollow{})
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), -vg.Points(6)
	p.Legend.Padding, p.Legend.ThumbnailWidth = vg.Points(2), vg.Points(18)
	return p
}

// confidencePlot is the histogram of confidences, the series side by side within each bin.
func confidencePlot(series []ReliabilitySeries) *plot.Plot {
	p := newPlot("", "confidence", "share of items")
	unitAxis(&p.X)
	p.Y.Min, p.Y.Max, p.Y.Padding = 0, 0.1, 0
	for i, s := range series {
		shares := sharesOf(s.Bins)
		for _, v := range shares {
			p.Y.Max = max(p.Y.Max, 1.05*v)
		}
		p.Add(bars{shares, i, len(series), beforeAfter(i)})
	}
	p.Y.Tick.Marker = percents{}
	return p
}

func sharesOf(bins []ReliabilityBin) []float64 {
	total := 0
	for _, b := range bins {
		total += b.Items
	}
	out := make([]float64, len(bins))
	for i, b := range bins {
		out[i] = float64(b.Items) / float64(max(total, 1))
	}
	return out
}

var grey = color.RGBA{0x60, 0x60, 0x60, 0xFF}

// beforeAfter gives the first series, before, vermilion, and the second, after, blue.
func beforeAfter(i int) color.Color {
	if i < 2 {
		i = 1 - i
	}
	return Colour(i)
}

func beforeAfterShape(i int) draw.GlyphDrawer {
	return []draw.GlyphDrawer{draw.BoxGlyph{}, draw.CircleGlyph{}, draw.PyramidGlyph{}}[i%3]
}

func translucent(c color.Color, alpha uint8) color.Color {
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), alpha}
}

// unitAxis makes an axis go from 0 to 1.
func unitAxis(a *plot.Axis) {
	a.Min, a.Max, a.Padding = 0, 1, 0
	a.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: .2, Label: "0.2"}, {Value: .4, Label: "0.4"}, {Value: .6, Label: "0.6"}, {Value: .8, Label: "0.8"}, {Value: 1, Label: "1"}}
}

// silent keeps the ticks of an axis that the plot below labels.
func silent(t plot.Ticker) plot.Ticker {
	var out plot.ConstantTicks
	for _, tick := range t.Ticks(0, 1) {
		out = append(out, plot.Tick{Value: tick.Value, Label: " "})
	}
	return out
}

// percents labels shares.
type percents struct{}

// Ticks implements [plot.Ticker].
func (percents) Ticks(lo, hi float64) []plot.Tick {
	step := .05
	for hi/step > 5 {
		step *= 2
	}
	var out []plot.Tick
	for k := 0; float64(k)*step <= hi; k++ {
		v := float64(k) * step
		out = append(out, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f %%", 100*v)})
	}
	return out
}

// must reports what only a mistake here could cause.
func must(err error) {
	if err != nil {
		panic("charts: " + err.Error())
	}
}

// gaps shades, bin by bin, what lies between accuracy and mean confidence.
type gaps struct {
	bins  []ReliabilityBin
	shade color.Color
}

// Plot implements [plot.Plotter].
func (g gaps) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	n := float64(len(g.bins))
	for i, b := range g.bins {
		if b.Items >= scarce {
			box(c, g.shade, x(float64(i)/n), x(float64(i+1)/n), y(b.Accuracy), y(b.Confidence))
		}
	}
}

func box(c draw.Canvas, shade color.Color, x0, x1, y0, y1 vg.Length) {
	c.FillPolygon(shade, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// accuracies draws a point for each bin, whiskers, and a line through the points.
type accuracies struct {
	bins   []ReliabilityBin
	colour color.Color
	shape  draw.GlyphDrawer
}

// Plot implements [plot.Plotter].
func (a accuracies) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var points []vg.Point
	whisker := draw.LineStyle{Color: translucent(a.colour, 0xA0), Width: vg.Points(0.6)}
	for _, b := range a.bins {
		at := vg.Point{X: x(b.Confidence), Y: y(b.Accuracy)}
		switch {
		case b.Items >= scarce:
			lo, hi := wilson(b.Accuracy, float64(b.Items))
			c.StrokeLine2(whisker, at.X, y(lo), at.X, y(hi))
			points = append(points, at)
		case b.Items > 0:
			c.DrawGlyph(draw.GlyphStyle{Color: a.colour, Radius: vg.Points(1.8), Shape: draw.RingGlyph{}}, at)
		}
	}
	c.StrokeLines(draw.LineStyle{Color: a.colour, Width: vg.Points(1)}, points)
	for _, at := range points {
		c.DrawGlyph(a.glyph(), at)
	}
}

func (a accuracies) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: a.colour, Radius: vg.Points(2.2), Shape: a.shape}
}

// scarce is the number of items under which a bin's accuracy says next to nothing.
const scarce = 10

func anyScarce(series []ReliabilitySeries) bool {
	for _, s := range series {
		for _, b := range s.Bins {
			if b.Items > 0 && b.Items < scarce {
				return true
			}
		}
	}
	return false
}

// hollow is the mark of scarce bins in the legend.
type hollow struct{}

// Thumbnail implements [plot.Thumbnailer].
func (hollow) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(draw.GlyphStyle{Color: grey, Radius: vg.Points(1.8), Shape: draw.RingGlyph{}}, c.Center())
}

// Thumbnail implements [plot.Thumbnailer].
func (a accuracies) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	c.StrokeLine2(draw.LineStyle{Color: a.colour, Width: vg.Points(1)}, c.Min.X, middle.Y, c.Max.X, middle.Y)
	c.DrawGlyph(a.glyph(), middle)
}

// wilson is the 95 % interval of a rate over n trials (Wilson, 1927).
func wilson(rate, n float64) (lo, hi float64) {
	const z = 1.959964
	middle := (rate + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(rate*(1-rate)/n+z*z/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
}

// bars is one of several series of a histogram over [0, 1].
type bars struct {
	shares []float64
	i, of  int
	colour color.Color
}

// Plot implements [plot.Plotter].
func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const used = .84 // of a bin's width
	for k, v := range b.shares {
		n := float64(len(b.shares))
		left := (float64(k) + (1-used)/2 + used*float64(b.i)/float64(b.of)) / n
		box(c, translucent(b.colour, 0xD8), x(left), x(left+used/float64(b.of)/n), y(0), y(v))
	}
}
