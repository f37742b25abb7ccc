package pipeline

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Loader writes the predictor's input of item i, InputLen numbers, into dst, which holds anything before. What is random in it, as
// the views for a predictor that takes several, depends on seed alone; the predictor gets the same seed, so each mixes it with a
// constant of its own. It is called from several goroutines at once.
type Loader func(dst []float32, i int, seed uint64) error

// batch is the items of one run of a predictor on its way through the stages.
type batch struct {
	first    int       // item of the first outcome; not set while the items are of several streams
	items    []int     // of the rows, while outcomes are yet to come
	src      []float32 // [len(items), input]
	dst      []float32 // [len(items), classes]
	seeds    []uint64
	errs     []error // of loading, by item
	outcomes []outcome
	pending  atomic.Int32  // items still to be loaded
	done     chan struct{} // closed when the outcomes are there, or the batch was dropped
	dropped  bool
	engine   error // the network failed on every input of the batch: the engine may be broken, not the inputs
	fatal    error // ends the run: there are no outcomes
	// began and ended are ticks of the source's clock around the network's run; began is 0 where there was none.
	began, ended int64
}

// expect makes the batch wait for n items to be loaded. Their seeds and errors are yet to be written.
func (b *batch) expect(n int) {
	b.seeds, b.errs = resize(b.seeds, n), resize(b.errs, n)
	b.done, b.dropped = make(chan struct{}), false
	b.pending.Store(int32(n))
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// compact moves the loaded inputs, of so many numbers, and their seeds to the front and returns their items. The others' outcomes are
// their failures.
func (b *batch) compact(input int) (rows []int) {
	b.outcomes, b.engine = b.outcomes[:0], nil
	for i, err := range b.errs {
		b.outcomes = append(b.outcomes, outcome{failure: reason(err)})
		if err != nil {
			continue
		}
		if n := len(rows); n < i {
			copy(row(b.src, n, input), row(b.src, i, input))
			b.seeds[n] = b.seeds[i]
		}
		rows = append(rows, i)
	}
	return rows
}

// row returns row i of a matrix of rows of n numbers.
func row(x []float32, i, n int) []float32 { return x[i*n : (i+1)*n : (i+1)*n] }

func reason(err error) string {
	if err == nil {
		return ""
	}
	if err.Error() == "" {
		return fmt.Sprintf("%T", err)
	}
	return err.Error()
}

// loading is the part that both ways to run a predictor share: goroutines that load items into batches.
type loading struct {
	load     Loader
	seed     func(i int) uint64 // of item i
	input    int                // numbers of an item
	loaders  int
	stop     <-chan struct{} // closed: begin nothing new
	busyLoad atomic.Int64
}

type task struct {
	b *batch
	i int // within the batch
}

// all loads until tasks ends and calls loaded for each batch whose items are there.
func (l *loading) all(tasks <-chan task, loaded func(*batch)) {
	var wg sync.WaitGroup
	for range l.loaders {
		wg.Go(func() {
			for t := range tasks {
				l.one(t)
				if t.b.pending.Add(-1) == 0 {
					loaded(t.b)
				}
			}
		})
	}
	wg.Wait()
}

func (l *loading) one(t task) {
	if l.stopped() { // the batch will be dropped
		return
	}
	start := time.Now()
	i := t.b.items[t.i]
	t.b.seeds[t.i] = l.seed(i)
	t.b.errs[t.i] = l.load(row(t.b.src, t.i, l.input), i, t.b.seeds[t.i])
	l.busyLoad.Add(int64(time.Since(start)))
}

func (l *loading) stopped() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}
