package gaps

import (
	"fmt"
	"math"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/benchmarks/report"
)

// Settings say what is measured.
type Settings struct {
	Shared  string // folder of shared data
	Gates   []adapt.Gate
	Seeds   int  // draws of predictions and of the items that are missing
	Workers int  // streams that run at a time; 0: one for each core
	Smooth  bool // the whole recording in view, in place of the causal filter
	Details bool // every collection of recordings in a column of its own
}

// Run returns a table for each gate.
func Run(s Settings) (tables []report.Table, err error) {
	conditions, err := read(s.Shared, s.Seeds)
	if err != nil {
		return nil, err
	}
	columns := gather(conditions, s.Details)
	for _, gate := range s.Gates {
		m := method{adapt.Settings{Gate: gate}, s.Smooth}
		if err := m.Validate(2); err != nil {
			return nil, err
		}
		tables = append(tables, tabulate(m, columns, s.Workers))
	}
	return tables, nil
}

// tabulate runs every choice of what is told of time on every condition.
func tabulate(m method, columns []column, workers int) report.Table {
	t := report.Table{Title: fmt.Sprintf("gate %s", m), Columns: []string{"what the filter is told"}}
	base := []string{"base, accuracy %"}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
		base = append(base, fmt.Sprintf("%.1f", c.base()))
	}
	t.Add(base...)
	for _, choice := range choices() {
		row := []string{choice.name}
		for _, c := range columns {
			mean, worst := c.change(m, choice.settings, workers)
			row = append(row, fmt.Sprintf("%+.2f (%+.1f)", mean, worst))
		}
		t.Add(row...)
	}
	return t
}

// column is what one column of the tables is the mean of.
type column struct {
	name string
	of   []condition
}

// gather puts conditions with the same loss together, or each into a column of its own.
func gather(conditions []condition, details bool) (out []column) {
	at := map[string]int{}
	for _, c := range conditions {
		name := c.loss
		if details || name == "" {
			name = strings.TrimSuffix(c.name+", "+c.loss, ", ")
		}
		i, ok := at[name]
		if !ok {
			i, at[name] = len(out), len(out)
			out = append(out, column{name: name})
		}
		out[i].of = append(out[i].of, c)
	}
	return out
}

func (c column) base() (mean float64) {
	for _, one := range c.of {
		mean += one.base() / float64(len(c.of))
	}
	return mean
}

func (c column) change(m method, clock timeline.Settings, workers int) (mean, worst float64) {
	worst = math.Inf(1)
	for _, one := range c.of {
		v, w := one.change(m, clock, workers)
		mean, worst = mean+v/float64(len(c.of)), min(worst, w)
	}
	return mean, worst
}
