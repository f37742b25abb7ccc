package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// everyKind are settings of every recursion that there is.
func everyKind() map[string]Settings {
	first, second := FirstAuto(), SecondAuto()
	return map[string]Settings{
		"edition 1": {Auto: &first}, "edition 2": {Auto: &second}, "edition 3": {}, "floor": {Floor: 1e-9}, "temperature": {Temperature: 3},
		"off": {Gate: GateOff}, "ewma": {Gate: GateEWMA, Temperature: 2}, "window": {Gate: GateWindow, Floor: 1e-9},
		"population": {Population: &Population{Transitions: [][]float64{{.5, .5, 0}, {0, .5, .5}, {.5, 0, .5}}, Frequencies: []float64{.3, .3, .4}}},
	}
}

// someKnown draws labels for a share of the items.
func someKnown(rng *rand.Rand, items, classes int, share float64) []int {
	known := make([]int, items)
	for t := range known {
		known[t] = Unknown
		if rng.Float64() < share {
			known[t] = rng.IntN(classes)
		}
	}
	return known
}

// The answer of an item whose label is known is that label, causally, with any lag and with hindsight, to the last digit; all others are probabilities.
func TestKnownIsTheAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	q := randomStream(rng, 3, 60)
	for name, s := range everyKind() {
		for _, share := range []float64{0.1, 1} {
			known := someKnown(rng, len(q), 3, share)
			answers := map[string][][]float64{"filtered": stepKnown(newFilter(t, 3, s), q, known), "smoothed": rows(len(q), 3)}
			if _, err := SmoothKnown(3, s, answers["smoothed"], q, nil, known); err != nil {
				t.Fatal(err)
			}
			for _, lag := range []int{0, 1, 7, 100} {
				answers[fmt.Sprintf("lag %d", lag)] = lagKnown(t, s, lag, q, known)
			}
			path := make([]int, len(q))
			if _, err := ViterbiKnown(3, s, path, q, nil, known); err != nil {
				t.Fatal(err)
			}
			for what, out := range answers {
				for i, p := range out {
					if err := Check(p, 3); err != nil {
						t.Errorf("%s, %s, item %d: %v", name, what, i, err)
					}
					if k := known[i]; k != Unknown && (p[k] != 1 || sum(p) != 1 || path[i] != k) {
						t.Errorf("%s, %s, item %d: %v and %d on the path, want %d for certain", name, what, i, p, path[i], k)
					}
				}
			}
		}
	}
}

// Where nothing is known all is as ever, to the bit.
func TestNothingKnown(t *testing.T) {
	q := randomStream(rand.New(rand.NewPCG(2, 7)), 3, 50)
	none := slices.Repeat([]int{Unknown}, len(q))
	for name, s := range everyKind() {
		want, got := rows(len(q), 3), rows(len(q), 3)
		a, err := Smooth(3, s, want, q)
		b, again := SmoothKnown(3, s, got, q, nil, none)
		if err != nil || again != nil || fmt.Sprint(a) != fmt.Sprint(b) || !slices.EqualFunc(want, got, slices.Equal) {
			t.Errorf("%s: other answers with hindsight", name)
		}
		if !slices.EqualFunc(lagKnown(t, s, 3, q, none), laggedAll(t, s, 3, q), slices.Equal) {
			t.Errorf("%s: other answers with a lag", name)
		}
	}
}

// What the predictor said of an item whose label is known counts for nothing.
func TestKnownReadsNoPrediction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	q := randomStream(rng, 3, 40)
	known := someKnown(rng, len(q), 3, 0.2)
	other := slices.Clone(q)
	for i, k := range known {
		if k != Unknown {
			other[i] = []float64{.8, .1, .1}
		}
	}
	for name, s := range everyKind() {
		a, b := rows(len(q), 3), rows(len(q), 3)
		_, err := SmoothKnown(3, s, a, q, nil, known)
		_, again := SmoothKnown(3, s, b, other, nil, known)
		if err != nil || again != nil || !slices.EqualFunc(a, b, slices.Equal) {
			t.Errorf("%s: the predictions of known items were read (%v, %v)", name, err, again)
		}
	}
}

// In the paper's modes a known label is a prediction that is as certain, whatever is before it; and a lag that spans the stream smooths it.
func TestKnownOfThePaper(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	q := randomStream(rng, 3, 30)
	known := someKnown(rng, len(q), 3, 0.2)
	for _, gate := range []Gate{GateOff, GateEWMA, GateWindow} {
		s := Settings{Gate: gate, Temperature: 1.5, Prior: []float64{.5, .3, .2}}
		sure, _ := withKnown(3, q, known)
		f, dst := newFilter(t, 3, s), make([]float64, 3)
		for i, got := range stepKnown(newFilter(t, 3, s), q, known) {
			f.Step(dst, sure[i])
			closeRows(t, "causal", [][]float64{got}, [][]float64{dst}, 1e-15)
		}
		smoothed := rows(len(q), 3)
		if _, err := SmoothKnown(3, s, smoothed, q, nil, known); err != nil {
			t.Fatal(err)
		}
		closeRows(t, "a lag that spans all", lagKnown(t, s, len(q), q, known), smoothed, 1e-12)
	}
}

