package plasticity

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
)

// Settings say what is measured. The zero value, with a folder of shared data, is the study of the documentation.
type Settings struct {
	Shared  string   // folder of shared data
	Sets    []string // names of predictions, as benchmarks.CIFARSets has them; nil: DefaultSets
	Seeds   int      // streams, seeded 1, 2, ...; 0: 10
	Steps   int      // length of a stream, whose middle is the switch; 0: 2000
	Workers int      // streams that run at a time; 0: one for each core
}

// DefaultSets are the corruption whose base accuracy is nearest to the paper's 77 %, and the test set as it is.
func DefaultSets() []string { return []string{"elastic_transform", "test set, balanced"} }

// Span is that of the exponential mean, as the paper's figure has it.
const Span = 300

// minSteps leaves a few steps on both sides of the switch.
const minSteps = 20

func (s *Settings) resolve() error {
	s.Seeds, s.Steps = cmp.Or(s.Seeds, 10), cmp.Or(s.Steps, 2000)
	if s.Sets == nil {
		s.Sets = DefaultSets()
	}
	if s.Seeds < 1 || s.Steps < minSteps {
		return fmt.Errorf("plasticity: %d seeds of %d steps: want at least 1 of %d", s.Seeds, s.Steps, minSteps)
	}
	return nil
}

// Trace is the structural gain of one gate on one set of predictions.
type Trace struct {
	Set  string      `json:"set"`
	Base float64     `json:"base_percent"` // accuracy of the predictor over the set
	Gate adapt.Gate  `json:"gate"`
	Gain [][]float64 `json:"gain"` // [seeds][steps], G_t behind step t
}

// gates are those that learn a matrix in different ways: the paper's gates change nothing of it.
func gates() []adapt.Gate { return []adapt.Gate{adapt.GateOff, adapt.GateAuto} }

// Run follows every gate on every set.
func Run(s Settings) ([]Trace, error) {
	if err := s.resolve(); err != nil {
		return nil, err
	}
	sets, err := read(s)
	if err != nil {
		return nil, err
	}
	var traces []Trace
	for _, set := range sets {
		for _, gate := range gates() {
			traces = append(traces, Trace{set.Name, set.Accuracy, gate, make([][]float64, s.Seeds)})
		}
	}
	return traces, benchmarks.Parallel(s.Workers, len(traces)*s.Seeds, func(job int) (err error) {
		i, seed := job/s.Seeds, job%s.Seeds
		traces[i].Gain[seed], err = follow(sets[i/len(gates())], traces[i].Gate, uint64(seed+1), s.Steps)
		return err
	})
}

func read(s Settings) (out []*benchmarks.Predictions, err error) {
	all, err := benchmarks.NeedCIFARSets(s.Shared)
	if err != nil {
		return nil, err
	}
	list := slices.Concat(all.Corrupted, all.Test)
	for _, name := range s.Sets {
		at := slices.IndexFunc(list, func(p *benchmarks.Predictions) bool { return p.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("plasticity: no predictions %q", name)
		}
		out = append(out, list[at])
	}
	return out, nil
}

// follow returns the structural gain behind every step of a stream.
func follow(set *benchmarks.Predictions, gate adapt.Gate, seed uint64, steps int) ([]float64, error) {
	labels := datasets.S4().Labels(seed, set.Classes(), steps)
	items, err := datasets.DrawItems(seed, labels, set.Truth)
	if err != nil {
		return nil, fmt.Errorf("plasticity: %s: %w", set.Name, err)
	}
	f, err := adapt.New(set.Classes(), adapt.Settings{Gate: gate})
	if err != nil {
		return nil, fmt.Errorf("plasticity: %w", err)
	}
	p, gain := make([]float64, set.Classes()), make([]float64, steps)
	for t, i := range items {
		f.Step(p, set.Q[i])
		gain[t] = f.Gain()
	}
	return gain, nil
}

// smooth returns the exponential mean of a span: sum_k w^k x_{t-k} / sum_k w^k with w = 1 - 2/(span+1), as pandas has it.
func smooth(x []float64, span float64) []float64 {
	w, sum, norm, out := 1-2/(span+1), 0.0, 0.0, make([]float64, len(x))
	for t, v := range x {
		sum, norm = w*sum+v, w*norm+1
		out[t] = sum / norm
	}
	return out
}

// Summary is a trace in numbers.
type Summary struct {
	Mean, Spread []float64 // [steps] of the exponential means: over the seeds, and their standard deviation
	Raw          []float64 // [steps] of the gain itself, of the first seed
	Before       Level     // exponential mean at the last step before the switch
	After        Level     // the same at the end
	Half         int       // steps behind the switch until Mean is half way from Before to After; -1 if that is never
}

// Level is mean and standard deviation over the seeds; the latter is 0 with one.
type Level struct{ Mean, Spread float64 }

// Summary returns the trace in numbers.
func (r Trace) Summary() Summary {
	steps := len(r.Gain[0])
	s := Summary{Mean: make([]float64, steps), Spread: make([]float64, steps), Raw: r.Gain[0], Half: -1}
	var smoothed [][]float64
	for _, gain := range r.Gain {
		smoothed = append(smoothed, smooth(gain, Span))
	}
	at := make([]float64, len(smoothed))
	for t := range steps {
		for i, one := range smoothed {
			at[i] = one[t]
		}
		if s.Mean[t] = stat.Mean(at, nil); len(at) > 1 {
			s.Spread[t] = stat.StdDev(at, nil)
		}
	}
	middle := steps / 2
	s.Before, s.After = Level{s.Mean[middle-1], s.Spread[middle-1]}, Level{s.Mean[steps-1], s.Spread[steps-1]}
	half := (s.Before.Mean + s.After.Mean) / 2
	for t := middle; t < steps; t++ {
		if (s.Mean[t] <= half) == (s.After.Mean <= s.Before.Mean) {
			s.Half = t + 1 - middle
			break
		}
	}
	return s
}
