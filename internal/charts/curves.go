package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one line of numbers along an axis, such as a loss along the steps of a training.
type Curve struct {
	Name   string
	X, Y   []float64
	Colour int  // of the palette
	Dashed bool // as what is not seen in use
}

// Panel is curves with one vertical axis.
type Panel struct {
	Name   string // of the vertical axis
	Curves []Curve
}

// Curves draws panels under each other, over one horizontal axis. The legend is in the first. Points that are not finite are left out.
func Curves(title, x string, panels []Panel) Figure {
	const width, each = 15 * vg.Centimeter, 6.5 * vg.Centimeter
	height := each * vg.Length(max(len(panels), 1))
	return Figure{Width: width, Height: height, Draw: func(c draw.Canvas) {
		c = draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4))
		part := (c.Max.Y - c.Min.Y) / vg.Length(max(len(panels), 1))
		left, right := c.Min.X, c.Max.X
		plots, areas := make([]*plot.Plot, len(panels)), make([]draw.Canvas, len(panels))
		for i, p := range panels {
			head, foot := "", ""
			if i == 0 {
				head = printable(title)
			}
			if i == len(panels)-1 {
				foot = x
			}
			plots[i] = curvePlot(head, foot, p, i == 0)
			below := vg.Length(len(panels) - 1 - i)
			areas[i] = draw.Crop(c, 0, 0, part*below, -part*vg.Length(i))
			data := plots[i].DataCanvas(areas[i])
			left, right = max(left, data.Min.X), min(right, data.Max.X) // the panels share their horizontal axis
		}
		for i, p := range plots {
			data := p.DataCanvas(areas[i])
			p.Draw(draw.Crop(areas[i], left-data.Min.X, right-data.Max.X, 0, 0))
		}
	}}
}

func curvePlot(title, x string, panel Panel, legend bool) *plot.Plot {
	p := newPlot(title, x, panel.Name)
	addCurves(p, panel.Curves, legend)
	return p
}

func addCurves(p *plot.Plot, curves []Curve, legend bool) {
	for _, c := range curves {
		points := finite(c.X, c.Y)
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		must(err)
		line.Color, line.Width = Colour(c.Colour), vg.Points(1)
		if c.Dashed {
			line.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
		}
		p.Add(line)
		if legend {
			p.Legend.Add(printable(c.Name), line)
		}
	}
	p.Legend.Top = true
	p.Legend.Padding, p.Legend.ThumbnailWidth = vg.Points(2), vg.Points(18)
}

// finite returns the points both of whose numbers are finite.
func finite(x, y []float64) (points plotter.XYs) {
	for i := range x {
		if v := x[i] + y[i]; v-v == 0 {
			points = append(points, plotter.XY{X: x[i], Y: y[i]})
		}
	}
	return points
}
