package backend

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/state"
	"github.com/oatta/oatta/serve"
)

func inSpace(space, stream string, item int) *serve.Request {
	r := ask(stream, prediction(item))
	r.Namespace = space
	return r
}

// A namespace begins no more streams than it may keep, however its streams come and go; others are not bound by it.
func TestQuotaOfStreams(t *testing.T) {
	o := Options{File: inFolder(t.TempDir()), Quota: func(space string) serve.Quota {
		if space == "small" {
			return serve.Quota{Streams: 2}
		}
		return serve.Quota{}
	}}
	b := mustNew(t, o)
	full := func(what string) {
		t.Helper()
		_, err := b.Infer(t.Context(), inSpace("small", "one more", 1))
		refused(t, what, err, serve.Exhausted)
	}
	for _, stream := range []string{"a", "b"} {
		mustInfer(t, b, inSpace("small", stream, 1))
		mustInfer(t, b, inSpace("small", stream, 2))
	}
	full("a third stream")
	for _, stream := range []string{"a", "b", "c", "d"} {
		mustInfer(t, b, inSpace("smaller", stream, 1))
	}
	r := inSpace("small", "b", 3)
	r.Sequence.End = true
	mustInfer(t, b, r)
	passing := inSpace("small", "passes", 3) // which begins and ends
	passing.Sequence.End = true
	mustInfer(t, b, passing)
	mustInfer(t, b, inSpace("small", "c", 1))
	full("after one ended and another began")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b = mustNew(t, o)
	full("after a restart")
	if err := b.Forget(t.Context(), "filter", "small", "c"); err != nil {
		t.Fatal(err)
	}
	var snapshot bytes.Buffer
	if err := b.Export(t.Context(), "filter", "small", "a", &snapshot); err != nil {
		t.Fatal(err)
	}
	if err := b.Import(t.Context(), "filter", "small", "d", snapshot.Bytes()); err != nil {
		t.Error(err)
	}
	refused(t, "imported", b.Import(t.Context(), "filter", "small", "e", snapshot.Bytes()), serve.Exhausted)
	full("after an import")
	k := b.models["filter"].shards.held()[0]
	if err := k.do(func() error { _, err := k.removeIdle([]string{"small/a"}, time.Now().Add(time.Hour)); return err }); err != nil {
		t.Fatal(err)
	}
	mustInfer(t, b, inSpace("small", "f", 1))
	full("after one was idle")
}

// A commit that fails leaves the count as what is kept.
func TestQuotaAfterFailedCommits(t *testing.T) {
	b := mustNew(t, Options{Quota: func(string) serve.Quota { return serve.Quota{Streams: 1} }})
	k := b.models["filter"].shards.held()[0]
	whole := k.store
	broken := &unwritable{Store: whole}
	if err := k.do(func() error { k.store = broken; return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := b.Infer(t.Context(), inSpace("n", "a", 1))
	refused(t, "a commit that fails", err, serve.Unavailable)
	if err := k.do(func() error { k.store = whole; return nil }); err != nil {
		t.Fatal(err)
	}
	mustInfer(t, b, inSpace("n", "b", 1))
}

// unwritable is a store whose commits fail: what was new is gone.
type unwritable struct{ Store }

func (u *unwritable) Commit(state.Position) error { return context.Canceled }
func (u *unwritable) Discard()                    { u.Remove("n/a") }

// A namespace has no more rows waiting than it may; others have their place.
func TestQuotaOfQueue(t *testing.T) {
	begun, until := make(chan struct{}, 9), make(chan struct{})
	b := mustNew(t, Options{
		Quota: func(string) serve.Quota { return serve.Quota{Queue: 2} },
		Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
			return &Opened{Classes: classes, Network: late{begun: begun, until: until}}, nil
		}}},
	})
	ends := make(chan error, 3)
	for _, space := range []string{"n", "n", "m"} {
		go func() {
			_, err := b.Infer(t.Context(), inSpace(space, "", 1))
			ends <- err
		}()
	}
	<-begun
	a := b.models["filter"].admission
	for waiting := 0; waiting != 3; waiting = a.waiting() {
		time.Sleep(time.Millisecond)
	}
	_, err := b.Infer(t.Context(), inSpace("n", "", 1))
	refused(t, "a third row", err, serve.Exhausted)
	close(until)
	for range 3 {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Infer(t.Context(), inSpace("n", "", 1)); err != nil {
		t.Error(err)
	}
	if len(a.spaces) != 0 {
		t.Errorf("rows are still counted: %v", a.spaces)
	}
}
