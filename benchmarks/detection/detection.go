package detection

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/report"
)

// Settings say what is measured.
type Settings struct {
	Shared   string // folder of shared data
	Seeds    int    // controlled streams of each kind, run together
	Steps    int    // labels in a controlled stream
	List     bool   // a table of every cell
	Transfer bool   // instead, what the temperature of the clean test set does on its corruptions
}

// Run returns a table for each of two gates, or those of temperatures on other data.
func Run(s Settings) (tables []report.Table, err error) {
	if s.Transfer {
		return transfer(s.Shared, s.Seeds, s.Steps)
	}
	cells, err := allCells(s.Shared, s.Seeds, s.Steps)
	if err != nil {
		return nil, err
	}
	for _, gate := range []adapt.Gate{adapt.GateAuto, adapt.GateOff} {
		var all []outcome
		listed := report.Table{Title: fmt.Sprintf("Every cell, gate %s", gate), Columns: []string{"cell"}}
		for _, c := range cells {
			o, err := c.measure(gate)
			if err != nil {
				return nil, err
			}
			all = append(all, o)
			listed.Add(o.String())
		}
		if s.List {
			tables = append(tables, listed)
		}
		tables = append(tables, summary(gate, all))
	}
	return tables, nil
}

// summary counts the alarms in each group of cells, and what following them changes.
func summary(gate adapt.Gate, all []outcome) report.Table {
	t := report.Table{Title: fmt.Sprintf("Gate %s", gate), Columns: []string{"cells that are", "cells", "alarms", "mean gain of the remedy", "worst"}}
	for _, group := range groups {
		cells, alarms, gain, worst := 0, 0, 0.0, 0.0
		for _, o := range all {
			if !group.holds(o) {
				continue
			}
			cells++
			if o.warned {
				alarms++
				gain += o.remedy
				worst = min(worst, o.remedy)
			}
		}
		t.AddCells(report.Text(group.name), report.Count(cells), report.Count(alarms), report.Points(gain/float64(max(alarms, 1))), report.Points(worst))
	}
	return t
}

var groups = []struct {
	name  string
	holds func(outcome) bool
}{
	{"as predicted, some temperature gains over a point", func(o outcome) bool { return !o.calibrated && o.best > 1 }},
	{"as predicted, in order, truth wants T over 2.2", func(o outcome) bool { return !o.calibrated && o.sticky && o.temperature > 2.2 }},
	{"as predicted, some gains up to a point", func(o outcome) bool { return !o.calibrated && o.best > 0 && o.best <= 1 }},
	{"as predicted, none gains", func(o outcome) bool { return !o.calibrated && o.best <= 0 }},
	{"as predicted, no order", func(o outcome) bool { return !o.calibrated && o.orderless }},
	{"calibrated by their labels", func(o outcome) bool { return o.calibrated }},
}
