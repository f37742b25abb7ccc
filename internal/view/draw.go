package view

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/internal/report"
)

// The size of a drawing, in its own units.
const (
	laneHeight = 110
	rightEdge  = 32
)

// widths of a drawing, and of the room for names in it.
type widths struct{ all, left int }

var (
	wide   = widths{1000, 160}
	narrow = widths{400, 118} // for a telephone
)

// ink are the colours of drawings, which a page in dark colours turns round.
const (
	inkLine = "#1b1f23"
	inkGrid = "#c3c9d0"
	inkMark = "#e7eef6"
	inkSoft = "#4b5563"
)

// svg draws a signal: a lane a channel, its scale beside it, seconds below.
func (s *signal) svg(size widths) []byte {
	s.size = size
	var b bytes.Buffer
	height := len(s.channels)*laneHeight + 30
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="15"><rect width="%d" height="%d" fill="#fff"/>`,
		size.all, height, size.all, height, size.all, height)
	if s.mark != [2]float64{s.from, s.to} {
		fmt.Fprintf(&b, `<rect x="%.1f" y="0" width="%.1f" height="%d" fill="%s"/>`, s.x(s.mark[0]), s.x(s.mark[1])-s.x(s.mark[0]), height-30, inkMark)
	}
	s.grid(&b, height-30)
	for i := range s.channels {
		s.channels[i].lane(&b, s, i*laneHeight)
	}
	b.WriteString("</svg>")
	return b.Bytes()
}

func (s *signal) x(t float64) float64 {
	return float64(s.size.left) + (t-s.from)/(s.to-s.from)*float64(s.size.all-s.size.left-rightEdge)
}

// grid draws the seconds.
func (s *signal) grid(b *bytes.Buffer, height int) {
	step := nice((s.to - s.from) * 70 / float64(s.size.all-s.size.left))
	for t := math.Ceil(s.from/step-1e-9) * step; t <= s.to+1e-9; t += step {
		x := s.x(t)
		fmt.Fprintf(b, `<path d="M%.1f 0V%d" stroke="%s"/><text x="%.1f" y="%d" text-anchor="middle" fill="%s">%s</text>`, x, height, inkGrid, x, height+20, inkSoft, clock(t, step))
	}
}

// clock is a time in a recording, with parts of a second where steps are shorter.
func clock(t, step float64) string {
	hundredths := int(math.Round(t * 100))
	if step >= 1 {
		hundredths = 100 * int(math.Round(t))
	}
	n, rest := hundredths/100, ""
	if part := hundredths % 100; part > 0 {
		rest = strings.TrimRight(fmt.Sprintf(".%02d", part), "0")
	}
	if n >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d%s", n/3600, n/60%60, n%60, rest)
	}
	return fmt.Sprintf("%d:%02d%s", n/60, n%60, rest)
}

// nice is the least of 1, 2, 5, 10 and so on that is not below v.
func nice(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, k := range []float64{1, 2, 5} {
		if k*p >= v*(1-1e-9) {
			return k * p
		}
	}
	return 10 * p
}

// scale finds the middle of a channel, and how far its lane reaches on each side: nearly all of the samples are within.
func (c *channel) scale() (middle, reach float64) {
	var values []float64
	for _, p := range c.pieces {
		for _, v := range p.values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return 0, 1
	}
	slices.Sort(values)
	middle = values[len(values)/2]
	low, high := values[len(values)/400], values[len(values)-1-len(values)/400]
	return middle, nice(max(high-middle, middle-low))
}

// lane draws a channel.
func (c *channel) lane(b *bytes.Buffer, s *signal, top int) {
	middle, reach := c.scale()
	center := float64(top) + laneHeight/2
	y := func(v float64) float64 {
		return center - min(max((v-middle)/reach, -1.15), 1.15)*(laneHeight/2-8)
	}
	unit := c.unit
	if unit == "" {
		unit = "?"
	}
	about := "±" + figure(reach)
	if math.Abs(middle) > reach/10 {
		about = figure(middle) + " " + about
	}
	fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="%s"/><text x="8" y="%.1f" fill="%s">%s</text><text x="8" y="%.1f" fill="%s">%s %s</text>`,
		s.size.left, center, s.size.all-rightEdge, inkGrid, center-4, inkLine, escaped(short(report.Visible(c.name), 18)), center+16, inkSoft, about, escaped(short(report.Visible(unit), 8)))
	for _, p := range c.pieces {
		p.path(b, s, y)
	}
}

// path draws the samples of a piece, of many in a column the least and the greatest.
func (p *piece) path(b *bytes.Buffer, s *signal, y func(float64) float64) {
	fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="1.4" stroke-linejoin="round" d="`, inkLine)
	pen, dense := "M", len(p.times) > 4*s.size.all
	for i := 0; i < len(p.times); {
		if math.IsNaN(p.values[i]) {
			pen = "M"
			i++
			continue
		}
		if !dense {
			fmt.Fprintf(b, "%s%.1f %.1f", pen, s.x(p.times[i]), y(p.values[i]))
			pen = "L"
			i++
			continue
		}
		column := math.Floor(s.x(p.times[i]))
		low, high := p.values[i], p.values[i]
		for ; i < len(p.times) && math.Floor(s.x(p.times[i])) == column && !math.IsNaN(p.values[i]); i++ {
			low, high = min(low, p.values[i]), max(high, p.values[i])
		}
		fmt.Fprintf(b, "%s%.0f %.1fL%.0f %.1f", pen, column, y(high), column, y(low))
		pen = "L"
	}
	b.WriteString(`"/>`)
}

func figure(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// escaped is text in a drawing.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}

// short cuts a text that is long.
func short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
