package streams

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/queue"
)

// Mode is how much of a stream an answer may know.
type Mode string

// The modes, by the words that outputs use for them.
const (
	Filtered Mode = "filtered" // the past
	Lagged   Mode = "lagged"   // the past and a fixed number of items to come
	Smoothed Mode = "smoothed" // the whole stream
)

// Errors that end a run because of a limit of the options.
var (
	ErrStreams = errors.New("one more than the most streams at a time")
	ErrHeld    = errors.New("the items that wait take more than they may")
)

// Options says how streams are filtered. The zero value but for Classes filters causally.
type Options struct {
	Classes  int
	Settings adapt.Settings

	Mode Mode // "" is Filtered
	Lag  int  // of Lagged, in items
	// Path makes the class of an answer that of the most probable path through the whole stream (Viterbi); of Smoothed only.
	Path bool

	// Times says what the times of the items are used for; nil: only their order counts.
	Times *Times

	// Source gives the filter of a stream that answers causally, at each item: it may have left memory since the one before. nil makes one for each
	// stream and keeps it.
	Source func(stream string) (*adapt.Filter, error)

	MaxStreams int   // at most so many at a time, with Source in all; 0 is no limit
	MaxHeld    int64 // bytes of items that wait to be smoothed, without what they refer to; 0 is no limit
	// Workers is how many streams are smoothed at the same time; 0 is one.
	Workers int
}

// Item is one prediction.
type Item[R any] struct {
	Stream []byte
	ID     []byte    // which tells duplicates; empty if it has none
	Time   time.Time // zero if it has none
	Probs  []float64 // [K], must pass [adapt.Check]; valid during the call
	// Known tells that the label is known for certain, and is Class: what the filter makes of the stream is then given that, and the item's own answer is it.
	Known bool
	Class int
	Ref   func() R // asked for if the item has to wait
}

// Answer is what became of an item.
type Answer[R any] struct {
	// Waited tells that the item had to wait and Ref is what it refers to; else the answer is for the item that was just added.
	Waited bool
	Ref    R
	Result
}

// Result is what was found for an item.
type Result struct {
	// Stream is the item's; Filter is the stream's causal filter, nil in the other modes.
	Stream string
	Filter *adapt.Filter
	// Probs [K] are the adapted probabilities, valid during the call; nil for an item that was passed or left out.
	Probs []float64
	// Class is the class of the path, -1 without one: then the most probable one counts.
	Class int
	// Known tells that the label of the item was known: see [Item].
	Known bool
	adapt.Diagnostics
	Event // of its time
}

// Runner holds the streams.
type Runner[R any] struct {
	o       Options
	answer  func(Answer[R]) error
	streams map[string]*stream[R]
	seen    int
	known   map[uint64]struct{} // hashes of the names there have been, of a runner that lets go of streams: fewer bytes than their names
	seed    maphash.Seed
	out     []float64 // [K] of the answer in hand
	held    int64
	counts  timeline.Counts // of streams that have ended
	spare   []*stream[R]    // ended, with filters that can serve again
	order   []place[R]      // Smoothed: the items in the order of the input

	recordings []*recording // Smoothed: all that there are
}

// stream is one stream's part.
type stream[R any] struct {
	name    string
	filter  *adapt.Filter
	lagged  *adapt.Lagged
	waiting queue.Queue[pending[R]]
	whole   *recording
	times   *timed[R] // nil if times are not used
}

// New returns a runner at the start of its input, or the error of a setting out of range.
func New[R any](o Options, answer func(Answer[R]) error) (*Runner[R], error) {
	if o.Mode == "" {
		o.Mode = Filtered
	}
	switch {
	case o.Mode != Filtered && o.Mode != Lagged && o.Mode != Smoothed:
		return nil, fmt.Errorf("streams: mode %q", o.Mode)
	case o.Path && o.Mode != Smoothed:
		return nil, fmt.Errorf("streams: a path goes through a whole stream: want mode %s", Smoothed)
	case o.Times != nil && o.Times.Policy == timeline.PolicyReorder && o.Source != nil:
		return nil, fmt.Errorf("streams: items that wait for their turn are not remembered: want another policy than %s", timeline.PolicyReorder)
	case o.Mode != Filtered && o.Source != nil:
		return nil, fmt.Errorf("streams: filters that are kept answer causally: want mode %s", Filtered)
	}
	if _, err := newLagged(o); err != nil {
		return nil, err
	}
	if err := o.Times.Validate(); err != nil {
		return nil, err
	}
	if err := o.Settings.Validate(o.Classes); err != nil {
		return nil, err
	}
	r := &Runner[R]{o: o, answer: answer, streams: map[string]*stream[R]{}, out: make([]float64, o.Classes)}
	if o.Source != nil {
		r.known, r.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}
	return r, nil
}

// newLagged returns the filter of a stream in mode Lagged, nil in another.
func newLagged(o Options) (*adapt.Lagged, error) {
	if o.Mode != Lagged {
		return nil, nil
	}
	return adapt.NewLagged(o.Classes, o.Settings, o.Lag)
}

// Streams returns how many streams there have been.
func (r *Runner[R]) Streams() int { return r.seen }

