package streams

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
)

// Times says what becomes of the time between items, and of items out of order.
type Times struct {
	timeline.Settings
	Policy timeline.Policy `json:"late"`
	Within int             `json:"reorder_within,omitempty"` // items that PolicyReorder holds back
	// Restore gives what [Runner.SaveClocks] saved for a stream, nil if there is nothing; nil: every stream begins anew.
	Restore func(stream string) ([]byte, error) `json:"-"`
}

// Validate reports the first setting out of range. No Times at all are fine.
func (t *Times) Validate() error {
	if t == nil {
		return nil
	}
	if _, err := timeline.NewKeeper(t.Settings, t.Policy); err != nil {
		return err
	}
	_, err := timeline.NewReorder[int](t.Within)
	return err
}

// OrderError is that of an item out of order, under [timeline.PolicyError].
type OrderError struct {
	Stream string
	Err    error
}

// Error implements error.
func (e *OrderError) Error() string { return fmt.Sprintf("stream %q: %v", e.Stream, e.Err) }

// Unwrap returns the cause.
func (e *OrderError) Unwrap() error { return e.Err }

// Event is what an item's time tells of it.
type Event struct {
	Missed  int  // steps of the stream's rhythm that passed without an item before it
	Break   bool // it comes after a long gap
	Restart bool // the stream starts anew with it, as it is earlier than what was there
	Dropped bool // it was left out: late, or there already
}

// EventOf returns what a keeper said of an item.
func EventOf(a timeline.Action, g timeline.Gap) Event {
	switch a {
	case timeline.Drop:
		return Event{Dropped: true}
	case timeline.Restart:
		return Event{Restart: true}
	}
	return Event{Missed: g.Missed, Break: g.Break}
}

// Tell tells a filter what happened before its next step.
func (e Event) Tell(f interface {
	Skip(missed int)
	Break()
	Reset()
},
) {
	switch {
	case e.Restart:
		f.Reset()
	case e.Break:
		f.Break()
	case e.Missed > 0:
		f.Skip(e.Missed)
	}
}

// missed is the same for [adapt.SmoothGaps].
func (e Event) missed() int {
	if e.Break {
		return adapt.Broken
	}
	return e.Missed
}

// timed follows the times of one stream.
type timed[R any] struct {
	keeper  *timeline.Keeper
	reorder *timeline.Reorder[Item[R]] // of PolicyReorder
	changed bool                       // since the clocks were saved
}

// newTimed returns the times of a stream at its start, or where they were saved; nil if they are not used.
func (r *Runner[R]) newTimed(stream string) (*timed[R], error) {
	o := r.o.Times
	if o == nil {
		return nil, nil
	}
	keeper, err := timeline.NewKeeper(o.Settings, o.Policy)
	if err != nil {
		return nil, err
	}
	t := &timed[R]{keeper: keeper}
	if o.Policy == timeline.PolicyReorder {
		if t.reorder, err = timeline.NewReorder[Item[R]](o.Within); err != nil {
			return nil, err
		}
	}
	if o.Restore != nil {
		data, err := o.Restore(stream)
		if err == nil && data != nil {
			err = keeper.Clock().UnmarshalBinary(data)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// arrive takes an item whose time counts. One that may have to let others go first waits.
func (r *Runner[R]) arrive(s *stream[R], item Item[R]) error {
	if s.times.reorder == nil {
		return r.place(s, item, false)
	}
	ref := item.Ref()
	item.ID, item.Probs, item.Ref = slices.Clone(item.ID), slices.Clone(item.Probs), func() R { return ref }
	earliest, ok := s.times.reorder.Push(item.Time, item)
	if s.times.reorder.Mixed() {
		s.times.keeper.Mix()
	}
	if ok {
		return r.place(s, earliest, true)
	}
	return nil
}

// place does with an item what its time says.
func (r *Runner[R]) place(s *stream[R], item Item[R], waited bool) error {
	action, gap, err := s.times.keeper.Next(item.Time, item.ID)
	if err != nil {
		return &OrderError{s.name, err}
	}
	e := EventOf(action, gap)
	if e.Dropped {
		return r.drop(item, waited)
	}
	s.times.changed = true
	return r.step(s, item, waited, e)
}

// drop answers an item that is left out.
func (r *Runner[R]) drop(item Item[R], waited bool) error {
	e := Event{Dropped: true}
	if r.o.Mode == Smoothed {
		r.order = append(r.order, place[R]{ref: item.Ref(), event: e})
		return nil
	}
	a := Answer[R]{Waited: waited, Result: Result{Class: -1, Event: e}}
	if waited {
		a.Ref = item.Ref()
	}
	return r.answer(a)
}

// release takes the items that wait for others to go first.
func (r *Runner[R]) release(s *stream[R]) error {
	for s.times != nil && s.times.reorder != nil {
		item, ok := s.times.reorder.Flush()
		if !ok {
			break
		}
		if err := r.place(s, item, true); err != nil {
			return err
		}
	}
	return nil
}

// SaveClocks hands over the clock of every stream that had items since the last call, for [Times].Restore. Where Options.Source keeps the filters
// and Times.Restore the clocks, the streams are let go of: the runner takes the memory of those that had items since the last call.
func (r *Runner[R]) SaveClocks(save func(stream string, data []byte) error) error {
	for _, s := range r.streams {
		if s.times == nil || !s.times.changed {
			continue
		}
		data, err := s.times.keeper.Clock().MarshalBinary()
		if err == nil {
			err = save(s.name, data)
		}
		if err != nil {
			return err
		}
		s.times.changed = false
	}
	if r.o.Source != nil && (r.o.Times == nil || r.o.Times.Restore != nil) {
		r.letGo()
	}
	return nil
}

// letGo drops all streams, whose filters and clocks are kept elsewhere.
func (r *Runner[R]) letGo() {
	for _, s := range r.streams {
		r.counts.Add(s.counts())
	}
	clear(r.streams)
}

// Counts tells what the times of the items so far came to.
func (r *Runner[R]) Counts() timeline.Counts {
	c := r.counts
	for _, s := range r.streams {
		c.Add(s.counts())
	}
	return c
}

func (s *stream[R]) counts() (c timeline.Counts) {
	if s.times == nil {
		return c
	}
	c = s.times.keeper.Counts()
	if s.times.reorder != nil {
		c.Reordered = s.times.reorder.Moved()
	}
	return c
}
