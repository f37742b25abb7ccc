package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/oatta/oatta/models/predict"
)

// lanes moves items through a [predict.StreamPredictor]: several streams in lockstep, each in its order, by the rounds of a [plan].
//
// A round waits until all of its items are loaded, however few are there already. What a network makes of a row may differ in the last
// bits with the number of rows, so rounds that took what is ready would give other bits each time, and a resumed run others than an
// uninterrupted one. Waiting costs next to nothing: items are loaded ahead in the order of the rounds, and where loading is the slower
// part, smaller rounds would not be done sooner.
type lanes struct {
	*loading
	predictor predict.StreamPredictor
	classes   int
	plan      plan
	first     int // item to begin with; those that the plan deals before only bring the lanes to their state
	freed     chan *round
	begun     []bool // by lane
	order     sequence
	failing   int // rounds in a row on whose every row the network failed
	suspect   int // first item of those
	ready     []outcome
	flushed   time.Time
	repeated  int // items before first
	infer     time.Duration
}

// round is a batch of items of different streams.
type round struct {
	batch
	slots []slot
	ids   []int // lanes of the rows that were loaded
	used  int   // rows of memory
}

// heldBytes is about what the outcomes that wait for earlier streams may take.
const heldBytes = 64 << 20

// heldLimit returns how many outcomes that is.
func heldLimit(classes int) int { return max(heldBytes/(4*classes+64), 64) }

// Loading runs so many rounds ahead where they take no more than so much. That bridges the first item of a long recording, for which all
// of it may have to be read.
const (
	aheadRounds = 256
	aheadBytes  = 16 << 20
)

// Outcomes go on when so many are there, or after such a time: a run that is killed repeats what did not.
const (
	flushItems = 128
	flushEvery = 100 * time.Millisecond
)

// run starts the lanes and returns the outcomes in the order of the items, in batches that are done. The caller must drain the
// channel. When it is closed, nothing runs any more. Cancelling ctx aborts runs of the network.
func (l *lanes) run(ctx context.Context, from int) <-chan *batch {
	n := len(l.plan.lanes)
	memory := ring{rows: l.rows()}
	l.freed = make(chan *round, memory.rows)
	l.begun, l.order = make([]bool, n), sequence{next: l.first, of: make([]*segment, n)}
	ordered, tasks, out := make(chan *round, memory.rows), make(chan task), make(chan *batch, 2)
	var wg sync.WaitGroup
	wg.Go(func() { l.dispatch(from, memory, ordered, tasks) })
	wg.Go(func() { l.all(tasks, func(b *batch) { close(b.done) }) })
	go func() {
		defer close(out)
		l.advance(ctx, ordered, out)
		wg.Wait()
	}()
	return out
}

// rows returns how many items may be loaded and not yet stepped through.
func (l *lanes) rows() int {
	n := len(l.plan.lanes)
	least := 3*n + l.loaders // a round at work, one that is ready, the ring's unused end, and what is being loaded
	return max(least, min(aheadRounds*n, aheadBytes/(4*(l.input+l.classes))))
}

func (l *lanes) release(*batch) {}

func (l *lanes) report(r *Report) {
	r.Busy.Load, r.Busy.Infer, r.Repeated = time.Duration(l.busyLoad.Load()), l.infer, l.repeated
}

// dispatch sends rounds to be loaded, as far ahead as there is memory for their rows.
func (l *lanes) dispatch(from int, memory ring, ordered chan<- *round, tasks chan<- task) {
	defer close(ordered)
	defer close(tasks)
	src, dst := make([]float32, memory.rows*l.input), make([]float32, memory.rows*l.classes)
	var idle []*round
	for slots := l.plan.from(from, nil); len(slots) > 0; slots = l.plan.nextRound(slots[:0]) {
		at, used, ok := memory.take(len(slots))
		for ; !ok; at, used, ok = memory.take(len(slots)) {
			select {
			case <-l.stop:
				return
			case t := <-l.freed:
				memory.used -= t.used
				idle = append(idle, t)
			}
		}
		if l.stopped() {
			return
		}
		t := &round{}
		if last := len(idle) - 1; last >= 0 {
			t, idle = idle[last], idle[:last]
		}
		t.deal(slots, used)
		t.src, t.dst = src[at*l.input:(at+len(slots))*l.input], dst[at*l.classes:(at+len(slots))*l.classes]
		ordered <- t
		for i := range slots {
			tasks <- task{&t.batch, i}
		}
	}
}

