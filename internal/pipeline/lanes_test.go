package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/results"
)

// learner is a stream predictor that remembers: its outputs mix the input with all that the stream has shown since the last reset.
// Like a network's, they change in their last bits with the number of rows.
type learner struct {
	every int // steps between resets; 0: none but where a stream begins
	never bool
	most  int // lanes
	exact bool

	poison float32 // an input that fails its row
	toxic  float32 // an input that fails the whole step
	broken bool

	state []float64
	steps []int // since the reset
	begun []bool
	log   strings.Builder
	calls int
	after func(call int) // is told of every call
}

var errRow = errors.New("the step is not finite")

type badRows map[int]error

func (e badRows) Error() string   { return fmt.Sprint(map[int]error(e)) }
func (e badRows) Row(i int) error { return e[i] }

func (p *learner) InputLen() int      { return classes }
func (p *learner) Classes() int       { return classes }
func (p *learner) Lanes(want int) int { return min(want, p.most) }

func (p *learner) Begin(lane int) {
	fmt.Fprintf(&p.log, "begin %d\n", lane)
	for len(p.state) <= lane {
		p.state, p.steps, p.begun = append(p.state, 0), append(p.steps, 0), append(p.begun, false)
	}
	if !p.never {
		p.state[lane], p.steps[lane] = 0, 0
	}
	p.begun[lane] = true
}

func (p *learner) Restart(steps int) int {
	switch {
	case p.never:
		return -1
	case p.every > 0:
		return steps / p.every * p.every
	}
	return 0
}

func (p *learner) Step(ctx context.Context, dst, src []float32, lanes []int) error {
	p.calls++
	if p.after != nil {
		defer p.after(p.calls)
	}
	fmt.Fprintf(&p.log, "step")
	for i, lane := range lanes {
		fmt.Fprintf(&p.log, " %d:%v", lane, src[i*classes])
		if !p.begun[lane] || slices.Contains(lanes[:i], lane) {
			panic("a lane that has not begun, or is there twice")
		}
	}
	p.log.WriteByte('\n')
	if p.broken {
		return errors.New("device lost")
	}
	if p.toxic != 0 && slices.Contains(src, p.toxic) {
		return errors.New("cannot take it")
	}
	bad := badRows{}
	for i, lane := range lanes {
		x := row(src, i, classes)
		if p.every > 0 && p.steps[lane] == p.every {
			p.state[lane], p.steps[lane] = 0, 0
		}
		if p.steps[lane]++; p.poison != 0 && slices.Contains(x, p.poison) {
			bad[i] = errRow
			continue
		}
		p.state[lane] = 0.5*p.state[lane] + float64(x[0])
		if !p.exact {
			p.state[lane] += 1e-3 * float64(len(lanes))
		}
		for k := range x {
			dst[i*classes+k] = x[k] + float32(k)*float32(p.state[lane])
		}
	}
	if len(bad) > 0 {
		return bad
	}
	return ctx.Err()
}

// learn runs b through p into memory.
func (b *bench) learn(t testing.TB, p *learner, change func(*Job)) (string, Report) {
	t.Helper()
	return b.stream(t, func(j *Job) {
		j.Predictor, j.Streams, j.Batch = nil, p, p.most
		if change != nil {
			change(j)
		}
	})
}

