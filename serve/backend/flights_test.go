package backend

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/serve"
)

// Retries that come while the first is on its way are one step of the network, and get its answer; other requests do not wait for it.
func TestSimultaneousRetries(t *testing.T) {
	begun, until := make(chan struct{}, 9), make(chan struct{})
	b := mustNew(t, Options{Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		return &Opened{Classes: classes, Network: late{begun: begun, until: until}}, nil
	}}}})
	keyed := func(key string) *serve.Request {
		r := ask("a", prediction(1))
		r.Sequence.Key = key
		return r
	}
	answers := make([][]float64, 4)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = mustInfer(t, b, keyed("x")) })
	}
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.Infer(ctx, keyed("x")); err != context.DeadlineExceeded {
		t.Errorf("%v: want the end of its time", err)
	}
	if len(begun) != 0 {
		t.Error("a retry reached the network")
	}
	close(until)
	all.Wait()
	for _, a := range answers {
		same(t, "the answer of all", a, answers[0])
	}
	mustInfer(t, b, keyed("y"))
	refused(t, "a key of another request", func() error {
		r := keyed("x")
		r.Inputs[0].Data[0]++
		_, err := b.Infer(t.Context(), r)
		return err
	}(), serve.Conflict)
	if n := 1 + len(begun); n != 2 {
		t.Errorf("the network took %d steps, want 2", n)
	}
	info, err := b.Show(t.Context(), "filter", "", "a")
	if err != nil || info.Items != 2 {
		t.Errorf("%+v, %v: want two items", info, err)
	}
	if n := len(b.models["filter"].admission.flights.of); n != 0 {
		t.Errorf("%d requests are still known as on their way", n)
	}
}
