package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// source is where batches of outcomes come from.
type source interface {
	release(b *batch)
	report(r *Report) // once all batches have come
}

// source starts the source of the job. Its channel gives the batches in the order of the items; each is to be waited for and released,
// and the channel drained.
func (r *run) source(ctx context.Context, at place, stop <-chan struct{}) (source, <-chan *batch) {
	l := &loading{load: r.Load, seed: r.seedOf, loaders: max(1, r.Loaders), stop: stop}
	if r.Streams == nil {
		l.input = r.Predictor.InputLen()
		s := &stages{
			loading: l, predictor: r.Predictor, classes: r.Predictor.Classes(),
			size: r.Predictor.Size(r.Batch), runners: max(1, r.Runners),
		}
		return s, s.run(ctx, at.first, len(r.Items))
	}
	l.input = r.Streams.InputLen()
	s := &lanes{loading: l, predictor: r.Streams, classes: r.Streams.Classes(), first: at.first}
	s.plan = plan{items: r.Items, lanes: make([]laneState, r.Streams.Lanes(max(1, r.Batch))), limit: cmp.Or(r.Held, heldLimit(s.classes))}
	return s, s.run(ctx, at.from)
}

func (r *run) seedOf(i int) uint64 { return itemSeed(r.Seed, &r.Items[i]) }

// batches steps through the batches in order. However it ends, the source is drained first, so that nothing runs on behind it.
func (r *run) batches(ctx context.Context, at place) error {
	stop, halt := context.WithCancel(context.Background())
	defer halt()
	defer context.AfterFunc(ctx, halt)()
	go func() { // a nil r.Stop never fires
		select {
		case <-r.Stop:
			halt()
		case <-stop.Done():
		}
	}()
	s, batches := r.source(ctx, at, stop.Done())
	var failed error
	for b := range batches {
		<-b.done
		if r.stopped(ctx) { // here too: the goroutine above may not have run yet
			halt()
		}
		switch {
		case failed != nil: // only draining
		case b.fatal != nil:
			failed = b.fatal
		case b.dropped:
			failed = errStopped // what comes after it may not be written
		default:
			failed = r.takeOrHold(b)
		}
		if failed != nil {
			halt()
		}
		s.release(b)
	}
	if failed == nil {
		failed = r.takeHeld()
	}
	if failed == nil && r.step.counts.Items < len(r.Items) {
		failed = errStopped // between two batches
	}
	s.report(&r.report)
	return failed
}

// errStopped ends a run early on request.
var errStopped = errors.New("pipeline: stopped")

// patience is how many batches in a row the network may fail on as a whole before the engine is taken for broken.
const patience = 3

// takeOrHold takes a batch. One on whose every input the network failed is held back: if it succeeds after that, those items are
// failures like others; if it does not, the run ends with the reason, and a resumption tries those items again. Several batches are
// under way at a time, so a later one may have succeeded before the engine broke: it proves nothing, as one of which nothing could be
// loaded, and is held as well.
func (r *run) takeOrHold(b *batch) error {
	switch {
	case b.engine != nil:
		if r.failing++; r.failing == patience {
			return fmt.Errorf("pipeline: the network failed on %d batches in a row, from %s on: %w", patience, r.Items[r.held[0].first].Name, b.engine)
		}
		r.failedAt = max(r.failedAt, b.ended)
		r.hold(b)
		return nil
	case r.failing > 0 && b.began <= r.failedAt:
		r.hold(b)
		return nil
	}
	if err := r.takeHeld(); err != nil {
		return err
	}
	return r.take(b.first, b.outcomes)
}

// heldBatch is what came of a batch, in memory of its own.
type heldBatch struct {
	first    int
	outcomes []outcome
}

// hold keeps a batch back. There are as many as are under way at a time at most, and those of which nothing could be loaded.
func (r *run) hold(b *batch) {
	outcomes := slices.Clone(b.outcomes)
	for i := range outcomes {
		outcomes[i].raw = slices.Clone(outcomes[i].raw)
	}
	r.held = append(r.held, heldBatch{b.first, outcomes})
}

func (r *run) takeHeld() error {
	for _, h := range r.held {
		if err := r.take(h.first, h.outcomes); err != nil {
			return err
		}
	}
	r.held, r.failing, r.failedAt = r.held[:0], 0, 0
	return nil
}
