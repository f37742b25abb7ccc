package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
	"github.com/oatta/oatta/serve/natsserver/natstest"
)

const classes = 3

// shaky is a backend whose answers are lost now and then, before the step or after it.
type shaky struct {
	*backend.Backend
	lost atomic.Int64
}

func (s *shaky) Infer(ctx context.Context, r *serve.Request) (*serve.Response, error) {
	gone := &serve.Error{Code: serve.Unavailable}
	if rand.IntN(10) == 0 {
		s.lost.Add(1)
		return nil, gone
	}
	a, err := s.Backend.Infer(ctx, r)
	if rand.IntN(10) == 0 {
		s.lost.Add(1)
		return nil, gone
	}
	return a, err
}

// Readers come and go, and answers are lost: every item is one step, in order, and has an answer.
func TestWork(t *testing.T) {
	nc := natstest.Connect(t)
	b, err := backend.New(t.Context(), backend.Options{Models: []backend.Source{{Name: "filter", Open: func(context.Context) (*backend.Opened, error) {
		return &backend.Opened{Classes: classes, Labels: []string{"deer", "fox", "none"}}, nil
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	shaken := &shaky{Backend: b}
	o := Options{In: "items", Out: "answers", Name: "reader", Model: "filter"}
	start := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := Run(ctx, nc, shaken, o); err != nil {
				t.Error(err)
			}
		})
		return func() { cancel(); all.Wait() }
	}
	first, second := start(), start()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for { // until the readers have made the stream
		if _, err := js.StreamNameBySubject(t.Context(), "items"); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	const streams, items = 10, 30
	want := map[string][][]float64{}
	for n := range items {
		for s := range streams {
			name, q := fmt.Sprint("camera ", s), prediction(s, n)
			text, err := json.Marshal(item{Stream: name, ID: json.RawMessage(fmt.Sprint(n)), Probs: q})
			if err == nil {
				_, err = js.Publish(t.Context(), "items", text)
			}
			if err != nil {
				t.Fatal(err)
			}
			want[name] = append(want[name], q)
		}
		if n == items/3 {
			first()
		}
		if n == items/2 {
			first = start()
		}
	}
	if _, err := js.Publish(t.Context(), "items", []byte("no item")); err != nil {
		t.Fatal(err)
	}
	got := answers(t, js, streams*items+1)
	first()
	second()
	for name, rows := range want {
		compare(t, name, got[name], rows)
	}
	if bad := got[""]; len(bad) != 1 || bad[0].Error == "" {
		t.Errorf("what is no item had %+v", bad)
	}
	t.Logf("%d answers lost", shaken.lost.Load())
}

func prediction(s, n int) []float64 {
	r := rand.New(rand.NewPCG(uint64(s), uint64(n)))
	a, b := r.Float64(), r.Float64()
	return []float64{min(a, b), max(a, b) - min(a, b), 1 - max(a, b)}
}

// answers reads so many, by stream.
func answers(t *testing.T, js jetstream.JetStream, n int) map[string][]answer {
	t.Helper()
	c, err := js.OrderedConsumer(t.Context(), "answers", jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := c.Messages()
	if err != nil {
		t.Fatal(err)
	}
	defer messages.Stop()
	out := map[string][]answer{}
	for range n {
		msg, err := messages.Next(jetstream.NextMaxWait(2 * redo))
		if err != nil {
			t.Fatal(errors.Join(err, fmt.Errorf("of %d answers", n)))
		}
		var a answer
		if err := json.Unmarshal(msg.Data(), &a); err != nil {
			t.Fatal(err)
		}
		out[a.Stream] = append(out[a.Stream], a)
	}
	return out
}

func compare(t *testing.T, name string, got []answer, rows [][]float64) {
	t.Helper()
	f, err := adapt.New(classes, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		dst := make([]float64, classes)
		f.Step(dst, rows[i])
		if string(a.ID) != fmt.Sprint(i) || !slices.Equal(a.Adapted, dst) || a.Label == "" || a.Class == nil || a.Gate == nil || a.Error != "" {
			t.Errorf("%s, answer %d: %+v, want %v", name, i, a, dst)
			return
		}
	}
	if len(got) != len(rows) {
		t.Errorf("%s: %d answers to %d items", name, len(got), len(rows))
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]int64{`"2023-11-14T22:13:21Z"`: 1700000001, "1700000000.5": 1700000000, "-3": -3} {
		at, err := timeOf(json.RawMessage(text))
		if err != nil || at[0].Unix() != want {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
	for _, text := range []string{`"yesterday"`, "1e40", "true", "[1]"} {
		if _, err := timeOf(json.RawMessage(text)); err == nil {
			t.Errorf("%s is no time", text)
		}
	}
}
