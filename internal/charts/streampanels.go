package charts

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// allPanels lists what there is to draw, top down.
func (sh *sheet) allPanels() []panel {
	panels := []panel{sh.classPanel()}
	panels = append(panels, sh.linePanel("Gate: weight of order", 46, axis{lo: 0, hi: 1}, series{values: sh.Gate, colour: ink}))
	if sh.Gain != nil {
		lo, hi := span(0, 0.1, sh.Gain)
		panels = append(panels, sh.linePanel("Structural gain G", 46, axis{lo: lo, hi: hi}, series{values: sh.Gain, colour: ink}))
	}
	if sh.Ratio != nil {
		lo, hi := span(-0.1, 0.1, sh.Ratio)
		panels = append(panels, sh.linePanel("Log-likelihood ratio (nats)", 46, axis{lo: lo, hi: hi}, series{values: sh.Ratio, colour: ink}))
	}
	_, most := span(0, max(math.Log(float64(len(sh.Classes))), 0.1), sh.Entropy, sh.AdaptedEntropy)
	panels = append(panels, sh.linePanel("Entropy (nats)", 56, axis{lo: 0, hi: most},
		series{"raw", sh.Entropy, rgba(1)}, series{"adapted", sh.AdaptedEntropy, rgba(0)}))
	lo, hi := decadesAround(leastEvidence, sh.Evidence)
	panels = append(panels, sh.linePanel("Evidence: probability of what came", 56, axis{lo: lo, hi: hi, log: true}, series{values: sh.Evidence, colour: ink}))
	if sh.Shares != nil {
		panels = append(panels, sh.sharePanel())
	}
	if len(sh.Sizes) > 0 {
		panels = append(panels, sh.sizePanel())
	}
	return panels
}

// leastEvidence is the lowest end of the axis of evidence: what is less is drawn there.
const leastEvidence = 1e-12

// series is one line of a panel.
type series struct {
	name   string
	values []float64
	colour color.RGBA
}

func (sh *sheet) linePanel(head string, height vg.Length, a axis, lines ...series) panel {
	p := panel{head: head, height: height}
	for _, l := range lines {
		if l.name != "" {
			p.keys = append(p.keys, key{name: l.name, colour: l.colour})
		}
	}
	p.draw = func(c draw.Canvas, area vg.Rectangle) {
		a.from, a.to = area.Min.Y+1, area.Max.Y-1 // a line at the end of the scale stays off the frame
		drawTicks(c, area, a, int(height/15))
		straight := make([]series, len(lines))
		scale := a
		for i, l := range lines { // bands first: none hides a line
			l.values, scale = a.straight(l.values)
			straight[i] = l
			sh.band(c, scale, l)
		}
		for _, l := range straight {
			sh.line(c, scale, l)
		}
	}
	return p
}

// drawTicks labels the left side, with faint lines across.
func drawTicks(c draw.Canvas, area vg.Rectangle, a axis, most int) {
	style := letters(tickSize, draw.XRight, draw.YCenter)
	for _, t := range a.ticks(most) {
		y := a.at(t.value)
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: thin}, area.Min.X, y, area.Max.X, y)
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: thin}, area.Min.X-2.5, y, area.Min.X, y)
		c.FillText(style, vg.Point{X: area.Min.X - 4, Y: y}, t.label)
	}
}

// dense tells that records share columns.
func (sh *sheet) dense() bool { return len(sh.Raw) > sh.resolution() }

// band fills from the least to the largest value of each column, where records share columns.
func (sh *sheet) band(c draw.Canvas, a axis, l series) {
	if !sh.dense() {
		return
	}
	f := fields{canvas: c, colour: blend(paper, l.colour, 0.28)}
	cols := columns(l.values, sh.resolution())
	for k, col := range cols {
		if lo, hi := a.at(col.lo), a.at(col.hi); col.lo < col.hi && hi-lo > 0.2 {
			f.add(rect(sh.columnX(k), lo, sh.columnX(k+1), hi))
		}
	}
	f.flush()
}

func (sh *sheet) columnX(k int) vg.Length {
	return sh.left + (sh.right-sh.left)*vg.Length(k)/vg.Length(sh.resolution())
}

// line joins the values or, where records share columns, their means; it has gaps where there is no number.
func (sh *sheet) line(c draw.Canvas, a axis, l series) {
	var lines [][]vg.Point
	var open []vg.Point
	for _, p := range sh.points(a, l.values) {
		if math.IsNaN(float64(p.Y)) {
			lines, open = append(lines, open), nil
			continue
		}
		open = append(open, p)
	}
	width := vg.Points(0.8)
	for _, line := range append(lines, open) {
		if len(line) == 1 { // a number between two gaps, or the only one
			fillRect(c, rect(line[0].X-1, line[0].Y-1, line[0].X+1, line[0].Y+1), l.colour)
			continue
		}
		c.StrokeLines(draw.LineStyle{Color: l.colour, Width: width}, line)
	}
}

