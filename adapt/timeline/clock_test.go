package timeline

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * 1e9)) }

func newClock(t testing.TB, s Settings) *Clock {
	t.Helper()
	c, err := NewClock(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// show is a gap in a few letters.
func show(g Gap) string {
	text := ""
	if g.Order != InOrder {
		text += g.Order.String() + " "
	}
	if g.Missed > 0 {
		text += fmt.Sprintf("missed %d ", g.Missed)
	}
	if g.Break {
		text += "break "
	}
	if text == "" {
		return "-"
	}
	return strings.TrimSuffix(text, " ")
}

const none = math.MaxFloat64 // an item without a time

func TestClockByTranscript(t *testing.T) {
	fixed := Settings{Gaps: GapsAll, Rhythm: 10 * time.Second, LongSteps: 100}
	with := func(change func(*Settings)) Settings {
		s := fixed
		change(&s)
		return s
	}
	for name, tc := range map[string]struct {
		settings Settings
		seconds  []float64
		want     string
	}{
		"a fixed rhythm with jitter":     {fixed, []float64{0, 10, 24, 30, 45, 60.1, 90, 1000, 2001}, "- - - - - missed 1 missed 2 missed 90 break"},
		"more tolerance":                 {with(func(s *Settings) { s.Tolerance = 0.9 }), []float64{0, 19, 38.5, 57.6, 86.6}, "- - missed 1 missed 1 missed 1"},
		"less":                           {with(func(s *Settings) { s.Tolerance = 0.1 }), []float64{0, 11, 22.5, 43.5}, "- - missed 1 missed 1"},
		"bursts in one second":           {fixed, []float64{0, 0, 0, 10, 10, 30}, "- - - - - missed 1"},
		"late":                           {fixed, []float64{0, 10, 5, 20}, "- - late -"},
		"without a time":                 {fixed, []float64{0, none, none, 30, 60, none, 90}, "- without a time without a time - missed 2 without a time missed 1"},
		"the first has none":             {fixed, []float64{none, 0, 20}, "without a time - missed 1"},
		"off":                            {with(func(s *Settings) { s.Gaps = GapsOff }), []float64{0, 50, 40, 1e6}, "- - late -"},
		"breaks only":                    {with(func(s *Settings) { s.Gaps = GapsBreaks }), []float64{0, 50, 2000}, "- - break"},
		"missed only":                    {with(func(s *Settings) { s.Gaps = GapsMissed }), []float64{0, 50, 2050}, "- missed 4 missed 199"},
		"a long gap in time":             {with(func(s *Settings) { s.LongGap = time.Minute; s.LongSteps = 0 }), []float64{0, 60, 120.5}, "- missed 5 break"},
		"the shorter counts":             {with(func(s *Settings) { s.LongGap = time.Minute; s.LongSteps = 5 }), []float64{0, 50, 101}, "- missed 4 break"},
		"learned":                        {Settings{Least: 3}, []float64{0, 2, 8, 10, 12, 16, 18, 21, 621.5}, "- - - - - missed 1 - - break"},
		"a rhythm that is never known":   {Settings{Rhythm: -1, LongGap: time.Hour}, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 1e6}, "- - - - - - - - - - - break"},
		"no known rhythm, no long steps": {Settings{Rhythm: -1}, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9}, "- - - - - - - - - - -"},
		"the last window alone":          {Settings{Window: 3}, []float64{0, 1, 2, 3, 13, 23, 33, 63}, "- - - - missed 9 missed 9 - missed 2"},
		"ages":                           {with(func(s *Settings) { s.Gaps = GapsMissed; s.Rhythm = 1 }), []float64{0, 1e9}, fmt.Sprint("- missed ", math.MaxInt32)},
	} {
		c := newClock(t, tc.settings)
		var got []string
		for _, s := range tc.seconds {
			when := time.Time{}
			if s != none {
				when = at(s)
			}
			got = append(got, show(c.Next(when, nil)))
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, text, tc.want)
		}
	}
}

