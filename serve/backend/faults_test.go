package backend

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
)

// full is a store whose commits fail while it is full. Below is a real one.
type full struct {
	Store
	is    atomic.Bool
	block chan struct{} // a commit waits for it, where there is one
}

func (f *full) Commit(p state.Position) error {
	if f.block != nil {
		<-f.block
	}
	if f.is.Load() {
		return errors.New("no space left on device")
	}
	return f.Store.Commit(p)
}

// mustFill opens a backend whose filter model has a store that can be full.
func mustFill(t *testing.T, o Options, block chan struct{}) (*Backend, *full) {
	t.Helper()
	dir := t.TempDir() // before the backend, which is closed before it is removed
	b := mustNew(t, o)
	m := b.models["filter"]
	file, err := state.Open(inFolder(dir)("full"), state.Options{Classes: classes, Settings: m.filter})
	if err != nil {
		t.Fatal(err)
	}
	f := &full{Store: file, block: block}
	k, err := newKeeper("filter", f, &b.options, m.versions[0].now.opened, m.meters, &m.shards.learners)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.shards.take(0); err != nil {
		t.Fatal(err)
	}
	m.shards.put(0, k)
	return b, f
}

func TestFullDisk(t *testing.T) {
	b, disk := mustFill(t, Options{}, nil)
	rows := track(0, 6)
	want := plain(t, rows...)
	same(t, "before", mustInfer(t, b, ask("a", rows[:3]...)), want[:3*classes])
	disk.is.Store(true)
	for range 3 {
		_, err := b.Infer(t.Context(), ask("a", rows[3]))
		refused(t, "no space", err, serve.Unavailable)
		var e *serve.Error
		if errors.As(err, &e) && e.Retry == 0 {
			t.Error("nothing is said of when to come again")
		}
	}
	end := ask("a", rows[3])
	end.Sequence.End, end.Sequence.Key = true, "end"
	_, err := b.Infer(t.Context(), end)
	refused(t, "END, no space", err, serve.Unavailable)
	_, err = b.Infer(t.Context(), ask("new", rows[3]))
	refused(t, "new stream, no space", err, serve.Unavailable)
	disk.is.Store(false)
	same(t, "afterwards", mustInfer(t, b, ask("a", rows[3:]...)), want[3*classes:])
	list, err := b.List(t.Context(), "filter", "", "", 10)
	if err != nil || len(list) != 1 || list[0].Items != 6 {
		t.Errorf("%+v, %v", list, err)
	}
	same(t, "the END that failed is no ending", mustInfer(t, b, end), plain(t, append(track(0, 6), rows[3])...)[6*classes:])
}

