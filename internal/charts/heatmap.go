package charts

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Matrix is a matrix of transition probabilities.
type Matrix struct {
	Title, Note string    // two lines over the figure
	Classes     []string  // names [K]
	Values      []float64 // [K, K] row-major, 0 to 1: entry i*K+j says how probably class j follows class i
	Sizes       []float64 // [K] what each row rests on, in observations; or nil. Of many classes those with the largest are drawn.
}

// matrixLimit is how many classes have rows of their own.
const matrixLimit = 40

// Figure returns the matrix as a heat map: rows are the class before, columns the next one. The colour follows the logarithm, so that
// rare transitions are seen beside the diagonal. Up to twelve classes have their numbers printed. Of more than 40 classes
// those of the largest rows are drawn; one further row and column are the mean and the sum of the others.
func (m Matrix) Figure() (Figure, error) {
	k := len(m.Classes)
	if k == 0 || len(m.Values) != k*k || m.Sizes != nil && len(m.Sizes) != k {
		return Figure{}, fmt.Errorf("charts: matrix of %d values and %d sizes for %d classes", len(m.Values), len(m.Sizes), k)
	}
	for i, v := range m.Values {
		if !(v >= 0 && v <= 1+1e-6) {
			return Figure{}, fmt.Errorf("charts: matrix: entry %d, %d is %g", i/k, i%k, v)
		}
	}
	h := newHeat(m.gathered())
	return Figure{Width: h.width(), Height: h.height(), Draw: h.draw}, nil
}

// gathered returns the matrix with the classes of small rows made one.
func (m Matrix) gathered() Matrix {
	k := len(m.Classes)
	l := rankedLanes(legibleAll(m.Classes), matrixLimit, func(a, b int) int {
		if m.Sizes == nil {
			return 0
		}
		return cmp.Compare(m.Sizes[b], m.Sizes[a])
	})
	n := len(l.names)
	out := Matrix{Title: m.Title, Note: m.Note, Classes: l.names, Values: make([]float64, n*n)}
	if m.Sizes != nil {
		out.Sizes = make([]float64, n)
	}
	members := make([]float64, n)
	for i, row := range l.of {
		members[row]++
		for j, col := range l.of {
			out.Values[row*n+col] += m.Values[i*k+j]
		}
		if m.Sizes != nil {
			out.Sizes[row] += m.Sizes[i]
		}
	}
	for i := range out.Values {
		out.Values[i] /= members[i/n]
	}
	return out
}

// heat is the drawing of a matrix.
type heat struct {
	Matrix
	cell        vg.Length
	letterSize  float64 // size of the names
	left, under vg.Length
	sizes       []string // texts
	sized       vg.Length
	scale       axis
}

const (
	heatTop = 34
	barRoom = 62
	pad     = 8
)

func newHeat(m Matrix) *heat {
	h := &heat{Matrix: m, cell: 30, letterSize: tickSize, scale: axis{lo: -3, hi: 0, log: true}}
	switch n := len(m.Classes); {
	case n > 24:
		h.cell, h.letterSize = 10, smallSize
	case n > 12:
		h.cell = 16
	}
	names := make([]string, len(m.Classes))
	for i, name := range m.Classes {
		names[i] = fit(letters(h.letterSize, 0, 0), name, nameRoom)
	}
	h.Classes = names
	room := widest(letters(h.letterSize, 0, 0), names)
	h.left, h.under = pad+14+room+5, pad+14+room+5
	for _, v := range m.Sizes {
		h.sizes = append(h.sizes, sizeText(v))
	}
	if h.sizes != nil {
		h.sized = max(widest(letters(h.letterSize, 0, 0), h.sizes), 6) + 10
	}
	return h
}

// sizeText writes a number of observations in three characters or so.
func sizeText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case v < 0.05:
		return "0"
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func (h *heat) side() vg.Length { return h.cell * vg.Length(len(h.Classes)) }

func (h *heat) width() vg.Length {
	const most = 480 // for the lines over the figure
	title, note := bold(letters(titleSize, 0, 0)), letters(tickSize, 0, 0)
	lines := max(title.Width(fit(title, h.Title, most)), note.Width(fit(note, h.Note, most)))
	return max(h.left+h.side()+h.sized+barRoom+pad, lines+2*pad)
}

func (h *heat) height() vg.Length {
	return heatTop + 16 + max(h.side(), 90) + h.under
}

