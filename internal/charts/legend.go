package charts

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is one entry of a legend.
type key struct {
	name   string
	colour color.RGBA
	mark   MarkKind // drawn as the mark is; "" for a field of the colour
}

const keyGap, swatch = 8, 7

func keysWidth(keys []key) (w vg.Length) {
	style := letters(tickSize, draw.XLeft, draw.YCenter)
	for _, k := range keys {
		w += swatch + 3 + style.Width(k.name) + keyGap
	}
	return max(w-keyGap, 0)
}

// drawKeys draws a legend on one line, from x on.
func drawKeys(c draw.Canvas, keys []key, x, y vg.Length) {
	style := letters(tickSize, draw.XLeft, draw.YCenter)
	for _, k := range keys {
		area := rect(x, y-swatch/2+0.5, x+swatch, y+swatch/2-0.5)
		if k.mark == "" {
			fillRect(c, area, k.colour)
		} else {
			var p vg.Path
			addMark(&p, k.mark, x+swatch/2, area.Min.Y-0.5, area.Max.Y+0.5)
			drawMarks(c, p, k.mark)
		}
		c.FillText(style, vg.Point{X: x + swatch + 3, Y: y}, k.name)
		x += swatch + 3 + style.Width(k.name) + keyGap
	}
}

// colourBar is the key of a ramp.
type colourBar struct {
	axis
	name string
}

// horizontal draws the bar on a line of heading, ending at the right.
func (b colourBar) horizontal(c draw.Canvas, right, y vg.Length) {
	const length, steps = 84, sizeShades
	style := letters(tickSize, draw.XRight, draw.YCenter)
	high, low := decade(int(b.hi)), "≤ "+decade(int(b.lo))
	c.FillText(style, vg.Point{X: right, Y: y}, high+" "+b.name)
	end := right - style.Width(high+" "+b.name) - 4
	for i := range steps { // each field covers the rest: no seam shows between neighbours
		x := end - length + length*vg.Length(i)/steps
		fillRect(c, rect(x, y-3.5, end, y+3.5), ramp(float64(i)/(steps-1)))
	}
	for d := b.lo + 1; d < b.hi; d++ { // a notch for each decade
		x := end - length + length*vg.Length((d-b.lo)/(b.hi-b.lo))
		c.StrokeLine2(draw.LineStyle{Color: paper, Width: thin}, x, y-3.5, x, y+3.5)
	}
	c.FillText(style, vg.Point{X: end - length - 4, Y: y}, low)
}
