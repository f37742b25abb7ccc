package sleepnet

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/internal/training"
)

// result is what the study found.
type result struct {
	recordings        int
	ordered, shuffled tally // of all folds and seeds
	people            map[string]*right
	temperatures      []float64 // of the folds, rising
}

// tally counts true stages and answers: of the network, of the causal filter, and with the whole recording in view.
type tally [3]table

// right counts the epochs of a person, and those that are right in each of the ways of a tally.
type right struct {
	items int
	hits  [3]int
}

func (r *right) add(of ...scores.Scores) {
	r.items += of[0].Items
	for k, s := range of {
		r.hits[k] += s.Correct
	}
}

// table has how often a stage, the first index, got a label, the second.
type table [][]int

func (t *tally) learned(l *training.Learned) {
	t.add(l.Test.Raw, l.Test.Adapted, l.Smoothed.Adapted)
}

func (t *tally) add(of ...scores.Scores) {
	for k, s := range of {
		if t[k] == nil {
			t[k] = make(table, len(stages))
			for i := range t[k] {
				t[k][i] = make([]int, len(stages))
			}
		}
		labels, counts := s.Confusion()
		for i, row := range counts {
			for j, n := range row {
				t[k][slices.Index(stages, labels[i])][slices.Index(stages, labels[j])] += n
			}
		}
	}
}

// items counts all.
func (t table) items() (n int) {
	for _, row := range t {
		for _, v := range row {
			n += v
		}
	}
	return n
}

// accuracy is the share on the diagonal.
func (t table) accuracy() float64 {
	right := 0
	for k := range t {
		right += t[k][k]
	}
	return float64(right) / float64(t.items())
}

// kappa is Cohen's: the accuracy beyond what stages and labels would have in common by chance.
func (t table) kappa() float64 {
	chance, n := 0.0, float64(t.items())
	for k := range t {
		truly, told := 0, 0
		for i := range t {
			truly, told = truly+t[k][i], told+t[i][k]
		}
		chance += float64(truly) / n * float64(told) / n
	}
	return (t.accuracy() - chance) / (1 - chance)
}

func (r *result) tables(s Settings) []report.Table {
	all := report.Table{
		Title: "Sleep of people whom the network has not seen", Columns: []string{"epochs", "raw", "causal", "smoothed"},
		Notes: []string{fmt.Sprintf("%d recordings of %d people, %d epochs scored; %d folds, mean of %d seeds. The network sees %d epochs on each side. Temperatures %.2f to %.2f, median %.2f.",
			r.recordings, len(r.people), r.ordered[0].items()/s.Seeds, s.Folds, s.Seeds, s.Sides,
			r.temperatures[0], r.temperatures[len(r.temperatures)-1], r.temperatures[len(r.temperatures)/2])},
	}
	for _, row := range []struct {
		name string
		of   tally
	}{{"in order", r.ordered}, {"shuffled", r.shuffled}} {
		all.Add(append([]string{row.name + ", accuracy %"}, row.of.accuracies()...)...)
		all.Add(append([]string{row.name + ", kappa"}, row.of.kappas()...)...)
	}
	people := report.Table{Title: "By person, accuracy %", Columns: []string{"person", "epochs", "raw", "causal", "smoothed"}}
	for _, name := range slices.Sorted(maps.Keys(r.people)) {
		p := r.people[name]
		people.Add(append([]string{name, fmt.Sprint(p.items / s.Seeds)}, p.accuracies()...)...)
	}
	return []report.Table{all, people}
}

func (t tally) accuracies() []string {
	return cells(t[0].accuracy(), t[1].accuracy(), t[2].accuracy())
}

func (r right) accuracies() []string {
	n := float64(r.items)
	return cells(float64(r.hits[0])/n, float64(r.hits[1])/n, float64(r.hits[2])/n)
}

// cells are accuracies in percent, those of the filter with the change in points.
func cells(raw float64, filtered ...float64) []string {
	out := []string{fmt.Sprintf("%.2f", 100*raw)}
	for _, v := range filtered {
		out = append(out, fmt.Sprintf("%.2f (%+.2f)", 100*v, 100*(v-raw)))
	}
	return out
}

func (t tally) kappas() (out []string) {
	for _, x := range t {
		out = append(out, fmt.Sprintf("%.3f", x.kappa()))
	}
	return out
}
