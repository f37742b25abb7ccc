package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/models/predict"
)

// Job is one run. Exactly one of Predictor and Streams is set, and exactly one of Output and Stream.
type Job struct {
	Items []Item // in processing order: streams one after another, each in its order
	Load  Loader
	Seed  uint64 // of all that is random in the run; an item's seed is made of this and its names

	Predictor predict.Predictor       // where the order of the items does not matter
	Streams   predict.StreamPredictor // where it does

	Kind predict.Kind // what the predictor puts out
	// Filter says how the streams are filtered: how much of its stream an answer may know, and what becomes of the time between items.
	Filter streams.Options
	Format results.Format
	// Known holds of each item the class that is known for certain, or [adapt.Unknown]; nil: none is known.
	Known []int

	Batch   int // items a run of the predictor, or streams a run of Streams; what it insists on wins
	Loaders int // goroutines that load items
	Runners int // runs of the network at the same time; of Streams there is one
	// Held is how many outcomes of Streams may wait for those of earlier streams: beyond, only the oldest unfinished stream goes on. 0
	// stands for what takes 64 MiB. Outputs may depend on it and on Batch in their last bits.
	Held int

	Output *Output   // resumable file
	Stream io.Writer // anything else
	// Observe, if set, sees every record in order; after a resumption also those that were written before, if Whole is set. The
	// record is valid during the call.
	Observe func(i int, r *results.Record)
	Whole   bool
	// Trace, if set, sees of every record that Observe sees what the filter says of it, nil for a failure.
	Trace func(i int, r *results.Record, s *streams.Result)
	// Ended, if set, is called when a stream has ended, before its filter serves another; Clocks is given the clock of the stream then,
	// for [streams.Times].Restore.
	Ended  func()
	Clocks func(stream string, data []byte) error
	// Progress, if set, is called for every item that the predictor is done with in this run.
	Progress func(failed bool)
	// Stop, if closed, ends the run after the current items, resumable. Cancelling the context of Run does not wait for those.
	Stop <-chan struct{}
}

// Report tells how a run went.
type Report struct {
	Counts
	Resumed  int // items that an earlier run had done
	Repeated int // items among those that Streams saw again, to be in the state that it was in
	Stopped  bool
	Busy     Busy
	Times    timeline.Counts // of the items that the filter stepped through in this run
	Wall     time.Duration
}

// Run runs the job. A failed item is a record, not an error: an error means that the output could not be written or the job
// makes no sense. After an error or a stop, what was written stays, and an Output can be resumed. After a run that came to its end, the
// caller finishes the Output.
func Run(ctx context.Context, job Job) (Report, error) {
	if err := errors.Join(job.checkPredictor(), checkOrder(job.Items)); err != nil {
		return Report{}, err
	}
	start := time.Now()
	r := &run{Job: job}
	var err error
	if r.step, err = newStepper(&r.Job, r.give); err != nil {
		return Report{}, err
	}
	err = r.all(ctx)
	r.report.Counts = r.step.counts
	switch ended := err == nil && !r.report.Stopped; {
	case ended:
	case job.Output != nil:
		r.report.Counts = job.Output.counts // what was stepped through but is not kept does not count
	default:
		r.report.Items = r.step.given
		r.report.Failures = min(r.report.Failures, r.report.Items)
	}
	r.report.Times = r.step.runner.Counts()
	r.report.Wall = time.Since(start)
	return r.report, err
}

type run struct {
	Job
	step   *stepper
	again  bool // what is given was written before
	report Report
	buf    []byte
	frame  frame
	held   []heldBatch
	// failing is how many of held the network failed on as a whole, failedAt the tick at which the last of these ended.
	failing  int
	failedAt int64
}

func (r *run) all(ctx context.Context) error {
	at, err := r.begin(ctx)
	if err == nil {
		err = r.batches(ctx, at)
	}
	switch {
	case errors.Is(err, errStopped):
		r.report.Stopped = true
		return errors.Join(r.rest(), context.Cause(ctx))
	case err != nil:
		return err
	}
	return r.end()
}

// begin writes the header, or brings the filter to where the output ends.
func (r *run) begin(ctx context.Context) (place, error) {
	if r.Output == nil || r.Output.next == 0 { // before its first frame, an output holds a header at most, which is cut off
		header, err := r.Format.Header(nil)
		if err != nil {
			return place{}, err
		}
		return place{}, r.emit(header)
	}
	if r.Output.next > len(r.Items) {
		return place{}, fmt.Errorf("pipeline: the journal has %d items, the run %d", r.Output.next, len(r.Items))
	}
	return r.replay(ctx, r.Output.next)
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

// take steps through the items of one batch and commits them.
func (r *run) take(first int, outcomes []outcome) error {
	start := time.Now()
	r.buf = r.buf[:0]
	for k, o := range outcomes {
		failed := r.step.counts.Failures
		if err := r.step.step(first+k, o); err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress(r.step.counts.Failures > failed)
		}
	}
	r.report.Busy.Filter += time.Since(start)
	start = time.Now()
	err := r.commit(first, outcomes)
	r.report.Busy.Write += time.Since(start)
	return err
}

// give writes a record to the current batch, and shows it to who observes.
func (r *run) give(i int, record *results.Record, s *streams.Result) (err error) {
	if !r.again {
		if r.buf, err = r.Format.Record(r.buf, i, record); err != nil {
			return fmt.Errorf("pipeline: %s: %w", record.File, err)
		}
	} else if !r.Whole {
		return nil
	}
	if r.Observe != nil {
		r.Observe(i, record)
	}
	if r.Trace != nil {
		r.Trace(i, record, s)
	}
	return nil
}

// rest answers what waits, where the run was stopped and cannot be resumed.
func (r *run) rest() error {
	if r.Output != nil {
		return nil
	}
	r.buf = r.buf[:0]
	if err := r.step.end(); err != nil {
		return err
	}
	return r.emit(r.buf)
}

func (r *run) commit(first int, outcomes []outcome) error {
	if r.Output == nil {
		return r.emit(r.buf)
	}
	r.frame = frame{First: first, Counts: r.step.counts, Written: r.step.given, Items: outcomes}
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
	footer, err := r.Format.Footer(nil, r.step.given)
	if err != nil {
		return err
	}
	if r.Output != nil {
		return r.Output.end(footer)
	}
	return r.emit(footer)
}
