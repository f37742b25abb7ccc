package timeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// told reads 10:00:00+02:00 as an instant of a day and 10:00:00 as what a clock on the wall showed on it.
func told(t testing.TB, text string) time.Time {
	t.Helper()
	if at, err := time.Parse("2006-01-02T15:04:05Z07:00", "2024-05-01T"+text); err == nil {
		return at
	}
	at, err := time.Parse("2006-01-02T15:04:05", "2024-05-01T"+text)
	if err != nil {
		t.Fatal(err)
	}
	return at.In(Wall)
}

// Gaps are those of instants where all times are that, of the clock on the wall where none is, and from the first on that differs; a clock that is kept
// between any two items goes on alike.
func TestClockOnTheWall(t *testing.T) {
	for name, tc := range map[string]struct {
		times, want string
		mixed       bool
	}{
		"instants of two zones":      {"10:00:00+02:00 09:00:30+01:00 08:01:00Z 04:01:30-04:00", "0s 30s 30s 30s", false},
		"instants, one late":         {"10:00:00+02:00 10:30:00+03:00 10:10:00+02:00", "0s late -30m0s 10m0s", false},
		"the wall":                   {"10:00:00 10:00:30 10:00:10", "0s 30s late -20s", false},
		"instants before the wall":   {"10:00:00+02:00 10:00:30+02:00 10:01:00 10:01:30+05:00", "0s 30s 30s 30s", true},
		"the wall before an instant": {"10:00:00 10:00:30-07:00 10:01:00 10:01:30+05:00", "0s 30s 30s 30s", true},
		"one of the other, late":     {"10:00:00+02:00 09:00:00 10:00:10-03:00", "0s late -1h0m0s 10s", true},
	} {
		c, kept := newClock(t, Settings{}), newClock(t, Settings{})
		var got []string
		for i, text := range strings.Fields(tc.times) {
			id := fmt.Append(nil, i)
			g := c.Next(told(t, text), id)
			if g2 := kept.Next(told(t, text), id); g2 != g {
				t.Errorf("%s, item %d: %+v after a restart, want %+v", name, i, g2, g)
			}
			kept = again(t, kept, Settings{})
			word := ""
			if g.Order == Late {
				word = "late "
			}
			got = append(got, word+g.Since.String())
		}
		if s := strings.Join(got, " "); s != tc.want || c.Mixed() != tc.mixed || kept.Mixed() != tc.mixed {
			t.Errorf("%s: %s, mixed %t, want %s, %t", name, s, c.Mixed(), tc.want, tc.mixed)
		}
		if c.Reset(); c.Mixed() {
			t.Errorf("%s: mixed after Reset", name)
		}
	}
}

// A stream of both kinds of times is counted once.
func TestMixedIsCounted(t *testing.T) {
	k, err := NewKeeper(Settings{}, PolicyKeep)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"10:00:00", "10:00:30Z", "10:01:00", "10:01:30Z"} {
		if _, _, err := k.Next(told(t, text), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	if k.Mix(); k.Counts().Mixed != 1 {
		t.Errorf("%+v", k.Counts())
	}
}

// A clock of the first version, which knew no kinds of times, takes that of the next one.
func TestFirstVersionOfAClock(t *testing.T) {
	c := newClock(t, Settings{})
	c.Next(told(t, "10:00:00"), nil)
	c.basis = anyBasis
	data := marshalled(t, c)
	if data[4] != 1 {
		t.Fatalf("version %d", data[4])
	}
	for _, text := range []string{"10:00:30", "12:00:30+02:00"} {
		old := again(t, c, Settings{})
		if g := old.Next(told(t, text), nil); g.Since != 30*time.Second || old.Mixed() {
			t.Errorf("%s: %+v, mixed %t", text, g, old.Mixed())
		}
	}
}

// What all fits into a Reorder comes as a plain sort has it, by instants or by the clock on the wall.
func TestReorderOnTheWall(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		kinds := [][]string{{"+02:00", "Z", "-07:00"}, {""}, {"", "+02:00", "-07:00"}}[seed%3]
		b, err := NewReorder[time.Time](100)
		if err != nil {
			t.Fatal(err)
		}
		var all []time.Time
		zoned, wall := false, false
		for range 1 + r.IntN(40) {
			kind := kinds[r.IntN(len(kinds))]
			at := told(t, fmt.Sprintf("1%d:00:0%d%s", r.IntN(9), r.IntN(9), kind))
			zoned, wall = zoned || kind != "", wall || kind == ""
			all = append(all, at)
			b.Push(at, at)
		}
		slices.SortStableFunc(all, func(a, b time.Time) int {
			if wall {
				a, b = OnWall(a), OnWall(b)
			}
			return a.Compare(b)
		})
		if b.Mixed() != (zoned && wall) {
			t.Errorf("seed %d: mixed %t", seed, b.Mixed())
		}
		for i, want := range all {
			if got, ok := b.Flush(); !ok || got != want {
				t.Fatalf("seed %d, item %d: %v, want %v", seed, i, got, want)
			}
		}
	}
}