func (h *heat) draw(c draw.Canvas) {
	y := h.height() - 14
	title, note := bold(letters(titleSize, draw.XLeft, draw.YCenter)), letters(tickSize, draw.XLeft, draw.YCenter)
	c.FillText(title, vg.Point{X: pad, Y: y}, fit(title, h.Title, h.width()-2*pad))
	c.FillText(note, vg.Point{X: pad, Y: y - 13}, fit(note, h.Note, h.width()-2*pad))
	top := h.height() - heatTop - 16
	area := rect(h.left, top-h.side(), h.left+h.side(), top)
	h.cells(c, area)
	h.names(c, area)
	h.bar(c, area.Max.X+h.sized+14, top)
}

// heatShades is the number of colours: more cannot be told apart, and fewer make smaller files.
const heatShades = 64

func (h *heat) cells(c draw.Canvas, area vg.Rectangle) {
	n := len(h.Classes)
	g := newGrid(n, n)
	for i := range n {
		for j := range n {
			g.at[i][j] = 1 + math.Floor(h.scale.part(h.Values[i*n+j])*(heatShades-1)+0.5)
		}
	}
	g.draw(c, func(row, from, to int) vg.Rectangle {
		y := area.Max.Y - vg.Length(row)*h.cell
		return rect(area.Min.X+vg.Length(from)*h.cell, y-h.cell, area.Min.X+vg.Length(to)*h.cell, y)
	}, func(shade int) color.RGBA { return ramp(float64(shade-1) / (heatShades - 1)) })
	for i := 1; i < n; i++ { // white lines keep equal neighbours apart
		x, y := area.Min.X+vg.Length(i)*h.cell, area.Max.Y-vg.Length(i)*h.cell
		style := draw.LineStyle{Color: paper, Width: thin}
		c.StrokeLine2(style, x, area.Min.Y, x, area.Max.Y)
		c.StrokeLine2(style, area.Min.X, y, area.Max.X, y)
	}
	outline(c, area)
	if n <= 12 {
		h.numbers(c, area)
	}
}

func (h *heat) numbers(c draw.Canvas, area vg.Rectangle) {
	n := len(h.Classes)
	for i, v := range h.Values {
		style := letters(tickSize, draw.XCenter, draw.YCenter)
		style.Color = contrast(h.scale.part(v))
		at := vg.Point{X: area.Min.X + (vg.Length(i%n)+0.5)*h.cell, Y: area.Max.Y - (vg.Length(i/n)+0.5)*h.cell}
		c.FillText(style, at, probability(v))
	}
}

// probability writes two digits that mean something, for what fits into a cell.
func probability(v float64) string {
	switch {
	case v < 0.0005:
		return "0"
	case v < 0.0095:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func (h *heat) names(c draw.Canvas, area vg.Rectangle) {
	right := letters(h.letterSize, draw.XRight, draw.YCenter)
	down := letters(h.letterSize, draw.XRight, draw.YCenter)
	down.Rotation = math.Pi / 2
	for i, name := range h.Classes {
		x, y := area.Min.X+(vg.Length(i)+0.5)*h.cell, area.Max.Y-(vg.Length(i)+0.5)*h.cell
		c.FillText(right, vg.Point{X: area.Min.X - 4, Y: y}, name)
		c.FillText(down, vg.Point{X: x, Y: area.Min.Y - 4}, name)
		if h.sizes != nil {
			c.FillText(right, vg.Point{X: area.Max.X + h.sized - 4, Y: y}, h.sizes[i])
		}
	}
	centre := letters(headSize, draw.XCenter, draw.YCenter)
	c.FillText(centre, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: area.Min.Y - h.under + pad + 4}, "next class")
	centre.Rotation = math.Pi / 2
	c.FillText(centre, vg.Point{X: pad + 2, Y: (area.Min.Y + area.Max.Y) / 2}, "class before")
	if h.sizes != nil {
		c.FillText(letters(headSize, draw.XRight, draw.YCenter), vg.Point{X: area.Max.X + h.sized - 4, Y: area.Max.Y + 8}, "n")
	}
}

// bar draws the key of the colours, downwards from y.
func (h *heat) bar(c draw.Canvas, x, y vg.Length) {
	height := min(max(h.side(), 90), 160)
	const w = 9
	a := h.scale
	a.from, a.to = y-height, y
	for i := range heatShades {
		low := y - height + height*vg.Length(i)/heatShades
		fillRect(c, rect(x, low, x+w, y), ramp(float64(i)/(heatShades-1)))
	}
	outline(c, rect(x, y-height, x+w, y))
	for i, t := range a.ticks(4) {
		at := a.at(t.value)
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: thin}, x+w, at, x+w+2.5, at)
		if i == 3 {
			t.label = "≤ " + t.label
		}
		c.FillText(letters(tickSize, draw.XLeft, draw.YCenter), vg.Point{X: x + w + 4, Y: at}, t.label)
	}
}
