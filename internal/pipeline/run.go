package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/predict"
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
	Wall    time.Duration
}

// Run runs the job. A failed item is a record, not an error: an error means that the output could not be written or the job
// makes no sense. After an error or a stop, what was written stays, and an Output can be resumed.
func Run(ctx context.Context, job Job) (Report, error) {
	if err := checkOrder(job.Items); err != nil {
		return Report{}, err
	}
	start := time.Now()
	r := &run{Job: job, step: newStepper(job.Kind, job.Filter)}
	err := r.all(ctx)
	r.report.Counts = r.step.counts
	r.report.Wall = time.Since(start)
	return r.report, err
}

type run struct {
	Job
	step   *stepper
	report Report
	buf    []byte
	frame  frame
}

func (r *run) all(ctx context.Context) error {
	first, err := r.begin()
	if err != nil {
		return err
	}
	if err := r.batches(ctx, first); err != nil {
		return err
	}
	r.report.Stopped = r.step.counts.Items < len(r.Items)
	if r.report.Stopped {
		return context.Cause(ctx)
	}
	return r.end()
}

// begin writes the header, or brings the filter to where the output ends. It returns the first item to do.
func (r *run) begin() (first int, err error) {
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
	return first, r.replay(first)
}

// replay steps the filter through what is already written: from the beginning of the stream in hand, or all of it for an observer.
func (r *run) replay(first int) error {
	from := 0
	if !r.Whole {
		for from = first; from > 0 && from < len(r.Items) && r.Items[from-1].Stream == r.Items[first].Stream; {
			from--
		}
	}
	err := r.Output.replay(from, r.Filter.Classes(), func(i int, o outcome) {
		record := r.step.step(&r.Items[i], o)
		if r.Observe != nil && r.Whole {
			r.Observe(i, record)
		}
	})
	r.step.counts = r.Output.counts
	r.report.Resumed = first
	return err
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
		if failed == nil && !b.dropped {
			if failed = r.take(b); failed != nil {
				halt()
			}
		} else {
			halt() // a dropped batch ends the run: what comes after it may not be written
			if failed == nil {
				failed = errDropped
			}
		}
		s.free <- b
	}
	r.report.Busy.Load = time.Duration(s.busyLoad.Load())
	r.report.Busy.Infer = time.Duration(s.busyInfer.Load())
	if errors.Is(failed, errDropped) {
		return nil // stopped, which the report tells
	}
	return failed
}

var errDropped = errors.New("pipeline: batch dropped")

// take steps through one batch and commits it.
func (r *run) take(b *batch) error {
	start := time.Now()
	r.buf = r.buf[:0]
	for k, o := range b.outcomes[:b.n] {
		n := r.step.counts.Items
		record := r.step.step(&r.Items[b.first+k], o)
		var err error
		if r.buf, err = r.Format.Record(r.buf, n, record); err != nil {
			return err
		}
		if r.Observe != nil {
			r.Observe(b.first+k, record)
		}
	}
	r.report.Busy.Filter += time.Since(start)
	start = time.Now()
	err := r.commit(b)
	r.report.Busy.Write += time.Since(start)
	return err
}

func (r *run) commit(b *batch) error {
	if r.Output == nil {
		return r.emit(r.buf)
	}
	r.frame = frame{First: b.first, Counts: r.step.counts, Items: b.outcomes[:b.n]}
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
		return r.Output.finish(footer)
	}
	return r.emit(footer)
}
