package growth

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/charts"
)

func sectionOf(axes []*Axis) (report.Section, error) {
	s := report.Section{
		ID: "growth", Title: "Growth",
		Intro: []string{"What an item costs as something around it grows. Points of one figure were measured in turn and in one run. The last row is the exponent e where the cost of an item grows as x^e, over the largest three points, and behind it what its input grows by: a cost may not grow faster."},
		Notes: []string{"Microseconds of one step, item, picture or window: of the CPU on all threads, but for cores, where they are those that pass. Where the machine is busy with other work, exponents are the result."},
	}
	for _, a := range axes {
		figure, err := a.figure()
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, figure)
	}
	details, err := json.Marshal(axes)
	s.Details = details
	return s, err
}

// table is a row for each point, and one of exponents.
func (a *Axis) table() report.Table {
	t := report.Table{ID: a.ID, Title: a.Title, Columns: []string{a.Grows}, Notes: []string{a.Note}}
	for _, s := range a.Series {
		t.Columns = append(t.Columns, s.Name+", µs")
	}
	for i, x := range a.X {
		row := []report.Cell{report.Text(fmt.Sprintf("%g", x))}
		for _, s := range a.Series {
			row = append(row, micros(s.Seconds[i]))
		}
		t.AddCells(row...)
	}
	row := []report.Cell{report.Text("exponent")}
	for _, s := range a.Series {
		row = append(row, report.Text(fmt.Sprintf("%.2f (input %g)", s.Exponent(a.X), s.Bound)))
	}
	if a.ID != "cores" { // where fewer points are, and one is none
		t.AddCells(row...)
	}
	return t
}

// micros shows three digits, or all before the point.
func micros(seconds float64) report.Cell {
	v := 1e6 * seconds
	if !(v > 0) {
		return report.Text("")
	}
	return report.Num(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

// figure draws the series over logarithmic axes, on which powers are straight lines.
func (a *Axis) figure() (report.Figure, error) {
	var curves []charts.Curve
	for i, s := range a.Series {
		y := make([]float64, len(s.Seconds))
		for j, v := range s.Seconds {
			y[j] = 1e6 * v
		}
		curves = append(curves, charts.Curve{Name: s.Name, X: a.X, Y: y, Colour: i})
	}
	svg, err := charts.Powers(a.Title, a.Grows, "µs", curves).Encode("svg")
	return report.Figure{
		ID: a.ID, Caption: a.Title + ", both axes logarithmic.", Alt: fmt.Sprintf("Curves of microseconds over %s.", a.Grows), SVG: svg, Data: a.table(),
	}, err
}
