package view

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
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

// clock is a time in a recording.
func clock(t, step float64) string {
	if step >= 1 {
		n := int(math.Round(t))
		if n >= 3600 {
			return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
		}
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return strconv.FormatFloat(math.Round(t*100)/100, 'f', -1, 64) + " s"
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

// How much of a stream is drawn.
const (
	mostLanes  = 9
	mostColumn = 240
)

// strip is a stream over its items: which label the items of each column mostly have.
type strip struct {
	Height  int
	Lanes   []lane
	Marks   []mark // of what was labelled
	Columns int
}

type lane struct {
	Name     string
	Y, TextY int
	Raw      []mark
	Adapted  []mark
}

type mark struct{ X, Width string }

// stripOf draws the stream, whole.
func (s *snapshot) stripOf(k int) *strip {
	list := s.streams[k].items
	if len(list) < 2 {
		return nil
	}
	count := map[int32]int{}
	for _, i := range list {
		count[s.records[i].raw]++
		count[s.records[i].adapted]++
	}
	delete(count, -1)
	order := make([]int32, 0, len(count))
	for l := range count {
		order = append(order, l)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.depth(a), s.depth(b)), cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	if len(order) > mostLanes {
		order = order[:mostLanes]
	}
	out := &strip{Columns: min(len(list), mostColumn)}
	at := map[int32]int{}
	for n, l := range order {
		at[l] = n
		out.Lanes = append(out.Lanes, lane{Name: report.Visible(report.Named(s.text(l))), Y: 14 + 22*n, TextY: 14 + 22*n + 13})
	}
	out.Height = 14 + 22*len(order)
	for col := range out.Columns {
		from, to := col*len(list)/out.Columns, (col+1)*len(list)/out.Columns
		m := mark{fmt.Sprintf("%.2f", 160+830*float64(col)/float64(out.Columns)), fmt.Sprintf("%.2f", 830/float64(out.Columns))}
		var seen [2]map[int32]int
		seen[0], seen[1] = map[int32]int{}, map[int32]int{}
		given := false
		for _, i := range list[from:to] {
			seen[0][s.records[i].raw]++
			seen[1][s.records[i].adapted]++
			given = given || s.given[i] != ""
		}
		if n, ok := at[most(seen[0])]; ok {
			out.Lanes[n].Raw = append(out.Lanes[n].Raw, m)
		}
		if n, ok := at[most(seen[1])]; ok {
			out.Lanes[n].Adapted = append(out.Lanes[n].Adapted, m)
		}
		if given {
			out.Marks = append(out.Marks, m)
		}
	}
	return out
}

// depth orders stages of sleep as hypnograms have them; all else has one.
func (c *Collection) depth(label int32) int {
	if c.Kind != report.Sleep {
		return 0
	}
	stage, _ := hypnogram.ParseLabel(c.text(label))
	return slices.Index([]hypnogram.Stage{hypnogram.W, hypnogram.R, hypnogram.N1, hypnogram.N2, hypnogram.N3}, stage)
}

// most is the label that came most often.
func most(count map[int32]int) int32 {
	best, n := int32(-1), 0
	for l, k := range count {
		if k > n || k == n && l < best {
			best, n = l, k
		}
	}
	return best
}
