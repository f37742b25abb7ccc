package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/queue"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
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

// moment is the item's time as the clocks of streams take it: what has no zone is of a clock on the wall, and no instant.
func (i *Item) moment() time.Time {
	if i.Zoned || i.Time.IsZero() {
		return i.Time
	}
	return timeline.OnWall(i.Time)
}

// Box is a detection.
type Box = results.Box

// stepper takes outcomes in processing order, passes them through the filters of their streams, and gives a record for each item in that
// order, as soon as its answer is known: at once, when the items of a lag have followed, or when the stream has ended. Streams come one
// after another, so that a stream's last item ends it, and only one stream waits at a time.
type stepper struct {
	job    *Job
	runner *streams.Runner[int]
	give   func(i int, r *results.Record, s *streams.Result) error
	ref    func() int // the current item
	at     int        // the current item
	given  int        // items whose records are out; those that follow wait
	wait   queue.Queue[waiting]
	counts Counts

	record       results.Record // reused, and so is what follows
	result       streams.Result
	raw, waited  []float64 // of the current item, and of one that had to wait
	stream, name []byte
}

// waiting is an item whose answer is not known yet, or a failure behind one.
type waiting struct {
	raw     []float32
	failure string
}

func newStepper(job *Job, give func(i int, r *results.Record, s *streams.Result) error) (*stepper, error) {
	k := job.Filter.Classes
	s := &stepper{job: job, give: give, raw: make([]float64, k), waited: make([]float64, k)}
	s.ref = func() int { return s.at }
	var err error
	s.runner, err = streams.New(job.Filter, s.answer)
	return s, err
}

// step takes the outcome of the next item. A failed item is no step of its stream: the filter carries on with the next one as if the
// item had not been there, but for the time that passed.
func (s *stepper) step(i int, o outcome) error {
	s.at = i
	failure := s.predict(o)
	s.counts.Items++
	if failure != "" {
		s.counts.Failures++
	}
	if err := s.pass(&s.job.Items[i], o, failure); err != nil {
		return fmt.Errorf("pipeline: %s: %w", s.job.Items[i].Name, err)
	}
	if i+1 < len(s.job.Items) && s.job.Items[i+1].Stream == s.job.Items[i].Stream {
		return nil
	}
	return s.end()
}

// pass has the item filtered, or put behind those that wait.
func (s *stepper) pass(item *Item, o outcome, failure string) error {
	if failure != "" {
		s.wait.Push(waiting{failure: failure})
		return s.giveFailures(s.at + 1)
	}
	if s.job.Filter.Mode != streams.Filtered && s.job.Filter.Mode != "" {
		s.wait.Push(waiting{raw: slices.Clone(o.raw)})
	}
	s.stream, s.name = append(s.stream[:0], item.Stream...), append(s.name[:0], item.Name...)
	add := streams.Item[int]{Stream: s.stream, ID: s.name, Time: item.moment(), Probs: s.raw, Ref: s.ref}
	if s.job.Known != nil && s.job.Known[s.at] != adapt.Unknown {
		add.Known, add.Class = true, s.job.Known[s.at]
	}
	return s.runner.Add(add)
}

// end ends the stream of the current item, and answers what waits.
func (s *stepper) end() error {
	if s.job.Clocks != nil {
		if err := s.runner.SaveClocks(s.job.Clocks); err != nil {
			return err
		}
	}
	if s.job.Ended != nil {
		s.job.Ended()
	}
	if err := s.runner.End(); err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	return s.giveFailures(s.at + 1)
}

// predict fills s.raw and returns the reason if it cannot.
func (s *stepper) predict(o outcome) (failure string) {
	if o.raw == nil {
		return cmp.Or(o.failure, "no output")
	}
	if err := s.job.Kind.Probabilities(s.raw, o.raw); err != nil {
		return err.Error()
	}
	return ""
}

// answer gives the record of an item that was filtered.
func (s *stepper) answer(a streams.Answer[int]) error {
	i, raw := s.at, s.raw
	if a.Waited {
		i, raw = a.Ref, s.waited
		if err := s.giveFailures(i); err != nil {
			return err
		}
		if err := s.job.Kind.Probabilities(raw, s.wait.Pop().raw); err != nil {
			return err // not after it went well for the filter
		}
	}
	r := s.recordOf(i)
	r.Raw, r.Adapted, r.Gate, r.Mode, r.Path = raw, a.Probs, a.Gate, string(cmp.Or(s.job.Filter.Mode, streams.Filtered)), a.Class+1
	if err := adapt.Check(r.Adapted, len(raw)); err != nil {
		panic(fmt.Sprintf("pipeline: %s: the filter gave no probabilities: %v", r.File, err)) // never, whatever the network put out
	}
	if a.Known {
		r.Mode = results.ModeKnown
	}
	if r.Changed() {
		s.counts.Changed++
	}
	s.given++
	s.result = a.Result // in memory that is there
	return s.give(i, r, &s.result)
}

// giveFailures gives the records of the failures before item end that wait for nothing.
func (s *stepper) giveFailures(end int) error {
	for s.given < end && s.wait.Len() > 0 && s.wait.First().failure != "" {
		r := s.recordOf(s.given)
		r.Failure = s.wait.Pop().failure
		s.given++
		if err := s.give(s.given-1, r, nil); err != nil {
			return err
		}
	}
	return nil
}

// recordOf returns the record of an item, without what came of it. It is valid until the next.
func (s *stepper) recordOf(i int) *results.Record {
	item := &s.job.Items[i]
	s.record = results.Record{
		File: item.Name, Stream: item.Stream, Time: item.Time, Zoned: item.Zoned, Offset: item.Offset, Duration: item.Duration, Box: item.Box,
	}
	return &s.record
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
