package calibration

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
)

// folds is how many parts the streams are cut into, each of which is held out once.
const folds = 5

// HeldOutOptions says what is tried. The zero value but for Settings tries the transitions and the prior of the labels.
type HeldOutOptions struct {
	Settings adapt.Settings    // without prior and population
	Counts   []float64         // of training items of each class, for the prior; nil: of the labels of the other streams
	Taught   *adapt.Population // transitions that are tried as they are, and no prior, of streams that are not among these; nil: those of the other streams
	Steps    int               // the most items filtered; 0: as many as take minutes at most
	Stop     <-chan struct{}   // ends the work when it is closed
}

// ErrStopped is the cause of work that HeldOutOptions.Stop has ended.
var ErrStopped = errors.New("calibration: stopped")

// HeldOut is what prior and transitions do for streams that they were not learned from.
type HeldOut struct {
	Items       int     `json:"items"`    // with a label, of the streams that were filtered
	Streams     int     `json:"streams"`  // that were filtered
	Folds       int     `json:"folds"`    // of all streams
	NLL         float64 `json:"nll"`      // of the adapted probabilities without either, in nats an item
	Accuracy    float64 `json:"accuracy"` // of the same
	Prior       *Gain   `json:"prior,omitempty"`
	Transitions *Gain   `json:"transitions,omitempty"`
}

// Gain is a change for the better, an item.
type Gain struct {
	Nats     float64 `json:"nats"` // of the log of the adapted probability of the truth
	Low      float64 `json:"low"`  // ends of its 95 % interval over streams
	High     float64 `json:"high"`
	Accuracy float64 `json:"accuracy"` // parts of 1
}

// leastGain is a gain, in nats an item, that changes nothing that anybody could see.
const leastGain = 1e-3

// Sure tells that the gain is neither one of chance, its interval being over 0, nor too small to mean anything.
func (g *Gain) Sure() bool { return g != nil && g.Low > 0 && g.Nats >= leastGain }

// Harm tells that it is a loss, its interval being under 0, and one that means something.
func (g *Gain) Harm() bool { return g != nil && g.High < 0 && g.Nats <= -leastGain }

// The candidates.
const (
	bare = iota
	withPrior
	withTransitions
	candidates
)

// outcome is what one candidate did for one stream.
type outcome struct {
	items, right int
	logs         float64 // of the truth's probabilities, summed
}

