package backend

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/oatta/oatta/serve"
)

// numbered makes a request of an item, whose number is one more, with a key.
func numbered(stream string, item int) *serve.Request {
	r := ask(stream, prediction(item))
	r.Sequence.Key, r.Sequence.Number = fmt.Sprint("item ", item), uint64(item+1)
	return r
}

// passed asserts that a request is refused by its number, and what the highest is.
func passed(t *testing.T, b *Backend, r *serve.Request, highest uint64) {
	t.Helper()
	_, err := b.Infer(t.Context(), r)
	refused(t, r.Sequence.Key, err, serve.Aborted)
	var told *serve.Error
	if errors.As(err, &told) && told.Number != highest {
		t.Errorf("%s: the highest is %d, want %d", r.Sequence.Key, told.Number, highest)
	}
}

// numberedStores are all stores, JetStream sealed, too.
func numberedStores(t *testing.T, f func(t *testing.T, o Options)) {
	stores(t, f)
	t.Run("sealed jetstream", func(t *testing.T) { f(t, inSealedJetStream(t, bytes.Repeat([]byte{7}, 32))) })
}

// However many requests of a stream were between: what was late on its way is no second step, and no first one either where it was passed by. So it is
// after a restart.
func TestNumbers(t *testing.T) {
	numberedStores(t, func(t *testing.T, o Options) {
		o.Limits.Keys = 2
		b := mustNew(t, o)
		const items = mostPast + 20
		for item := range items {
			if item != 7 { // which is late
				mustInfer(t, b, numbered("a", item))
			}
		}
		want := plain(t, append(track(0, 7), track(8, items-7)...)...)
		check := func(b *Backend) {
			t.Helper()
			for _, item := range []int{0, 7, 9} {
				passed(t, b, numbered("a", item), items)
			}
			_, err := b.Infer(t.Context(), numbered("a", items-4))
			refused(t, "a key that is past", err, serve.Conflict)
			same(t, "a key with its answer", mustInfer(t, b, numbered("a", items-1)), want[(items-2)*classes:(items-1)*classes])
			keyless := numbered("a", 0)
			keyless.Sequence.Key, keyless.Sequence.Number = "", items
			passed(t, b, keyless, items)
			again := numbered("a", 0)
			again.Sequence.Start = true
			passed(t, b, again, items)
		}
		check(b)
		if o.File == nil && o.Open == nil {
			return
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = mustNew(t, o)
		check(b)
		info, err := b.Show(t.Context(), "filter", "", "a")
		if err != nil || info.Number != items || info.Items != items-1 {
			t.Errorf("%+v, %v", info, err)
		}
		same(t, "the next", mustInfer(t, b, numbered("a", items)), want[(items-1)*classes:])
		mustInfer(t, b, ask("a", prediction(1))) // without a number none is looked at
	})
}

// A stream's end, and its beginning anew, let nothing in that was late; to be forgotten does.
func TestNumbersOfEndedStreams(t *testing.T) {
	numberedStores(t, func(t *testing.T, o Options) {
		b := mustNew(t, o)
		for item := range 3 {
			r := numbered("a", item)
			r.Sequence.End = item == 2
			mustInfer(t, b, r)
		}
		check := func(b *Backend) {
			t.Helper()
			late := numbered("a", 1)
			late.Sequence.Key = "another"
			passed(t, b, late, 3)
			if _, err := b.Show(t.Context(), "filter", "", "a"); err == nil {
				t.Error("what was late began a stream")
			}
			mustInfer(t, b, numbered("b", 0)) // of another stream
			end := ask("b", prediction(1))
			end.Sequence.End = true
			mustInfer(t, b, end)
		}
		check(b)
		if o.File != nil || o.Open != nil {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = mustNew(t, o)
		}
		late := numbered("b", 0)
		late.Sequence.Key = "another"
		passed(t, b, late, 1)
		same(t, "the next life", mustInfer(t, b, numbered("a", 3)), plain(t, prediction(3)))
		again := numbered("a", 4)
		again.Sequence.Start = true
		same(t, "begun anew", mustInfer(t, b, again), plain(t, prediction(4)))
		late = numbered("a", 2)
		late.Sequence.Key = "late"
		passed(t, b, late, 5)
		if err := b.Forget(t.Context(), "filter", "", "a"); err != nil {
			t.Error(err)
		}
		same(t, "after it was forgotten", mustInfer(t, b, numbered("a", 0)), plain(t, prediction(0)))
	})
}

// What was imported has the number of its life before.
func TestNumbersOfImports(t *testing.T) {
	b := mustNew(t, Options{})
	var snapshot bytes.Buffer
	mustInfer(t, b, ask("other", prediction(1)))
	if err := b.Export(t.Context(), "filter", "", "other", &snapshot); err != nil {
		t.Fatal(err)
	}
	r := numbered("a", 8)
	r.Sequence.End = true
	mustInfer(t, b, r)
	if err := b.Import(t.Context(), "filter", "", "a", snapshot.Bytes()); err != nil {
		t.Fatal(err)
	}
	passed(t, b, numbered("a", 7), 9)
	mustInfer(t, b, numbered("a", 9))
}

// The greatest number is one, other namespaces and models have numbers of their own, and what is refused otherwise counts for none.
func TestNumbersAreApart(t *testing.T) {
	b := mustNew(t, Options{Models: []Source{filterOf(classes), {Name: "other", Open: filterOf(classes).Open}}})
	largest := numbered("a", 0)
	largest.Sequence.Number = math.MaxUint64
	largest.Namespace = "mine"
	mustInfer(t, b, largest)
	last := numbered("a", 1)
	last.Namespace = "mine"
	passed(t, b, last, math.MaxUint64)
	mustInfer(t, b, numbered("a", 0))
	other := numbered("a", 0)
	other.Model = "other"
	mustInfer(t, b, other)
	bad := numbered("a", 40)
	bad.Inputs[0].Data[0]++ // sums to another than 1
	bad.Inputs[0].Data[7] = 0x7f
	_, err := b.Infer(t.Context(), bad)
	refused(t, "no vector", err, serve.InvalidArgument)
	mustInfer(t, b, numbered("a", 1))
	alone := numbered("", 1)
	alone.Sequence.Key = ""
	_, err = b.Infer(t.Context(), alone)
	refused(t, "a number without a stream", err, serve.InvalidArgument)
	changed := numbered("a", 1)
	changed.Sequence.Number = 77
	_, err = b.Infer(t.Context(), changed)
	refused(t, "a key with another number", err, serve.Conflict)
}

// A request that a network has not seen, and whose number is passed by while others are on their way to it, reaches it at no time.
func TestNumbersBeforeTheNetwork(t *testing.T) {
	begun, until := make(chan struct{}, 9), make(chan struct{})
	b := mustNew(t, Options{Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
		return &Opened{Classes: classes, Network: late{begun: begun, until: until}}, nil
	}}}})
	var all sync.WaitGroup
	all.Go(func() { mustInfer(t, b, numbered("a", 5)) })
	<-begun
	for _, item := range []int{3, 4} {
		all.Go(func() { passed(t, b, numbered("a", item), 6) })
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.Infer(ctx, numbered("a", 4)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v: want the end of its time", err)
	}
	close(until)
	all.Wait()
	passed(t, b, numbered("a", 2), 6)
	if len(begun) != 0 {
		t.Errorf("%d more reached the network", len(begun))
	}
	mustInfer(t, b, numbered("a", 6))
	if f := &b.models["filter"].admission.flights; len(f.of) != 0 || len(f.highest) != 0 {
		t.Errorf("%d and %d requests are still known as on their way", len(f.of), len(f.highest))
	}
}

