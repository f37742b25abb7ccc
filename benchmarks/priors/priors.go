package priors

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/datasets"
)

// Settings say what is measured. The zero value, with a folder of shared data, is the study of the documentation.
type Settings struct {
	Shared      string   // folder of shared data
	Corruptions []string // of CIFAR-10-C, whose pictures the network predicts; nil: DefaultCorruptions, empty: none
	Seeds       int      // streams drawn of each kind, seeded 1, 2, ...; 0: 10
	Steps       int      // length of a stream; 0: 2000
	Workers     int      // streams that run at a time; 0: one for each core
}

func (s *Settings) resolve() error {
	if s.Seeds == 0 {
		s.Seeds = 10
	}
	if s.Steps == 0 {
		s.Steps = 2000
	}
	if s.Seeds < 1 || s.Steps < 2 {
		return fmt.Errorf("priors: %d seeds of %d steps: want at least 1 of 2", s.Seeds, s.Steps)
	}
	return nil
}

// Result is the outcome on one set of predictions, for every condition, method and seed.
type Result struct {
	Set          string
	Seeds, Steps int
	Base         float64 // accuracy of the predictor over the set, percent
	Conditions   []string
	Methods      []string
	Accuracy     [][][]float64 // [conditions][methods][seeds], percent
}

// Names of the methods that are no filters.
const (
	Plain   = "base"
	Divided = "base / source prior"
)

// Uniform and Source name a filter by its gate and prior.
func Uniform(gate adapt.Gate) string { return string(gate) + ", uniform prior" }

// Source is the name with the source prior.
func Source(gate adapt.Gate) string { return string(gate) + ", source prior" }

// gates are those that are compared.
func gates() []adapt.Gate { return []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} }

func methods(source []float64) []benchmarks.Method {
	plain := benchmarks.Base()
	plain.Name = Plain
	out := []benchmarks.Method{plain, {Name: Divided, Label: func(dst []int, q [][]float64) { divide(dst, q, source) }}}
	for _, gate := range gates() {
		out = append(out,
			benchmarks.Filter(Uniform(gate), adapt.Settings{Gate: gate}),
			benchmarks.Filter(Source(gate), adapt.Settings{Gate: gate, Prior: source}))
	}
	return out
}

// divide writes the classes of the greatest q/prior.
func divide(dst []int, q [][]float64, prior []float64) {
	for t, row := range q {
		best := 0
		for i, v := range row {
			if v*prior[best] > row[best]*prior[i] {
				best = i
			}
		}
		dst[t] = best
	}
}

// Run runs everything on the predictions of the imbalanced network: those of the test set, which are ready, and those of corruptions, which the
// runner makes. Corruptions that cannot be had are left out, and told in missing.
func Run(ctx context.Context, r *networks.Runner, s Settings) (results []*Result, missing []string, err error) {
	if s.Corruptions == nil {
		s.Corruptions = DefaultCorruptions()
	}
	clean, err := ready(s.Shared)
	if err != nil {
		return nil, nil, err
	}
	sets, missing, err := predicted(ctx, r, s.Shared, s.Corruptions)
	if err != nil {
		return nil, nil, err
	}
	for _, set := range append([]*benchmarks.Predictions{clean}, sets...) {
		one, err := run(set, s)
		if err != nil {
			return nil, nil, err
		}
		results = append(results, one)
	}
	return results, missing, nil
}

// run is Run on one set, which knows its source prior.
func run(set *benchmarks.Predictions, s Settings) (*Result, error) {
	if err := s.resolve(); err != nil {
		return nil, err
	}
	if set.Classes() != datasets.NoShiftClasses {
		return nil, fmt.Errorf("priors: predictions of %d classes: want %d", set.Classes(), datasets.NoShiftClasses)
	}
	list, columns := methods(set.Prior), conditions()
	r := &Result{Set: set.Name, Seeds: s.Seeds, Steps: s.Steps, Base: set.Accuracy}
	for _, m := range list {
		r.Methods = append(r.Methods, m.Name)
	}
	for _, c := range columns {
		r.Conditions = append(r.Conditions, c.name)
		accuracy := make([][]float64, len(list))
		for m := range accuracy {
			accuracy[m] = make([]float64, s.Seeds)
		}
		r.Accuracy = append(r.Accuracy, accuracy)
	}
	return r, benchmarks.Parallel(s.Workers, len(columns)*s.Seeds, func(job int) error {
		c, seed := job/s.Seeds, job%s.Seeds
		labels := columns[c].stream.Labels(uint64(seed+1), set.Classes(), s.Steps)
		items, err := datasets.DrawItems(uint64(seed+1), labels, set.Truth)
		if err != nil {
			return fmt.Errorf("priors: %w", err)
		}
		q, predicted := benchmarks.Pick(set.Q, items), make([]int, s.Steps)
		for m, method := range list {
			method.Label(predicted, q)
			r.Accuracy[c][m][seed] = benchmarks.Accuracy(predicted, labels)
		}
		return nil
	})
}

// Mean is the accuracy of a method in percent, over the seeds.
func (r *Result) Mean(condition int, method string) float64 {
	return stat.Mean(r.of(condition, method), nil)
}

// Difference returns by how many points one method is better than another on the same streams, and the standard error of that mean over
// the seeds, which is 0 with fewer than two.
func (r *Result) Difference(condition int, method, than string) (mean, se float64) {
	d := slices.Clone(r.of(condition, method))
	for i, v := range r.of(condition, than) {
		d[i] -= v
	}
	if len(d) < 2 {
		return stat.Mean(d, nil), 0
	}
	return stat.Mean(d, nil), stat.StdErr(stat.StdDev(d, nil), float64(len(d)))
}

func (r *Result) of(condition int, method string) []float64 {
	return r.Accuracy[condition][slices.Index(r.Methods, method)]
}
