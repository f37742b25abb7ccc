package streams

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
)

var start = time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)

// sent is one item of one stream and what its time should come to; at < 0 is no time.
type sent struct {
	at    int // seconds after the start
	id    string
	event Event
}

// send passes the items of one stream and returns the answers by number. Items that are left out have no probabilities.
func send(t *testing.T, o Options, items []sent, q [][]float64) (got []Answer[int], counts timeline.Counts) {
	t.Helper()
	o.Classes = classes
	got = make([]Answer[int], len(items))
	answered, at := 0, 0
	r, err := New(o, func(a Answer[int]) error {
		i := at
		if a.Waited {
			i = a.Ref
		}
		a.Probs = slices.Clone(a.Probs)
		got[i] = a
		answered++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		at = i
		in := Item[int]{Stream: []byte("s"), ID: []byte(item.id), Probs: q[i], Ref: func() int { return i }}
		if item.at >= 0 {
			in.Time = start.Add(time.Duration(item.at) * time.Second)
		}
		if err := r.Add(in); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	if answered != len(items) {
		t.Fatalf("%d answers to %d items", answered, len(items))
	}
	return got, r.Counts()
}

// expect answers the items in the order in which they should be filtered, by the package that the runner stands on.
func expect(t *testing.T, o Options, items []sent, order []int, q [][]float64) [][]float64 {
	t.Helper()
	want := make([][]float64, len(items))
	var part []int
	flush := func() {
		in, missed, out := [][]float64{}, []int{}, rows(len(part), classes)
		for _, i := range part {
			in, missed = append(in, q[i]), append(missed, items[i].event.missed())
		}
		directly(t, o, in, missed, out)
		for k, i := range part {
			want[i] = out[k]
		}
		part = part[:0]
	}
	for _, i := range order {
		if items[i].event.Restart {
			flush()
		}
		part = append(part, i)
	}
	flush()
	return want
}

func directly(t *testing.T, o Options, q [][]float64, missed []int, out [][]float64) {
	t.Helper()
	if o.Mode == Smoothed {
		if _, err := adapt.SmoothGaps(classes, o.Settings, out, q, missed); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := adapt.NewLagged(classes, o.Settings, o.Lag)
	if err != nil {
		t.Fatal(err)
	}
	k := 0
	for i, v := range q {
		if missed[i] == adapt.Broken {
			f.Break()
		} else {
			f.Skip(missed[i])
		}
		if _, due := f.Step(out[k], v); due {
			k++
		}
	}
	for ; k < len(q); k++ {
		f.Flush(out[k])
	}
}

// journey is a stream with a rhythm of ten seconds: gaps, a break, items out of order, double and without a time.
var journey = []sent{
	{0, "a", Event{}},
	{10, "b", Event{}},
	{20, "c", Event{}},
	{51, "d", Event{Missed: 2}},
	{5000, "e", Event{Break: true}},
	{5000, "f", Event{}}, // a burst within a second
	{5000, "e", Event{Dropped: true}},
	{4990, "g", Event{Dropped: true}},
	{5010, "h", Event{}},
	{-1, "i", Event{}},
	{5050, "j", Event{Missed: 2}}, // i took one of three steps
}

func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	q := make([][]float64, len(journey))
	for i := range q {
		a, b := r.Float64(), r.Float64()
		q[i] = []float64{a / 2, b / 2, 1 - a/2 - b/2}
	}
	for _, s := range allSettings {
		for _, o := range []Options{{}, {Mode: Lagged, Lag: 2}, {Mode: Smoothed}} {
			o.Settings = s
			o.Times = &Times{Settings: timeline.Settings{Rhythm: 10 * time.Second, LongGap: time.Hour}, Policy: timeline.PolicyDrop}
			check(t, o, journey, []int{0, 1, 2, 3, 4, 5, 8, 9, 10}, q)

			restarted := slices.Clone(journey)
			restarted[7].event = Event{Restart: true}
			restarted[8].event = Event{Missed: 1}
			o.Times.Policy = timeline.PolicyRestart
			check(t, o, restarted, []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 10}, q)

			reordered := slices.Clone(journey)
			reordered[7].event = Event{Break: true} // the first after the gap
			reordered[4].event = Event{}
			o.Times.Policy, o.Times.Within = timeline.PolicyReorder, 3
			check(t, o, reordered, []int{0, 1, 2, 3, 7, 4, 5, 8, 9, 10}, q)

			o.Times.Policy, o.Times.Gaps = timeline.PolicyDrop, timeline.GapsOff
			plain := slices.Clone(journey)
			for i := range plain {
				plain[i].event = Event{Dropped: plain[i].event.Dropped}
			}
			check(t, o, plain, []int{0, 1, 2, 3, 4, 5, 8, 9, 10}, q)
		}
	}
}

func check(t *testing.T, o Options, items []sent, order []int, q [][]float64) {
	t.Helper()
	got, counts := send(t, o, items, q)
	want := expect(t, o, items, order, q)
	for i, a := range got {
		if a.Event != items[i].event || !slices.Equal(a.Probs, want[i]) {
			t.Fatalf("%s %s %s item %s: %+v %v, want %+v %v", o.Mode, o.Settings.Gate, o.Times.Policy, items[i].id, a.Event, a.Probs, items[i].event, want[i])
		}
	}
	if counts.Items != len(items) || counts.Dropped != len(items)-len(order) || counts.Untimed != 1 || counts.Duplicates != 1 {
		t.Errorf("%s %s: counts %+v", o.Mode, o.Times.Policy, counts)
	}
}

func TestLateIsAnError(t *testing.T) {
	r, err := New(Options{Classes: 1, Times: &Times{}}, func(Answer[int]) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	add := func(at int) error {
		return r.Add(Item[int]{Stream: []byte("s"), ID: []byte("x"), Time: start.Add(time.Duration(at)), Probs: []float64{1}, Ref: func() int { return 0 }})
	}
	if err := errors.Join(add(0), add(5)); err != nil {
		t.Fatal(err)
	}
	if err := add(3); err == nil || !strings.Contains(err.Error(), "late") {
		t.Errorf("Add: %v", err)
	}
	for _, bad := range []Times{{Policy: "guess"}, {Within: -1}, {Settings: timeline.Settings{Tolerance: 2}}} {
		if _, err := New(Options{Classes: 1, Times: &bad}, func(Answer[int]) error { return nil }); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// A clock that was saved and restored goes on as if there had been no end.
func TestSavedClocks(t *testing.T) {
	filters, saved := map[string]*adapt.Filter{}, map[string][]byte{}
	source := func(stream string) (*adapt.Filter, error) {
		if filters[stream] == nil {
			filters[stream], _ = adapt.New(classes, adapt.Settings{})
		}
		return filters[stream], nil
	}
	var events []Event
	run := func(from, to int) {
		o := Options{Classes: classes, Source: source, Times: &Times{Policy: timeline.PolicyDrop, Restore: func(s string) ([]byte, error) { return saved[s], nil }}}
		r, err := New(o, func(a Answer[int]) error {
			events = append(events, a.Event)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i < to; i++ {
			at := start.Add(time.Duration(i+i/30*5) * 10 * time.Second)
			if err := r.Add(Item[int]{Stream: []byte("s"), ID: fmt.Append(nil, i), Time: at, Probs: []float64{0.5, 0.25, 0.25}, Ref: func() int { return i }}); err != nil {
				t.Fatal(err)
			}
		}
		save := func(stream string, data []byte) error {
			saved[stream] = data
			return nil
		}
		if err := r.SaveClocks(save); err != nil {
			t.Fatal(err)
		}
		if err := r.SaveClocks(func(string, []byte) error { return errors.New("nothing has changed") }); err != nil {
			t.Error(err)
		}
	}
	run(0, 60)
	run(60, 100)
	run(95, 100) // again
	for i, e := range events {
		want := Event{}
		switch {
		case i >= 100:
			want.Dropped = true
		case i%30 == 0 && i > 0:
			want.Missed = 5
		}
		if e != want {
			t.Fatalf("item %d: %+v, want %+v", i, e, want)
		}
	}
	if len(events) != 105 {
		t.Errorf("%d events", len(events))
	}
}

// A runner whose filters and clocks are kept elsewhere lets go of its streams when the clocks are saved, whenever that is, also while it asks for a
// filter; nothing that it answers or counts tells.
func TestStreamsAreLetGo(t *testing.T) {
	const names, items = 40, 2000
	run := func(saveEvery int) (events []string, counts timeline.Counts, most int) {
		filters, saved := map[string]*adapt.Filter{}, map[string][]byte{}
		var r *Runner[int]
		asked := 0
		save := func() {
			most = max(most, len(r.streams))
			if err := r.SaveClocks(func(s string, data []byte) error { saved[s] = data; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		source := func(stream string) (*adapt.Filter, error) {
			if asked++; asked%saveEvery == 0 {
				save()
			}
			if filters[stream] == nil {
				filters[stream], _ = adapt.New(classes, adapt.Settings{})
			}
			return filters[stream], nil
		}
		o := Options{Classes: classes, Source: source, MaxStreams: names, Times: &Times{
			Policy: timeline.PolicyDrop, Settings: timeline.Settings{Rhythm: 10 * time.Second},
			Restore: func(s string) ([]byte, error) { return saved[s], nil },
		}}
		r, err := New(o, func(a Answer[int]) error {
			events = append(events, fmt.Sprint(a.Stream, a.Event, a.Probs, a.Gate))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(5, 48))
		for i := range items {
			at := start.Add(time.Duration(i-random.IntN(100)) * time.Second)
			item := Item[int]{Stream: fmt.Append(nil, "s", random.IntN(names)), ID: fmt.Append(nil, i/2), Time: at, Probs: []float64{0.5, 0.25, 0.25}}
			if err := r.Add(item); err != nil {
				t.Fatal(err)
			}
		}
		if r.Streams() != names {
			t.Errorf("%d streams, want %d", r.Streams(), names)
		}
		if err := r.Add(Item[int]{Stream: []byte("one more"), Probs: []float64{1, 0, 0}}); !errors.Is(err, ErrStreams) {
			t.Errorf("one more stream than allowed: %v", err)
		}
		return events, r.Counts(), most
	}
	want, wantCounts, _ := run(items + 1)
	for _, every := range []int{1, 2, 7, 100} {
		got, counts, most := run(every)
		if !slices.Equal(got, want) || counts != wantCounts {
			t.Errorf("saved every %d items: other answers, or counts %+v, want %+v", every, counts, wantCounts)
		}
		if most > every+1 { // with the one in hand
			t.Errorf("saved every %d items: %d streams in memory", every, most)
		}
	}
	if wantCounts.Dropped == 0 || wantCounts.Missed == 0 {
		t.Errorf("the input shows nothing: %+v", wantCounts)
	}
}
