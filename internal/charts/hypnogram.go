package charts

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Hypnogram is the stages of one night, epoch by epoch, before and after the filter, over one axis of hours.
type Hypnogram struct {
	Title, Note string
	Classes     []string  // names [K], in the order of the lanes from above
	Marked      int       // class whose runs are drawn thick, as R is; negative: none
	Hours       float64   // of an epoch
	Start       time.Time // of the first epoch; zero: the axis has hours since the beginning
	Nights      []Night   // under each other, all of the same number of epochs
}

// Night is one line of stages and how probable they were.
type Night struct {
	Name    string
	Stages  []int       // [T] class of each epoch; negative: not scored
	Density [][]float64 // [T][K] probabilities, nil for an epoch without; or nil
}

const (
	hypnoLane    = 13
	hypnoDensity = 60
	hypnoLeft    = 46
)

// Figure returns the hypnograms, and under each its hypnodensity, the probabilities stacked in the order of the lanes, if it has one.
func (h Hypnogram) Figure() (Figure, error) {
	if len(h.Classes) == 0 || len(h.Nights) == 0 || len(h.Nights[0].Stages) == 0 || !(h.Hours > 0) {
		return Figure{}, errors.New("charts: hypnogram without classes, nights, epochs or a length of them")
	}
	n := len(h.Nights[0].Stages)
	for _, night := range h.Nights {
		if len(night.Stages) != n || night.Density != nil && len(night.Density) != n {
			return Figure{}, fmt.Errorf("charts: hypnogram: %d stages and %d vectors of %s for %d epochs", len(night.Stages), len(night.Density), night.Name, n)
		}
		for t, c := range night.Stages {
			if c >= len(h.Classes) {
				return Figure{}, fmt.Errorf("charts: hypnogram: epoch %d has class %d of %d", t, c, len(h.Classes))
			}
		}
		for t, p := range night.Density {
			if p != nil && len(p) != len(h.Classes) {
				return Figure{}, fmt.Errorf("charts: hypnogram: epoch %d has %d probabilities for %d classes", t, len(p), len(h.Classes))
			}
		}
	}
	h.Classes = legibleAll(h.Classes)
	return Figure{Width: streamWidth, Height: h.height(), Draw: h.draw}, nil
}

func (h Hypnogram) height() vg.Length {
	y := vg.Length(22 + 20)
	if h.Note != "" {
		y += 12
	}
	for _, night := range h.Nights {
		y += headHeight + h.lanesHeight() + panelGap
		if night.Density != nil {
			y += headHeight + hypnoDensity + panelGap
		}
	}
	return y
}

func (h Hypnogram) lanesHeight() vg.Length { return hypnoLane * vg.Length(len(h.Classes)) }

