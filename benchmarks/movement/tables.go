package movement

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oatta/oatta/benchmarks/report"
)

// result is what the study found.
type result struct{ rows []*row }

func (r *result) tables(s *study, o Settings) []report.Table {
	note := fmt.Sprintf("%s on %d windows of %d recordings; scored are those with a label of the network's that at least %g of the window has. Temperature %.3g.",
		s.model.Manifest.Name, len(s.order), s.recordings(), o.Purity, s.model.Manifest.Temperature)
	return []report.Table{
		r.methods("In order", func(row *row) []scores { return []scores{row.ordered} }, note),
		r.methods("Shuffled", func(row *row) []scores { return row.shuffled }, fmt.Sprintf("The windows of each recording in an order without meaning, mean of %d draws.", o.Shuffles)),
		r.people(),
	}
}

// methods is the table of all predictors, of the scores that of picks.
func (r *result) methods(title string, of func(*row) []scores, note string) report.Table {
	t := report.Table{Title: title, Columns: []string{"predictor", "raw", "causal", "smoothed"}, Notes: []string{note}}
	for _, row := range r.rows {
		var all tally
		for _, one := range of(row) {
			all.add(one.total())
		}
		t.Add(append([]string{row.name}, all.cells()...)...)
	}
	return t
}

// people is the table of the plain network, person by person.
func (r *result) people() report.Table {
	base := r.rows[0]
	t := report.Table{Title: "By person, " + base.name, Columns: []string{"person", "windows", "raw", "causal", "smoothed"}}
	for _, name := range slices.Sorted(maps.Keys(base.ordered)) {
		one := *base.ordered[name]
		t.Add(append([]string{name, fmt.Sprint(one.windows)}, one.cells()...)...)
	}
	return t
}

// recordings counts the streams of the people.
func (s *study) recordings() int {
	seen, items := map[string]bool{}, s.input.Items()
	for _, i := range s.order {
		seen[items[i].Stream] = true
	}
	return len(seen)
}

// total adds up all people.
func (s scores) total() (all tally) {
	for _, t := range s {
		all.add(*t)
	}
	return all
}

func (t *tally) add(o tally) {
	t.windows, t.raw = t.windows+o.windows, t.raw+o.raw
	for k := range modes {
		t.adapted[k] += o.adapted[k]
	}
}

// cells are accuracies in percent, raw and adapted with the change in points.
func (t tally) cells() []string {
	percent := func(n int) float64 { return 100 * float64(n) / float64(t.windows) }
	out := []string{fmt.Sprintf("%.2f", percent(t.raw))}
	for _, n := range t.adapted {
		out = append(out, fmt.Sprintf("%.2f (%+.2f)", percent(n), percent(n)-percent(t.raw)))
	}
	return out
}
