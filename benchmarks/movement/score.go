package movement

import (
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
)

// modes are how much of a recording the filter knows.
var modes = []streams.Mode{streams.Filtered, streams.Smoothed}

// scores are the windows that are right, of each person: raw and in each mode.
type scores map[string]*tally

type tally struct {
	windows, raw int
	adapted      [2]int // of modes
}

// score passes predictions through the filter in an order.
func (s *study) score(q map[int][]float64, order []int) (scores, error) {
	out := scores{}
	for _, i := range order {
		if s.truth[i] < 0 {
			continue
		}
		t := out[s.person[i]]
		if t == nil {
			t = &tally{}
			out[s.person[i]] = t
		}
		t.windows++
		if class, _ := results.Top(q[i]); class == s.truth[i] {
			t.raw++
		}
	}
	for k, mode := range modes {
		if err := s.adapt(q, order, mode, func(i, class int) {
			if class == s.truth[i] {
				out[s.person[i]].adapted[k]++
			}
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// adapt tells the class that the filter has for each window.
func (s *study) adapt(q map[int][]float64, order []int, mode streams.Mode, tell func(i, class int)) error {
	items, at := s.input.Items(), 0
	runner, err := streams.New(streams.Options{Classes: len(s.model.Manifest.Labels), Settings: s.filter, Mode: mode, Times: &streams.Times{Policy: timeline.PolicyKeep}},
		func(a streams.Answer[int]) error {
			i := at
			if a.Waited {
				i = a.Ref
			}
			class, _ := results.Top(a.Probs)
			tell(i, class)
			return nil
		})
	if err != nil {
		return err
	}
	for _, at = range order {
		if err := runner.Add(streams.Item[int]{Stream: []byte(items[at].Stream), Probs: q[at], Ref: func() int { return at }}); err != nil {
			return err
		}
	}
	return runner.Flush()
}
