package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomStream draws predictions of a classifier that is mostly right on a stream whose class mostly stays.
func randomStream(r *rand.Rand, classes, steps int) [][]float64 {
	out := make([][]float64, steps)
	y := 0
	for t := range out {
		if r.Float64() < 0.3 {
			y = r.IntN(classes)
		}
		out[t] = softmaxAround(r, classes, y)
	}
	return out
}

func softmaxAround(r *rand.Rand, classes, y int) []float64 {
	q := make([]float64, classes)
	for k := range q {
		q[k] = math.Exp(2 * r.NormFloat64())
	}
	q[y] *= math.Exp(4) * math.Sqrt(float64(classes))
	scale(q, 1/sum(q))
	return q
}

func newFilter(t testing.TB, classes int, s Settings) *Filter {
	t.Helper()
	f, err := New(classes, s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestStepAllocatesNothing(t *testing.T) {
	for _, gate := range Gates() {
		f := newFilter(t, 10, Settings{Gate: gate})
		stream := randomStream(rand.New(rand.NewPCG(3, 4)), 10, 64)
		dst, i := make([]float64, 10), 0
		allocs := testing.AllocsPerRun(200, func() {
			f.Step(dst, stream[i%64])
			i++
		})
		if allocs != 0 {
			t.Errorf("gate %s: %g allocations a step, want 0", gate, allocs)
		}
	}
}

// The destination may be the source: the caller's batch is then adapted in place.
func TestStepInPlace(t *testing.T) {
	for _, gate := range Gates() {
		stream := randomStream(rand.New(rand.NewPCG(5, 6)), 7, 40)
		a, b := newFilter(t, 7, Settings{Gate: gate}), newFilter(t, 7, Settings{Gate: gate})
		dst := make([]float64, 7)
		for i, q := range stream {
			a.Step(dst, q)
			b.Step(q, q)
			if !slices.Equal(dst, q) {
				t.Fatalf("gate %s, step %d: in place %v, apart %v", gate, i, q, dst)
			}
		}
	}
}

// A filter that is reset does to the bit what a new one does, whatever it saw before.
func TestResetForgets(t *testing.T) {
	for _, gate := range Gates() {
		r := rand.New(rand.NewPCG(7, 8))
		used, fresh := newFilter(t, 5, Settings{Gate: gate}), newFilter(t, 5, Settings{Gate: gate})
		dst, want := make([]float64, 5), make([]float64, 5)
		for _, q := range randomStream(r, 5, 100) {
			used.Step(dst, q)
		}
		used.Reset()
		if used.Steps() != 0 {
			t.Fatalf("gate %s: %d steps after Reset", gate, used.Steps())
		}
		for i, q := range randomStream(r, 5, 100) {
			if a, b := used.Step(dst, q), fresh.Step(want, q); a != b || !slices.Equal(dst, want) {
				t.Fatalf("gate %s, step %d: after Reset %v %v, new %v %v", gate, i, a, dst, b, want)
			}
		}
	}
}

// One class leaves nothing to decide; the filter must say so rather than divide by K-1.
func TestOneClass(t *testing.T) {
	for _, gate := range Gates() {
		f := newFilter(t, 1, Settings{Gate: gate})
		dst := make([]float64, 1)
		for range 50 {
			if f.Step(dst, []float64{1}); math.Abs(dst[0]-1) > 1e-12 {
				t.Fatalf("gate %s: %v, want [1]", gate, dst)
			}
		}
	}
}

// Exact zeros decay the rows of classes that never come; 200000 steps take them far below the smallest float64.
func TestLongStreamOfOneHot(t *testing.T) {
	for _, s := range []Settings{
		{Gate: GateOff},
		{Gate: GateEWMA, Paper: &Paper{Init: InitIdentity, Kappa: 1, Gamma: 0.9, Tau: 1, Eta: 0.05, Window: 50, GateTau: 1}},
		{Gate: GateAuto},
	} {
		f := newFilter(t, 4, s)
		dst := make([]float64, 4)
		for i := range 200_000 {
			q := []float64{0, 0, 0, 0}
			q[i/50_000] = 1
			f.Step(dst, q)
			if err := Check(dst, 4); err != nil {
				t.Fatalf("gate %s, step %d: %v", s.Gate, i, err)
			}
		}
		if top := slices.Index(dst, slices.Max(dst)); top != 3 {
			t.Errorf("gate %s: class %d after 50000 steps of class 3: %v", s.Gate, top, dst)
		}
	}
}

// A class that has not come for long has a vanishing prior; when it comes, at any distance, the posterior must stay a number. The
// denormal range of the prior is reached between some 6700 and 7100 steps of the default settings.
func TestReturnAfterAnyAbsence(t *testing.T) {
	var lengths []int
	for n := 1; n < 8000; n += 1 + n/8 {
		lengths = append(lengths, n)
	}
	for n := 6700; n < 7100; n += 3 {
		lengths = append(lengths, n)
	}
	for _, gate := range []Gate{GateOff, GateEWMA} {
		f, dst := newFilter(t, 3, Settings{Gate: gate}), make([]float64, 3)
		for _, n := range lengths {
			f.Reset()
			for range n {
				f.Step(dst, []float64{1, 0, 0})
			}
			f.Step(dst, []float64{0, 0, 1})
			if err := Check(dst, 3); err != nil {
				t.Fatalf("gate %s, after %d steps: %v: %v", gate, n, dst, err)
			}
		}
	}
}

// A low temperature sharpens; it must not lose the classes to underflow.
func TestLowTemperature(t *testing.T) {
	for _, temperature := range []float64{1e-3, 2e-3, 0.01, 0.1} {
		f, dst := newFilter(t, 3, Settings{Gate: GateOff, Temperature: temperature}), make([]float64, 3)
		if f.Step(dst, []float64{0.45, 0.3, 0.25}); !(dst[0] > 0.97) {
			t.Errorf("temperature %g: %v, want nearly all on the first class", temperature, dst)
		}
	}
}

// What the filter is for: on a sticky stream, the adapted labels are right more often than the raw ones; on an unordered one
// the auto gate costs next to nothing.
func TestAutoGainsOnStickyStreamsOnly(t *testing.T) {
	const steps, classes = 4000, 6
	for _, tc := range []struct {
		stay     float64
		min, max float64 // change of accuracy in points
	}{{0.95, 5, 30}, {1. / classes, -0.5, 0.5}} {
		raw, adapted := accuracies(t, tc.stay, steps, classes)
		if gain := 100 * (adapted - raw); gain < tc.min || gain > tc.max {
			t.Errorf("P(stay) = %.2f: accuracy %.3f raw, %.3f adapted: %.2f points, want %g to %g", tc.stay, raw, adapted, gain, tc.min, tc.max)
		}
	}
}

func accuracies(t *testing.T, stay float64, steps, classes int) (raw, adapted float64) {
	r := rand.New(rand.NewPCG(9, 10))
	f := newFilter(t, classes, Settings{})
	dst, y := make([]float64, classes), 0
	for range steps {
		if r.Float64() > stay {
			y = (y + 1 + r.IntN(classes-1)) % classes
		}
		q := make([]float64, classes)
		for k := range q {
			q[k] = math.Exp(r.NormFloat64())
		}
		q[y] *= math.E * math.E
		scale(q, 1/sum(q))
		f.Step(dst, q)
		raw += hit(q, y) / float64(steps)
		adapted += hit(dst, y) / float64(steps)
	}
	return raw, adapted
}

func hit(p []float64, y int) float64 {
	if slices.Index(p, slices.Max(p)) == y {
		return 1
	}
	return 0
}

func TestStepPanicsOnTheCallersBug(t *testing.T) {
	for _, q := range [][]float64{nil, {1}, {0.5, 0.5, 0}, {math.NaN(), 1}, {math.Inf(1), 0}, {-0.5, 1.5}, {0, 0}} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "adapt: Step") {
					t.Errorf("Step(%v): panic %q, want one that begins with adapt: Step", q, got)
				}
			}()
			f := newFilter(t, 2, Settings{})
			f.Step(make([]float64, 2), q)
		}()
	}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		q    []float64
		want string
	}{
		{[]float64{0.25, 0.75}, ""},
		{[]float64{0.3333, 0.6666}, ""},
		{[]float64{1}, "has 1 entries: want 2"},
		{[]float64{math.NaN(), 1}, "class 0 is NaN"},
		{[]float64{1, math.Inf(1)}, "class 1 is +Inf"},
		{[]float64{-0.1, 1.1}, "class 0 is -0.1"},
		{[]float64{0.2, 0.2}, "sum to 0.4"},
	} {
		if err := Check(tc.q, 2); (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Check(%v) = %v, want %q", tc.q, err, tc.want)
		}
	}
}