// HeldOut filters every stream with the class prior, and with the transitions, that the streams of the other folds teach, and compares that with
// neither. It is nil where there are no two streams with labels: nothing can be held out.
func (r *Recordings) HeldOut(o HeldOutOptions) (*HeldOut, error) {
	var labelled []int
	for i, s := range r.streams {
		if s.labels > 0 {
			labelled = append(labelled, i)
		}
	}
	if len(labelled) < 2 {
		return nil, nil
	}
	h := &heldOut{Recordings: r, o: o, labelled: labelled, lengths: r.within(labelled, o.Steps), outcomes: make([][candidates]outcome, len(labelled))}
	h.folds = min(folds, len(labelled))
	errs := make([]error, h.folds)
	var wait sync.WaitGroup
	for f := range errs {
		wait.Go(func() { errs[f] = h.fold(f) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return h.result(), nil
}

// within returns how many items of each stream are filtered: no more than a tenth of the steps of one, and the first streams as far as the
// steps go.
func (r *Recordings) within(labelled []int, steps int) []int {
	if steps <= 0 {
		steps = int(min(1e6, 5e9/math.Pow(float64(r.set.classes), 2)))
	}
	most := max(steps/10, 1)
	lengths := make([]int, len(labelled))
	for i, s := range labelled {
		lengths[i] = min(len(r.streams[s].items), most, steps)
		steps -= lengths[i]
	}
	return lengths
}

// heldOut is the work in hand.
type heldOut struct {
	*Recordings
	o        HeldOutOptions
	labelled []int
	lengths  []int // of each, items to be filtered
	folds    int
	outcomes [][candidates]outcome // of each, by a fold of its own
}

// fold holds the streams of one fold out.
func (h *heldOut) fold(f int) error {
	settings, err := h.learn(f)
	if err != nil {
		return err
	}
	for i := f; i < len(h.labelled); i += h.folds {
		for c, s := range settings {
			if s == nil {
				continue
			}
			if err := h.filter(&h.outcomes[i][c], *s, h.streams[h.labelled[i]].items[:h.lengths[i]]); err != nil {
				return err
			}
		}
	}
	return nil
}

// learn makes the candidates of the other folds' streams; nil is one that there is not.
func (h *heldOut) learn(f int) (out [candidates]*adapt.Settings, err error) {
	held := make(map[int]bool)
	for i := f; i < len(h.labelled); i += h.folds {
		held[h.labelled[i]] = true
	}
	out[bare] = &h.o.Settings
	if h.o.Taught != nil {
		transitions := h.o.Settings
		transitions.Population = h.o.Taught
		out[withTransitions] = &transitions
		return out, nil
	}
	prior := h.o.Settings
	counts := h.o.Counts
	if counts == nil {
		counts = make([]float64, h.set.classes)
		for s, stream := range h.streams {
			if held[s] {
				continue
			}
			for _, item := range stream.items {
				if class := h.truth(item); class >= 0 {
					counts[class]++
				}
			}
		}
	}
	if prior.Prior, err = Prior(counts, Pseudocount); err != nil {
		return out, err
	}
	out[withPrior] = &prior
	if taught := h.counts(func(s int) bool { return !held[s] }); taught != nil {
		names := make([]string, h.set.classes)
		for k := range names {
			names[k] = strconv.Itoa(k)
		}
		order, err := taught.Order(names)
		if err != nil {
			return out, err
		}
		transitions := h.o.Settings
		if transitions.Population, err = order.For(names); err != nil {
			return out, err
		}
		out[withTransitions] = &transitions
	}
	return out, nil
}

// filter filters a stream and adds up what comes out for its labels.
func (h *heldOut) filter(to *outcome, s adapt.Settings, items []recorded) error {
	class := -1
	runner, err := streams.New(streams.Options{
		Classes: h.set.classes, Settings: s, Times: &streams.Times{Policy: timeline.PolicyKeep},
	}, func(a streams.Answer[int]) error {
		if class < 0 {
			return nil
		}
		to.items++
		to.logs += math.Log(max(a.Probs[class], Floor))
		if label, _ := results.Top(a.Probs); label == class {
			to.right++
		}
		return nil
	})
	if err != nil {
		return err
	}
	q := make([]float64, h.set.classes)
	for _, item := range items {
		select {
		case <-h.o.Stop:
			return ErrStopped
		default:
		}
		if item.row == unread {
			continue
		}
		class = h.truth(item)
		h.probs(q, item)
		if err := runner.Add(streams.Item[int]{Time: item.time, Probs: q, Ref: func() int { return 0 }}); err != nil {
			return err
		}
	}
	return runner.Flush()
}

func (h *heldOut) result() *HeldOut {
	out := &HeldOut{Folds: h.folds}
	h.outcomes = slices.DeleteFunc(h.outcomes, func(o [candidates]outcome) bool { return o[bare].items == 0 })
	for _, o := range h.outcomes {
		out.Items += o[bare].items
		out.Streams++
		out.NLL -= o[bare].logs
		out.Accuracy += float64(o[bare].right)
	}
	if out.Streams < 2 {
		return nil
	}
	out.NLL /= float64(out.Items)
	out.Accuracy /= float64(out.Items)
	out.Prior, out.Transitions = h.gain(withPrior), h.gain(withTransitions)
	return out
}

// gain compares a candidate with the filter as it is. The mean of an item is a ratio of sums over streams, and so is its error.
func (h *heldOut) gain(candidate int) *Gain {
	g, items := &Gain{}, 0.0
	for _, o := range h.outcomes {
		if o[candidate].items == 0 {
			return nil
		}
		items += float64(o[bare].items)
		g.Nats += o[candidate].logs - o[bare].logs
		g.Accuracy += float64(o[candidate].right - o[bare].right)
	}
	g.Nats /= items
	g.Accuracy /= items
	square, n := 0.0, float64(len(h.outcomes))
	for _, o := range h.outcomes {
		d := o[candidate].logs - o[bare].logs - g.Nats*float64(o[bare].items)
		square += d * d
	}
	e := 1.96 * math.Sqrt(square*n/(n-1)) / items
	g.Low, g.High = g.Nats-e, g.Nats+e
	return g
}
