package pipeline

import (
	"cmp"
	"fmt"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/models/predict"
)

// Item is what the pipeline knows of one input. All items of a run are in memory, 88 bytes each and the bytes of the name: a week of
// windows of 2 s takes 40 MB. Let the items of a stream share one Stream string.
type Item struct {
	Name   string // for outputs and messages; unique
	Stream string
	Time   time.Time // zero: unknown
	Zoned  bool      // Time has a UTC offset
	// Where the item lies in a recording, in seconds; no duration: it is no piece of one. Only outputs show it.
	Offset, Duration float64
	Box              *Box // that a detector found, if the item is no whole picture; only outputs show it
}

// Box is a detection.
type Box = results.Box

// stepper takes outcomes in processing order and turns each into a record. It holds one filter: streams come one after another, so
// that a new name is a new stream and the filter starts again.
type stepper struct {
	kind    predict.Kind
	filter  *adapt.Filter
	keeper  *timeline.Keeper // of the stream in hand; nil: only the order of the items counts
	stream  string
	started bool
	record  results.Record // reused
	counts  Counts
}

func newStepper(kind predict.Kind, filter *adapt.Filter, times *timeline.Settings) (*stepper, error) {
	k := filter.Classes()
	s := &stepper{kind: kind, filter: filter, record: results.Record{Raw: make([]float64, k), Adapted: make([]float64, k)}}
	if times == nil {
		return s, nil
	}
	var err error
	s.keeper, err = timeline.NewKeeper(*times, timeline.PolicyKeep) // the items are in order
	return s, err
}

// step returns the record of the next item. The record is valid until the next step.
func (s *stepper) step(item *Item, o outcome) *results.Record {
	if !s.started || item.Stream != s.stream {
		s.filter.Reset()
		if s.keeper != nil {
			s.keeper.Clock().Reset()
		}
		s.stream, s.started = item.Stream, true
	}
	r := &s.record
	raw, adapted := r.Raw[:s.filter.Classes()], r.Adapted[:s.filter.Classes()]
	*r = results.Record{
		File: item.Name, Stream: item.Stream, Time: item.Time, Zoned: item.Zoned, Offset: item.Offset, Duration: item.Duration,
		Box: item.Box, Raw: raw, Adapted: adapted,
	}
	if r.Failure = s.predict(r, o); !r.Failed() {
		s.pass(item)
		r.Gate = s.filter.Step(adapted, raw).Gate
		if err := adapt.Check(adapted, len(adapted)); err != nil {
			panic(fmt.Sprintf("pipeline: %s: the filter gave no probabilities: %v", item.Name, err)) // never, whatever the network put out
		}
	}
	s.count(r)
	if r.Failed() { // no vectors, but keep the memory
		failed := *r
		failed.Raw, failed.Adapted = nil, nil
		return &failed
	}
	return r
}

// pass tells the filter of the time since the last item that was a step. One that failed leaves a gap.
func (s *stepper) pass(item *Item) {
	if s.keeper == nil {
		return
	}
	_, gap, err := s.keeper.Next(item.Time, []byte(item.Name))
	if err != nil {
		panic(err) // only of the policy error
	}
	if gap.Break {
		s.filter.Break()
	}
	s.filter.Skip(gap.Missed)
}

// predict fills r.Raw and returns the reason if it cannot. A failed item is no step of its stream: the filter carries on with the
// next one as if the item had not been there.
func (s *stepper) predict(r *results.Record, o outcome) (failure string) {
	if o.raw == nil {
		return cmp.Or(o.failure, "no output")
	}
	if err := s.kind.Probabilities(r.Raw, o.raw); err != nil {
		return err.Error()
	}
	return ""
}

func (s *stepper) count(r *results.Record) {
	s.counts.Items++
	if r.Failed() {
		s.counts.Failures++
	} else if r.Changed() {
		s.counts.Changed++
	}
}

// checkOrder reports a stream that does not hang together: its filter would start again in the middle.
func checkOrder(items []Item) error {
	seen := map[string]bool{}
	for i := range items {
		if i > 0 && items[i].Stream == items[i-1].Stream {
			continue
		}
		if seen[items[i].Stream] {
			return fmt.Errorf("pipeline: item %d (%s): stream %q comes a second time", i, items[i].Name, items[i].Stream)
		}
		seen[items[i].Stream] = true
	}
	return nil
}
