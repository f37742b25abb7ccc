package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oatta/oatta/adapt/predict"
)

// Loader writes the network input of item i into dst. It is called from several goroutines at once.
type Loader func(dst []float32, i int) error

// Busy is the time that a stage worked, summed over its goroutines.
type Busy struct{ Load, Infer, Filter, Write time.Duration }

// batch is one run of the network on its way through the stages.
type batch struct {
	first, n int
	x        *predict.Batch
	errs     []error // of loading, by item
	outcomes []outcome
	pending  atomic.Int32  // items still to be loaded
	done     chan struct{} // closed when the outcomes are there, or the batch was dropped
	dropped  bool
	engine   error // the network failed on every input of the batch: the engine may be broken, not the inputs
}

// stages moves batches from their items to their outcomes.
type stages struct {
	base             *predict.Base
	load             Loader
	size             int
	loaders, runners int
	stop             <-chan struct{} // closed: begin nothing new
	free             chan *batch
	busyLoad         atomic.Int64
	busyInfer        atomic.Int64
}

type task struct {
	b *batch
	i int // within the batch
}

// run starts the stages on items first to last-1 and returns the batches in order. The caller must wait for each batch's done,
// hand it back on s.free, and drain the channel. Cancelling ctx aborts runs of the network.
func (s *stages) run(ctx context.Context, first, last int) <-chan *batch {
	inFlight := 2*s.runners + 3 + s.loaders/s.size // enough that no stage waits for the unevenness of another
	s.free = make(chan *batch, inFlight)
	for range inFlight {
		s.free <- &batch{x: s.base.NewBatch(s.size), errs: make([]error, s.size)}
	}
	ordered := make(chan *batch, inFlight)
	tasks, ready := make(chan task), make(chan *batch, inFlight)
	go s.dispatch(first, last, ordered, tasks)
	go s.loadAll(tasks, ready)
	for range s.runners {
		go s.inferAll(ctx, ready)
	}
	return ordered
}

// dispatch cuts the items into batches. A batch ends at a multiple of the size, wherever the run began.
func (s *stages) dispatch(first, last int, ordered chan<- *batch, tasks chan<- task) {
	defer close(ordered)
	defer close(tasks)
	for first < last {
		select { // a closed stop wins over a free batch
		case <-s.stop:
			return
		default:
		}
		var b *batch
		select {
		case <-s.stop:
			return
		case b = <-s.free:
		}
		b.first, b.n = first, min(s.size-first%s.size, last-first)
		b.done, b.dropped = make(chan struct{}), false
		b.pending.Store(int32(b.n))
		ordered <- b
		for i := range b.n {
			tasks <- task{b, i}
		}
		first += b.n
	}
}

func (s *stages) loadAll(tasks <-chan task, ready chan<- *batch) {
	defer close(ready)
	var wg sync.WaitGroup
	for range s.loaders {
		wg.Go(func() {
			for t := range tasks {
				s.loadOne(t)
				if t.b.pending.Add(-1) == 0 {
					ready <- t.b
				}
			}
		})
	}
	wg.Wait()
}

func (s *stages) loadOne(t task) {
	select {
	case <-s.stop: // the batch will be dropped
		return
	default:
	}
	start := time.Now()
	t.b.errs[t.i] = s.load(t.b.x.Input(t.i), t.b.first+t.i)
	s.busyLoad.Add(int64(time.Since(start)))
}

func (s *stages) inferAll(ctx context.Context, ready <-chan *batch) {
	for b := range ready {
		select {
		case <-s.stop:
			b.dropped = true
		default:
			start := time.Now()
			s.infer(ctx, b)
			s.busyInfer.Add(int64(time.Since(start)))
		}
		close(b.done)
	}
}

// infer runs the network on the items that were loaded. If the run fails, each item is tried alone, so that one input that the
// network cannot take does not cost its mates their result.
func (s *stages) infer(ctx context.Context, b *batch) {
	rows := b.compact()
	b.outcomes, b.engine = b.outcomes[:0], nil
	for _, err := range b.errs[:b.n] {
		b.outcomes = append(b.outcomes, outcome{failure: reason(err)})
	}
	if len(rows) == 0 {
		return
	}
	if err := b.x.Run(ctx, len(rows)); err != nil {
		s.inferAlone(ctx, b, rows, err)
	} else {
		for at, i := range rows {
			b.outcomes[i] = outcome{raw: b.x.Output(at)}
		}
	}
	if ctx.Err() != nil { // what failed may have failed for that
		b.dropped = true
	}
}

// inferAlone runs the network on one row after another, after a run of all of them ended with err.
func (s *stages) inferAlone(ctx context.Context, b *batch, rows []int, err error) {
	alone := s.base.NewBatch(s.base.Size(1)) // an error is rare: memory of its own keeps the batch as it is
	b.engine = err
	for at, i := range rows {
		if ctx.Err() != nil {
			return
		}
		if len(rows) > 1 {
			copy(alone.Input(0), b.x.Input(at))
			err = alone.Run(ctx, 1)
		}
		b.outcomes[i] = outcome{failure: reason(err)}
		if err == nil {
			b.outcomes[i] = outcome{raw: slices.Clone(alone.Output(0))}
			b.engine = nil
		}
	}
}

// compact moves the loaded inputs to the front and returns their items.
func (b *batch) compact() (rows []int) {
	for i, err := range b.errs[:b.n] {
		if err != nil {
			continue
		}
		if len(rows) < i {
			copy(b.x.Input(len(rows)), b.x.Input(i))
		}
		rows = append(rows, i)
	}
	return rows
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	if err.Error() == "" {
		return fmt.Sprintf("%T", err)
	}
	return err.Error()
}
