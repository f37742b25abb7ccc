package backend

import (
	"slices"
	"testing"
	"time"
)

// The clock goes by what has passed, wherever the time of day stands.
func TestClock(t *testing.T) {
	c := newClock()
	c.day = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	first := c.now()
	time.Sleep(20 * time.Millisecond)
	passed := c.now().Sub(first)
	if first.Year() != 1970 || passed < 20*time.Millisecond || passed > time.Minute {
		t.Errorf("%v, and %v later", first, passed)
	}
}

// A time of day that is a month ahead or behind after a restart moves no gap and no weight: filters go by the times of items alone. Streams that were
// idle by it are forgotten as what they are by then; those from ahead stay.
func TestClockJumps(t *testing.T) {
	const month = 30 * 24 * time.Hour
	file := inFolder(t.TempDir())
	items := track(0, 6)
	want := plain(t, items...)
	var got []float64
	for i, ahead := range []time.Duration{0, month, -month, 3 * month, 0, -12 * month} {
		b := mustNew(t, Options{File: file, Models: []Source{timed(Opened{})}})
		k := b.models["filter"].shards.held()[0]
		if err := k.do(func() error { k.clock.day = k.clock.day.Add(ahead); return nil }); err != nil {
			t.Fatal(err)
		}
		got = append(got, mustInfer(t, b, ask("a", items[i]))...)
		info, err := b.Show(t.Context(), "filter", "", "a")
		if err != nil || info.Items != uint64(i+1) || info.Last.Sub(k.clock.now()).Abs() > time.Minute {
			t.Errorf("%v ahead: %+v, %v", ahead, info, err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "over all jumps", got, want)
}

// While a server runs, its wall clock may be set as it likes: who asks all the time is never idle, and who does not is, when the time has passed.
func TestEvictionGoesByWhatHasPassed(t *testing.T) {
	b := mustNew(t, Options{Models: []Source{timed(Opened{})}})
	k := b.models["filter"].shards.held()[0]
	mustInfer(t, b, ask("idle", prediction(1)))
	time.Sleep(50 * time.Millisecond)
	mustInfer(t, b, ask("lives", prediction(1)))
	if err := k.forgetBefore(k.clock.now().Add(-25 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	names, err := k.lister().Page("/", "/", 9)
	if err != nil || !slices.Equal(names, []string{"/lives"}) {
		t.Errorf("%q, %v", names, err)
	}
}
