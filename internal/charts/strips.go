package charts

import (
	"errors"
	"fmt"
	"image/color"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Strips is classes over the hours of days, a row each: what a week of movement is looked at as. Where nothing is drawn nothing was
// recorded.
type Strips struct {
	Title, Note string
	Classes     []string // names [K]
	From, To    float64  // hours of the axis
	Clock       bool     // the hours are those of the clock; else since the beginning
	Rows        []StripRow
}

// StripRow is one line of a day.
type StripRow struct {
	Name  string // of the day, empty for the second line of one
	Kind  string // raw or adapted
	Spans []Span // in order, not over each other
}

// Span is a stretch of one class.
type Span struct {
	From, To float64 // hours
	Class    int
}

// stripColour tells classes apart, as their letters do. The first seven are those of other figures, the rest are paler.
func stripColour(class int) color.RGBA {
	c := rgba(class % len(palette))
	if class >= len(palette) {
		c = blend(c, paper, 0.5)
	}
	return c
}

const (
	stripHeight = 12
	stripLeft   = 98
	stripLimit  = 14 // classes with a colour of their own
)

// Letter is what a class is called in a strip: A to Z, in the order of the classes, then *.
func Letter(class int) string {
	if class < 0 || class >= 26 {
		return "*"
	}
	return string(rune('A' + class))
}

// Figure returns the rows under each other over one axis of hours, with a key of letters and colours.
func (s Strips) Figure() (Figure, error) {
	if len(s.Rows) == 0 || len(s.Classes) == 0 || !(s.To > s.From) {
		return Figure{}, errors.New("charts: strips without rows, classes or hours")
	}
	for i, row := range s.Rows {
		for _, span := range row.Spans {
			if span.Class < 0 || span.Class >= len(s.Classes) || !(span.To >= span.From) {
				return Figure{}, fmt.Errorf("charts: strips: row %d has class %d of %d from %g to %g", i, span.Class, len(s.Classes), span.From, span.To)
			}
		}
	}
	s.Classes = legibleAll(s.Classes)
	keys := s.keyLines()
	return Figure{Width: streamWidth, Height: s.height(len(keys)), Draw: func(c draw.Canvas) { s.draw(c, keys) }}, nil
}

func (s Strips) height(keys int) vg.Length {
	h := vg.Length(20+22+8) + vg.Length(13*keys)
	if s.Note != "" {
		h += 12
	}
	for _, row := range s.Rows {
		h += s.step(row)
	}
	return h
}

// step is a row's height with the gap over it: the lines of one day stand together.
func (s Strips) step(row StripRow) vg.Length {
	if row.Name == "" {
		return stripHeight + 1
	}
	return stripHeight + 5
}

// keyLines fills lines with the names of the classes.
func (s Strips) keyLines() (lines [][]int) {
	room := vg.Length(0)
	for class := range s.Classes {
		w := s.keyWidth(class)
		if len(lines) == 0 || room < w {
			lines, room = append(lines, nil), streamWidth-2*pad
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], class)
		room -= w
		if class == 25 { // the rest is *
			break
		}
	}
	return lines
}

func (s Strips) keyWidth(class int) vg.Length {
	style := letters(tickSize, 0, 0)
	return 12 + 3 + style.Width(fit(style, s.Classes[class], nameRoom)) + keyGap
}

func (s Strips) draw(c draw.Canvas, keys [][]int) {
	y := s.height(len(keys)) - 14
	c.FillText(bold(letters(titleSize, draw.XLeft, draw.YCenter)), vg.Point{X: pad, Y: y}, fit(bold(letters(titleSize, 0, 0)), s.Title, streamWidth-2*pad))
	if y -= 6; s.Note != "" {
		y -= 7
		c.FillText(letters(tickSize, draw.XLeft, draw.YCenter), vg.Point{X: pad, Y: y}, fit(letters(tickSize, 0, 0), s.Note, streamWidth-2*pad))
		y -= 5
	}
	for _, line := range keys {
		y -= 13
		x := vg.Length(pad)
		for _, class := range line {
			s.cell(c, rect(x, y, x+12, y+10), class)
			style := letters(tickSize, draw.XLeft, draw.YCenter)
			c.FillText(style, vg.Point{X: x + 15, Y: y + 5}, fit(style, s.Classes[class], nameRoom))
			x += s.keyWidth(class)
		}
	}
	a := hourAxis{lo: s.From, hi: s.To, left: stripLeft, right: streamWidth - marginRight}
	top := y - 4
	bottom := top
	for _, row := range s.Rows {
		bottom -= s.step(row)
	}
	a.guides(c, bottom, top)
	y = top
	for _, row := range s.Rows {
		y -= s.step(row)
		s.row(c, a, y, row)
	}
	clock := time.Time{}
	if s.Clock {
		clock = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	a.draw(c, y-1, clock)
}

func (s Strips) row(c draw.Canvas, a hourAxis, y vg.Length, row StripRow) {
	c.FillText(letters(tickSize, draw.XLeft, draw.YCenter), vg.Point{X: pad, Y: y + stripHeight/2}, fit(letters(tickSize, 0, 0), row.Name, stripLeft-pad-44))
	c.FillText(letters(smallSize, draw.XRight, draw.YCenter), vg.Point{X: a.left - 4, Y: y + stripHeight/2}, row.Kind)
	c.StrokeLine2(draw.LineStyle{Color: truthInk, Width: thin}, a.left, y+stripHeight/2, a.right, y+stripHeight/2)
	byColour := map[int]*fields{}
	for _, span := range row.Spans {
		at := min(span.Class, stripLimit)
		if byColour[at] == nil {
			byColour[at] = &fields{canvas: c, colour: s.colour(span.Class)}
		}
		byColour[at].add(rect(a.x(span.From), y, max(a.x(span.To), a.x(span.From)+0.15), y+stripHeight))
	}
	for at := range stripLimit + 1 {
		if f := byColour[at]; f != nil {
			f.flush()
		}
	}
	style := bold(letters(smallSize, draw.XCenter, draw.YCenter))
	for _, span := range row.Spans {
		if from, to := a.x(span.From), a.x(span.To); to-from > 7 {
			style.Color = inkOn(s.colour(span.Class))
			c.FillText(style, vg.Point{X: (from + to) / 2, Y: y + stripHeight/2}, Letter(span.Class))
		}
	}
}

func (s Strips) colour(class int) color.RGBA {
	if class >= stripLimit {
		return grey
	}
	return stripColour(class)
}

func (s Strips) cell(c draw.Canvas, area vg.Rectangle, class int) {
	fillRect(c, area, s.colour(class))
	style := bold(letters(smallSize, draw.XCenter, draw.YCenter))
	style.Color = inkOn(s.colour(class))
	c.FillText(style, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: (area.Min.Y + area.Max.Y) / 2}, Letter(class))
}

// inkOn is the colour of text on a field: whichever of black and white stands out more.
func inkOn(field color.RGBA) color.RGBA {
	if luminance(field) > 0.18 {
		return color.RGBA{0, 0, 0, 0xFF}
	}
	return paper
}

// luminance is the relative luminance of WCAG 2, near enough.
func luminance(c color.RGBA) float64 {
	part := func(v uint8) float64 { x := float64(v) / 255; return x * x * (0.6 + 0.4*x) }
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}