func (t *round) deal(slots []slot, used int) {
	t.used = used
	t.slots = append(t.slots[:0], slots...)
	t.items = t.items[:0]
	for _, s := range slots {
		t.items = append(t.items, s.item)
	}
	t.expect(len(slots))
}

// advance makes the rounds and sends what comes of them. However it ends, it waits until no round is being loaded.
func (l *lanes) advance(ctx context.Context, ordered <-chan *round, out chan<- *batch) {
	l.flushed = time.Now()
	var err error
	for t := range ordered {
		<-t.done
		if err == nil && ctx.Err() == nil && !l.stopped() {
			err = l.make(ctx, t, out)
		}
		l.freed <- t
	}
	switch {
	case err != nil:
		out <- &batch{fatal: err, done: closed}
	case l.failing == 0 || ctx.Err() == nil && !l.stopped(): // what failed before a stop is tried again after it
		l.flush(out)
	}
}

// make makes one round. An error means that the engine is broken.
func (l *lanes) make(ctx context.Context, t *round, out chan<- *batch) error {
	start := time.Now()
	engine := l.step(ctx, t)
	l.infer += time.Since(start)
	if ctx.Err() != nil { // what failed may have failed for that
		return nil
	}
	if engine != nil {
		if l.failing == 0 {
			l.flush(out)
			l.suspect = t.items[0]
		}
		if l.failing++; l.failing == patience {
			return fmt.Errorf("pipeline: the network failed on %d runs in a row, from %s on: %w", patience, l.plan.items[l.suspect].Name, engine)
		}
	} else if len(t.ids) > 0 {
		l.failing = 0
	}
	for i, s := range t.slots {
		if s.item < l.first {
			l.repeated++
		}
		l.order.add(s, t.outcomes[i])
	}
	if l.failing == 0 {
		l.send(out)
	}
	return nil
}

// step advances the lanes whose items were loaded. If the run fails as a whole, each row is tried alone; an error means that none
// succeeded.
func (l *lanes) step(ctx context.Context, t *round) error {
	for _, s := range t.slots {
		if s.begin || !l.begun[s.lane] {
			l.predictor.Begin(s.lane)
			l.begun[s.lane] = true
		}
	}
	rows := t.compact(l.input)
	t.ids = t.ids[:0]
	for _, i := range rows {
		t.ids = append(t.ids, t.slots[i].lane)
	}
	if len(rows) == 0 {
		return nil
	}
	whole := l.try(ctx, t, rows, 0, len(rows))
	if whole == nil {
		return nil
	}
	engine := whole
	for at := range rows {
		err := whole
		if len(rows) > 1 {
			err = l.try(ctx, t, rows, at, at+1)
		}
		if err == nil {
			engine = nil
		} else {
			t.outcomes[rows[at]] = outcome{failure: reason(err)}
		}
	}
	return engine
}

// try steps rows from to to-1 and sets their outcomes, unless the run fails as a whole.
func (l *lanes) try(ctx context.Context, t *round, rows []int, from, to int) error {
	dst := t.dst[from*l.classes : to*l.classes]
	err := l.predictor.Step(ctx, dst, t.src[from*l.input:to*l.input], t.ids[from:to])
	var some predict.RowErrors
	if err != nil && !errors.As(err, &some) {
		return err
	}
	for i, at := range rows[from:to] {
		if some != nil {
			if err := some.Row(i); err != nil {
				t.outcomes[at] = outcome{failure: reason(err), stepped: true}
				continue
			}
		}
		t.outcomes[at] = outcome{raw: slices.Clone(row(dst, i, l.classes)), stepped: true}
	}
	return nil
}

// send sends what is ready, if it is much or has waited long.
func (l *lanes) send(out chan<- *batch) {
	for {
		l.ready = l.order.drain(l.ready, flushItems)
		full := len(l.ready) == flushItems
		if !full && (len(l.ready) == 0 || time.Since(l.flushed) < flushEvery) {
			return
		}
		l.pass(out)
	}
}

// flush sends all that is ready.
func (l *lanes) flush(out chan<- *batch) {
	for {
		if l.ready = l.order.drain(l.ready, flushItems); len(l.ready) == 0 {
			return
		}
		l.pass(out)
	}
}

func (l *lanes) pass(out chan<- *batch) {
	out <- &batch{first: l.order.next - len(l.ready), outcomes: l.ready, done: closed}
	l.ready = make([]outcome, 0, flushItems)
	l.flushed = time.Now()
}

// closed is the done of batches that are done.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
