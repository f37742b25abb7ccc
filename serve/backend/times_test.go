package backend

import (
	"context"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/serve"
)

func timed(o Opened) Source {
	o.Classes = classes
	return Source{Name: "filter", Open: func(context.Context) (*Opened, error) { own := o; return &own, nil }}
}

func askAt(stream string, item int, times ...time.Time) *serve.Request {
	r := ask(stream, track(item, len(times))...)
	r.Sequence.Times = times
	return r
}

// Gaps are those that a clock beside the stream tells, also over restarts and requests of several rows.
func TestTimesFeedGaps(t *testing.T) {
	f, err := adapt.New(classes, adapt.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	clock, err := timeline.NewKeeper(timeline.Settings{}, timeline.PolicyKeep)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{File: inFolder(t.TempDir()), Models: []Source{timed(Opened{})}}
	b := mustNew(t, o)
	at, missed := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 0
	for i := 0; i < 40; i += 2 {
		times := []time.Time{at, at.Add(10 * time.Second)}
		at = at.Add(20 * time.Second)
		if i == 20 || i == 30 {
			at = at.Add(30 * time.Second) // three steps without an item
		}
		if i == 26 {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			b = mustNew(t, o)
		}
		var want []float64
		for row, time := range times {
			_, gap, err := clock.Next(time, nil)
			if err != nil {
				t.Fatal(err)
			}
			if gap.Missed > 0 {
				f.Skip(gap.Missed)
				missed += gap.Missed
			}
			dst := make([]float64, classes)
			f.Step(dst, prediction(i+row))
			want = append(want, dst...)
		}
		same(t, "rows", mustInfer(t, b, askAt("a", i, times...)), want)
	}
	if missed != 6 {
		t.Errorf("%d steps were missed, want 6", missed)
	}
}

func TestLateItems(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	early := noon.Add(-time.Hour)
	for policy, check := range map[timeline.Policy]func(b *Backend){
		timeline.PolicyKeep: func(b *Backend) {
			same(t, "kept", mustInfer(t, b, askAt("a", 1, early)), plain(t, track(0, 2)...)[classes:])
		},
		timeline.PolicyRestart: func(b *Backend) {
			same(t, "restarted", mustInfer(t, b, askAt("a", 1, early)), plain(t, prediction(1)))
		},
		timeline.PolicyDrop: func(b *Backend) {
			a, err := b.Infer(t.Context(), askAt("a", 1, noon.Add(time.Hour), early))
			if err != nil || a.Parameters[dropped] != "1" {
				t.Fatalf("%v, %v", a, err)
			}
			same(t, "left out", output(a, outAdapted)[classes:], prediction(2))
		},
		timeline.PolicyError: func(b *Backend) {
			_, err := b.Infer(t.Context(), askAt("a", 1, noon.Add(time.Hour), early))
			refused(t, "late", err, serve.Conflict)
			same(t, "neither row was a step", mustInfer(t, b, askAt("a", 1, noon.Add(time.Hour))), plain(t, track(0, 2)...)[classes:])
		},
	} {
		t.Run(string(policy), func(t *testing.T) {
			b := mustNew(t, Options{Models: []Source{timed(Opened{Late: policy, Times: timeline.Settings{Gaps: timeline.GapsOff}})}})
			mustInfer(t, b, askAt("a", 0, noon))
			check(b)
		})
	}
	if _, err := New(t.Context(), Options{Models: []Source{timed(Opened{Late: timeline.PolicyReorder})}}); err == nil {
		t.Error("reorder was taken")
	}
}
