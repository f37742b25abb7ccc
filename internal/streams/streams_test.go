package streams

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oatta/oatta/adapt"
)

const classes = 3

// prediction is one item of an interleaved input; without probs it is passed.
type prediction struct {
	stream string
	probs  []float64
	known  bool // the label is class 1
}

func input(seed uint64, n int) []prediction {
	r := rand.New(rand.NewPCG(seed, 7))
	in := make([]prediction, n)
	for i := range in {
		if r.IntN(10) == 0 {
			continue
		}
		p := make([]float64, classes)
		sum := 0.0
		for k := range p {
			p[k] = r.ExpFloat64()
			sum += p[k]
		}
		for k := range p {
			p[k] /= sum
		}
		in[i] = prediction{stream: fmt.Sprintf("s%d", r.IntN(4)), probs: p}
	}
	return in
}

// answers runs the input and returns each item's answer by its number, and the order in which they came.
func answers(t *testing.T, o Options, in []prediction) (got []Answer[int], order []int) {
	t.Helper()
	o.Classes = classes
	got = make([]Answer[int], len(in))
	at := -1
	r, err := New(o, func(a Answer[int]) error {
		i := at
		if a.Waited {
			i = a.Ref
		}
		if a.Probs != nil {
			a.Probs = slices.Clone(a.Probs)
		}
		got[i] = a
		order = append(order, i)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range in {
		at = i
		if p.probs == nil {
			err = r.Pass(func() int { return i })
		} else {
			err = r.Add(Item[int]{Stream: []byte(p.stream), Probs: p.probs, Known: p.known, Class: 1, Ref: func() int { return i }})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	if once := slices.Compact(slices.Sorted(slices.Values(order))); len(order) != len(in) || len(once) != len(in) {
		t.Fatalf("%d answers to %d of %d items", len(order), len(once), len(in))
	}
	return got, order
}

// alone returns the predictions of one stream and their numbers in the input.
func alone(in []prediction, stream string) (q [][]float64, at []int) {
	for i, p := range in {
		if p.probs != nil && p.stream == stream {
			q, at = append(q, p.probs), append(at, i)
		}
	}
	return q, at
}

var allSettings = []adapt.Settings{{}, {Gate: adapt.GateEWMA}, {Gate: adapt.GateOff}}

// Each stream's answers are those of its own filter, in every mode.
func TestEachStreamIsAlone(t *testing.T) {
	in := input(1, 200)
	for _, s := range allSettings {
		for _, o := range []Options{{}, {Mode: Lagged, Lag: 3}, {Mode: Smoothed, Workers: 3}, {Mode: Smoothed, Path: true}} {
			o.Settings = s
			got, order := answers(t, o, in)
			for stream := range 4 {
				name := fmt.Sprintf("s%d", stream)
				q, at := alone(in, name)
				want, path := reference(t, o, q)
				last := -1
				for k, i := range at {
					if !slices.Equal(got[i].Probs, want[k]) || got[i].Stream != name {
						t.Fatalf("%s %s item %d: %v of stream %s, want %v", s.Gate, o.Mode, i, got[i].Probs, got[i].Stream, want[k])
					}
					if c := got[i].Class; path == nil && c != -1 || path != nil && c != path[k] {
						t.Fatalf("%s item %d: class %d", o.Mode, i, c)
					}
					if n := slices.Index(order, i); n < last {
						t.Fatalf("%s: items of stream %s changed places", o.Mode, name)
					} else {
						last = n
					}
				}
			}
			if o.Mode != Lagged && !slices.IsSorted(order) {
				t.Errorf("%s: the order of the input is lost", o.Mode)
			}
		}
	}
}

// reference answers one stream by the package that the runner stands on.
func reference(t *testing.T, o Options, q [][]float64) (want [][]float64, path []int) {
	t.Helper()
	want = rows(len(q), classes)
	switch o.Mode {
	case Smoothed:
		if _, err := adapt.Smooth(classes, o.Settings, want, q); err != nil {
			t.Fatal(err)
		}
		if o.Path {
			path = make([]int, len(q))
			if _, err := adapt.Viterbi(classes, o.Settings, path, q); err != nil {
				t.Fatal(err)
			}
		}
	default:
		f, err := adapt.NewLagged(classes, o.Settings, o.Lag)
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for _, v := range q {
			if _, due := f.Step(want[k], v); due {
				k++
			}
		}
		for ; k < len(q); k++ {
			f.Flush(want[k])
		}
	}
	return want, path
}

// The gate of a smoothed item is that of the causal filter in the paper's modes, and the weight of order under auto.
func TestSmoothedGates(t *testing.T) {
	in := input(2, 80)
	smoothed, _ := answers(t, Options{Mode: Smoothed, Settings: adapt.Settings{Gate: adapt.GateEWMA}}, in)
	filtered, _ := answers(t, Options{Settings: adapt.Settings{Gate: adapt.GateEWMA}}, in)
	for i := range in {
		if smoothed[i].Gate != filtered[i].Gate {
			t.Fatalf("item %d: gate %g, of the causal filter %g", i, smoothed[i].Gate, filtered[i].Gate)
		}
	}
	auto, _ := answers(t, Options{Mode: Smoothed}, in)
	for i, a := range auto {
		if in[i].probs != nil && !(a.Gate > 0 && a.Gate < 1) {
			t.Fatalf("item %d: gate %g", i, a.Gate)
		}
	}
}

// After End the streams begin anew, whether or not their filters are used again.
func TestEnd(t *testing.T) {
	in := input(3, 40)
	for _, o := range []Options{{}, {Mode: Lagged, Lag: 2}, {Mode: Smoothed}} {
		o.Classes = classes
		var runs [2][]string
		run := 0
		r, err := New(o, func(a Answer[int]) error {
			runs[run] = append(runs[run], fmt.Sprint(a.Stream, a.Probs))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for ; run < 2; run++ {
			for i, p := range in {
				if p.probs != nil {
					err = errors.Join(err, r.Add(Item[int]{Stream: []byte(p.stream), Probs: p.probs, Ref: func() int { return i }}))
				}
			}
			if err := errors.Join(err, r.End()); err != nil {
				t.Fatal(err)
			}
		}
		if len(runs[0]) == 0 || !slices.Equal(runs[0], runs[1]) {
			t.Errorf("%s: the second time\n%v\nthe first\n%v", o.Mode, runs[1], runs[0])
		}
	}
}

func TestLimits(t *testing.T) {
	q := []float64{0.5, 0.25, 0.25}
	ref := func() int { return 0 }
	fine := func(Answer[int]) error { return nil }
	full := errors.New("disk full")
	for name, tc := range map[string]struct {
		o      Options
		answer func(Answer[int]) error
		want   error
	}{
		"streams": {Options{MaxStreams: 1}, fine, ErrStreams},
		"held":    {Options{Mode: Smoothed, MaxHeld: 100}, fine, ErrHeld},
		"answer":  {Options{Mode: Lagged, Lag: 0}, func(Answer[int]) error { return full }, full},
		"source":  {Options{Source: func(string) (*adapt.Filter, error) { return nil, full }}, fine, full},
	} {
		tc.o.Classes = classes
		r, err := New(tc.o, tc.answer)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Add(Item[int]{Stream: []byte("a"), Probs: q, Ref: ref})
		if err == nil {
			err = r.Add(Item[int]{Stream: []byte("b"), Probs: q, Ref: ref})
		}
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	source := func(string) (*adapt.Filter, error) { return nil, nil }
	for _, o := range []Options{
		{},
		{Classes: classes, Mode: "guessed"},
		{Classes: classes, Path: true},
		{Classes: classes, Mode: Smoothed, Source: source},
		{Classes: classes, Mode: Lagged, Lag: -1},
		{Classes: classes, Settings: adapt.Settings{Gate: "ajar"}},
	} {
		if _, err := New(o, fine); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// Labels that are known are their items' answers in every mode, and reach the items of their own stream alone.
func TestKnown(t *testing.T) {
	ewma := adapt.Settings{Gate: adapt.GateEWMA}
	for what, o := range map[string]Options{
		"filtered": {}, "lagged": {Mode: Lagged, Lag: 3}, "smoothed": {Mode: Smoothed}, "path": {Mode: Smoothed, Path: true}, "paper": {Mode: Smoothed, Settings: ewma},
		"reordered": {Times: &Times{Policy: "reorder", Within: 5}},
	} {
		in := input(11, 200)
		before, _ := answers(t, o, in)
		for i := range in {
			in[i].known = in[i].stream == "s1" && i%5 == 0
		}
		after, _ := answers(t, o, in)
		changed := 0
		for i, a := range after {
			switch {
			case a.Known != in[i].known:
				t.Errorf("%s: item %d: known is %t", what, i, a.Known)
			case a.Known && (a.Probs[1] != 1 || o.Path && a.Class != 1 || math.IsNaN(a.Gate)):
				t.Errorf("%s: item %d: %v, class %d, gate %g", what, i, a.Probs, a.Class, a.Gate)
			case slices.Equal(a.Probs, before[i].Probs):
			case in[i].stream != "s1":
				t.Errorf("%s: item %d of %s has another answer", what, i, in[i].stream)
			default:
				changed++
			}
		}
		if changed < 20 {
			t.Errorf("%s: %d other answers", what, changed)
		}
	}
}