func TestDuplicates(t *testing.T) {
	c := newClock(t, Settings{})
	for i, tc := range []struct {
		seconds float64
		id      string
		want    Order
	}{
		{0, "a", InOrder},
		{0, "b", InOrder},
		{0, "a", Duplicate},
		{1, "a", InOrder}, // another time
		{0, "b", Duplicate},
		{0, "c", Late},
		{1, "", InOrder}, // two without an id may be two
		{1, "", InOrder},
	} {
		if got := c.Next(at(tc.seconds), []byte(tc.id)).Order; got != tc.want {
			t.Errorf("item %d: %v, want %v", i, got, tc.want)
		}
	}
	for i := range remembered {
		c.Next(at(2), fmt.Append(nil, i))
	}
	if got := c.Next(at(1), []byte("a")).Order; got != Late {
		t.Errorf("beyond what is remembered: %v, want %v", got, Late)
	}
}

// The plain twin: the median of the last positive steps, sorted anew each time, and counts by rounding.
func TestRhythmAgainstSorting(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 91))
		s := Settings{Window: 1 + r.IntN(20)}
		s.Least = 1 + r.IntN(s.Window)
		c, now := newClock(t, s), start
		var steps []time.Duration
		for i := range 500 {
			d := time.Duration(r.IntN(5)) * time.Second
			if r.IntN(10) == 0 {
				d *= 50
			}
			want := Gap{Since: d}
			last := slices.Sorted(slices.Values(steps[max(0, len(steps)-s.Window):]))
			known := len(last) >= s.Least
			if known {
				rhythm := last[(len(last)-1)/2]
				if want.Break = d > DefaultLongSteps*rhythm; !want.Break {
					want.Missed = max(0, int(math.Ceil(float64(d)/float64(rhythm)-1.5)))
				}
			}
			if i == 0 {
				want = Gap{}
			}
			now = now.Add(d)
			if i == 0 {
				d = 0
			}
			if got := c.Next(now, nil); got != want {
				t.Fatalf("seed %d, item %d: %+v, want %+v", seed, i, got, want)
			}
			if d > 0 {
				steps = append(steps, d)
			}
		}
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	for want, s := range map[string]Settings{
		`gaps "some"`:               {Gaps: "some"},
		"window -1":                 {Window: -1},
		"window 1025":               {Window: MaxWindow + 1},
		"least 9 steps":             {Window: 8, Least: 9},
		"least -1":                  {Least: -1},
		"tolerance 1:":              {Tolerance: 1},
		"tolerance NaN":             {Tolerance: math.NaN()},
		"long gap -1s":              {LongGap: -time.Second},
		"long gap of 0.5 steps":     {LongSteps: 0.5},
		"long gap of NaN steps":     {LongSteps: math.NaN()},
		"long gap of 2e+12 steps: ": {LongSteps: 2e12},
	} {
		if err := s.Validate(); err == nil || !strings.HasPrefix(err.Error(), "timeline: "+want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
		if _, err := NewKeeper(s, ""); err == nil {
			t.Errorf("%+v: a keeper was made", s)
		}
	}
	s, err := Settings{}.Resolved()
	if want := (Settings{Gaps: GapsAll, Window: 64, Least: 8, Tolerance: 0.5, LongSteps: 300}); err != nil || s != want {
		t.Errorf("the zero settings are %+v, %v, want %+v", s, err, want)
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	c, i := newClock(t, Settings{}), 0.0
	id := []byte("an item")
	allocs := testing.AllocsPerRun(500, func() {
		i++
		c.Next(at(i*i), id)
	})
	if allocs > 0.2 { // the first steps make room
		t.Errorf("%g allocations an item, want 0", allocs)
	}
}

// randomItem draws the time and id of the next item of a stream that is not always in order.
func randomItem(r *rand.Rand, i int) (time.Time, []byte) {
	switch r.IntN(12) {
	case 0:
		return time.Time{}, nil
	case 1:
		return at(float64(i - r.IntN(5))), fmt.Append(nil, r.IntN(3))
	case 2:
		return at(float64(i * 10)), nil
	}
	return at(float64(i)), fmt.Append(nil, r.IntN(3))
}

// A clock that was kept goes on as one that was not.
func TestMarshalledClockGoesOn(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 92))
		s := Settings{Window: 1 + r.IntN(100)}
		c, kept := newClock(t, s), newClock(t, s)
		for i := range 300 {
			when, id := randomItem(r, i)
			if a, b := c.Next(when, id), kept.Next(when, id); a != b {
				t.Fatalf("seed %d, item %d: %+v after a restart, want %+v", seed, i, b, a)
			}
			if r.IntN(10) == 0 {
				kept = again(t, kept, s)
			}
		}
	}
}

