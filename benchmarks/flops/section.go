package flops

import (
	"encoding/json"
	"fmt"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/method"
)

// Section states counts and times beside the paper's.
func (r *Result) Section() (report.Section, error) {
	s := report.Section{
		ID: "flops", Title: "Operations and time",
		Intro: []string{
			"Multiply-adds of convolutions and matrix products of one item, counted in the graphs that run, and CPU time on one thread, measured in turn in one run. The item is one picture; with the settings of small pictures TTAug has 10 views, Monte Carlo dropout 30 passes of what lies behind the dropout, Tent a step and a second forward pass, MEMO a step on 32 views.",
		},
		Missing: r.Missing,
		Made:    report.Made{Models: map[string]string{}},
	}
	for _, n := range r.Networks {
		s.Tables = append(s.Tables, n.table(r.Rounds))
		s.Made.Models[n.Name] = n.Hash
	}
	s.Tables = append(s.Tables, r.operations(), r.times())
	s.Notes = []string{
		fmt.Sprintf("The paper takes 3.8e9 operations for a forward pass of ResNet-50, which are the multiply-adds of its source; the graph has %.2fe9, or twice as many operations. So its overheads of the filter, which count multiplications and additions apart, are twice too large.", float64(r.Backbone.Products)/1e9),
		"MEMO's step on all parameters has fewer products than three forward passes of its views: the gradients of 3 x 3 weights are computed by minimal filtering, which needs 16 where 36 are counted.",
		"Algorithm 1 as it is printed takes a little over the paper's 7 K²: terms in K are left out there.",
		"Times are of a machine that may be busy with other work: ratios within one table are the result.",
	}
	details, err := json.Marshal(r)
	s.Details = details
	return s, err
}

// table is a row for each predictor of a network.
func (n *Network) table(rounds int) report.Table {
	t := report.Table{
		ID: "predictors-" + idOf(n.Name), Title: "Predictors with " + n.Name,
		Columns: []string{"predictor", "multiply-adds, millions", "other operations, millions", "counted, times a forward pass"},
		Notes:   []string{"Other operations are one for each element that anything but a convolution or a matrix product computes. The paper says of Tent, and of gradient steps in general, that they cost three forward passes."},
	}
	timed := n.Costs[0].Seconds > 0
	if timed {
		t.Columns = append(t.Columns, "CPU ms", "measured, times a forward pass", "filter auto, % of it")
		t.Notes = append(t.Notes, fmt.Sprintf("CPU time of one item, medians of %d rounds, in turn with the filter, whose step takes %.2f µs under auto and %.2f µs under off.", rounds, 1e6*n.Filter["auto"], 1e6*n.Filter["off"]))
	}
	for _, c := range n.Costs {
		ratio := report.Num(float64(c.Count.Products)/float64(n.Costs[0].Count.Products), 2)
		if c.Predictor == method.Tent {
			ratio = ratio.WithPaper(3)
		}
		row := []report.Cell{report.Text(c.Predictor), report.Num(float64(c.Count.Products)/1e6, 2), report.Num(float64(c.Count.Others)/1e6, 2), ratio}
		if timed {
			row = append(row, report.Num(1e3*c.Seconds, 2), report.Num(c.Seconds/n.Costs[0].Seconds, 2), report.Num(100*n.Filter["auto"]/c.Seconds, 3))
		}
		t.AddCells(row...)
	}
	return t
}

// idOf makes a name fit for the ID of a table.
func idOf(name string) string {
	out := []rune(name)
	for i, c := range out {
		switch {
		case c >= 'A' && c <= 'Z':
			out[i] = c + 'a' - 'A'
		case c < '0' || c > '9' && c < 'a' || c > 'z':
			out[i] = '-'
		}
	}
	return string(out)
}

// operations is the paper's complexity table.
func (r *Result) operations() report.Table {
	t := report.Table{
		ID: "filter", Title: "Operations of one step of the filter",
		Columns: []string{"classes", "as printed", "carried", "auto, K² terms", "carried, millionths of a forward pass"},
		Notes:   []string{"As printed is Algorithm 1 on numbers that count, beside the paper's 7 K²; carried is the same filter as it is computed here, for predictions none of which is 0. Auto learns four matrices, or two with many classes, at eight operations for each element. A forward pass is that of ResNet-50, two operations for each multiply-add; the paper's are 7 K² of 3.8e9."},
	}
	for _, f := range r.Filters {
		t.AddCells(report.Text(fmt.Sprintf("%d (%s)", f.Classes, f.Of)), report.Count(int(f.Printed)).WithPaper(float64(f.Paper)), report.Count(int(f.Carried)),
			report.Count(int(f.Auto)), report.Num(1e6*float64(f.Carried)/float64(2*r.Backbone.Products), 3).WithPaper(1e6*float64(f.Paper)/paperBackbone))
	}
	return t
}

// times is a row for each number of classes.
func (r *Result) times() report.Table {
	t := report.Table{
		ID: "filter-time", Title: "Microseconds of one step of the filter",
		Columns: []string{"classes"},
		Notes:   []string{fmt.Sprintf("CPU time, medians of %d rounds, for predictions none of which is 0.", r.Rounds)},
	}
	for _, gate := range gates() {
		t.Columns = append(t.Columns, string(gate))
	}
	for _, f := range r.Filters {
		row := []report.Cell{report.Count(f.Classes)}
		for _, gate := range gates() {
			row = append(row, report.Num(1e6*f.Seconds[string(gate)], 2))
		}
		t.AddCells(row...)
	}
	return t
}