func (sh *sheet) points(a axis, values []float64) (out []vg.Point) {
	add := func(x vg.Length, v float64) {
		y := a.at(v)
		if math.IsNaN(v) {
			y = vg.Length(math.NaN())
		}
		out = append(out, vg.Point{X: x, Y: y})
	}
	if !sh.dense() {
		for i, v := range values {
			add(sh.x(float64(i)+0.5), v)
		}
		return out
	}
	for k, col := range columns(values, sh.resolution()) {
		add((sh.columnX(k)+sh.columnX(k+1))/2, col.mean)
	}
	return out
}

// shareColours are those of the kinds of hypotheses, in the order in which they come.
var shareColours = []color.RGBA{{R: 0xC8, G: 0xC8, B: 0xC8, A: 0xFF}, rgba(4), rgba(2), rgba(3), rgba(5), rgba(6)}

func (sh *sheet) sharePanel() panel {
	p := panel{head: "Hypotheses: weight by kind", height: 64}
	for i, s := range sh.Shares {
		p.keys = append(p.keys, key{name: s.Name, colour: shareColours[i%len(shareColours)]})
	}
	p.draw = func(c draw.Canvas, area vg.Rectangle) {
		a := axis{lo: 0, hi: 1, from: area.Min.Y, to: area.Max.Y}
		drawTicks(c, area, a, 4)
		low := make([]float64, len(sh.Raw))
		for i, s := range sh.Shares {
			high := make([]float64, len(low))
			for t, v := range s.Values {
				high[t] = low[t] + v
			}
			sh.layer(c, a, low, high, shareColours[i%len(shareColours)])
			low = high
		}
	}
	return p
}

// layer fills between two lines, from the first record's edge to the last one's.
func (sh *sheet) layer(c draw.Canvas, a axis, low, high []float64, colour color.RGBA) {
	outline := func(values []float64) []vg.Point {
		points := sh.points(a, values)
		first, last := points[0], points[len(points)-1]
		first.X, last.X = sh.left, sh.right
		return append(append([]vg.Point{first}, points...), last)
	}
	var p vg.Path
	p.Move(outline(low)[0])
	for _, pt := range outline(high) {
		p.Line(pt)
	}
	for points := outline(low); len(points) > 0; points = points[:len(points)-1] {
		p.Line(points[len(points)-1])
	}
	p.Close()
	fillPath(c, p, colour)
}

// sizePanel shows the sizes of the rows as shades in the lanes of their classes.
func (sh *sheet) sizePanel() panel {
	totals := make([][]float64, len(sh.Sizes))
	for i, sizes := range sh.Sizes {
		totals[i] = make([]float64, len(sh.lanes.names))
		for class, v := range sizes {
			totals[i][sh.lanes.of[class]] += v
		}
	}
	_, hi := decadesAround(0.1, totals...)
	a := axis{lo: -1, hi: max(hi, 1), log: true}
	bar := &colourBar{a, "observations"}
	return panel{head: "Effective sample size by row of the matrix", height: sh.lanes.height(), bar: bar, draw: func(c draw.Canvas, area vg.Rectangle) {
		sh.lanes.labels(c, area)
		sh.sizes(c, area, totals, a)
	}}
}

// sizeShades is the number of shades of sizes; sizeColumns bounds the cells of a row.
const (
	sizeShades  = 24
	sizeColumns = 240
)

func (sh *sheet) sizes(c draw.Canvas, area vg.Rectangle, totals [][]float64, a axis) {
	n := min(len(totals), sizeColumns)
	g := newGrid(len(sh.lanes.names), n)
	for row := range g.at {
		for col := range n {
			g.at[row][col] = 1 + math.Floor(a.part(totals[col*len(totals)/n][row])*(sizeShades-1)+0.5)
		}
	}
	edge := func(col int) vg.Length {
		switch {
		case col == 0:
			return sh.left
		case col == n:
			return sh.right
		}
		return sh.x(float64(sh.SizeAt[col*len(totals)/n]))
	}
	g.draw(c, func(row, from, to int) vg.Rectangle {
		top, h := sh.lanes.row(area, row)
		return rect(edge(from), top-0.92*h, min(edge(to)+0.25, sh.right), top-0.08*h) // overlapping, or the sheet would shine through
	}, func(shade int) color.RGBA { return ramp(float64(shade-1) / (sizeShades - 1)) })
}
