package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The definition of the paper, on the matrix as it is given out.
func TestGainIsTheDiagonalInExcessOfChance(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 61))
		n := 1 + r.IntN(7)
		f := newFilter(t, n, randomSettings(r, n))
		dst := make([]float64, n)
		for i, q := range randomStream(r, n, 80) {
			f.Step(dst, q)
			a, trace := f.Transitions(nil), 0.0
			for k := range n {
				trace += a[k*n+k]
			}
			near(t, fmt.Sprintf("seed %d step %d: gain", seed, i), f.Gain(), trace/float64(n)-1/float64(n))
		}
	}
}

// The twins know nothing of scales and carried sums.
func TestSampleSizesOfThePlainTwin(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 62))
		n := 2 + r.IntN(6)
		f, g := newFilter(t, n, randomPaper(r, n)), newFilter(t, n, randomAuto(r, n))
		paper, auto := newPlainPaper(n, f.Settings()), newPlainAuto(n, g)
		dst, want := make([]float64, n), make([]float64, n)
		for i, q := range randomStream(r, n, 100) {
			f.Step(dst, q)
			paper.step(q)
			for k := range n {
				want[k] = sum(paper.c[k]) / f.Settings().Paper.Gamma
			}
			compareRelative(t, fmt.Sprintf("seed %d step %d, paper", seed, i), f.SampleSizes(nil), want)
			g.Step(dst, q)
			auto.step(q)
			for k := range n {
				want[k] = sum(auto.at[g.mode.(*mixture).likeliestTemperature()].c[k])
			}
			compareRelative(t, fmt.Sprintf("seed %d step %d, auto", seed, i), g.SampleSizes(nil), want)
		}
	}
}

func compareRelative(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= twinTolerance*(1+want[k])) {
			t.Fatalf("%s, row %d: %.15g, plain %.15g", what, k, got[k], want[k])
		}
	}
}

// What the number promises: after n observations the next certain one takes one part in (1-gamma) N + 1 of its row.
func TestTheNextObservationMovesTheRowByItsSize(t *testing.T) {
	const gamma = 0.1
	p := DefaultPaper()
	p.Gamma = gamma
	f, dst := newFilter(t, 2, Settings{Gate: GateOff, Paper: &p}), make([]float64, 2)
	for _, class := range []int{0, 0, 1, 0, 0, 0, 1, 1, 0} {
		f.Step(dst, []float64{float64(1 - class), float64(class)})
	}
	before, size := f.Transitions(nil), f.SampleSizes(nil)
	f.Step(dst, []float64{0, 1}) // from 0 to 1
	want := 1 / ((1-gamma)*size[0] + 1)
	if got := (f.Transitions(nil)[1] - before[1]) / (1 - before[1]); math.Abs(got-want) > 1e-12 {
		t.Errorf("the row has moved by %.15g of the way, want %.15g", got, want)
	}
}

func TestSampleSizesWithoutLearning(t *testing.T) {
	p := DefaultPaper()
	p.Gamma = 0
	f := newFilter(t, 2, Settings{Gate: GateOff, Paper: &p})
	if n := f.SampleSizes(make([]float64, 2)); !math.IsInf(n[0], 1) || !math.IsInf(n[1], 1) {
		t.Errorf("%v: want +Inf, as nothing moves a row", n)
	}
	defer func() {
		if got, _ := recover().(string); !strings.HasPrefix(got, "adapt: SampleSizes") {
			t.Errorf("panic %q", got)
		}
	}()
	f.SampleSizes(make([]float64, 3))
}

// An identity matrix that never learns excludes every change of a certain class. The count is state: it survives a snapshot, and Reset
// forgets it.
func TestZeroEvidenceIsCounted(t *testing.T) {
	p := DefaultPaper()
	p.Init, p.Gamma = InitIdentity, 0
	f, dst := newFilter(t, 2, Settings{Gate: GateOff, Paper: &p}), make([]float64, 2)
	want := 0
	for i, class := range []int{0, 0, 1, 1, 0, 1, 1, 1} {
		if d := f.Step(dst, []float64{float64(1 - class), float64(class)}); d.ZeroEvidence {
			want++
		}
		if i == 4 {
			f = restored(t, f)
		}
	}
	if want != 3 || f.ZeroEvidence() != want {
		t.Errorf("%d steps of zero evidence counted, %d told: want 3", f.ZeroEvidence(), want)
	}
	if f.Reset(); f.ZeroEvidence() != 0 {
		t.Errorf("%d after Reset", f.ZeroEvidence())
	}
}

func TestHypotheses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 63))
	a := DefaultAuto()
	a.FullErrors = []float64{0, 0.2}
	f, dst := newFilter(t, 4, Settings{Auto: &a}), make([]float64, 4)
	plain := newPlainLater(4, f)
	for _, q := range randomStream(r, 4, 50) {
		f.Step(dst, q)
		plain.step(q)
	}
	var names []string
	var weights []float64
	for _, h := range f.Hypotheses(nil) {
		names, weights = append(names, h.String()), append(weights, h.Weight)
	}
	compare(t, "weights", weights, plain.w)
	for at, want := range map[int]string{
		0: "none at T = 1", 2: "none(0.02) at T = 1", 4: "static(0.2) at T = 1", 11: "persist(0.98) at T = 1", 13: "sticky(0.2, 0.2) at T = 1",
		26: "full at T = 1", 27: "full(0.2) at T = 1", 28: "none at T = 1.8",
	} {
		if names[at] != want {
			t.Errorf("hypothesis %d is %q, want %q", at, names[at], want)
		}
	}
	kept := []Hypothesis{{Kind: "mine"}}
	if kept = f.Hypotheses(kept); len(kept) != 57 || kept[0].Kind != "mine" {
		t.Errorf("%d hypotheses after the one that was there", len(kept)-1)
	}
	if h := newFilter(t, 4, Settings{Gate: GateOff}).Hypotheses(nil); h != nil {
		t.Errorf("the paper's mode has hypotheses: %v", h)
	}
	if h := (Hypothesis{Kind: "sticky", Stay: 0.87, Error: 0.2, Confused: true, Temperature: 1}).String(); h != "sticky(0.87, 0.2 confused) at T = 1" {
		t.Errorf("named %q", h)
	}
	if h := (Hypothesis{Kind: "drift", Error: 0.4, Temperature: 1}).String(); h != "drift(0.4) at T = 1" {
		t.Errorf("%q", h)
	}
}

// Asking changes nothing: a filter that is asked after each step does to the bit what one does that is not.
func TestDiagnosticsChangeNothing(t *testing.T) {
	for _, gate := range Gates() {
		asked, not := newFilter(t, 3, Settings{Gate: gate}), newFilter(t, 3, Settings{Gate: gate})
		dst, want := make([]float64, 3), make([]float64, 3)
		for i, q := range randomStream(rand.New(rand.NewPCG(1, 64)), 3, 60) {
			a, b := asked.Step(dst, q), not.Step(want, q)
			if a != b || !slices.Equal(dst, want) {
				t.Fatalf("gate %s, step %d: %v %v, unasked %v %v", gate, i, a, dst, b, want)
			}
			asked.Gain()
			asked.SampleSizes(nil)
			asked.Hypotheses(nil)
		}
	}
}