// Add takes the next item. An error is that of an answer, of a limit, of a late item under [timeline.PolicyError], or of Options.Source:
// the runner is of no use after it.
func (r *Runner[R]) Add(item Item[R]) error {
	s, err := r.stream(item.Stream)
	if err != nil {
		return err
	}
	if r.o.Source != nil {
		if s, err = r.sourced(s); err != nil {
			return err
		}
	}
	if s.times != nil {
		return r.arrive(s, item)
	}
	return r.step(s, item, false, Event{})
}

// sourced gives a stream its filter, which may have left memory since the last item; before the clock moves, as it may fail. To make room the source
// may have the clocks saved, and then the stream is another.
func (r *Runner[R]) sourced(s *stream[R]) (*stream[R], error) {
	filter, err := r.o.Source(s.name)
	if err == nil && r.streams[s.name] != s {
		s, err = r.stream([]byte(s.name))
	}
	if err != nil {
		return nil, err
	}
	s.filter = filter
	return s, nil
}

// step has an item filtered, after the time that the event tells. waited: it is not the one that was just added.
func (r *Runner[R]) step(s *stream[R], item Item[R], waited bool, e Event) error {
	switch r.o.Mode {
	case Lagged:
		return r.stepLagged(s, item, e)
	case Smoothed:
		return r.keep(s, item, e)
	}
	e.Tell(s.filter)
	a := Answer[R]{Waited: waited, Result: Result{Stream: s.name, Filter: s.filter, Class: -1, Known: item.Known, Event: e}}
	if waited {
		a.Ref = item.Ref()
	}
	if item.Known {
		a.Diagnostics = s.filter.StepKnown(r.out, item.Class)
	} else {
		a.Diagnostics = s.filter.Step(r.out, item.Probs)
	}
	a.Probs = r.out
	return r.answer(a)
}

// Pass takes an item without a prediction.
func (r *Runner[R]) Pass(ref func() R) error {
	if r.o.Mode == Smoothed {
		r.order = append(r.order, place[R]{ref: ref()})
		return r.hold(1)
	}
	return r.answer(Answer[R]{Result: Result{Class: -1}})
}

// Flush ends all streams and answers what waits, stream by stream in the order of their names: a map has none.
func (r *Runner[R]) Flush() error {
	for _, name := range slices.Sorted(maps.Keys(r.streams)) {
		s := r.streams[name]
		err := r.release(s)
		if err == nil {
			err = r.flushLagged(s)
		}
		if err != nil {
			return err
		}
	}
	if r.o.Mode == Smoothed {
		return r.flushWhole()
	}
	return nil
}

// End ends all streams as Flush does and forgets them: what comes after begins new streams.
func (r *Runner[R]) End() error {
	err := r.Flush()
	for _, s := range r.streams {
		r.counts.Add(s.counts())
		if r.o.Source == nil && r.o.Mode != Smoothed {
			r.spare = append(r.spare, s)
		}
	}
	clear(r.streams)
	clear(r.known)
	r.order, r.recordings, r.held = r.order[:0], nil, 0
	return err
}

// stream returns the stream of a name, new at its first item.
func (r *Runner[R]) stream(name []byte) (*stream[R], error) {
	if s := r.streams[string(name)]; s != nil {
		return s, nil
	}
	again := r.returns(name)
	if r.o.MaxStreams > 0 && !again && max(len(r.streams), len(r.known)) >= r.o.MaxStreams {
		return nil, fmt.Errorf("stream %q: %w, %d", name, ErrStreams, r.o.MaxStreams)
	}
	s, err := r.fresh(string(name))
	if err != nil {
		return nil, err
	}
	r.streams[s.name] = s
	if !again {
		r.seen++
	}
	if r.known != nil {
		r.known[maphash.Bytes(r.seed, name)] = struct{}{}
	}
	return s, nil
}

// returns tells whether the runner knew a stream and let go of it.
func (r *Runner[R]) returns(name []byte) bool {
	if r.known == nil {
		return false
	}
	_, ok := r.known[maphash.Bytes(r.seed, name)]
	return ok
}

// fresh returns a stream at its start, with the filter of one that has ended if there is one.
func (r *Runner[R]) fresh(name string) (s *stream[R], err error) {
	if n := len(r.spare); n > 0 {
		s, r.spare = r.spare[n-1], r.spare[:n-1]
		s.name = name
		if s.filter != nil {
			s.filter.Reset()
		} else {
			s.lagged.Reset()
		}
	} else if s, err = r.create(name); err != nil {
		return nil, err
	}
	s.times, err = r.newTimed(name)
	return s, err
}

// create returns a stream with a filter of its own.
func (r *Runner[R]) create(name string) (s *stream[R], err error) {
	s = &stream[R]{name: name}
	switch {
	case r.o.Mode == Lagged:
		s.lagged, err = newLagged(r.o)
	case r.o.Mode == Filtered && r.o.Source == nil:
		s.filter, err = adapt.New(r.o.Classes, r.o.Settings)
	}
	return s, err
}

// hold counts what waits.
func (r *Runner[R]) hold(numbers int) error {
	r.held += int64(numbers) * 8
	if r.o.MaxHeld > 0 && r.held > r.o.MaxHeld {
		return fmt.Errorf("%w, %d bytes", ErrHeld, r.o.MaxHeld)
	}
	return nil
}
