package benchmarks

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets"
)

// The two classes of CIFAR-10 that predictors confuse most, cat and dog.
const pairFirst, pairSecond = 3, 5

// unequalStreams have no order. A filter that mistakes a frequent class for one that stays loses on those whose classes are unequal.
func unequalStreams() []unequalStream {
	half, most := datasets.Unequal(0.5), datasets.Unequal(0.8)
	return []unequalStream{
		{"s1, 10 classes", false, false, datasets.S1()},
		{"10 classes, one a half, the rest even", false, false, half},
		{"10 classes, one a half, known and calibrated", false, true, half},
		{"s1, 2 classes", true, false, datasets.S1()},
		{"2 classes, 80 to 20", true, false, most},
		{"2 classes, 80 to 20, known and calibrated", true, true, most},
	}
}

type unequalStream struct {
	name   string
	paired bool // of two classes
	known  bool // the predictor is calibrated and knows the frequencies, as if it had been trained under them
	law    datasets.Controlled
}

// of returns the predictions of a set of ten classes for the stream.
func (u unequalStream) of(set *Predictions) *Predictions {
	if u.paired {
		set = set.Pair(pairFirst, pairSecond)
	}
	if !u.known {
		return set
	}
	frequencies := make([]float64, set.Classes())
	u.law.Transition(frequencies, 0, 1, 2)
	calibrated := &Predictions{Name: set.Name, Q: set.Tempered(LimitTemperature), Truth: set.Truth}
	return calibrated.Under(frequencies)
}

// unequalMethods are the gates of the paper and all editions of auto.
func unequalMethods() []Method {
	first, second := adapt.FirstAuto(), adapt.SecondAuto()
	return append(Filters(nil)[:len(adapt.Gates())-1], Filter("auto 1", adapt.Settings{Auto: &first}), Filter("auto 2", adapt.Settings{Auto: &second}), Filter("auto 3", adapt.Settings{}))
}

// Pair keeps the items of two classes, which become 0 and 1, with the probabilities that they have among the two.
func (p *Predictions) Pair(first, second int) *Predictions {
	out := &Predictions{Name: p.Name}
	for i, class := range p.Truth {
		if class != first && class != second {
			continue
		}
		q := []float64{p.Q[i][first], p.Q[i][second]}
		normalise(q)
		truth := 0
		if class == second {
			truth = 1
		}
		out.Q, out.Truth = append(out.Q, q), append(out.Truth, truth)
	}
	out.Accuracy = Accuracy(baseLabels(out.Q), out.Truth)
	return out
}

// Under returns what a predictor that was trained under equal frequencies would say had it been trained under these: q times them, normalised.
func (p *Predictions) Under(frequencies []float64) *Predictions {
	out := &Predictions{Name: p.Name, Q: shaped(p.Q), Truth: p.Truth, Prior: frequencies}
	for i, q := range p.Q {
		floats.MulTo(out.Q[i], q, frequencies)
		normalise(out.Q[i])
	}
	out.Accuracy = Accuracy(baseLabels(out.Q), out.Truth)
	return out
}

// RunUnequal runs the gates on streams without order whose classes are unequal, beside S1. Sets are of ten classes; two are made of each.
func RunUnequal(sets []*Predictions, s ControlledSettings) (*ControlledResult, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	streams, methods := unequalStreams(), append([]Method{Base()}, unequalMethods()...)
	var names, titles []string
	for _, m := range methods[1:] {
		names = append(names, m.Name)
	}
	for _, stream := range streams {
		titles = append(titles, stream.name)
	}
	r := emptyResult(sets, s, titles, names)
	err = Parallel(s.Workers, len(sets)*len(streams), func(job int) error {
		i, set := job%len(streams), sets[job/len(streams)]
		out := &r.Sets[job/len(streams)]
		err := eachSeed(streams[i].of(set), streams[i].law, methods, s, func(seed int, a []float64) {
			out.Base[i] += a[0] / float64(s.Seeds)
			for m := range names {
				out.Change[i][m][seed] = a[m+1] - a[0]
			}
		})
		if err != nil {
			return fmt.Errorf("benchmarks: %s: %w", set.Name, err)
		}
		return nil
	})
	return r, err
}

// UnequalTable has a row for each stream, the methods side by side, over all sets.
func UnequalTable(title string, r *ControlledResult) Table {
	t := Table{Title: title, Columns: append([]string{"stream", "base %"}, r.Methods...)}
	for i, stream := range r.Streams {
		row := []string{stream, fmt.Sprintf("%.1f", r.baseOver(r.all(), i))}
		for m := range r.Methods {
			row = append(row, r.Cell(r.all(), i, m).withError())
		}
		t.Add(row...)
	}
	t.Notes = []string{
		fmt.Sprintf("Change in points against the base predictor, mean of %d seeds over %d sets, the worst set in brackets; ± is the standard error over seeds; %d labels a stream.", r.Seeds, len(r.Sets), r.Steps),
		"Every label is drawn anew: there is no order to gain from. Two classes are cat and dog, with the probabilities that they have among the two; the cat is the frequent one.",
		fmt.Sprintf("ResNet-18 was trained under equal frequencies and claims too much, so that a filter may gain by learning how frequent classes are. Where these are known, they are multiplied into its "+
			"predictions, tempered by %.2f: as real predictors are, which were trained on such frequencies. Who then takes a frequent class for one that stays counts it twice.", LimitTemperature),
	}
	return t
}