// While a commit hangs, queues fill, and who comes then is turned away, at no cost to the others.
func TestQueuesAreBounded(t *testing.T) {
	block := make(chan struct{})
	b, _ := mustFill(t, Options{Limits: Limits{Queue: 20, StreamQueue: 3}}, block)
	var all sync.WaitGroup
	var fine, turned atomic.Int64
	infer := func(stream string) {
		all.Go(func() {
			_, err := b.Infer(context.Background(), ask(stream, prediction(1)))
			var e *serve.Error
			switch {
			case err == nil:
				fine.Add(1)
			case errors.As(err, &e) && e.Code == serve.Exhausted && e.Retry > 0:
				turned.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	for range 10 {
		infer("one")
	}
	waitFor(t, func() bool { return turned.Load() == 7 })
	for i := range 30 {
		infer(streamID(i))
	}
	waitFor(t, func() bool { return turned.Load() == 20 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Infer(ctx, ask("gives up", prediction(1))); err == nil {
		t.Error("a call whose context had ended was answered")
	}
	close(block)
	all.Wait()
	if fine.Load() != 20 || turned.Load() != 20 {
		t.Errorf("%d answered, %d turned away: want 20 each", fine.Load(), turned.Load())
	}
	waitFor(t, func() bool { return b.models["filter"].admission.waiting() == 0 })
}

func waitFor(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		o.Limits.Streams = 2
		b := mustNew(t, o)
		mustInfer(t, b, ask("a", prediction(1)))
		mustInfer(t, b, ask("b", prediction(1)))
		_, err := b.Infer(t.Context(), ask("c", prediction(1)))
		refused(t, "a third stream", err, serve.Exhausted)
		end := ask("a", prediction(1))
		end.Sequence.End = true
		mustInfer(t, b, end)
		mustInfer(t, b, ask("c", prediction(1)))
	})
}

// A call that was given up before its turn is no step.
func TestGivenUp(t *testing.T) {
	block := make(chan struct{})
	b, _ := mustFill(t, Options{}, block)
	var all sync.WaitGroup
	all.Go(func() { mustInfer(t, b, ask("a", prediction(0))) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Infer(ctx, ask("a", prediction(1))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	close(block)
	all.Wait()
	info, err := b.Show(t.Context(), "filter", "", "a")
	if err != nil || info.Items != 1 && info.Items != 2 { // 2, where it shared the first's commit
		t.Errorf("%+v, %v", info, err)
	}
}

// Models come and go under load: whoever is answered is answered rightly, and nobody by a fault of the server.
func TestLoadAndUnloadUnderLoad(t *testing.T) {
	b := mustNew(t, Options{File: inFolder(t.TempDir())})
	var all sync.WaitGroup
	stop := make(chan struct{})
	for s := range 8 {
		all.Go(func() {
			f, err := adapt.New(classes, adapt.Settings{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				a, err := b.Infer(t.Context(), ask(streamID(s), prediction(i)))
				var e *serve.Error
				if errors.As(err, &e) && e.Code == serve.Unavailable {
					i--
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				want := make([]float64, classes)
				f.Step(want, prediction(i))
				same(t, fmt.Sprint(streamID(s), " item ", i), output(a, outAdapted), want)
			}
		})
	}
	for i := range 10 {
		if i%2 == 0 {
			if err := b.Unload(t.Context(), "filter"); err != nil || b.Ready() || b.Models()[0].Ready {
				t.Error("unload", err)
			}
		}
		if err := b.Load(t.Context(), "filter"); err != nil || !b.Ready() {
			t.Error("load", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	close(stop)
	all.Wait()
	refused(t, "unknown", b.Load(t.Context(), "nosuch"), serve.NotFound)
	refused(t, "unknown", b.Unload(t.Context(), "nosuch"), serve.NotFound)
}

// Settings that differ cannot go on with the streams that are there, and say so.
func TestOtherSettingsAreRefused(t *testing.T) {
	gate := adapt.GateAuto
	o := Options{File: inFolder(t.TempDir()), Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		return &Opened{Classes: classes, Filter: adapt.Settings{Gate: gate}}, nil
	}}}}
	b := mustNew(t, o)
	mustInfer(t, b, ask("a", prediction(1)))
	gate = adapt.GateOff
	if err := b.Load(t.Context(), "filter"); err == nil {
		t.Error("streams of another gate were taken")
	}
	if s := b.Models()[0]; s.Ready || s.Reason == "" {
		t.Errorf("%+v", s)
	}
	gate = adapt.GateAuto
	if err := b.Load(t.Context(), "filter"); err != nil {
		t.Error(err)
	}
	same(t, "and go on", mustInfer(t, b, ask("a", prediction(2))), plain(t, prediction(1), prediction(2))[classes:])
}

// wide is a network whose rows are long.
type wide struct{ Network }

func (wide) Platform() string     { return "test" }
func (wide) Inputs() []serve.Port { return nil }
func (wide) Len() int             { return 1000 }
func (wide) Batch() int           { return 1 }
func (wide) Runs() int            { return 1 }
func (wide) Close() error         { return nil }
func (wide) Prepare(in []serve.Tensor) ([]float32, int, error) {
	n := int(in[0].Shape[0])
	return make([]float32, 1000*n), n, nil
}

func (w wide) Predict(_ context.Context, dst []float64, _ []float32, of []Row, _ []error) error {
	for i := range of {
		dst[i*classes] = 1
	}
	return w.Network.Close() // which waits
}

// damaged is a store that cannot read a stream.
type damaged struct{ Store }

func (damaged) Companion(stream string) ([]byte, error) {
	return nil, fmt.Errorf("state: file: stream %q: damaged", stream)
}

// What goes wrong with a stream is told without its name, which no log holds.
func TestErrorsWithoutNames(t *testing.T) {
	b := mustNew(t, Options{})
	mustInfer(t, b, ask("Ada", prediction(1)))
	k := b.models["filter"].shards.held()[0]
	if err := k.do(func() error { k.store = damaged{k.store}; return nil }); err != nil {
		t.Fatal(err)
	}
	_, inferred := b.Infer(t.Context(), ask("Ada", prediction(1)))
	_, shown := b.Show(t.Context(), "filter", "", "Ada")
	_, listed := b.List(t.Context(), "filter", "", "", 9)
	for what, err := range map[string]error{"infer": inferred, "show": shown, "list": listed} {
		if err == nil || err.Error() != "state: file: stream: damaged" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A file of states that oatta filter keeps is no state of the server, and stays what it is.
func TestStateOfAnother(t *testing.T) {
	file := inFolder(t.TempDir())
	s, err := adapt.Settings{}.Resolved(classes)
	if err != nil {
		t.Fatal(err)
	}
	for _, position := range []string{`{"bytes": 12}`, "\x02\x00"} {
		theirs, err := state.Open(file("filter"), state.Options{Classes: classes, Settings: s})
		if err == nil {
			err = errors.Join(theirs.Commit(state.Position(position)), theirs.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(t.Context(), Options{File: file, Models: []Source{filterOf(classes)}})
		if err == nil || !strings.Contains(err.Error(), file("filter")+": not a state of the server") {
			t.Errorf("%q: %v", position, err)
		}
	}
}

type panics struct{ wide }

func (panics) Prepare([]serve.Tensor) ([]float32, int, error) { panic("a picture") }

// A panic in the reading of a request, which front ends end, leaves nothing that a model waits for.
func TestPanicInReading(t *testing.T) {
	b := mustNew(t, Options{Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		return &Opened{Classes: classes, Network: panics{}}, nil
	}}}})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = b.Infer(t.Context(), ask("a", prediction(1)))
	}()
	if a := b.models["filter"].admission; a.rows != 0 || a.bytes != 0 || len(a.streams) != 0 {
		t.Errorf("%+v is left", a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := b.Unload(ctx, "filter"); err != nil {
		t.Fatal(err)
	}
}

// Streams that begin in one commit are counted once.
func TestStreamsUpToTheLimit(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		o.Limits.Streams, o.Delay, o.Commit = 8, time.Second, 8
		b := mustNew(t, o)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if _, err := b.Infer(context.Background(), ask(streamID(i), prediction(i))); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		_, err := b.Infer(t.Context(), ask("more", prediction(1)))
		refused(t, "one more", err, serve.Exhausted)
	})
}

// What is kept of a stream that has ended, for retries, can be forgotten, too.
func TestForgetEndings(t *testing.T) {
	stores(t, func(t *testing.T, o Options) {
		b := mustNew(t, o)
		r := ask("a", prediction(1))
		r.Sequence.End, r.Sequence.Key = true, "one"
		mustInfer(t, b, r)
		if err := b.Forget(t.Context(), "filter", "", "a"); err != nil {
			t.Fatal(err)
		}
		if k := b.models["filter"].shards.held()[0]; len(k.endings.answers) != 0 {
			t.Errorf("%d endings", len(k.endings.answers))
		}
		refused(t, "again", b.Forget(t.Context(), "filter", "", "a"), serve.NotFound)
	})
}

// late is a network whose answers wait.
type late struct {
	wide
	begun, until chan struct{}
}

func (late) Close() error { return nil }

func (l late) Predict(_ context.Context, dst []float64, _ []float32, of []Row, _ []error) error {
	for i := range of {
		dst[i*classes] = 1
	}
	l.begun <- struct{}{}
	<-l.until
	return nil
}

// A stream's requests keep their order while its model is loaded again.
func TestOrderWhileLoading(t *testing.T) {
	begun, until := make(chan struct{}, 9), make(chan struct{})
	loads := 0
	b := mustNew(t, Options{Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		l := late{begun: begun, until: until}
		if loads++; loads > 1 {
			l.until = make(chan struct{})
			close(l.until)
		}
		return &Opened{Classes: classes, Network: l}, nil
	}}}})
	certain := []float64{1, 0, 0, 0}
	want := plain(t, certain, certain)
	var all sync.WaitGroup
	all.Go(func() { same(t, "the first", mustInfer(t, b, ask("a", certain)), want[:classes]) })
	<-begun
	m := b.models["filter"]
	old := m.versions[0].now
	all.Go(func() {
		if err := b.Load(context.Background(), "filter"); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, func() bool {
		b.mu.RLock()
		defer b.mu.RUnlock()
		return m.versions[0].now != old
	})
	all.Go(func() { same(t, "the second", mustInfer(t, b, ask("a", certain)), want[classes:]) })
	time.Sleep(50 * time.Millisecond)
	close(until)
	all.Wait()
}

type waits struct {
	Network
	until chan struct{}
}

func (w waits) Close() error { <-w.until; return nil }

// Inputs of a network are bounded by what they take, before they are made; one request may be larger, alone.
func TestInputsAreBounded(t *testing.T) {
	until := make(chan struct{})
	b := mustNew(t, Options{Limits: Limits{Bytes: 10_000}, Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		return &Opened{Classes: classes, Network: wide{waits{until: until}}}, nil
	}}}})
	var all sync.WaitGroup
	var turned atomic.Int64
	for i := range 10 {
		all.Go(func() {
			_, err := b.Infer(context.Background(), ask(streamID(i), prediction(i)))
			var e *serve.Error
			if errors.As(err, &e) && e.Code == serve.Exhausted {
				turned.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, func() bool { return turned.Load() == 8 })
	close(until)
	all.Wait()
	if a := b.models["filter"].admission; turned.Load() != 8 || a.bytes != 0 || a.rows != 0 {
		t.Errorf("%d turned away, %d bytes left", turned.Load(), a.bytes)
	}
	if _, err := b.Infer(t.Context(), ask("large", track(0, 5)...)); err != nil {
		t.Error(err)
	}
}
