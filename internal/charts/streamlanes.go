package charts

import (
	"fmt"
	"image/color"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// laneLimit is how many classes have lanes of their own; one more lane holds all others.
const laneLimit = 20

// lanes assigns the classes to the rows of a drawing.
type lanes struct {
	names []string // of the rows, top down
	of    []int    // [K] row of each class
}

// newLanes gives each class its row or, if there are more than limit, each of the most frequent ones in the lists, and the others one.
// The rows keep the order of the classes.
func newLanes(classes []string, limit int, lists ...[]int) lanes {
	counts := make([]int, len(classes))
	for _, list := range lists {
		for _, c := range list {
			if c >= 0 {
				counts[c]++
			}
		}
	}
	return rankedLanes(classes, limit, func(a, b int) int { return counts[b] - counts[a] })
}

// rankedLanes is newLanes for any order of importance: compare is negative if class a comes before b.
func rankedLanes(classes []string, limit int, compare func(a, b int) int) lanes {
	l := lanes{of: make([]int, len(classes))}
	order := make([]int, len(classes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	own := order[:min(limit, len(order))]
	slices.Sort(own)
	for i := range l.of {
		l.of[i] = len(own)
	}
	for row, class := range own {
		l.of[class] = row
		l.names = append(l.names, classes[class])
	}
	if rest := len(classes) - len(own); rest > 0 {
		l.names = append(l.names, fmt.Sprintf("%d others", rest))
	}
	return l
}

// height of the rows: less where there are many.
func (l lanes) height() vg.Length {
	if len(l.names) <= 8 {
		return vg.Length(max(len(l.names)*14, 20))
	}
	return vg.Length(len(l.names) * 11)
}

// row returns the upper edge of a row in the area, and its height.
func (l lanes) row(area vg.Rectangle, i int) (top, height vg.Length) {
	height = (area.Max.Y - area.Min.Y) / vg.Length(len(l.names))
	return area.Max.Y - vg.Length(i)*height, height
}

// labels writes the names left of the area, and lines between the rows.
func (l lanes) labels(c draw.Canvas, area vg.Rectangle) {
	style := letters(tickSize, draw.XRight, draw.YCenter)
	for i, name := range l.names {
		top, h := l.row(area, i)
		c.FillText(style, vg.Point{X: area.Min.X - 4, Y: top - h/2}, fit(style, name, min(nameRoom, area.Min.X-8)))
		if i > 0 {
			c.StrokeLine2(draw.LineStyle{Color: faint, Width: thin}, area.Min.X, top, area.Max.X, top)
		}
	}
}

// classPanel has, in the lane of a class, the steps that truly are of it as a field, over it those predicted as it, and under these
// those adapted to it.
func (sh *sheet) classPanel() panel {
	p := panel{head: "Class", keys: []key{{name: "raw", colour: rgba(1)}, {name: "adapted", colour: rgba(0)}}, height: sh.lanes.height()}
	if sh.Truth != nil {
		p.keys = append([]key{{name: "true", colour: truthInk}}, p.keys...)
	}
	p.draw = func(c draw.Canvas, area vg.Rectangle) {
		sh.lanes.labels(c, area)
		if sh.Truth != nil {
			sh.strip(c, area, sh.Truth, strip{0, 1, truthInk})
		}
		sh.strip(c, area, sh.Raw, strip{0.14, 0.46, rgba(1)})
		sh.strip(c, area, sh.Adapted, strip{0.54, 0.86, rgba(0)})
	}
	return p
}

// strip is where in its lane a list of classes is drawn, from and to as parts of the height from above, and how.
type strip struct {
	from, to vg.Length
	colour   color.RGBA
}

// strip draws each run of a class as a bar. In a column that several records share, the bar is the paler the fewer are of the class.
func (sh *sheet) strip(c draw.Canvas, area vg.Rectangle, classes []int, s strip) {
	n := min(len(classes), sh.resolution())
	grid := newGrid(len(sh.lanes.names), n)
	for col := range n {
		part := classes[col*len(classes)/n : (col+1)*len(classes)/n]
		for _, class := range part {
			if class >= 0 {
				grid.at[sh.lanes.of[class]][col] += shades / float64(len(part))
			}
		}
	}
	grid.draw(c, func(row, from, to int) vg.Rectangle {
		top, h := sh.lanes.row(area, row)
		x := func(col int) vg.Length { return sh.x(float64(col) * float64(len(classes)) / float64(n)) }
		return rect(x(from), top-s.to*h, x(to), top-s.from*h)
	}, func(shade int) color.RGBA { return blend(paper, s.colour, 0.12+0.88*float64(shade)/shades) })
}

// shades is the number of degrees between absent and everywhere.
const shades = 4

// grid is a picture of few shades, whose cells of one shade are drawn together.
type grid struct{ at [][]float64 }

func newGrid(rows, columns int) grid {
	g := grid{make([][]float64, rows)}
	for i := range g.at {
		g.at[i] = make([]float64, columns)
	}
	return g
}

// draw fills runs of equal shade, rounded up, in a row; shade 0 is left blank. where gives the place of columns from to to.
func (g grid) draw(c draw.Canvas, where func(row, from, to int) vg.Rectangle, colour func(shade int) color.RGBA) {
	paths := map[int]*fields{}
	for row, values := range g.at {
		for from := 0; from < len(values); {
			shade, to := shadeOf(values[from]), from+1
			for to < len(values) && shadeOf(values[to]) == shade {
				to++
			}
			if shade > 0 {
				if paths[shade] == nil {
					paths[shade] = &fields{canvas: c, colour: colour(shade)}
				}
				paths[shade].add(where(row, from, to))
			}
			from = to
		}
	}
	for _, shade := range slices.Sorted(maps.Keys(paths)) { // the bytes of a figure do not depend on the order of a map
		paths[shade].flush()
	}
}

// shadeOf rounds up, with room for the rounding of sums.
func shadeOf(v float64) int { return int(v + 1 - 1e-6) }
