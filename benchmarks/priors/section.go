package priors

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/report"
)

// Study is the study for the program that runs all of them.
func Study() report.Study {
	return report.Study{
		Name: "priors", Does: "the source prior against the uniform one, with label shift and without",
		Declare: func(f report.Flags) report.Run {
			var s Settings
			var quick bool
			var cache string
			f.Shared(&s.Shared)
			f.Seeds(&s.Seeds, 10, "streams of each kind")
			f.Steps(&s.Steps)
			f.Workers(&s.Workers)
			f.Quick(&quick)
			f.Cache(&cache)
			f.Func("corruption", "`NAME` of a corruption of CIFAR-10-C, whose pictures the network predicts; may be repeated (default: elastic_transform and glass_blur; with --quick none)", func(name string) error {
				s.Corruptions = append(s.Corruptions, name)
				return nil
			})
			return func(ctx context.Context, h report.Host) ([]report.Section, error) {
				if quick {
					s.Seeds, s.Steps, s.Corruptions = min(s.Seeds, 2), min(s.Steps, 500), append([]string{}, s.Corruptions...)
				}
				runner := &networks.Runner{Engine: h.Engine, Folder: cache, Workers: s.Workers, Progress: h.Progress}
				results, missing, err := Run(ctx, runner, s)
				if err != nil {
					return nil, err
				}
				section, err := Section(results, missing)
				return []report.Section{section}, err
			}
		},
	}
}

// published is the paper's table "Prior sensitivity analysis": accuracy in percent, by condition.
var published = map[string][4]float64{
	Plain:                   {62.30, 63.15, 73.55, 73.50},
	Source(adapt.GateOff):   {64.85, 64.90, 74.50, 74.00},
	Uniform(adapt.GateOff):  {63.50, 64.15, 75.25, 74.45},
	Source(adapt.GateEWMA):  {64.85, 64.90, 74.50, 74.00},
	Uniform(adapt.GateEWMA): {63.50, 64.15, 75.25, 74.45},
}

// Section states the outcome on each set beside the paper's.
func Section(results []*Result, missing []string) (report.Section, error) {
	details, err := json.Marshal(results)
	s := report.Section{
		ID: "priors", Title: "Prior sensitivity and label shift",
		Intro: []string{
			"Likelihoods are q divided by a class prior: the source prior, of the training set in which classes 5 to 9 have a tenth of the pictures, or the uniform one.",
			"With shift, the classes of the streams are balanced; without, the streams follow the paper's printed matrices and are as unequal as the training set.",
		},
		Missing: missing,
		Notes: []string{
			"The predictor is the project's ResNet-18, on CIFAR-10's own test set and on corruptions of its first 1000 pictures at severity 5; the paper's is one on CIFAR-10.1, whose pictures are not at hand. On elastic_transform the base is as good as there. The paper has one run, and does not say whether its gate was on: its numbers stand beside both of its filters. Here the first label of every stream is drawn evenly.",
			"The gate auto divides by no prior: what its hypotheses believe begins at it. The gate ewma mixes the filter's answer with q itself, which is not divided: so with shift it stays behind the source prior alone.",
		},
		Made:    report.Made{Seeds: fmt.Sprintf("1 to %d", results[0].Seeds)},
		Details: details,
	}
	for i, r := range results {
		for _, t := range []report.Table{r.accuracies(), r.differences()} {
			t.Title += fmt.Sprintf(": %s, base %.1f %%", r.Set, r.Base)
			if i > 0 {
				t.ID += fmt.Sprintf("-%d", i+1)
			}
			s.Tables = append(s.Tables, t)
		}
	}
	return s, err
}

// accuracies is the paper's table.
func (r *Result) accuracies() report.Table {
	t := report.Table{ID: "accuracy", Title: "Accuracy in percent by class prior", Columns: append([]string{"method"}, r.Conditions...)}
	for _, m := range r.Methods {
		row := []report.Cell{report.Text(m)}
		for c := range r.Conditions {
			cell := report.Num(r.Mean(c, m), 2)
			if p, ok := published[m]; ok {
				cell = cell.WithPaper(p[c])
			}
			row = append(row, cell)
		}
		t.AddCells(row...)
	}
	t.Notes = []string{fmt.Sprintf("Means of %d streams of %d labels.", r.Seeds, r.Steps)}
	return t
}

// differences are what the paper's claims are about.
func (r *Result) differences() report.Table {
	t := report.Table{ID: "differences", Title: "What the prior and the filter change", Columns: append([]string{"points"}, r.Conditions...)}
	add := func(title, method, than string) {
		row := []report.Cell{report.Text(title)}
		for c := range r.Conditions {
			mean, se := r.Difference(c, method, than)
			cell := report.Points(mean).WithStd(se)
			p, ok := published[method]
			if q, both := published[than]; ok && both {
				cell = cell.WithPaper(p[c] - q[c])
			}
			row = append(row, cell)
		}
		t.AddCells(row...)
	}
	add("source prior alone, less base", Divided, Plain)
	for _, gate := range gates() {
		name := string(gate)
		add(name+": source prior less uniform", Source(gate), Uniform(gate))
		add(name+": uniform prior less base", Uniform(gate), Plain)
		add(name+": source prior less source prior alone", Source(gate), Divided)
	}
	t.Notes = []string{"± is the standard error over the streams, which both methods have seen. Source prior alone is the base predictor divided by it, without a filter."}
	return t
}
