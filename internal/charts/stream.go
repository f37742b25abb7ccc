package charts

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Stream is what a filter did on one stream, record by record. A record is one step or, of a long stream, several that were made one.
// All slices of records have the length of Raw; those that may be nil say so. NaN is a number that is not known, and is not drawn.
type Stream struct {
	Title, Note string   // two lines over the figure
	Classes     []string // names [K], shortened where there is no room

	Step  []int   // number of the record's first step, increasing; nil: 1, 2, ...
	Times []int64 // nanoseconds since 1970 of the record; nil: the axis has steps only

	Raw, Adapted []int // most probable class before and after the filter
	Truth        []int // true class, negative where unknown; or nil

	Gate                    []float64 // weight of order in the output, 0 to 1
	Gain                    []float64 // structural gain G_t, -1 to 1; or nil
	Ratio                   []float64 // log-likelihood ratio in nats; or nil
	Entropy, AdaptedEntropy []float64 // nats, before and after
	Evidence                []float64 // probability given to what came; drawn in decades
	Shares                  []Share   // of hypotheses, stacked in this order; or nil

	// Sizes [R][K] are effective sample sizes of the rows of the learned matrix at R records, SizeAt [R], in increasing order, each
	// of which stands until the next; or nil.
	Sizes  [][]float64
	SizeAt []int

	Marks []Mark
}

// Share is the part of one kind in a whole of 1.
type Share struct {
	Name   string
	Values []float64 // one for each record, 0 to 1
}

// Mark is an event at a record.
type Mark struct {
	At   int // index of the record
	Kind MarkKind
}

// MarkKind says what happened between a record and the one before it, or at it.
type MarkKind string

// The kinds of marks.
const (
	MarkGap   MarkKind = "gap"           // time was missing
	MarkBreak MarkKind = "break"         // so much that the filter began anew
	MarkReset MarkKind = "reset"         // the filter began anew for another reason
	MarkZero  MarkKind = "zero evidence" // the prior excluded all that came
)

// Validate reports the first part whose length or range is wrong.
func (s Stream) Validate() error {
	n, k := len(s.Raw), len(s.Classes)
	if n == 0 || k == 0 {
		return errors.New("charts: stream without records or without classes")
	}
	for _, part := range []struct {
		name     string
		length   int
		optional bool
	}{
		{"Adapted", len(s.Adapted), false},
		{"Gate", len(s.Gate), false},
		{"Entropy", len(s.Entropy), false},
		{"AdaptedEntropy", len(s.AdaptedEntropy), false},
		{"Evidence", len(s.Evidence), false},
		{"Step", len(s.Step), true},
		{"Times", len(s.Times), true},
		{"Truth", len(s.Truth), true},
		{"Gain", len(s.Gain), true},
		{"Ratio", len(s.Ratio), true},
	} {
		if part.length != n && !(part.optional && part.length == 0) {
			return fmt.Errorf("charts: stream: %d values of %s for %d records", part.length, part.name, n)
		}
	}
	for _, share := range s.Shares {
		if len(share.Values) != n {
			return fmt.Errorf("charts: stream: %d values of share %s for %d records", len(share.Values), share.Name, n)
		}
	}
	return errors.Join(s.checkClasses(), s.checkSizes(), s.checkMarks())
}

func (s Stream) checkClasses() error {
	k := len(s.Classes)
	for _, labels := range [][]int{s.Raw, s.Adapted} {
		for i, c := range labels {
			if c < 0 || c >= k {
				return fmt.Errorf("charts: stream: record %d has class %d of %d", i, c, k)
			}
		}
	}
	for i, c := range s.Truth {
		if c >= k {
			return fmt.Errorf("charts: stream: record %d has true class %d of %d", i, c, k)
		}
	}
	return nil
}

func (s Stream) checkSizes() error {
	if len(s.Sizes) != len(s.SizeAt) {
		return fmt.Errorf("charts: stream: %d vectors of sizes at %d records", len(s.Sizes), len(s.SizeAt))
	}
	for i, sizes := range s.Sizes {
		if len(sizes) != len(s.Classes) || s.SizeAt[i] < 0 || s.SizeAt[i] >= len(s.Raw) || i > 0 && s.SizeAt[i] <= s.SizeAt[i-1] {
			return fmt.Errorf("charts: stream: sizes %d: %d values at record %d", i, len(sizes), s.SizeAt[i])
		}
	}
	return nil
}

func (s Stream) checkMarks() error {
	for _, m := range s.Marks {
		if _, ok := markStyles[m.Kind]; !ok || m.At < 0 || m.At >= len(s.Raw) {
			return fmt.Errorf("charts: stream: mark %q at record %d", m.Kind, m.At)
		}
	}
	return nil
}

// Lengths in the figure of a stream, in points.
const (
	streamWidth = 510 // 18 cm, the width of the text on a page
	marginRight = 16
	panelGap    = 10
	headHeight  = 14
	nameRoom    = 90 // the most that names of classes take
	nameLeast   = 36
)

