package charts

import (
	"slices"
	"sort"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placed is a label at a place.
type placed struct {
	x     vg.Length
	label string
}

// step returns the number of the first step of record i; for the record after the last, of the step that would come next.
func (sh *sheet) step(i int) int {
	switch n := len(sh.Raw); {
	case sh.Step == nil:
		return i + 1
	case i < n:
		return sh.Step[i]
	case n == 1:
		return sh.Step[0] + 1
	default:
		return 2*sh.Step[n-1] - sh.Step[n-2]
	}
}

// stepTicks places round numbers of steps.
func (sh *sheet) stepTicks() (out []placed) {
	n := len(sh.Raw)
	first, end := sh.step(0), sh.step(n)
	size := int(max(1, roundStep(float64(end-first)/8)))
	for v := (first + size - 1) / size * size; v < end; v += size {
		i := sort.Search(n, func(i int) bool { return sh.step(i+1) > v }) // the record that holds step v
		if i == n {
			break
		}
		within := float64(v-sh.step(i)) / float64(sh.step(i+1)-sh.step(i))
		if sh.Step == nil || sh.step(i+1)-sh.step(i) == 1 {
			within = 0.5 // the middle of a step that is drawn alone
		}
		out = append(out, placed{sh.x(float64(i) + within), strconv.Itoa(v)})
	}
	return out
}

// timed tells that there are times enough for an axis of them, and not more than a duration can tell apart.
func (sh *sheet) timed() bool {
	return len(sh.Times) > 1 && slices.Max(sh.Times)-slices.Min(sh.Times) > 0
}

// bottomAxes draws the numbers of the steps under y and, under them, times.
func (sh *sheet) bottomAxes(c draw.Canvas, y vg.Length, steps []placed) {
	sh.bottomAxis(c, y, steps)
	style := letters(headSize, draw.XCenter, draw.YCenter)
	middle := (sh.left + sh.right) / 2
	if !sh.timed() {
		c.FillText(style, vg.Point{X: middle, Y: y - 22}, "step")
		return
	}
	c.FillText(letters(headSize, draw.XLeft, draw.YCenter), vg.Point{X: pad, Y: y - 8}, "step")
	line := y - 18
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: thin}, sh.left, line, sh.right, line)
	hours, dates := sh.timeTicks()
	sh.bottomAxis(c, line, hours)
	for _, d := range dates {
		c.FillText(letters(tickSize, draw.XCenter, draw.YCenter), vg.Point{X: d.x, Y: line - 18}, d.label)
	}
	c.FillText(letters(headSize, draw.XLeft, draw.YCenter), vg.Point{X: pad, Y: line - 8}, "time")
}

func (sh *sheet) bottomAxis(c draw.Canvas, y vg.Length, ticks []placed) {
	for _, t := range ticks {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: thin}, t.x, y, t.x, y-2.5)
		c.FillText(letters(tickSize, draw.XCenter, draw.YCenter), vg.Point{X: t.x, Y: y - 8}, t.label)
	}
}
