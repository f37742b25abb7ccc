package charts

import (
	"fmt"
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The greys and line widths that the figures made of panels share.
var (
	ink      = color.RGBA{0x22, 0x22, 0x22, 0xFF} // text, axes and single series
	faint    = color.RGBA{0xE6, 0xE6, 0xE6, 0xFF} // guide lines
	truthInk = color.RGBA{0xCF, 0xCF, 0xCF, 0xFF} // true classes, behind what is predicted
	thin     = vg.Points(0.5)
)

// Sizes of type, in points.
const (
	titleSize = 10
	headSize  = 8.5
	tickSize  = 8
	smallSize = 7
)

// letters returns the style of text of a size, aligned about its point.
func letters(size float64, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color: ink, Font: font.From(plot.DefaultFont, vg.Points(size)), Handler: anchored{plot.DefaultTextHandler}, XAlign: x, YAlign: y,
	}
}

// bold returns the style in bold.
func bold(s draw.TextStyle) draw.TextStyle {
	s.Font.Weight = 3 // as golang.org/x/image/font counts
	return s
}

// fit returns text that is no wider than room: it is cut with an ellipsis, to nothing if need be.
func fit(s draw.TextStyle, text string, room vg.Length) string {
	text = printable(text)
	if s.Width(text) <= room {
		return text
	}
	for len(text) > 0 {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
		if cut := strings.TrimRight(text, " ") + "…"; s.Width(cut) <= room {
			return cut
		}
	}
	return ""
}

// longest bounds names before they are measured.
const longest = 200

// printable replaces what has no place in a line of text or in XML: control characters, line ends, bytes that are no UTF-8.
func printable(text string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		switch n++; {
		case n > longest:
			return -1
		case unicode.IsPrint(r) || r == ' ':
			return r
		}
		return utf8.RuneError
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// legible returns a name fit to be drawn. A name with letters that the font lacks gets the number of its class, as the renderer of an
// SVG may find them in another font, and that of a PNG leaves them out.
func legible(name string, class int) string {
	name = printable(name)
	style := letters(tickSize, draw.XLeft, draw.YCenter)
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	for _, r := range name {
		if glyph, err := face.Face.GlyphIndex(nil, r); err != nil || glyph == 0 {
			return fmt.Sprintf("#%d %s", class, name)
		}
	}
	return name
}

func legibleAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = legible(name, i)
	}
	return out
}

// widest returns the width of the widest of the texts.
func widest(s draw.TextStyle, texts []string) (w vg.Length) {
	for _, t := range texts {
		w = max(w, s.Width(t))
	}
	return w
}

// rect is a rectangle by its corners.
func rect(x0, y0, x1, y1 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
}

// addRect adds the outline of r to a path: many rectangles of one colour are one element of an SVG.
func addRect(p *vg.Path, r vg.Rectangle) {
	p.Move(r.Min)
	p.Line(vg.Point{X: r.Max.X, Y: r.Min.Y})
	p.Line(r.Max)
	p.Line(vg.Point{X: r.Min.X, Y: r.Max.Y})
	p.Close()
}

func fillPath(c draw.Canvas, p vg.Path, clr color.Color) {
	if len(p) > 0 {
		c.SetColor(clr)
		c.Fill(p)
	}
}

// fields fills many rectangles of one colour, some dozens at a time: each is an element of an SVG, and the time that a PNG takes grows
// with the square of what crosses a line of pixels in one element.
type fields struct {
	canvas draw.Canvas
	colour color.Color
	path   vg.Path
}

func (f *fields) add(r vg.Rectangle) {
	const most, each = 64, 5 // rectangles, and parts of a path that make one
	addRect(&f.path, r)
	if len(f.path) == most*each {
		f.flush()
	}
}

func (f *fields) flush() {
	fillPath(f.canvas, f.path, f.colour)
	f.path = f.path[:0]
}

func fillRect(c draw.Canvas, r vg.Rectangle, clr color.Color) {
	var p vg.Path
	addRect(&p, r)
	fillPath(c, p, clr)
}

func outline(c draw.Canvas, r vg.Rectangle) {
	var p vg.Path
	addRect(&p, r)
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: thin})
	c.Stroke(p)
}

// blend returns the colour that lies the given part of the way from a to b.
func blend(a, b color.RGBA, part float64) color.RGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + part*(float64(y)-float64(x)) + 0.5) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// rgba returns colour i of the palette as numbers to blend.
func rgba(i int) color.RGBA { return color.RGBAModel.Convert(Colour(i)).(color.RGBA) }

var paper = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}

// ramp is a scale of single hue for 0 to 1, from nearly white to nearly black, so that it survives a printer without colours.
func ramp(part float64) color.RGBA {
	anchors := []color.RGBA{{0xF4, 0xF8, 0xFB, 0xFF}, {0xA6, 0xCE, 0xE6, 0xFF}, rgba(0), {0x06, 0x24, 0x40, 0xFF}}
	at := min(max(part, 0), 1) * float64(len(anchors)-1)
	i := min(int(at), len(anchors)-2)
	return blend(anchors[i], anchors[i+1], at-float64(i))
}

// contrast is the colour of text on a field of the ramp.
func contrast(part float64) color.RGBA {
	if part > 0.58 {
		return paper
	}
	return ink
}
