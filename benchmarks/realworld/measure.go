package realworld

import (
	goruntime "runtime"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/scores"
)

// identity is a person, an account or a camera, with the streams that are its own. Items whose truth is -1 take part and are not scored.
type identity struct {
	name    string
	streams []*benchmarks.Stream
}

// predicted is what one predictor said of identities, in their order and in each draw of another.
type predicted struct {
	predictor string
	ordered   []identity
	shuffled  [][]identity
}

// modes are the filters, in the order of the tables.
func modes(auto adapt.Settings) []benchmarks.Method {
	return []benchmarks.Method{
		benchmarks.Filter("off", adapt.Settings{Gate: adapt.GateOff}),
		benchmarks.Filter("ewma", adapt.Settings{Gate: adapt.GateEWMA}),
		benchmarks.Filter("auto", auto),
		benchmarks.Smoothed("auto, smoothed", auto),
	}
}

// outcome is what the modes made of a predictor.
type outcome struct {
	predictor string
	ordered   []outcomeOf // of modes
	shuffled  []outcomeOf
}

// outcomeOf is one mode over the identities.
type outcomeOf struct {
	scores.Evaluation
	accuracy, f1 scores.MetricRow // means over identities; intervals only where there are two of them
	intervals    bool
}

// measure passes what was predicted through every mode.
func (p predicted) measure(labels []string, auto adapt.Settings, o scores.BootstrapOptions) (outcome, error) {
	out := outcome{predictor: p.predictor}
	var err error
	if out.ordered, err = measure([][]identity{p.ordered}, labels, auto, o); err != nil {
		return out, err
	}
	if len(p.shuffled) > 0 {
		out.shuffled, err = measure(p.shuffled, labels, auto, o)
	}
	return out, err
}

// measure scores draws of the same identities together.
func measure(draws [][]identity, labels []string, auto adapt.Settings, o scores.BootstrapOptions) ([]outcomeOf, error) {
	m := modes(auto)
	type job struct {
		name   string
		stream *benchmarks.Stream
		pairs  []*scores.Pair
	}
	var jobs []job
	for _, ids := range draws {
		for _, one := range ids {
			for _, s := range one.streams {
				jobs = append(jobs, job{name: one.name, stream: s})
			}
		}
	}
	_ = benchmarks.Parallel(goruntime.GOMAXPROCS(0), len(jobs), func(i int) error { // no job fails
		jobs[i].pairs = benchmarks.Compare(jobs[i].stream, m)
		return nil
	})
	out := make([]outcomeOf, len(m))
	for i := range m {
		all := scores.NewComparison(len(labels))
		for _, j := range jobs {
			all.AddPair(j.name, j.pairs[i])
		}
		var err error
		if out[i], err = outcomeOfAll(all, labels, o); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func outcomeOfAll(all *scores.Comparison, labels []string, o scores.BootstrapOptions) (outcomeOf, error) {
	out := outcomeOf{Evaluation: all.Evaluate(labels)}
	if len(out.Streams) < 2 {
		one := out.Streams[0]
		out.accuracy, out.f1 = single(one.Raw.Accuracy, one.Adapted.Accuracy), single(one.Raw.MacroF1, one.Adapted.MacroF1)
		return out, nil
	}
	b, err := all.Bootstrap(labels, o)
	if err != nil {
		return out, err
	}
	out.intervals = true
	for _, row := range b.Mean {
		switch row.Metric {
		case "accuracy":
			out.accuracy = row
		case "macro_f1":
			out.f1 = row
		}
	}
	return out, nil
}

func single(before, after float64) scores.MetricRow {
	return scores.MetricRow{Raw: scores.Estimate{Value: before}, Adapted: scores.Estimate{Value: after}, Change: scores.Estimate{Value: after - before}}
}

// harmed counts the identities of many items that lose over a point, and how many of many items there are.
func (o outcomeOf) harmed() (harmed, long int) {
	for k, s := range o.Streams {
		if s.Raw.Items < benchmarks.LongStream {
			continue
		}
		long++
		if o.change(k) < -1 {
			harmed++
		}
	}
	return harmed, long
}

// change is what a mode changes of the accuracy of an identity, in points.
func (o outcomeOf) change(k int) float64 {
	return 100 * (o.Streams[k].Adapted.Accuracy - o.Streams[k].Raw.Accuracy)
}
