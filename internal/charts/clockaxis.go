package charts

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hourAxis is an axis of hours, from lo to hi, between two edges.
type hourAxis struct {
	lo, hi      float64
	left, right vg.Length
}

func (a hourAxis) x(hour float64) vg.Length {
	return a.left + (a.right-a.left)*vg.Length(min(max((hour-a.lo)/(a.hi-a.lo), 0), 1))
}

// hourSteps are distances of ticks, in hours.
var hourSteps = []float64{1. / 3600, 5. / 3600, 10. / 3600, 30. / 3600, 1. / 60, 2. / 60, 5. / 60, 10. / 60, 0.25, 0.5, 1, 2, 3, 4, 6, 12, 24, 48, 96, 168, 336, 672}

// ticks are at most a dozen round hours.
func (a hourAxis) ticks() (out []float64, step float64) {
	step = hourSteps[len(hourSteps)-1]
	for _, s := range hourSteps {
		if (a.hi-a.lo)/s <= 12 {
			step = s
			break
		}
	}
	for k := math.Ceil(a.lo/step - 1e-9); k*step <= a.hi+1e-9; k++ {
		if len(out) > 64 {
			break
		}
		out = append(out, k*step)
	}
	return out, step
}

// draw writes the hours under y. start is the time of hour 0; zero: hours since the beginning.
func (a hourAxis) draw(c draw.Canvas, y vg.Length, start time.Time) {
	ticks, step := a.ticks()
	style := letters(tickSize, draw.XCenter, draw.YCenter)
	for _, h := range ticks {
		x := a.x(h)
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: thin}, x, y, x, y-2.5)
		c.FillText(style, vg.Point{X: x, Y: y - 8}, hourText(h, step, start))
	}
}

// hourText writes an hour as the clock showed it, or as hours, minutes and seconds.
func hourText(h, step float64, start time.Time) string {
	seconds := math.Round(h * 3600)
	if !start.IsZero() {
		layout := "15:04"
		if step < 1./60 {
			layout = "15:04:05"
		}
		return start.Add(time.Duration(seconds) * time.Second).Format(layout)
	}
	s := int(seconds)
	if step < 1./60 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/3600, s/60%60)
}

// guides are faint lines at the hours, behind the data.
func (a hourAxis) guides(c draw.Canvas, bottom, top vg.Length) {
	ticks, _ := a.ticks()
	for _, h := range ticks {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: thin}, a.x(h), bottom, a.x(h), top)
	}
}
