package charts

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Counts is a table of how many items of one kind became another: a confusion matrix, or which labels the filter made of which.
type Counts struct {
	Title, Note   string
	Rows, Columns string   // what the two are: "true class", "adapted label"
	Classes       []string // names [K]
	Values        []int    // [K, K] row-major
}

// countsLimit is how many classes a table may have.
const countsLimit = 30

// Figure returns the table with its numbers in it. Shade follows the share of a row; the diagonal is framed.
func (m Counts) Figure() (Figure, error) {
	k := len(m.Classes)
	if k == 0 || len(m.Values) != k*k || k > countsLimit {
		return Figure{}, fmt.Errorf("charts: counts: %d values for %d classes, of which there may be 1 to %d", len(m.Values), k, countsLimit)
	}
	for _, v := range m.Values {
		if v < 0 {
			return Figure{}, errors.New("charts: counts: a number is negative")
		}
	}
	m.Classes = legibleAll(m.Classes)
	left := m.left()
	w := left + vg.Length(k)*m.cell() + 2*pad
	title := bold(letters(titleSize, 0, 0))
	w = max(w, min(max(title.Width(m.Title), letters(tickSize, 0, 0).Width(m.Note))+2*pad, streamWidth), 220)
	h := 44 + vg.Length(k)*countsRow + (left - pad - 14) + 24
	return Figure{Width: w, Height: h, Draw: func(c draw.Canvas) { m.draw(c, w, h, left) }}, nil
}

const countsRow = 17

func (m Counts) cell() vg.Length {
	most := 0
	for _, v := range m.Values {
		most = max(most, v)
	}
	return max(24, letters(tickSize, 0, 0).Width(strconv.Itoa(most))+8)
}

func (m Counts) left() vg.Length {
	style := letters(tickSize, 0, 0)
	names := make([]string, len(m.Classes))
	for i, n := range m.Classes {
		names[i] = fit(style, n, nameRoom)
	}
	return pad + 14 + widest(style, names) + 5
}

func (m Counts) draw(c draw.Canvas, w, h, left vg.Length) {
	title, note := bold(letters(titleSize, draw.XLeft, draw.YCenter)), letters(tickSize, draw.XLeft, draw.YCenter)
	c.FillText(title, vg.Point{X: pad, Y: h - 14}, fit(title, m.Title, w-2*pad))
	c.FillText(note, vg.Point{X: pad, Y: h - 27}, fit(note, m.Note, w-2*pad))
	k, cell := len(m.Classes), m.cell()
	top := h - 38
	area := rect(left, top-vg.Length(k)*countsRow, left+vg.Length(k)*cell, top)
	for i := range k {
		sum := 0
		for j := range k {
			sum += m.Values[i*k+j]
		}
		for j := range k {
			r := rect(left+vg.Length(j)*cell, top-vg.Length(i+1)*countsRow, left+vg.Length(j+1)*cell, top-vg.Length(i)*countsRow)
			m.number(c, r, m.Values[i*k+j], sum)
			if i == j {
				outline(c, rect(r.Min.X+1, r.Min.Y+1, r.Max.X-1, r.Max.Y-1))
			}
		}
	}
	outline(c, area)
	m.names(c, area, cell)
}

func (m Counts) number(c draw.Canvas, r vg.Rectangle, v, of int) {
	part := 0.0
	if of > 0 && v > 0 {
		part = 0.12 + 0.78*float64(v)/float64(of)
	}
	field := paper
	if v > 0 {
		field = ramp(part)
	}
	fillRect(c, r, field)
	style := letters(tickSize, draw.XCenter, draw.YCenter)
	style.Color = contrast(part)
	text := strconv.Itoa(v)
	if v == 0 { // what is there stands out
		style.Color, text = grey, "·"
	}
	c.FillText(style, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, text)
}

func (m Counts) names(c draw.Canvas, area vg.Rectangle, cell vg.Length) {
	right, down := letters(tickSize, draw.XRight, draw.YCenter), letters(tickSize, draw.XRight, draw.YCenter)
	down.Rotation = math.Pi / 2
	for i, name := range m.Classes {
		name = fit(right, name, nameRoom)
		c.FillText(right, vg.Point{X: area.Min.X - 4, Y: area.Max.Y - (vg.Length(i)+0.5)*countsRow}, name)
		c.FillText(down, vg.Point{X: area.Min.X + (vg.Length(i)+0.5)*cell, Y: area.Min.Y - 4}, name)
	}
	centre := letters(headSize, draw.XLeft, draw.YCenter)
	c.FillText(centre, vg.Point{X: area.Min.X, Y: pad + 2}, m.Columns)
	centre = letters(headSize, draw.XCenter, draw.YCenter)
	centre.Rotation = math.Pi / 2
	c.FillText(centre, vg.Point{X: pad + 2, Y: (area.Min.Y + area.Max.Y) / 2}, m.Rows)
}

