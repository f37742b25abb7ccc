package charts

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is an SVG whose text keeps its place in whatever font it is shown. The drawing measures text in Liberation, which few
// machines have; vgsvg names no other font and gives the left end of each line, so that with a wider one what should end at an axis
// would run into the figure. Here each line is anchored at the end or middle that it was aligned by, is told its length, and names
// fonts of the same widths.
type svgCanvas struct {
	*vgsvg.Canvas
	align draw.XAlignment // of the text being drawn; see anchored
	lines []svgLine
}

// svgLine is one line of text as it was measured.
type svgLine struct {
	x, width vg.Length
	align    draw.XAlignment
}

func newSVG(w, h vg.Length) *svgCanvas { return &svgCanvas{Canvas: vgsvg.New(w, h)} }

// FillString implements [vg.Canvas].
func (c *svgCanvas) FillString(f font.Face, pt vg.Point, line string) {
	c.lines = append(c.lines, svgLine{pt.X, f.Width(line), c.align})
	c.Canvas.FillString(f, pt, line)
}

// textStart matches the beginning of a text element as vgsvg writes it. The text itself is escaped and cannot match.
var textStart = regexp.MustCompile(`<text x="[^"]*"`)

// WriteTo implements [io.WriterTo].
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var buf bytes.Buffer
	if _, err := c.Canvas.WriteTo(&buf); err != nil {
		return 0, err
	}
	lines := c.lines
	out := textStart.ReplaceAllStringFunc(buf.String(), func(string) string {
		l := lines[0]
		lines = lines[1:]
		return l.element()
	})
	for family, others := range alike {
		out = strings.ReplaceAll(out, "font-family:"+family+";", "font-family:"+family+","+others+";")
	}
	n, err := io.WriteString(w, out)
	return int64(n), err
}

// alike names, for the fonts of the figures, those with the same widths that other systems have.
var alike = map[string]string{
	"Liberation Serif": "Times New Roman,Tinos,Nimbus Roman,serif",
	"Liberation Sans":  "Arial,Arimo,Nimbus Sans,sans-serif",
}

// element returns the beginning of the text element.
func (l svgLine) element() string {
	anchor := ""
	switch l.align {
	case draw.XCenter:
		anchor = ` text-anchor="middle"`
	case draw.XRight:
		anchor = ` text-anchor="end"`
	}
	x := l.x - vg.Length(l.align)*l.width
	return fmt.Sprintf(`<text x="%.5g"%s textLength="%.5g" lengthAdjust="spacingAndGlyphs"`, x.Points(), anchor, l.width.Points())
}

// anchored tells an svgCanvas how the text that it is about to draw is aligned.
type anchored struct{ text.Handler }

// Draw implements [text.Handler].
func (h anchored) Draw(c vg.Canvas, txt string, style text.Style, pt vg.Point) {
	if d, ok := c.(*draw.Canvas); ok {
		if svg, ok := d.Canvas.(*svgCanvas); ok {
			svg.align = style.XAlign
			defer func() { svg.align = draw.XLeft }()
		}
	}
	h.Handler.Draw(c, txt, style, pt)
}