func (h Hypnogram) draw(c draw.Canvas) {
	y := h.height() - 14
	c.FillText(bold(letters(titleSize, draw.XLeft, draw.YCenter)), vg.Point{X: pad, Y: y}, fit(bold(letters(titleSize, 0, 0)), h.Title, streamWidth-2*pad))
	if y -= 8; h.Note != "" {
		y -= 5
		c.FillText(letters(tickSize, draw.XLeft, draw.YCenter), vg.Point{X: pad, Y: y}, fit(letters(tickSize, 0, 0), h.Note, streamWidth-2*pad))
		y -= 7
	}
	a := hourAxis{lo: 0, hi: h.Hours * float64(len(h.Nights[0].Stages)), left: hypnoLeft, right: streamWidth - marginRight}
	if !h.Start.IsZero() { // round ticks are those of the clock
		since := float64(h.Start.Hour()) + float64(h.Start.Minute())/60 + float64(h.Start.Second())/3600
		a.lo, a.hi = since, since+a.hi
	}
	for _, night := range h.Nights {
		area := h.panel(c, &y, night.Name, h.lanesHeight(), a)
		h.stages(c, area, a, night.Stages)
		outline(c, area)
		if night.Density != nil {
			area = h.panel(c, &y, night.Name+", probabilities", hypnoDensity, a)
			h.density(c, area, a, night.Density)
			outline(c, area)
		}
	}
	clock := time.Time{}
	if !h.Start.IsZero() {
		clock = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	a.draw(c, y+panelGap, clock)
}

// panel writes the heading and returns the frame below it, with y under that.
func (h Hypnogram) panel(c draw.Canvas, y *vg.Length, head string, height vg.Length, a hourAxis) vg.Rectangle {
	c.FillText(bold(letters(headSize, draw.XLeft, draw.YCenter)), vg.Point{X: a.left, Y: *y - headHeight/2 + 1}, fit(bold(letters(headSize, 0, 0)), head, streamWidth-2*pad-hypnoLeft))
	area := rect(a.left, *y-headHeight-height, a.right, *y-headHeight)
	a.guides(c, area.Min.Y, area.Max.Y)
	*y = area.Min.Y - panelGap
	return area
}

// stages draws the usual line of steps: across in the lane of the stage, down or up between two.
func (h Hypnogram) stages(c draw.Canvas, area vg.Rectangle, a hourAxis, stages []int) {
	l := lanes{names: h.Classes}
	l.labels(c, area)
	stages = thinned(stages, 2*int((a.right-a.left).Dots(dpi)))
	hour := func(t int) vg.Length { return a.x(a.lo + (a.hi-a.lo)*float64(t)/float64(len(stages))) }
	middle := func(class int) vg.Length { top, height := l.row(area, class); return top - height/2 }
	thick := fields{canvas: c, colour: rgba(1)}
	var lines [][]vg.Point
	var open []vg.Point
	for t := 0; t < len(stages); {
		end := t + 1
		for end < len(stages) && stages[end] == stages[t] {
			end++
		}
		if stages[t] < 0 {
			lines, open = append(lines, open), nil
			t = end
			continue
		}
		m := middle(stages[t])
		open = append(open, vg.Point{X: hour(t), Y: m}, vg.Point{X: hour(end), Y: m})
		if stages[t] == h.Marked {
			thick.add(rect(hour(t), m-2, hour(end), m+2))
		}
		t = end
	}
	thick.flush()
	for _, line := range append(lines, open) {
		if len(line) > 0 {
			c.StrokeLines(draw.LineStyle{Color: ink, Width: vg.Points(0.8)}, line)
		}
	}
}

// thinned keeps at most so many of the stages, at equal distances: more cannot be seen.
func thinned(stages []int, most int) []int {
	if len(stages) <= most {
		return stages
	}
	out := make([]int, most)
	for i := range out {
		out[i] = stages[i*len(stages)/most]
	}
	return out
}

// density stacks the probabilities. Each class has a shade of its own, dark where the lanes are low, a line where it ends, and its name where
// it is widest.
func (h Hypnogram) density(c draw.Canvas, area vg.Rectangle, a hourAxis, density [][]float64) {
	n := min(len(density), int((a.right-a.left).Dots(dpi)/2))
	mean := make([][]float64, n)
	for col := range mean {
		mean[col] = meanOf(density[col*len(density)/n:(col+1)*len(density)/n], len(h.Classes))
	}
	x := func(col int) vg.Length {
		return a.x(a.lo + (a.hi-a.lo)*float64(col)/float64(n))
	}
	y := func(v float64) vg.Length { return area.Max.Y - (area.Max.Y-area.Min.Y)*vg.Length(min(max(v, 0), 1)) }
	above := make([]float64, n)
	type name struct {
		at   vg.Point
		text string
	}
	var names []name
	for class, text := range h.Classes {
		colour := h.shade(class)
		f := fields{canvas: c, colour: colour}
		widest, at := 0.0, vg.Point{}
		for col, p := range mean {
			if p == nil {
				continue
			}
			f.add(rect(x(col), y(above[col]+p[class]), x(col+1), y(above[col])))
			if p[class] > widest && x(col) > area.Min.X+12 && x(col) < area.Max.X-12 {
				widest, at = p[class], vg.Point{X: x(col), Y: y(above[col] + p[class]/2)}
			}
			above[col] += p[class]
		}
		f.flush()
		if widest > 0.22 {
			names = append(names, name{at, text})
		}
		h.edge(c, mean, above, x, y)
	}
	for _, m := range names {
		style := bold(letters(tickSize, draw.XCenter, draw.YCenter))
		w := style.Width(m.text)/2 + 2
		fillRect(c, rect(m.at.X-w, m.at.Y-5, m.at.X+w, m.at.Y+5), paper)
		c.FillText(style, m.at, m.text)
	}
	style := letters(tickSize, draw.XRight, draw.YCenter)
	c.FillText(style, vg.Point{X: area.Min.X - 4, Y: area.Max.Y - 4}, "0 %")
	c.FillText(style, vg.Point{X: area.Min.X - 4, Y: area.Min.Y + 4}, "100 %")
}

// edge draws the lower end of a layer as a thin line in white, which keeps equal neighbours apart.
func (h Hypnogram) edge(c draw.Canvas, mean [][]float64, low []float64, x func(int) vg.Length, y func(float64) vg.Length) {
	var line []vg.Point
	flush := func() {
		if len(line) > 0 {
			c.StrokeLines(draw.LineStyle{Color: paper, Width: vg.Points(0.6)}, line)
		}
		line = nil
	}
	for col := range mean {
		if mean[col] == nil {
			flush()
			continue
		}
		line = append(line, vg.Point{X: x(col), Y: y(low[col])}, vg.Point{X: x(col + 1), Y: y(low[col])})
	}
	flush()
}

// shade of a class: the marked one has the colour that it has above, the others go from pale to dark.
func (h Hypnogram) shade(class int) color.RGBA {
	if class == h.Marked {
		return rgba(1)
	}
	return ramp(0.12 + 0.8*float64(class)/float64(max(len(h.Classes)-1, 1)))
}

// meanOf is the mean of the vectors that there are; nil if there are none.
func meanOf(vectors [][]float64, k int) []float64 {
	out, n := make([]float64, k), 0.0
	for _, v := range vectors {
		if v == nil || math.IsNaN(v[0]) {
			continue
		}
		n++
		for i, p := range v {
			out[i] += p
		}
	}
	if n == 0 {
		return nil
	}
	for i := range out {
		out[i] /= n
	}
	return out
}