// Smoothing and the best path of the paper's chain, against all sequences of classes one by one.
func TestKnownAgainstAllSequences(t *testing.T) {
	const classes, items = 3, 7
	rng := rand.New(rand.NewPCG(5, 7))
	for range 20 {
		q := randomStream(rng, classes, items)
		known := someKnown(rng, items, classes, 0.3)
		p := DefaultPaper()
		p.Kappa, p.Gamma, p.Tau = .3, .3, 1
		s := Settings{Gate: GateOff, Paper: &p}
		marginals, best := enumerate(t, s, q, known)
		got, path := rows(items, classes), make([]int, items)
		if _, err := SmoothKnown(classes, s, got, q, nil, known); err != nil {
			t.Fatal(err)
		}
		closeRows(t, fmt.Sprint("known ", known), got, marginals, 1e-12)
		if _, err := ViterbiKnown(classes, s, path, q, nil, known); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(path, best) {
			t.Errorf("known %v: path %v, want %v", known, path, best)
		}
	}
}

// enumerate weighs all sequences that have the known labels by the product of what the matrices of each moment and the other items' predictions say.
func enumerate(t *testing.T, s Settings, q [][]float64, known []int) (marginals [][]float64, best []int) {
	k, f := len(q[0]), newFilter(t, len(q[0]), s)
	matrices := rows(len(q), k*k)
	dst := make([]float64, k)
	for i, v := range q {
		f.mode.(*paper).matrix(matrices[i])
		if known[i] == Unknown {
			f.Step(dst, v)
		} else {
			f.StepKnown(dst, known[i])
		}
	}
	marginals, most := rows(len(q), k), 0.0
	y := make([]int, len(q))
	for range int(math.Pow(float64(k), float64(len(q)))) {
		weight := 1.0
		for i, class := range y {
			if i > 0 {
				weight *= matrices[i][y[i-1]*k+class]
			}
			switch {
			case known[i] == Unknown:
				weight *= q[i][class]
			case known[i] != class:
				weight = 0
			}
		}
		for i, class := range y {
			marginals[i][class] += weight
		}
		if weight > most {
			most, best = weight, slices.Clone(y)
		}
		for i := range y { // the next sequence
			if y[i]++; y[i] < k {
				break
			}
			y[i] = 0
		}
	}
	for _, row := range marginals {
		scale(row, 1/sum(row))
	}
	return marginals, best
}

// A known label weighs hypotheses by how probable each had it, and a label that order predicted is evidence for order.
func TestKnownIsEvidence(t *testing.T) {
	for _, c := range []struct {
		class int
		more  bool
	}{{0, true}, {1, false}} {
		f, dst := newFilter(t, 3, Settings{}), make([]float64, 3)
		before := Diagnostics{}
		for i := range 60 { // classes that stay for 20 items
			q := []float64{.2, .2, .2}
			q[i/20] = .6
			before = f.Step(dst, q)
		}
		f.StepKnown(dst, 2)
		for range 3 {
			before = f.StepKnown(dst, 0)
		}
		if after := f.StepKnown(dst, c.class); after.Gate > before.Gate != c.more || after.Entropy != 0 {
			t.Errorf("label %d after 0: gate %g to %g", c.class, before.Gate, after.Gate)
		}
	}
}

func TestStepKnownAllocatesNothing(t *testing.T) {
	for name, s := range everyKind() {
		f, dst, i := newFilter(t, 3, s), make([]float64, 3), 0
		l, err := NewLagged(3, s, 5)
		if err != nil {
			t.Fatal(err)
		}
		q := randomStream(rand.New(rand.NewPCG(6, 7)), 3, 64)
		step := func() {
			f.Step(dst, q[i%64])
			f.StepKnown(dst, i%3)
			l.Step(dst, q[i%64])
			l.StepKnown(dst, i%3)
			i++
		}
		step()
		if n := testing.AllocsPerRun(100, step); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

// A filter that was restored goes on from a known label as it would have, to the bit.
func TestKnownAndSnapshots(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 7))
	q := randomStream(rng, 3, 40)
	known := someKnown(rng, len(q), 3, 0.3)
	for name, s := range everyKind() {
		whole := stepKnown(newFilter(t, 3, s), q, known)
		f := newFilter(t, 3, s)
		for i := range q {
			got := stepKnown(f, q[i:i+1], known[i:i+1])
			if !slices.Equal(got[0], whole[i]) {
				t.Errorf("%s: item %d: %v, want %v", name, i, got[0], whole[i])
			}
			f = restored(t, f)
		}
	}
}

func TestKnownPanics(t *testing.T) {
	f, dst := newFilter(t, 3, Settings{}), make([]float64, 3)
	l, err := NewLagged(3, Settings{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	q := [][]float64{dst}
	for what, run := range map[string]func(){
		"a class below":          func() { f.StepKnown(dst, -1) },
		"a class beyond":         func() { f.StepKnown(dst, 3) },
		"a length":               func() { f.StepKnown(dst[:2], 1) },
		"with a lag":             func() { l.StepKnown(dst, Unknown) },
		"another number":         func() { _, _ = SmoothKnown(3, Settings{}, q, q, nil, []int{0, 0}) },
		"no class of recordings": func() { _, _ = ViterbiKnown(3, Settings{}, []int{0}, q, nil, []int{3}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			run()
		}()
	}
}