// Requests that arrive in any order, some of them twice: those that were answered are steps, once, in the order of their numbers.
func TestNumbersInAnyOrder(t *testing.T) {
	b := mustNew(t, Options{Limits: Limits{Keys: 1}})
	r := rand.New(rand.NewPCG(3, 15))
	highest, rows := uint64(0), [][]float64(nil)
	for range 2000 {
		item := int(highest) + r.IntN(40) - 36
		if item < 0 {
			continue
		}
		q := numbered("a", item)
		if r.IntN(2) == 0 {
			q.Sequence.Key = ""
		}
		_, err := b.Infer(t.Context(), q)
		switch {
		case q.Sequence.Number > highest && err != nil:
			t.Fatalf("number %d after %d: %v", q.Sequence.Number, highest, err)
		case q.Sequence.Number > highest:
			highest, rows = q.Sequence.Number, append(rows, prediction(item))
		}
	}
	info, err := b.Show(t.Context(), "filter", "", "a")
	if err != nil || int(info.Items) != len(rows) || info.Number != highest {
		t.Errorf("%+v, %v: want %d items", info, err, len(rows))
	}
	next := numbered("a", int(highest))
	same(t, "the next", mustInfer(t, b, next), plain(t, append(rows, prediction(int(highest)))...)[len(rows)*classes:])
}

// A file that a server wrote before requests had numbers (`oatta serve --classes 4`, revision 0fa9c13) is gone on with: its keys have their answers, of
// a stream that has ended, too, and numbers begin.
func TestFileWithoutNumbers(t *testing.T) {
	packed, err := os.Open(filepath.Join("testdata", "memo2.state.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{File: inFolder(t.TempDir())}
	if err := os.WriteFile(o.File("filter"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := []float64{0.5, 0.25, 0.125, 0.125}, []float64{0.25, 0.5, 0.125, 0.125}
	keyed := func(stream, key string, row []float64) *serve.Request {
		r := ask(stream, row)
		r.Sequence.Key = key
		return r
	}
	b := mustNew(t, o)
	want := plain(t, first, second, first)
	for range 2 {
		same(t, "the first key", mustInfer(t, b, keyed("a", "one", first)), want[:classes])
		same(t, "the second", mustInfer(t, b, keyed("a", "two", second)), want[classes:2*classes])
		end := keyed("b", "end", first)
		end.Sequence.End = true
		same(t, "that of the end", mustInfer(t, b, end), want[:classes])
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b = mustNew(t, o)
	}
	next := keyed("a", "three", first)
	next.Sequence.Number = 5
	same(t, "the next", mustInfer(t, b, next), want[2*classes:])
	passed(t, b, numbered("a", 4), 5)
}