// FuzzStep feeds arbitrary bytes as probability vectors and settings: what New and Check accept must give a probability vector.
func FuzzStep(f *testing.F) {
	f.Add(uint8(0), 0.1, 0.35, 0.1, 1.0, 0.3, 0.05, []byte{1, 2, 3, 4, 5, 6})
	f.Add(uint8(139), 0.5, 1.0, 1.0, 1.0, 0.01, 0.1, []byte{0, 0, 255, 0, 255, 0, 255, 255, 255, 1, 2, 3})
	f.Add(uint8(3), 0.9, 1e-9, 1e12, 1e-3, 1e-12, 1.0, []byte{0, 0, 255, 0, 255, 0, 255, 255, 255})
	f.Fuzz(func(t *testing.T, gate uint8, gamma, tau, kappa, temperature, rare, eta float64, data []byte) {
		paper := DefaultPaper()
		paper.Gamma, paper.Tau, paper.Kappa, paper.Eta, paper.GateTau, paper.Eps = gamma, tau, kappa, eta, tau, min(rare, 1)
		auto := []func() Auto{FirstAuto, SecondAuto, DefaultAuto}[int(gate)/4%3]()
		auto.Gamma, auto.Beta, auto.Pseudo, auto.Flicker = gamma, tau, kappa, eta
		s := Settings{Gate: Gates()[int(gate)%len(Gates())], Paper: &paper, Auto: &auto, Temperature: temperature}
		if gate%2 == 0 {
			s.Prior = []float64{rare, 0.5, 0.5 - rare}
		}
		if s.Gate == GateAuto && gate >= 128 {
			s.Population = &Population{[][]float64{{1, 0, 0}, {0, rare, 1 - rare}, {1 - rare, rare / 2, rare / 2}}, []float64{rare, 0.5 - rare, 0.5}}
		}
		filter, err := New(3, s)
		if err != nil {
			return
		}
		dst := make([]float64, 3)
		for ; len(data) >= 3; data = data[3:] {
			q := []float64{float64(data[0]), math.Ldexp(1, -4*int(data[1])), float64(data[2]) * 1e-3}
			scale(q, (1+SumTolerance*(float64(data[0])/128-1)*0.99)/sum(q)) // as far from 1 as Check allows
			if Check(q, 3) != nil {
				continue
			}
			d := filter.Step(dst, q)
			if err := Check(dst, 3); err != nil || !(d.Gate >= 0 && d.Gate <= 1+1e-9) || math.IsNaN(d.LLR) || math.IsNaN(d.Evidence) {
				t.Fatalf("after q = %v: %v, %+v, %v", q, dst, d, err)
			}
		}
	})
}