// named makes a bench of streams of the given lengths, whose first inputs are 10, 11, ... in the first stream, 20, 21, ... in the next.
func named(lengths ...int) *bench {
	b := &bench{}
	for s, n := range lengths {
		for i := range n {
			b.items = append(b.items, Item{Name: fmt.Sprintf("%c%d", 'a'+s, i), Stream: string(rune('a' + s))})
			b.inputs = append(b.inputs, []float32{float32(10*s + 10 + i), 0, 0})
		}
	}
	return b
}

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		name string
		b    *bench
		most int
		held int
		want string
	}{
		{"one lane", named(2, 1), 1, 0, "begin 0\nstep 0:10\nstep 0:11\nbegin 0\nstep 0:20\n"},
		{"a lane takes the next stream", named(3, 1, 1, 2), 2, 0, `begin 0
begin 1
step 0:10 1:20
begin 1
step 0:11 1:30
begin 1
step 0:12 1:40
step 1:41
`},
		{"the example of the package's documentation", named(4, 2, 1, 3), 3, 0, `begin 0
begin 1
begin 2
step 0:10 1:20 2:30
begin 2
step 0:11 1:21 2:40
step 0:12 2:41
step 0:13 2:42
`},
		{"no more is held than allowed", named(4, 2, 2), 3, 3, `begin 0
begin 1
begin 2
step 0:10 1:20 2:30
step 0:11 1:21
step 0:12
step 0:13
step 2:31
`},
		{"the oldest stream goes on whatever is held", named(1, 3, 3), 2, 1, `begin 0
begin 1
step 0:10 1:20
begin 0
step 0:30 1:21
step 1:22
step 0:31
step 0:32
`},
		{"more lanes than streams", named(1, 2), 8, 0, "begin 0\nbegin 1\nstep 0:10 1:20\nstep 1:21\n"},
	} {
		p := &learner{most: c.most}
		c.b.learn(t, p, func(j *Job) { j.Held = c.held })
		if got := p.log.String(); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// An item that cannot be loaded is no step of its stream, and a row that fails costs the others nothing. Both take their place, so that
// the rounds of the others are what they would be otherwise.
func TestFailuresOfRows(t *testing.T) {
	b := named(3, 3)
	b.inputs[1] = nil  // a1
	b.inputs[4][1] = 6 // b1
	p := &learner{most: 2, poison: 6, exact: true}
	var failed []string
	b.learn(t, p, func(j *Job) {
		j.Observe = func(_ int, r *results.Record) {
			if r.Failed() {
				failed = append(failed, r.File+": "+r.Failure)
			}
		}
	})
	if want := "begin 0\nbegin 1\nstep 0:10 1:20\nstep 1:21\nstep 0:12 1:22\n"; p.log.String() != want {
		t.Errorf("got\n%swant\n%s", p.log.String(), want)
	}
	if want := []string{"a1: a1: truncated", "b1: the step is not finite"}; !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
}

// A step that fails as a whole is tried row by row.
func TestToxicItem(t *testing.T) {
	b := named(2, 2)
	b.inputs[2][2] = 6
	p := &learner{most: 2, toxic: 6}
	_, report := b.learn(t, p, nil)
	if want := "begin 0\nbegin 1\nstep 0:10 1:20\nstep 0:10\nstep 1:20\nstep 0:11 1:21\n"; p.log.String() != want {
		t.Errorf("got\n%swant\n%s", p.log.String(), want)
	}
	if report.Failures != 1 {
		t.Errorf("%+v", report)
	}
}

// Lockstep gives each stream what it gets alone, in the order of the items.
func TestLanesEqualOneStreamAtATime(t *testing.T) {
	for seed := range uint64(10) {
		b := newBench(seed, 150)
		want, _ := b.learn(t, &learner{most: 1, exact: true}, nil)
		for _, c := range [][3]int{{2, 1, 3}, {4, 4, 0}, {8, 2, 1}, {64, 3, 20}} {
			got, _ := b.learn(t, &learner{most: c[0], exact: true}, func(j *Job) { j.Loaders, j.Held = c[1], c[2] })
			if got != want {
				t.Errorf("seed %d: lanes, loaders, held %v: another output", seed, c)
			}
		}
	}
}

// The bits of an output do not depend on what is fast, though a network's depend on the number of rows.
func TestRoundsDoNotDependOnTime(t *testing.T) {
	b := newBench(31, 120)
	run := func(r *rand.Rand, loaders int) (string, string) {
		p := &learner{most: 5}
		out, _ := b.learn(t, p, func(j *Job) {
			j.Loaders = loaders
			j.Load = func(dst []float32, i int, seed uint64) error {
				if r != nil {
					time.Sleep(time.Duration(i%7) * 50 * time.Microsecond)
				}
				return b.load(dst, i, seed)
			}
		})
		return out, p.log.String()
	}
	want, rounds := run(nil, 1)
	if got, log := run(rand.New(rand.NewPCG(1, 1)), 6); got != want || log != rounds {
		t.Error("slow loading gave another output")
	}
}

// wide is a learner of large inputs, of which only the first numbers count.
type wide struct {
	*learner
	input int
}

func (p wide) InputLen() int { return p.input }

func (p wide) Step(ctx context.Context, dst, src []float32, lanes []int) error {
	var narrow []float32
	for i := range lanes {
		narrow = append(narrow, row(src, i, p.input)[:classes]...)
	}
	return p.learner.Step(ctx, dst, narrow, lanes)
}

// What is loaded and not yet stepped through is bounded, and still enough to keep loaders busy beside a single stream.
func TestLoadingRunsAhead(t *testing.T) {
	const loaders, most = 4, 3
	for _, c := range []struct {
		b     *bench
		input int
		ahead int64
	}{
		{named(150), aheadBytes / 8, 3*most + loaders},
		{named(30, 30, 30, 30, 30), aheadBytes / 8, 3*most + loaders},
		{named(600), classes, aheadRounds * most},
	} {
		var loaded, now, busiest atomic.Int64
		stepped, ahead := 0, int64(0)
		p := &learner{most: most}
		p.after = func(int) {
			ahead = max(ahead, loaded.Load()-int64(stepped))
			stepped = strings.Count(p.log.String(), ":")
			time.Sleep(200 * time.Microsecond)
		}
		c.b.learn(t, p, func(j *Job) {
			j.Streams, j.Loaders = wide{p, c.input}, loaders
			j.Load = func(dst []float32, i int, seed uint64) error {
				n := now.Add(1)
				defer now.Add(-1)
				for old := busiest.Load(); n > old && !busiest.CompareAndSwap(old, n); old = busiest.Load() {
				}
				time.Sleep(100 * time.Microsecond)
				loaded.Add(1)
				return c.b.load(dst, i, seed)
			}
		})
		if ahead > c.ahead || busiest.Load() != loaders {
			t.Errorf("%d items of %d numbers: up to %d ahead, want at most %d, by up to %d loaders", len(c.b.items), c.input, ahead, c.ahead, busiest.Load())
		}
	}
}

// Two runs in a row on whose every row the network failed are failures like others if the next succeeds, or the run ends.
func TestFailingRunsThatEnd(t *testing.T) {
	for _, at := range []int{2, 4} {
		b := named(6)
		b.inputs[at][1], b.inputs[at+1][1] = 7, 7
		if _, report := b.learn(t, &learner{most: 1, toxic: 7}, nil); report.Failures != 2 || report.Items != 6 {
			t.Errorf("%+v", report)
		}
	}
}

// A stop ends the run with the step in hand, and leaves nothing running.
func TestStopOfLanes(t *testing.T) {
	before := goruntime.NumGoroutine()
	for range 20 {
		b := newBench(12, 4000)
		p, stop := &learner{most: 3}, make(chan struct{})
		p.after = func(call int) {
			if call == 10 {
				close(stop)
			}
		}
		job := b.job(t)
		job.Predictor, job.Streams, job.Batch, job.Stream, job.Stop = nil, p, 3, &bytes.Buffer{}, stop
		report, err := Run(context.Background(), job)
		if err != nil || !report.Stopped || report.Items == 0 {
			t.Fatalf("Run: %+v, %v", report, err)
		}
	}
	full := newBench(12, 400)
	job := full.job(t)
	job.Predictor, job.Streams, job.Batch, job.Stream = nil, &learner{most: 3}, 3, &fullDisk{100}
	if _, err := Run(context.Background(), job); err == nil {
		t.Error("a full disk: no error")
	}
	for range 100 { // those that only have to return
		if goruntime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
}

func TestWhoPredicts(t *testing.T) {
	b := named(1)
	for want, change := range map[string]func(*Job){
		"one of the two":                      func(j *Job) { j.Streams = &learner{most: 1} },
		"want a predictor":                    func(j *Job) { j.Predictor = nil },
		"predictor has 3 classes, the filter": func(j *Job) { j.Filter.Classes = classes + 1 },
	} {
		job := b.job(t)
		job.Stream = &bytes.Buffer{}
		change(&job)
		if _, err := Run(context.Background(), job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
