package timeline

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// resum gives changed data the checksum that they need to be looked at.
func resum(data []byte) []byte {
	body := data[:len(data)-clockTail]
	return binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, castagnoli))
}

func TestPolicies(t *testing.T) {
	type item struct {
		seconds float64
		id      string
	}
	items := []item{{0, "a"}, {10, "b"}, {10, "b"}, {5, "c"}, {20, "d"}, {none, "e"}, {60, "f"}, {1e6, "g"}}
	for _, tc := range []struct {
		policy Policy
		want   string
		counts Counts
		err    string
	}{
		{PolicyDrop, "take take drop drop take take take take", Counts{Items: 8, Untimed: 1, Late: 1, Duplicates: 1, Dropped: 2, Gaps: 1, Missed: 2, Breaks: 1}, ""},
		{PolicyReorder, "take take drop drop take take take take", Counts{Items: 8, Untimed: 1, Late: 1, Duplicates: 1, Dropped: 2, Gaps: 1, Missed: 2, Breaks: 1}, ""},
		{PolicyRestart, "take take drop restart take take take take", Counts{Items: 8, Untimed: 1, Late: 1, Duplicates: 1, Dropped: 1, Restarts: 1, Gaps: 1, Missed: 2, Breaks: 1}, ""},
		{PolicyKeep, "take take take take take take take take", Counts{Items: 8, Untimed: 1, Late: 1, Duplicates: 1, Gaps: 1, Missed: 2, Breaks: 1}, ""},
		{"", "take take drop", Counts{Items: 3, Duplicates: 1, Dropped: 1}, `timeline: item "b" of 2024-05-01T10:00:10Z is there twice`},
	} {
		k, err := NewKeeper(Settings{Rhythm: 10 * time.Second}, tc.policy)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, it := range items {
			when := time.Time{}
			if it.seconds != none {
				when = at(it.seconds)
			}
			action, _, e := k.Next(when, []byte(it.id))
			got = append(got, [...]string{"take", "drop", "restart"}[action])
			if err = e; err != nil {
				break
			}
		}
		if text := strings.Join(got, " "); text != tc.want || k.Counts() != tc.counts {
			t.Errorf("%q: %s, %+v\nwant %s, %+v", tc.policy, text, k.Counts(), tc.want, tc.counts)
		}
		if (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%q: %v, want %q", tc.policy, err, tc.err)
		}
	}
	if _, err := NewKeeper(Settings{}, "guess"); err == nil || !strings.HasPrefix(err.Error(), `timeline: policy "guess"`) {
		t.Errorf("policy guess: %v", err)
	}
	k, _ := NewKeeper(Settings{}, PolicyError)
	if _, _, err := k.Next(at(1), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.Next(at(0), nil); err == nil || !strings.HasSuffix(err.Error(), "is late: another of 2024-05-01T10:00:01Z came before") {
		t.Errorf("late: %v", err)
	}
}

func TestCountsAdd(t *testing.T) {
	one := Counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	sum := one
	sum.Add(one)
	if want := (Counts{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
}

// The plain twin of Reorder: of what is held, the earliest by time, and of equals the first that came.
func TestReorderAgainstSearching(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 94))
		n := r.IntN(12)
		b, err := NewReorder[int](n)
		if err != nil {
			t.Fatal(err)
		}
		type held struct {
			at   time.Time
			item int
		}
		var plain []held
		latest := time.Time{}
		pop := func() int {
			best := 0
			for i, h := range plain {
				if h.at.Before(plain[best].at) {
					best = i
				}
			}
			item := plain[best].item
			plain = slices.Delete(plain, best, best+1)
			return item
		}
		check := func(got int, ok bool, due bool) {
			t.Helper()
			if ok != due {
				t.Fatalf("seed %d: released %t, want %t", seed, ok, due)
			}
			if ok {
				if want := pop(); got != want {
					t.Fatalf("seed %d: item %d, want %d", seed, got, want)
				}
			}
			if b.Len() != len(plain) {
				t.Fatalf("seed %d: %d held, want %d", seed, b.Len(), len(plain))
			}
		}
		for i := range 200 {
			when := at(float64(i/2 - r.IntN(8)))
			key := when
			if r.IntN(10) == 0 {
				when, key = time.Time{}, latest
			} else if when.After(latest) {
				latest = when
			}
			plain = append(plain, held{key, i})
			got, ok := b.Push(when, i)
			check(got, ok, len(plain) > n)
		}
		for len(plain) > 0 {
			got, ok := b.Flush()
			check(got, ok, true)
		}
		if _, ok := b.Flush(); ok {
			t.Error("an item of nothing")
		}
	}
}

// Items that are at most N late come out in order, and are counted.
func TestReorderWithinItsBound(t *testing.T) {
	b, err := NewReorder[float64](2)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, s := range []float64{1, 3, 2, 2, 6, 5, 4, 7, 0, 8} {
		if v, ok := b.Push(at(s), s); ok {
			got = append(got, v)
		}
	}
	for v, ok := b.Flush(); ok; v, ok = b.Flush() {
		got = append(got, v)
	}
	if want := []float64{1, 2, 2, 3, 4, 5, 0, 6, 7, 8}; !slices.Equal(got, want) || b.Moved() != 4 {
		t.Errorf("%v, %d moved: want %v, 4", got, b.Moved(), want)
	}
	for _, n := range []int{-1, MaxReorder + 1} {
		if _, err := NewReorder[int](n); err == nil || !strings.Contains(err.Error(), fmt.Sprint("within ", n)) {
			t.Errorf("within %d: %v", n, err)
		}
	}
}

func BenchmarkKeeper(b *testing.B) {
	k, err := NewKeeper(Settings{}, PolicyDrop)
	if err != nil {
		b.Fatal(err)
	}
	id, i := []byte("camera 7/IMG_0001.JPG"), 0
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := k.Next(start.Add(time.Duration(i)*time.Second), id); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
