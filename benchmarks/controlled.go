package benchmarks

import (
	"cmp"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/oatta/oatta/datasets"
)

// LimitTemperature is that of the likelihoods of the limit: the predictors are over-confident, and this undoes it on average.
const LimitTemperature = 1.67

// Names of the two methods that know the law of the stream; the others are named by their gates.
const (
	MethodLimit     = "limit"
	MethodHindsight = "hindsight limit"
)

// ControlledSettings says which controlled streams are run. The zero value is the study of the documentation.
type ControlledSettings struct {
	Streams []datasets.Controlled // nil: those of the paper, see PaperStreams
	Steps   int                   // T, length of a stream; 0: 2000
	Seeds   int                   // streams drawn of each kind, seeded 1, 2, ...; 0: 10
	Workers int                   // 0: one for each core. The results do not depend on it.
}

// PaperStreams are the streams of the paper's controlled table. It has thirteen rows: S2 at its default alpha of 0.7 stands there twice.
func PaperStreams() []datasets.Controlled {
	out := []datasets.Controlled{datasets.S1()}
	for _, alpha := range []float64{0.10, 0.30, 0.50, 0.70, 0.85, 0.90, 0.95, 0.98} {
		out = append(out, datasets.S2(alpha))
	}
	return append(out, datasets.S3(), datasets.S4(), datasets.S5())
}

func (s ControlledSettings) resolved() (ControlledSettings, error) {
	if s.Streams == nil {
		s.Streams = PaperStreams()
	}
	if s.Steps == 0 {
		s.Steps = 2000
	}
	if s.Seeds == 0 {
		s.Seeds = 10
	}
	if s.Workers == 0 {
		s.Workers = goruntime.GOMAXPROCS(0)
	}
	if s.Steps < 1 || s.Seeds < 1 || s.Workers < 1 {
		return s, fmt.Errorf("benchmarks: %d steps, %d seeds, %d workers: want at least 1 of each", s.Steps, s.Seeds, s.Workers)
	}
	return s, nil
}

// ControlledResult holds the outcome for every set of predictions, stream, method and seed.
type ControlledResult struct {
	Streams []string
	Methods []string
	Steps   int
	Seeds   int
	Sets    []ControlledSet
}

// ControlledSet is the outcome on one set of predictions.
type ControlledSet struct {
	Name     string
	Accuracy float64       // of the predictor over its items, percent
	Base     []float64     // [streams] accuracy of the base predictor on the streams, percent, mean over seeds
	Change   [][][]float64 // [streams][methods][seeds] accuracy less the base's on the same stream, in points
}

// RunControlled runs all filters, the limit and the limit of hindsight on the controlled streams with the predictions of every set.
// Each stream's labels and items are a function of its seed and the same for all sets of the same items.
func RunControlled(sets []*Predictions, s ControlledSettings) (*ControlledResult, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	r := newControlledResult(sets, s)
	like := make([][][]float64, len(sets))
	for i, set := range sets {
		like[i] = set.Tempered(LimitTemperature)
	}
	jobs := len(sets) * len(s.Streams) * s.Seeds
	base := make([]float64, jobs)
	err = Parallel(s.Workers, jobs, func(job int) error {
		seed, rest := job%s.Seeds, job/s.Seeds
		stream, set := rest%len(s.Streams), rest/len(s.Streams)
		accuracy, err := controlledJob(sets[set], like[set], s.Streams[stream], uint64(seed+1), s.Steps)
		if err != nil {
			return fmt.Errorf("benchmarks: %s: %w", sets[set].Name, err)
		}
		base[job] = accuracy[0]
		for m, v := range accuracy[1:] {
			r.Sets[set].Change[stream][m][seed] = v - accuracy[0]
		}
		return nil
	})
	for job, v := range base { // summed in order, whoever did the work
		r.Sets[job/s.Seeds/len(s.Streams)].Base[job/s.Seeds%len(s.Streams)] += v / float64(s.Seeds)
	}
	return r, err
}

func newControlledResult(sets []*Predictions, s ControlledSettings) *ControlledResult {
	var streams, methods []string
	for _, c := range s.Streams {
		streams = append(streams, c.Name)
	}
	for _, m := range Filters(nil) {
		methods = append(methods, m.Name)
	}
	return emptyResult(sets, s, streams, append(methods, MethodLimit, MethodHindsight))
}

// emptyResult has room for all numbers.
func emptyResult(sets []*Predictions, s ControlledSettings, streams, methods []string) *ControlledResult {
	r := &ControlledResult{Streams: streams, Methods: methods, Steps: s.Steps, Seeds: s.Seeds}
	for _, set := range sets {
		one := ControlledSet{Name: set.Name, Accuracy: set.Accuracy, Base: make([]float64, len(streams))}
		for range streams {
			change := make([][]float64, len(methods))
			for m := range change {
				change[m] = make([]float64, s.Seeds)
			}
			one.Change = append(one.Change, change)
		}
		r.Sets = append(r.Sets, one)
	}
	return r
}

// all are the numbers of all sets.
func (r *ControlledResult) all() []int { return r.Over(func(ControlledSet) bool { return true }) }

// controlledJob returns the accuracy in percent of the base and of all methods on one stream.
func controlledJob(set *Predictions, like [][]float64, stream datasets.Controlled, seed uint64, steps int) ([]float64, error) {
	labels := stream.Labels(seed, set.Classes(), steps)
	items, err := datasets.DrawItems(seed, labels, set.Truth)
	if err != nil {
		return nil, err
	}
	law := func(dst []float64, from, t int) { stream.Transition(dst, from, t, steps) }
	likelihoods := Pick(like, items)
	methods := append([]Method{Base()}, Filters(set.Prior)...)
	methods = append(methods,
		Method{Name: MethodLimit, Label: func(dst []int, _ [][]float64) { knowing(dst, likelihoods, law) }},
		Method{Name: MethodHindsight, Label: func(dst []int, _ [][]float64) { hindsight(dst, likelihoods, law) }},
	)
	return accuracies(methods, Pick(set.Q, items), labels), nil
}

// Pick returns the rows of items, which may be drawn more than once. Rows that are slices are shared.
func Pick[T any](rows []T, items []int) []T {
	out := make([]T, len(items))
	for t, i := range items {
		out[t] = rows[i]
	}
	return out
}

// accuracies returns the accuracy of each method in percent.
func accuracies(methods []Method, q [][]float64, truth []int) []float64 {
	out, labels := make([]float64, len(methods)), make([]int, len(q))
	for i, m := range methods {
		m.Label(labels, q)
		out[i] = Accuracy(labels, truth)
	}
	return out
}

// Accuracy is the share of labels that are true, in percent.
func Accuracy(labels, truth []int) float64 {
	hits := 0
	for t, y := range truth {
		if labels[t] == y {
			hits++
		}
	}
	return 100 * float64(hits) / float64(len(truth))
}

// Parallel calls do for 0 to jobs-1 on several goroutines, 0 workers being one for each core. Every job writes to places of its own, so
// that the result does not depend on who does it. The error is that of the first failed job in the order of numbers.
func Parallel(workers, jobs int, do func(job int) error) error {
	errs := make([]error, jobs)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(cmp.Or(workers, goruntime.GOMAXPROCS(0)), jobs) {
		group.Go(func() {
			for {
				job := int(next.Add(1)) - 1
				if job >= jobs {
					return
				}
				errs[job] = do(job)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
