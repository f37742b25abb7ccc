package corruption

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
)

// Settings say what is measured. The zero value, with a folder of shared data, is the study of the documentation.
type Settings struct {
	Shared  string // folder of shared data
	Seeds   int    // streams drawn of each kind, seeded 1, 2, ...; 0: 10
	Steps   int    // length of a stream; 0: 2000
	Workers int    // streams that run at a time; 0: one for each core
}

func (s *Settings) resolve() error {
	s.Seeds, s.Steps = cmp.Or(s.Seeds, 10), cmp.Or(s.Steps, 2000)
	if s.Seeds < 1 || s.Steps < 1 {
		return fmt.Errorf("corruption: %d seeds of %d steps: want at least 1 of each", s.Seeds, s.Steps)
	}
	return nil
}

// variant is a filter with settings of its own.
type variant struct {
	name     string
	settings adapt.Settings
}

// gates are the filters as they are.
func gates() (out []variant) {
	for _, gate := range []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} {
		out = append(out, variant{string(gate), adapt.Settings{Gate: gate}})
	}
	return out
}

// Gains are what filters change on one kind of stream.
type Gains struct {
	Stream  string        `json:"stream"`
	Sets    []string      `json:"sets"` // corruptions, the worst base first
	Base    [][]float64   `json:"base"` // [sets][seeds], accuracy in percent
	Filters []string      `json:"filters"`
	Change  [][][]float64 `json:"change"` // [filters][sets][seeds], points against the base
}

// measure runs the filters on streams that are the same for all corruptions.
func measure(sets []*benchmarks.Predictions, stream datasets.Controlled, filters []variant, s Settings) (*Gains, error) {
	g := &Gains{Stream: stream.Name}
	for _, set := range sets {
		g.Sets, g.Base = append(g.Sets, set.Name), append(g.Base, make([]float64, s.Seeds))
	}
	methods := []benchmarks.Method{benchmarks.Base()}
	for _, f := range filters {
		if err := f.settings.Validate(sets[0].Classes()); err != nil {
			return nil, fmt.Errorf("corruption: %s: %w", f.name, err)
		}
		methods = append(methods, benchmarks.Filter(f.name, f.settings))
		change := make([][]float64, len(sets))
		for i := range change {
			change[i] = make([]float64, s.Seeds)
		}
		g.Filters, g.Change = append(g.Filters, f.name), append(g.Change, change)
	}
	err := benchmarks.Parallel(s.Workers, len(sets)*s.Seeds, func(job int) error {
		i, seed := job/s.Seeds, job%s.Seeds
		set := sets[i]
		labels := stream.Labels(uint64(seed+1), set.Classes(), s.Steps)
		items, err := datasets.DrawItems(uint64(seed+1), labels, set.Truth)
		if err != nil {
			return fmt.Errorf("corruption: %s: %w", set.Name, err)
		}
		q, predicted := benchmarks.Pick(set.Q, items), make([]int, s.Steps)
		for m, method := range methods {
			method.Label(predicted, q)
			if accuracy := benchmarks.Accuracy(predicted, labels); m == 0 {
				g.Base[i][seed] = accuracy
			} else {
				g.Change[m-1][i][seed] = accuracy - g.Base[i][seed]
			}
		}
		return nil
	})
	g.sort()
	return g, err
}

// sort puts the sets in the order of their base accuracy.
func (g *Gains) sort() {
	order := make([]int, len(g.Sets))
	for i := range order {
		order[i] = i
	}
	base := g.Bases()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(base[a], base[b]) })
	g.Sets, g.Base = benchmarks.Pick(g.Sets, order), benchmarks.Pick(g.Base, order)
	for f := range g.Change {
		g.Change[f] = benchmarks.Pick(g.Change[f], order)
	}
}

// Bases are the base accuracies of the sets in percent, means over the seeds.
func (g *Gains) Bases() []float64 { return means(g.Base) }

// Changes are the changes of a filter by set in points, means over the seeds.
func (g *Gains) Changes(filter int) []float64 { return means(g.Change[filter]) }

// Fit is that of the changes of a filter over the base accuracies.
func (g *Gains) Fit(filter int) Fit { return fitted(g.Bases(), g.Changes(filter)) }

// standardError is that of the change of a filter on a set, over the seeds; 0 with fewer than two.
func (g *Gains) standardError(filter, set int) float64 {
	x := g.Change[filter][set]
	if len(x) < 2 {
		return 0
	}
	return stat.StdDev(x, nil) / math.Sqrt(float64(len(x)))
}

func means(rows [][]float64) (out []float64) {
	for _, row := range rows {
		out = append(out, stat.Mean(row, nil))
	}
	return out
}

// Run measures the gates on S2.
func Run(s Settings) (*Gains, error) {
	if err := s.resolve(); err != nil {
		return nil, err
	}
	sets, err := benchmarks.NeedCIFARSets(s.Shared)
	if err != nil {
		return nil, err
	}
	return measure(sets.Corrupted, datasets.S2(0.7), gates(), s)
}