func marshalled(t testing.TB, c *Clock) []byte {
	t.Helper()
	data, err := c.MarshalBinary()
	if err != nil || len(data) > MaxBinary {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	return data
}

func again(t testing.TB, c *Clock, s Settings) *Clock {
	t.Helper()
	data := marshalled(t, c)
	restored := newClock(t, s)
	if err := restored.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(marshalled(t, restored), data) {
		t.Fatal("the restored clock is marshalled otherwise")
	}
	return restored
}

func TestMarshalledByHand(t *testing.T) {
	c := newClock(t, Settings{Window: MaxWindow})
	for i := range 2000 {
		c.Next(at(float64(i)), fmt.Append(nil, i))
	}
	data := marshalled(t, c)
	if len(data) != MaxBinary {
		t.Errorf("%d bytes at the most, want %d", len(data), MaxBinary)
	}
	small := newClock(t, Settings{Window: 2})
	if err := small.UnmarshalBinary(data); err != nil || len(small.steps.order) != 2 || small.Last() != at(1999) {
		t.Errorf("into a smaller window: %v, %v", small.steps, err)
	}
	if rhythm, ok := small.Rhythm(); !ok || rhythm != time.Second {
		t.Errorf("rhythm %v, %t", rhythm, ok)
	}
	if err := (&Clock{}).UnmarshalBinary(data); err == nil {
		t.Error("unmarshalled into a clock not made by NewClock")
	}
	c.Reset()
	if !bytes.Equal(marshalled(t, c), marshalled(t, newClock(t, Settings{}))) {
		t.Error("Reset left something")
	}
}

func TestDamagedClocks(t *testing.T) {
	c := newClock(t, Settings{})
	for i := range 20 {
		c.Next(at(float64(i)), fmt.Append(nil, i))
	}
	good := marshalled(t, c)
	refused := func(data []byte) {
		t.Helper()
		if err := c.UnmarshalBinary(data); err == nil || !strings.HasPrefix(err.Error(), "timeline: clock: ") {
			t.Errorf("damaged: %v", err)
		}
		if !bytes.Equal(marshalled(t, c), good) {
			t.Fatal("the receiver has changed")
		}
	}
	for i := range good {
		refused(good[:i])
		bad := slices.Clone(good)
		bad[i] ^= 1 << (i % 8)
		refused(bad)
	}
	refused(append(slices.Clone(good), 0))
}

// FuzzClock: no bytes make UnmarshalBinary panic, and what it accepts is marshalled to the same bytes and goes on.
func FuzzClock(f *testing.F) {
	for _, items := range []int{0, 1, 100} {
		c, r := newClock(f, Settings{}), rand.New(rand.NewPCG(1, 93))
		for i := range items {
			when, id := randomItem(r, i)
			c.Next(when, id)
		}
		f.Add(marshalled(f, c))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > clockTail {
			data = resum(data)
		}
		s := Settings{Window: MaxWindow}
		c := newClock(t, s)
		if c.UnmarshalBinary(data) != nil {
			return
		}
		c = again(t, c, s)
		for _, seconds := range []float64{-1e9, 0, 1, 5e9} {
			if g := c.Next(at(seconds), []byte("x")); g.Missed < 0 || g.Order >= Late && (g.Break || g.Missed > 0) {
				t.Fatalf("%+v", g)
			}
		}
	})
}
