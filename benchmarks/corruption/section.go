package corruption

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/charts"
)

// What the paper reports of its fit. It does not say of which of its two filters.
const (
	paperR         = 0.82
	paperBreakEven = 48.2
)

// Study is the study for the program that runs all of them.
func Study() report.Study {
	return report.Study{
		Name: "corruption", Does: "the filter's gain against the base accuracy, over fifteen corruptions",
		Declare: declare(func(s Settings) (report.Section, error) {
			g, err := Run(s)
			if err != nil {
				return report.Section{}, err
			}
			return g.Section()
		}),
	}
}

// ThresholdStudy is the other one.
func ThresholdStudy() report.Study {
	return report.Study{
		Name: "threshold", Does: "what settings of the paper's filter do to its gain and its break-even point",
		Declare: declare(func(s Settings) (report.Section, error) {
			t, err := RunThreshold(s)
			if err != nil {
				return report.Section{}, err
			}
			return t.Section()
		}),
	}
}

func declare(do func(Settings) (report.Section, error)) func(report.Flags) report.Run {
	return func(f report.Flags) report.Run {
		var s Settings
		var quick bool
		f.Shared(&s.Shared)
		f.Seeds(&s.Seeds, 10, "streams of each kind")
		f.Steps(&s.Steps)
		f.Workers(&s.Workers)
		f.Quick(&quick)
		return func(context.Context, report.Host) ([]report.Section, error) {
			if quick {
				s.Seeds, s.Steps = min(s.Seeds, 2), min(s.Steps, 500)
			}
			section, err := do(s)
			return []report.Section{section}, err
		}
	}
}

// where is how the settings differ from the paper's.
const where = "The predictor is the project's ResNet-18, on the first 1000 pictures of each corruption in place of 10,000; its items are drawn with replacement. The paper does not say which of its two filters its numbers are of: they stand beside both."

// Section states gains and fits, and draws them.
func (g *Gains) Section() (report.Section, error) {
	figure, err := g.figure()
	if err != nil {
		return report.Section{}, err
	}
	details, err := json.Marshal(g)
	return report.Section{
		ID: "corruption", Title: "Gain against base accuracy",
		Intro:   []string{"Fifteen corruptions of CIFAR-10-C at severity 5, on sticky streams (S2, alpha 0.7). Each corruption harms the predictor to a degree of its own; a line is fitted to what the filter gains over the accuracy that is left."},
		Tables:  []report.Table{g.fits()},
		Figures: []report.Figure{figure},
		Notes:   []string{where},
		Made:    report.Made{Seeds: fmt.Sprintf("1 to %d", len(g.Base[0]))},
		Details: details,
	}, err
}

// fits is a row for each filter.
func (g *Gains) fits() report.Table {
	t := report.Table{
		ID: "fits", Title: "Lines fitted to the gains",
		Columns: []string{"filter", "R", "95 %", "slope", "break-even %", "gain", "worst", "gains"},
		Notes:   []string{"Slope is points per percent of base accuracy; gain is the mean over the corruptions in points, worst its least, gains how many are above 0. The interval of R is Fisher's."},
	}
	for f, name := range g.Filters {
		fit, change := g.Fit(f), g.Changes(f)
		r, even := report.Num(fit.R, 2), fit.breakEven()
		if name != "auto" {
			r, even = r.WithPaper(paperR), even.WithPaper(paperBreakEven)
		}
		above := floats.Count(func(v float64) bool { return v > 0 }, change)
		t.AddCells(report.Text(name), r, report.Text(fmt.Sprintf("%.2f to %.2f", fit.Interval[0], fit.Interval[1])), signed(fit.Slope, 3), even,
			report.Points(stat.Mean(change, nil)), report.Points(floats.Min(change)), report.Text(fmt.Sprintf("%d of %d", above, len(change))))
	}
	return t
}

// breakEven is none where the line crosses zero at no accuracy that there can be.
func (f Fit) breakEven() report.Cell {
	if f.BreakEven >= 0 && f.BreakEven <= 100 {
		return report.Num(f.BreakEven, 1)
	}
	return report.Text("none")
}

func signed(v float64, digits int) report.Cell {
	c := report.Num(v, digits)
	c.Signed = true
	return c
}

// table is a row for each corruption.
func (g *Gains) table() report.Table {
	t := report.Table{
		ID: "corruptions", Title: "Change in points by corruption", Columns: append([]string{"corruption", "base %"}, g.Filters...),
		Notes: []string{fmt.Sprintf("Means of %d streams, ± their standard error.", len(g.Base[0]))},
	}
	base := g.Bases()
	for i, name := range g.Sets {
		row := []report.Cell{report.Text(name), report.Num(base[i], 1)}
		for f := range g.Filters {
			row = append(row, report.Points(g.Changes(f)[i]).WithStd(g.standardError(f, i)))
		}
		t.AddCells(row...)
	}
	return t
}

// figure draws the table, and the lines.
func (g *Gains) figure() (report.Figure, error) {
	var series []charts.Points
	var said []string
	for f, name := range g.Filters {
		fit := g.Fit(f)
		said = append(said, fmt.Sprintf("%s, R %.2f, %+.3f points a percent", name, fit.R, fit.Slope))
		series = append(series, charts.Points{
			Name: fmt.Sprintf("%s, R = %.2f", name, fit.R), X: g.Bases(), Y: g.Changes(f), Colour: f,
			Line: &charts.Line{At0: fit.At0, Slope: fit.Slope},
		})
	}
	svg, err := charts.Scatter("", "base accuracy (%)", "change by the filter (points)", series).Encode("svg")
	return report.Figure{
		ID: "gain", Caption: "What the filter changes, over the base accuracy, one point for each corruption",
		Alt: "scatter plot with a line fitted to the points of each filter: " + strings.Join(said, "; "), SVG: svg, Data: g.table(),
	}, err
}

// Section states what each setting does.
func (t *Threshold) Section() (report.Section, error) {
	table := report.Table{
		ID: "settings", Title: "Settings of the paper's filter, one changed at a time",
		Columns: []string{"filter", "s1", "worst s1", "s2 alpha=0.70", "worst s2", "R", "break-even %"},
		Notes:   []string{"Changes in points, means over the fifteen corruptions, and the least of a corruption. R and break-even are of the line through the changes on S2 over the base accuracies."},
	}
	for f, name := range t.Sticky.Filters {
		none, sticky, fit := t.None.Changes(f), t.Sticky.Changes(f), t.Sticky.Fit(f)
		table.AddCells(report.Text(name), report.Points(stat.Mean(none, nil)), report.Points(floats.Min(none)),
			report.Points(stat.Mean(sticky, nil)), report.Points(floats.Min(sticky)), report.Num(fit.R, 2), fit.breakEven())
	}
	details, err := json.Marshal(t)
	return report.Section{
		ID: "threshold", Title: "Sensitivity of the adaptation threshold",
		Intro:   []string{"What the settings of the paper's filter, of which it prints none, and those of its gate do to the gain and to the accuracy from which on there is one."},
		Tables:  []report.Table{table},
		Notes:   []string{where, "The defaults were fitted to the paper's controlled table, not to this one."},
		Made:    report.Made{Seeds: fmt.Sprintf("1 to %d", len(t.None.Base[0]))},
		Details: details,
	}, err
}
