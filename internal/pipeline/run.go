package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/predict"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/results"
)

// Job is one run. Exactly one of Output and Stream is set.
type Job struct {
	Items  []Item // in processing order: streams one after another, each in its order
	Load   Loader
	Base   *predict.Base
	Kind   predict.Kind
	Filter *adapt.Filter
	Format results.Format
	// Times says what the filter is told of the time between items; nil: nothing.
	Times *timeline.Settings

	Batch   int // inputs a run of the network; what the network insists on wins
	Loaders int // goroutines that load items
	Runners int // runs of the network at the same time

	Output *Output   // resumable file
	Stream io.Writer // anything else
	// Observe, if set, sees every record in order; after a resumption also those that were written before, if Whole is set. The
	// record is valid during the call.
	Observe func(i int, r *results.Record)
	Whole   bool
	// Stop, if closed, ends the run after the items in hand, resumable. Cancelling the context of Run does not wait for those.
	Stop <-chan struct{}
}

// Report tells how a run went.
type Report struct {
	Counts
	Resumed int // items that an earlier run had done
	Stopped bool
	Busy    Busy
	Times   timeline.Counts // of the items that the filter stepped through in this run
	Wall    time.Duration
}

// Run runs the job. A failed item is a record, not an error: an error means that the output could not be written or the job
// makes no sense. After an error or a stop, what was written stays, and an Output can be resumed. After a run that came to its end, the
// caller finishes the Output.
func Run(ctx context.Context, job Job) (Report, error) {
	if err := checkOrder(job.Items); err != nil {
		return Report{}, err
	}
	start := time.Now()
	step, err := newStepper(job.Kind, job.Filter, job.Times)
	if err != nil {
		return Report{}, err
	}
	r := &run{Job: job, step: step}
	err = r.all(ctx)
	r.report.Counts = r.step.counts
	if (err != nil || r.report.Stopped) && job.Output != nil {
		r.report.Counts = job.Output.counts // what was stepped through but not written does not count
	}
	if step.keeper != nil {
		r.report.Times = step.keeper.Counts()
	}
	r.report.Wall = time.Since(start)
	return r.report, err
}

type run struct {
	Job
	step   *stepper
	report Report
	buf    []byte
	frame  frame
	held   []heldBatch
}

func (r *run) all(ctx context.Context) error {
	first, err := r.begin(ctx)
	if err == nil {
		err = r.batches(ctx, first)
	}
	switch {
	case errors.Is(err, errStopped):
		r.report.Stopped = true
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return r.end()
}

// begin writes the header, or brings the filter to where the output ends. It returns the first item to do.
func (r *run) begin(ctx context.Context) (first int, err error) {
	if r.Output == nil || r.Output.size == 0 {
		header, err := r.Format.Header(nil)
		if err != nil {
			return 0, err
		}
		return 0, r.emit(header)
	}
	first = r.Output.next
	if first > len(r.Items) {
		return 0, fmt.Errorf("pipeline: the journal has %d items, the run %d", first, len(r.Items))
	}
	return first, r.replay(ctx, first)
}

// replay steps the filter through what is already written: from the beginning of the stream in hand, or all of it for an observer.
func (r *run) replay(ctx context.Context, first int) error {
	from := 0
	if !r.Whole {
		for from = first; from > 0 && from < len(r.Items) && r.Items[from-1].Stream == r.Items[first].Stream; {
			from--
		}
	}
	err := r.Output.replay(from, r.Filter.Classes(), func(i int, o outcome) error {
		if r.stopped(ctx) {
			return errStopped
		}
		record := r.step.step(&r.Items[i], o)
		if r.Observe != nil && r.Whole {
			r.Observe(i, record)
		}
		return nil
	})
	r.step.counts = r.Output.counts
	r.report.Resumed = first
	return err
}

func (r *run) stopped(ctx context.Context) bool {
	select {
	case <-r.Stop:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// batches steps through the batches in order. However it ends, the stages are drained first, so that nothing runs on behind it.
func (r *run) batches(ctx context.Context, first int) error {
	size := r.Base.Size(r.Batch)
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
	s := &stages{
		base: r.Base, load: r.Load, size: size, stop: stop.Done(),
		loaders: max(1, r.Loaders), runners: max(1, r.Runners),
	}
	var failed error
	for b := range s.run(ctx, first, len(r.Items)) {
		<-b.done
		if r.stopped(ctx) { // here too: the goroutine above may not have had its turn
			halt()
		}
		switch {
		case failed != nil: // only draining
		case b.dropped:
			failed = errStopped // what comes after it may not be written
		default:
			failed = r.takeOrHold(b)
		}
		if failed != nil {
			halt()
		}
		s.free <- b
	}
	if failed == nil {
		failed = r.takeHeld()
	}
	if failed == nil && r.step.counts.Items < len(r.Items) {
		failed = errStopped // between two batches
	}
	r.report.Busy.Load = time.Duration(s.busyLoad.Load())
	r.report.Busy.Infer = time.Duration(s.busyInfer.Load())
	return failed
}

// errStopped ends a run early on request.
var errStopped = errors.New("pipeline: stopped")

// patience is how many batches in a row the network may fail on as a whole before the engine is taken for broken.
const patience = 3

// takeOrHold takes a batch. One on whose every input the network failed is held back: if the next succeed, its items are failures
// like others; if none does, the run ends with the reason, and a resumption tries those items again.
func (r *run) takeOrHold(b *batch) error {
	if b.engine == nil {
		if err := r.takeHeld(); err != nil {
			return err
		}
		return r.take(b.first, b.outcomes[:b.n])
	}
	r.held = append(r.held, heldBatch{b.first, slices.Clone(b.outcomes[:b.n])})
	if len(r.held) < patience {
		return nil
	}
	return fmt.Errorf("pipeline: the network failed on %d batches in a row, from %s on: %w", patience, r.Items[r.held[0].first].Name, b.engine)
}

// heldBatch holds failures only, so it needs no memory of its batch.
type heldBatch struct {
	first    int
	outcomes []outcome
}

func (r *run) takeHeld() error {
	for _, h := range r.held {
		if err := r.take(h.first, h.outcomes); err != nil {
			return err
		}
	}
	r.held = r.held[:0]
	return nil
}

// take steps through the items of one batch and commits them.
func (r *run) take(first int, outcomes []outcome) error {
	start := time.Now()
	r.buf = r.buf[:0]
	for k, o := range outcomes {
		n := r.step.counts.Items
		record := r.step.step(&r.Items[first+k], o)
		var err error
		if r.buf, err = r.Format.Record(r.buf, n, record); err != nil {
			return fmt.Errorf("pipeline: %s: %w", record.File, err)
		}
		if r.Observe != nil {
			r.Observe(first+k, record)
		}
	}
	r.report.Busy.Filter += time.Since(start)
	start = time.Now()
	err := r.commit(first, outcomes)
	r.report.Busy.Write += time.Since(start)
	return err
}

func (r *run) commit(first int, outcomes []outcome) error {
	if r.Output == nil {
		return r.emit(r.buf)
	}
	r.frame = frame{First: first, Counts: r.step.counts, Items: outcomes}
	return r.Output.commit(r.buf, &r.frame)
}

func (r *run) emit(data []byte) error {
	if r.Output != nil {
		return r.Output.write(data)
	}
	_, err := r.Stream.Write(data)
	return err
}

func (r *run) end() error {
	footer, err := r.Format.Footer(nil, r.step.counts.Items)
	if err != nil {
		return err
	}
	if r.Output != nil {
		return r.Output.end(footer)
	}
	return r.emit(footer)
}
