package charts

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// markStyles are the lines through all panels; zero evidence is a point at the foot of a panel instead.
var markStyles = map[MarkKind]draw.LineStyle{
	MarkGap:   {Color: rgba(4), Width: vg.Points(0.7), Dashes: []vg.Length{2, 2}},
	MarkBreak: {Color: rgba(3), Width: vg.Points(0.9)},
	MarkReset: {Color: rgba(2), Width: vg.Points(0.9)},
	MarkZero:  {Color: color.RGBA{0xC0, 0x00, 0x00, 0xFF}},
}

var markKinds = []MarkKind{MarkGap, MarkBreak, MarkReset, MarkZero}

func (sh *sheet) markKeys() (keys []key) {
	for _, kind := range markKinds {
		if slices.ContainsFunc(sh.Marks, func(m Mark) bool { return m.Kind == kind }) {
			keys = append(keys, key{name: string(kind), mark: kind})
		}
	}
	return keys
}

// marks draws each kind of event once a column, as one path.
func (sh *sheet) marks(c draw.Canvas, area vg.Rectangle) {
	seen, paths := map[Mark]bool{}, map[MarkKind]*vg.Path{}
	for _, m := range sh.Marks {
		x := sh.x(float64(m.At))
		if m.Kind == MarkZero {
			x = sh.x(float64(m.At) + 0.5)
		}
		column := Mark{int(x.Dots(dpi)), m.Kind}
		if seen[column] {
			continue
		}
		seen[column] = true
		if paths[m.Kind] == nil {
			paths[m.Kind] = new(vg.Path)
		}
		addMark(paths[m.Kind], m.Kind, x, area.Min.Y, area.Max.Y)
	}
	for _, kind := range markKinds {
		if p := paths[kind]; p != nil {
			drawMarks(c, *p, kind)
		}
	}
}

// addMark adds a line from bottom to top, or a point at the bottom.
func addMark(p *vg.Path, kind MarkKind, x, bottom, top vg.Length) {
	if kind != MarkZero {
		p.Move(vg.Point{X: x, Y: bottom})
		p.Line(vg.Point{X: x, Y: top})
		return
	}
	p.Move(vg.Point{X: x - 2.2, Y: bottom})
	p.Line(vg.Point{X: x + 2.2, Y: bottom})
	p.Line(vg.Point{X: x, Y: bottom + 5.5})
	p.Close()
}

func drawMarks(c draw.Canvas, p vg.Path, kind MarkKind) {
	style := markStyles[kind]
	if kind == MarkZero {
		fillPath(c, p, style.Color)
		return
	}
	c.SetLineStyle(style)
	c.Stroke(p)
}
