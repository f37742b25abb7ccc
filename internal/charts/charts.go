package charts

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Figure is a drawing of a given size.
type Figure struct {
	Width, Height vg.Length
	Draw          func(c draw.Canvas)
}

// dpi of PNG files: sharp on a screen and in a document, and not too large to send.
const dpi = 144

// Encode draws the figure as "svg" or "png", on white.
func (f Figure) Encode(format string) ([]byte, error) {
	var buf bytes.Buffer
	var err error
	switch format {
	case "svg":
		c := newSVG(f.Width, f.Height)
		f.paint(draw.New(c))
		_, err = c.WriteTo(&buf)
	case "png":
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(dpi))}
		f.paint(draw.New(c))
		_, err = c.WriteTo(&buf)
	default:
		return nil, fmt.Errorf("charts: format %q: want svg or png", format)
	}
	return buf.Bytes(), err
}

func (f Figure) paint(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	f.Draw(c)
}

// Colour returns the colour of series i.
func Colour(i int) color.Color { return palette[i%len(palette)] }

// palette is that of Okabe and Ito, "Color Universal Design" (2008), black last and yellow, too pale for a line on white, left out.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xB2, 0xFF}, // blue
	color.RGBA{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	color.RGBA{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	color.RGBA{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	color.RGBA{0xE6, 0x9F, 0x00, 0xFF}, // orange
	color.RGBA{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	color.RGBA{0x00, 0x00, 0x00, 0xFF},
}

// newPlot returns an empty plot in the style of the house: small type, no grid, thin axes.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size = vg.Points(10)
	p.Title.Padding = vg.Points(4)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = vg.Points(9)
		a.Tick.Label.Font.Size, a.Tick.Marker = vg.Points(8), plain{}
		a.LineStyle.Width, a.Tick.LineStyle.Width = vg.Points(0.5), vg.Points(0.5)
	}
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	return p
}
