package plasticity

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/charts"
)

// What the paper reads from its figure, of the gain before the switch and after it.
const (
	paperBefore = 0.2
	paperAfter  = 0.15
)

// Study is the study for the program that runs all of them.
func Study() report.Study {
	return report.Study{
		Name: "plasticity", Does: "how fast the learned matrix follows a switch of regime",
		Declare: func(f report.Flags) report.Run {
			var s Settings
			var quick bool
			f.Shared(&s.Shared)
			f.Func("sets", "`NAME` of CIFAR predictions, such as fog; may be repeated (default: elastic_transform and the balanced test set)", func(name string) error {
				s.Sets = append(s.Sets, name)
				return nil
			})
			f.Seeds(&s.Seeds, 10, "streams")
			f.Steps(&s.Steps)
			f.Workers(&s.Workers)
			f.Quick(&quick)
			return func(context.Context, report.Host) ([]report.Section, error) {
				if quick {
					s.Seeds = min(s.Seeds, 2)
				}
				traces, err := Run(s)
				if err != nil {
					return nil, err
				}
				section, err := Section(traces)
				return []report.Section{section}, err
			}
		},
	}
}

// Section states the levels and draws the traces, a figure for each set.
func Section(traces []Trace) (report.Section, error) {
	s := report.Section{
		ID: "plasticity", Title: "Structural gain across a switch of regime",
		Intro: []string{"Streams S4: sticky at 0.7 until the middle, at 0.5 from there on. The structural gain is the mean of the diagonal of the learned matrix, less chance; a matrix that were the stream's own would have 0.6, then 0.4."},
		Notes: []string{
			"The paper's predictor is a ResNet-18 on CIFAR-10.1, which labels 77 % rightly: of the sets here elastic_transform is nearest to it. It reads its two levels from a figure of one stream.",
			"The paper's gates learn the same matrix as off, to the bit: they choose how much of the answer is the filter's.",
		},
		Made: report.Made{Seeds: fmt.Sprintf("1 to %d", len(traces[0].Gain))},
	}
	table := report.Table{
		ID: "levels", Title: "Exponential mean of the structural gain",
		Columns: []string{"predictions", "base %", "gate", "before", "after", "steps to half way"},
		Notes:   []string{fmt.Sprintf("Span %d; before is at the last step of the first regime, after at the last of the stream; means of %d streams, ± their standard deviation. Steps to half way are those behind the switch after which the mean of the streams is nearer to the new level; the span alone makes them about %d.", Span, len(traces[0].Gain), lag())},
	}
	var sums []Summary
	for _, r := range traces {
		sum := r.Summary()
		sums = append(sums, sum)
		before, after := report.Num(sum.Before.Mean, 3).WithStd(sum.Before.Spread), report.Num(sum.After.Mean, 3).WithStd(sum.After.Spread)
		if r.Gate == adapt.GateOff && r.Set == DefaultSets()[0] {
			before, after = before.WithPaper(paperBefore), after.WithPaper(paperAfter)
		}
		table.AddCells(report.Text(r.Set), report.Num(r.Base, 1), report.Text(string(r.Gate)), before, after, report.Count(sum.Half))
	}
	s.Tables = []report.Table{table}
	for i := 0; i < len(traces); i += len(gates()) {
		figure, err := figure(fmt.Sprintf("gain-%d", i/len(gates())+1), traces[i:i+len(gates())], sums[i:i+len(gates())])
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, figure)
	}
	details, err := json.Marshal(traces)
	s.Details = details
	return s, err
}

// lag is how many steps an exponential mean takes to go half way to a level that came at once.
func lag() int {
	x := make([]float64, 4*Span)
	for i := 3 * Span; i < len(x); i++ {
		x[i] = 1
	}
	for t, v := range smooth(x, Span) {
		if v >= .5 {
			return t + 1 - 3*Span
		}
	}
	return -1
}

// figure draws the gates on one set.
func figure(id string, traces []Trace, sums []Summary) (report.Figure, error) {
	steps := len(sums[0].Mean)
	x, truth := make([]float64, steps), make([]float64, steps)
	for t := range x {
		x[t], truth[t] = float64(t+1), 0.6
		if t >= steps/2 {
			truth[t] = 0.4
		}
	}
	data := report.Table{Columns: []string{"step"}, Notes: []string{"Means of the exponential means, ± the standard deviation over the streams."}}
	var said []string
	bands := []charts.Band{{Curve: thinned(charts.Curve{Name: "off, one stream as it is", X: x, Y: sums[0].Raw, Colour: 5})}}
	for i, sum := range sums {
		low, high := make([]float64, steps), make([]float64, steps)
		for t, v := range sum.Mean {
			low[t], high[t] = v-sum.Spread[t], v+sum.Spread[t]
		}
		name := string(traces[i].Gate)
		said = append(said, fmt.Sprintf("%s at %.3f before the switch and at %.3f at the end", name, sum.Before.Mean, sum.After.Mean))
		data.Columns = append(data.Columns, name)
		bands = append(bands, charts.Band{Curve: thinned(charts.Curve{Name: name, X: x, Y: sum.Mean, Colour: i}), Low: every(low), High: every(high)})
	}
	bands = append(bands, charts.Band{Curve: thinned(charts.Curve{Name: "of the stream's own matrix", X: x, Y: truth, Colour: 6, Dashed: true})})
	for t := rowStep - 1; t < steps; t += rowStep {
		row := []report.Cell{report.Count(t + 1)}
		for _, sum := range sums {
			row = append(row, report.Num(sum.Mean[t], 3).WithStd(sum.Spread[t]))
		}
		data.AddCells(row...)
	}
	svg, err := charts.Bands(traces[0].Set, "step", "structural gain", bands, float64(steps/2)).Encode("svg")
	return report.Figure{
		ID: id, Caption: fmt.Sprintf("Structural gain on %s, exponential means over %d steps", traces[0].Set, Span),
		Alt: "curves over the steps, with a switch in the middle: " + strings.Join(said, "; "), SVG: svg, Data: data,
	}, err
}

// rowStep is how far apart the rows of a figure's numbers are, and drawStep its points: what lies between them is not seen.
const rowStep, drawStep = 100, 4

func thinned(c charts.Curve) charts.Curve {
	c.X, c.Y = every(c.X), every(c.Y)
	return c
}

func every(x []float64) (out []float64) {
	for i := 0; i < len(x); i += drawStep {
		out = append(out, x[i])
	}
	return out
}