// Figure returns the drawing of the stream: a lane for each class with what is true, predicted and adapted, then gate, gain, ratio,
// entropies, evidence, hypotheses and the sizes of the rows, one under the other over the same steps. Of more than 20 classes the most
// frequent have lanes of their own. Where several records fall into one column of the drawing, a line is their mean
// and the band behind it their range.
func (s Stream) Figure() (Figure, error) {
	if err := s.Validate(); err != nil {
		return Figure{}, err
	}
	s.Classes = legibleAll(s.Classes)
	sheet := newSheet(s)
	return Figure{Width: streamWidth, Height: sheet.height(), Draw: sheet.draw}, nil
}

// sheet lays panels out under each other, over one axis of records.
type sheet struct {
	Stream
	lanes       lanes
	panels      []panel
	left, right vg.Length
	legend      []key // of the marks
}

// panel is one drawing over the records, under a line of heading.
type panel struct {
	head   string
	keys   []key
	height vg.Length
	draw   func(c draw.Canvas, area vg.Rectangle)
	bar    *colourBar // in the heading, in place of keys
}

func newSheet(s Stream) *sheet {
	sh := laidOut(s)
	sh.legend = sh.markKeys()
	sh.panels = sh.allPanels()
	return sh
}

// laidOut returns a sheet whose lanes have their room, without panels yet.
func laidOut(s Stream) *sheet {
	sh := &sheet{Stream: s, right: streamWidth - marginRight}
	sh.lanes = newLanes(s.Classes, laneLimit, s.Raw, s.Adapted, s.Truth)
	sh.left = 10 + min(max(widest(letters(tickSize, draw.XLeft, draw.YCenter), sh.lanes.names), nameLeast), nameRoom)
	return sh
}

// top and bottom are the heights of what stands over and under the panels.
func (sh *sheet) top() vg.Length {
	h := vg.Length(22)
	if sh.Note != "" {
		h += 12
	}
	if len(sh.legend) > 0 {
		h += 12
	}
	return h
}

func (sh *sheet) bottom() vg.Length {
	if sh.timed() {
		return 50
	}
	return 30
}

func (sh *sheet) height() vg.Length {
	h := sh.top() + sh.bottom()
	for _, p := range sh.panels {
		h += headHeight + p.height + panelGap
	}
	return h
}

func (sh *sheet) draw(c draw.Canvas) {
	y := sh.height() - 14
	title, note := bold(letters(titleSize, draw.XLeft, draw.YCenter)), letters(tickSize, draw.XLeft, draw.YCenter)
	c.FillText(title, vg.Point{X: pad, Y: y}, fit(title, sh.Title, streamWidth-2*pad))
	if y -= 13; sh.Note != "" {
		c.FillText(note, vg.Point{X: pad, Y: y}, fit(note, sh.Note, streamWidth-2*pad))
		y -= 12
	}
	if len(sh.legend) > 0 {
		drawKeys(c, sh.legend, pad, y)
	}
	ticks := sh.stepTicks()
	for i, area := range sh.areas() {
		sh.heading(c, sh.panels[i], area.Max.Y+headHeight/2+1)
		sh.guides(c, area, ticks)
		sh.panels[i].draw(c, area)
		sh.marks(c, area)
		outline(c, area)
		y = area.Min.Y
	}
	sh.bottomAxes(c, y, ticks)
}

// areas returns the frames of the panels.
func (sh *sheet) areas() (out []vg.Rectangle) {
	y := sh.height() - sh.top()
	for _, p := range sh.panels {
		y -= headHeight + p.height
		out = append(out, rect(sh.left, y, sh.right, y+p.height))
		y -= panelGap
	}
	return out
}

func (sh *sheet) heading(c draw.Canvas, p panel, y vg.Length) {
	c.FillText(bold(letters(headSize, draw.XLeft, draw.YCenter)), vg.Point{X: sh.left, Y: y}, p.head)
	if p.bar != nil {
		p.bar.horizontal(c, sh.right, y)
		return
	}
	drawKeys(c, p.keys, sh.right-keysWidth(p.keys), y)
}

// guides are faint lines at the ticks of the steps, behind the data.
func (sh *sheet) guides(c draw.Canvas, area vg.Rectangle, ticks []placed) {
	for _, t := range ticks {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: thin}, t.x, area.Min.Y, t.x, area.Max.Y)
	}
}

// x returns the left edge of record i, whose width is that of all.
func (sh *sheet) x(i float64) vg.Length {
	return sh.left + (sh.right-sh.left)*vg.Length(i/float64(len(sh.Raw)))
}

// resolution is how many columns a drawing has at most: one for each pixel of a PNG.
func (sh *sheet) resolution() int { return int((sh.right - sh.left).Dots(dpi)) }