// Check and Step judge by one sum, and Normalise mends what is rounded, to the edge of its tolerance.
func TestRoundedProbabilities(t *testing.T) {
	for _, tc := range []struct {
		q       []float64
		rounded bool
		err     string
	}{
		{[]float64{0.05, 0.56, 0, 0, 0.38}, true, ""}, // 0.99, which is off by more than 0.01 in some orders of addition
		{[]float64{0.38, 0, 0, 0.56, 0.05}, true, ""},
		{[]float64{0.2, 0.2, 0.2, 0.2, 0.2}, false, ""},
		{[]float64{0.2, 0.2, 0.2, 0.2, 0.195}, false, ""},
		{[]float64{0.25, 0.2, 0.2, 0.2, 0.2}, true, ""},     // 1.05
		{[]float64{0.19, 0.19, 0.19, 0.19, 0.19}, true, ""}, // 0.95
		{[]float64{0.3, 0.2, 0.2, 0.2, 0.2}, false, "sum to 1.1"},
		{[]float64{0.3, 0.2, 0.2, 0.2, math.NaN()}, false, "class 4 is NaN"},
		{[]float64{0.3, -0.2, 0.5, 0.2, 0.2}, false, "class 1 is -0.2"},
		{[]float64{math.Inf(1), 0, 0, 0, 0}, false, "class 0 is +Inf"},
		{[]float64{0, 0, 0, 0, 0}, false, "sum to 0"},
		{[]float64{1}, false, "has 1 entries"},
		{[]float64{math.MaxFloat64, math.MaxFloat64, 0, 0, 0}, false, "sum to +Inf"},
	} {
		before := slices.Clone(tc.q)
		rounded, err := Normalise(tc.q, 5)
		if rounded != tc.rounded || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%v: %t, %v", before, rounded, err)
		}
		if !rounded && len(before) == 5 && !slices.EqualFunc(before, tc.q, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%v became %v", before, tc.q)
		}
		if err == nil {
			newFilter(t, 5, Settings{}).Step(make([]float64, 5), tc.q) // which must not panic
			if err := Check(tc.q, 5); err != nil {
				t.Error(err)
			}
		}
	}
}
