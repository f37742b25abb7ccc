package jetstore

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend/storetest"
	"github.com/oatta/oatta/serve/natsserver/natstest"
)

func open(t testing.TB, nc *nats.Conn, o Options, model string, s state.Options) *Store {
	t.Helper()
	if o.Shards == 0 {
		o.Shards = 4
	}
	g, err := New(nc, o)
	if err != nil {
		t.Fatal(err)
	}
	s.Classes, s.Settings = storetest.Classes, storetest.Settings(t)
	out, err := g.Open(t.Context(), model, 1, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStore(t *testing.T) {
	nc := natstest.Connect(t)
	for name, c := range map[string]struct {
		o Options
		s state.Options
	}{"clear": {}, "sealed": {o: Options{Key: bytes.Repeat([]byte{9}, 32)}, s: state.Options{Cache: 12}}} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Place {
				model := t.Name()
				return func(t testing.TB) storetest.Store { return open(t, nc, c.o, model, c.s) }
			}, true)
		})
	}
}

// A state that does not go into a message is cut into parts, which change together.
func TestParts(t *testing.T) {
	nc := natstest.Connect(t)
	storetest.Run(t, func(t *testing.T) storetest.Place {
		model := t.Name()
		return func(t testing.TB) storetest.Store {
			s := open(t, nc, Options{}, model, state.Options{})
			s.part, s.batch = 300, 12
			return s
		}
	}, true)
}

func step(t *testing.T, s *Store, stream string) {
	t.Helper()
	f, err := s.Filter(stream)
	if err != nil {
		t.Fatal(err)
	}
	f.Step(make([]float64, storetest.Classes), []float64{0.2, 0.3, 0.5})
}

// Whoever opens a shard ends what had it, at the latest when that writes: nothing of it is written.
func TestFence(t *testing.T) {
	nc, lost := natstest.Connect(t), 0
	old := open(t, nc, Options{Lost: func(string, int) { lost++ }}, "m", state.Options{})
	step(t, old, "a")
	if err := old.Commit(state.Position("1")); err != nil {
		t.Fatal(err)
	}
	young := open(t, nc, Options{}, "m", state.Options{})
	step(t, old, "a")
	step(t, old, "b")
	var told *serve.Error
	if err := old.Commit(state.Position("2")); !errors.As(err, &told) || told.Code != serve.Unavailable || lost != 1 {
		t.Errorf("%v, lost %d times", err, lost)
	}
	if _, err := old.Filter("a"); !errors.As(err, &told) {
		t.Errorf("a store that lost its shard gave a filter: %v", err)
	}
	if f, err := young.Load("a"); err != nil || f.Steps() != 1 || young.Len() != 1 || string(young.Position()) != "1" {
		t.Errorf("%v, %d streams at %q", err, young.Len(), young.Position())
	}
}

// A commit of one stream alone does not write the head, and is fenced by its own revision: who has read the stream since, writes no more.
func TestOneMessage(t *testing.T) {
	nc := natstest.Connect(t)
	old := open(t, nc, Options{}, "m", state.Options{})
	step(t, old, "a")
	for range 3 {
		step(t, old, "a")
		if err := old.Commit(state.Position{}); err != nil {
			t.Fatal(err)
		}
	}
	head := old.head.revision
	young := open(t, nc, Options{}, "m", state.Options{})
	step(t, young, "a")
	step(t, old, "a")
	if err := old.Commit(state.Position{}); err != nil { // nothing is lost by that: the other has acknowledged no step
		t.Fatal(err)
	}
	if old.head.revision != head {
		t.Error("a commit of one stream wrote the head")
	}
	if err := young.Commit(state.Position{}); err == nil {
		t.Error("a step on a state that had changed was written")
	}
	if f, err := open(t, nc, Options{}, "m", state.Options{}).Load("a"); err != nil || f.Steps() != 5 {
		t.Errorf("%v: %d steps", err, f.Steps())
	}
}

func TestOpenRefuses(t *testing.T) {
	nc := natstest.Connect(t)
	key := bytes.Repeat([]byte{1}, 32)
	s := open(t, nc, Options{Key: key}, "m", state.Options{})
	step(t, s, "a")
	if err := s.Commit(nil); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		o Options
		s state.Options
	}{
		"no key":         {Options{Shards: 4}, state.Options{Classes: storetest.Classes}},
		"another key":    {Options{Shards: 4, Key: bytes.Repeat([]byte{2}, 32)}, state.Options{Classes: storetest.Classes}},
		"shards":         {Options{Shards: 5, Key: key}, state.Options{Classes: storetest.Classes}},
		"other classes":  {Options{Shards: 4, Key: key}, state.Options{Classes: 4}},
		"other settings": {Options{Shards: 4, Key: key}, state.Options{Classes: storetest.Classes, Settings: adapt.Settings{Gate: adapt.GateOff}}},
	} {
		g, err := New(nc, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Open(t.Context(), "m", 1, c.s); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	step(t, s, "a")
	if err := s.Commit(nil); err != nil {
		t.Errorf("who was refused took the shard: %v", err)
	}
	for _, o := range []Options{{}, {Shards: MaxShards + 1}, {Shards: 1, Group: "a.b"}, {Shards: 1, Key: []byte{1}}} {
		if _, err := New(nc, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// While the NATS servers do not answer, whoever asks is told to come again; what is damaged is a fault.
func TestAway(t *testing.T) {
	server := natstest.Start(t)
	nc, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	s := open(t, nc, Options{Wait: 200 * time.Millisecond}, "away", state.Options{})
	server.Close()
	for what, err := range map[string]error{
		"Has": func() error { _, err := s.Has("a"); return err }(), "Filter": func() error { _, err := s.Filter("a"); return err }(),
		"Companion": func() error { _, err := s.Companion("a"); return err }(), "Load": func() error { _, err := s.Load("a"); return err }(),
	} {
		var told *serve.Error
		if !errors.As(err, &told) || told.Code != serve.Unavailable || told.Retry == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, fault := range []error{errors.New("damaged"), jetstream.ErrStreamNotFound} {
		if err := away(fault); err != fault {
			t.Errorf("%v became %v", fault, err)
		}
	}
	if away(nil) != nil {
		t.Error("no error became one")
	}
}