// Amounts is how much of each class there is, before and after the filter, as bars with their numbers.
type Amounts struct {
	Title, Note  string
	Unit         string
	Classes      []string
	Raw, Adapted []float64
}

// amountsLimit is how many classes have bars.
const amountsLimit = 40

// Figure returns two bars a class: raw with an open one, adapted with a filled one.
func (m Amounts) Figure() (Figure, error) {
	k := len(m.Classes)
	if k == 0 || k > amountsLimit || len(m.Raw) != k || len(m.Adapted) != k {
		return Figure{}, fmt.Errorf("charts: amounts: %d and %d of %d classes, of which there may be 1 to %d", len(m.Raw), len(m.Adapted), k, amountsLimit)
	}
	for i := range k {
		if !(m.Raw[i] >= 0 && m.Adapted[i] >= 0) || math.IsInf(m.Raw[i], 1) || math.IsInf(m.Adapted[i], 1) {
			return Figure{}, fmt.Errorf("charts: amounts of class %d: %g and %g", i, m.Raw[i], m.Adapted[i])
		}
	}
	m.Classes = legibleAll(m.Classes)
	h := vg.Length(48 + k*22)
	return Figure{Width: 400, Height: h, Draw: func(c draw.Canvas) { m.draw(c, h) }}, nil
}

func (m Amounts) draw(c draw.Canvas, h vg.Length) {
	const w, room = 400, 70
	title, note := bold(letters(titleSize, draw.XLeft, draw.YCenter)), letters(tickSize, draw.XLeft, draw.YCenter)
	c.FillText(title, vg.Point{X: pad, Y: h - 14}, fit(title, m.Title, w-2*pad))
	c.FillText(note, vg.Point{X: pad, Y: h - 27}, fit(note, m.Note, w-2*pad))
	style := letters(tickSize, draw.XRight, draw.YCenter)
	left := vg.Length(0)
	for _, name := range m.Classes {
		left = max(left, style.Width(fit(style, name, nameRoom+30)))
	}
	left += pad + 4
	most := 0.0
	for i := range m.Classes {
		most = max(most, m.Raw[i], m.Adapted[i])
	}
	x := func(v float64) vg.Length { return left + (w-room-left)*vg.Length(v/max(most, 1e-300)) }
	for i, name := range m.Classes {
		y := h - 38 - vg.Length(i)*22
		c.FillText(style, vg.Point{X: left - 4, Y: y - 9}, fit(style, name, nameRoom+30))
		m.bar(c, rect(left, y-9, x(m.Raw[i]), y-1), m.Raw[i], "raw", color.RGBA{})
		m.bar(c, rect(left, y-18, x(m.Adapted[i]), y-10), m.Adapted[i], "adapted", rgba(0))
	}
}

func (m Amounts) bar(c draw.Canvas, r vg.Rectangle, v float64, kind string, fill color.RGBA) {
	if fill.A > 0 {
		fillRect(c, r, fill)
	} else {
		var p vg.Path
		addRect(&p, r)
		c.SetLineStyle(draw.LineStyle{Color: rgba(1), Width: vg.Points(0.9)})
		c.Stroke(p)
	}
	text := strconv.FormatFloat(v, 'f', 0, 64)
	if v != math.Trunc(v) {
		text = strconv.FormatFloat(v, 'f', 2, 64)
	}
	if m.Unit != "" {
		text += " " + m.Unit
	}
	c.FillText(letters(smallSize, draw.XLeft, draw.YCenter), vg.Point{X: r.Max.X + 3, Y: (r.Min.Y + r.Max.Y) / 2}, text+" "+kind)
}

// Confidence draws how many items had a label of which probability, before and after the filter, side by side.
func Confidence(title string, series []ReliabilitySeries) Figure {
	return Figure{Width: 400, Height: 170, Draw: func(c draw.Canvas) {
		c = draw.Crop(c, vg.Points(4), -vg.Points(10), vg.Points(4), -vg.Points(4))
		p := confidencePlot(series)
		p.Title.Text = title
		p.Title.TextStyle = bold(p.Title.TextStyle)
		p.X.Label.Text = "probability of the label"
		for i, s := range series {
			p.Legend.Add(s.Name, bars{colour: beforeAfter(i)})
		}
		p.Legend.Top, p.Legend.Left = true, true
		p.Legend.Padding = vg.Points(2)
		widen(&p.Y, 0, 0.13*float64(len(series))) // the legend has a place above the bars
		p.Draw(c)
	}}
}

// Thumbnail implements [plot.Thumbnailer].
func (b bars) Thumbnail(c *draw.Canvas) {
	box(*c, translucent(b.colour, 0xD8), c.Min.X, c.Max.X, c.Min.Y, c.Max.Y)
}
