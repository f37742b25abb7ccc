package pipeline

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/oatta/oatta/models/predict"
)

// Busy is the time that a stage worked, summed over its goroutines.
type Busy struct{ Load, Infer, Filter, Write time.Duration }

// stages moves batches from their items to their outcomes, where the order of the items does not matter.
type stages struct {
	*loading
	predictor predict.Predictor
	classes   int
	size      int
	runners   int
	free      chan *batch
	busyInfer atomic.Int64
	ticks     atomic.Int64 // one for each begin and end of a run of the network
}

// run starts the stages on items first to last-1 and returns the batches in order. The caller must wait for each batch's done,
// release it, and drain the channel. Cancelling ctx aborts runs of the network.
func (s *stages) run(ctx context.Context, first, last int) <-chan *batch {
	inFlight := s.inFlight()
	s.free = make(chan *batch, inFlight)
	for range inFlight {
		s.free <- &batch{src: make([]float32, s.size*s.input), dst: make([]float32, s.size*s.classes)}
	}
	ordered := make(chan *batch, inFlight)
	tasks, ready := make(chan task), make(chan *batch, inFlight)
	go s.dispatch(first, last, ordered, tasks)
	go func() {
		defer close(ready)
		s.all(tasks, func(b *batch) { ready <- b })
	}()
	for range s.runners {
		go s.inferAll(ctx, ready)
	}
	return ordered
}

// stageBytes bounds the inputs that are held beyond those that the network works on: views of large pictures on many cores take gigabytes.
const stageBytes = 1 << 30

// inFlight is how many batches there are: enough that no stage waits for the unevenness of another, as far as memory allows.
func (s *stages) inFlight() int {
	want, least := 2*s.runners+3+s.loaders/s.size, s.runners+2
	return max(least, min(want, stageBytes/(4*s.size*s.input)))
}

func (s *stages) release(b *batch) { s.free <- b }

func (s *stages) report(r *Report) {
	r.Busy.Load, r.Busy.Infer = time.Duration(s.busyLoad.Load()), time.Duration(s.busyInfer.Load())
}

// dispatch cuts the items into batches. A batch ends at a multiple of the size, wherever the run began.
func (s *stages) dispatch(first, last int, ordered chan<- *batch, tasks chan<- task) {
	defer close(ordered)
	defer close(tasks)
	for first < last {
		if s.stopped() { // a closed stop wins over a free batch
			return
		}
		var b *batch
		select {
		case <-s.stop:
			return
		case b = <-s.free:
		}
		n := min(s.size-first%s.size, last-first)
		b.first, b.items = first, b.items[:0]
		for i := range n {
			b.items = append(b.items, first+i)
		}
		b.expect(n)
		ordered <- b
		for i := range n {
			tasks <- task{b, i}
		}
		first += n
	}
}

func (s *stages) inferAll(ctx context.Context, ready <-chan *batch) {
	for b := range ready {
		if s.stopped() {
			b.dropped = true
		} else {
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
	rows := b.compact(s.input)
	n := len(rows)
	b.began = 0
	if n == 0 {
		return
	}
	b.began = s.ticks.Add(1)
	defer func() { b.ended = s.ticks.Add(1) }()
	if err := s.predictor.Predict(ctx, b.dst[:n*s.classes], b.src[:n*s.input], b.seeds[:n]); err != nil {
		s.inferAlone(ctx, b, rows, err)
	} else {
		for at, i := range rows {
			b.outcomes[i] = outcome{raw: row(b.dst, at, s.classes), stepped: true}
		}
	}
	if ctx.Err() != nil { // what failed may have failed for that
		b.dropped = true
	}
}

// inferAlone runs the network on one row after another, after a run of all of them ended with err.
func (s *stages) inferAlone(ctx context.Context, b *batch, rows []int, err error) {
	b.engine = err
	for at, i := range rows {
		if ctx.Err() != nil {
			return
		}
		dst := row(b.dst, at, s.classes)
		if len(rows) > 1 {
			err = s.predictor.Predict(ctx, dst, row(b.src, at, s.input), b.seeds[at:at+1])
		}
		b.outcomes[i] = outcome{failure: reason(err)}
		if err == nil {
			b.outcomes[i] = outcome{raw: dst, stepped: true}
			b.engine = nil
		}
	}
}
