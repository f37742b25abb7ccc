package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// unraised makes a filter leave zeros alone in dense steps, as steps by lists do.
func unraised(f *Filter) *Filter {
	if m, ok := f.mode.(*mixture); ok {
		m.raised = nil
	}
	return f
}

// dense makes a filter take no step by lists.
func dense(f *Filter) *Filter {
	unraised(f)
	switch m := f.mode.(type) {
	case *paper:
		m.few = -1
	case *mixture:
		for _, t := range m.at {
			t.most = -1
			for i := range t.fulls {
				if all, ok := t.fulls[i].pairs.(*pairs); ok {
					all.few = -1
				}
			}
		}
	}
	return f
}

// sparseItem draws what a stream may hold: the top few of a class that stays, of any class, one-hot, or everything.
func sparseItem(r *rand.Rand, n int) []float64 {
	q := make([]float64, n)
	switch kind := r.IntN(20); {
	case kind == 0:
		return softmaxAround(r, n, r.IntN(n))
	case kind == 1:
		q[r.IntN(n)] = 1
	case kind < 5:
		for range 1 + r.IntN(6) {
			q[r.IntN(n)] += math.Exp(10 * r.NormFloat64())
		}
	default:
		for k := range 4 {
			q[(k*k+r.IntN(3))%n] += math.Exp(3 * r.NormFloat64())
		}
	}
	scale(q, 1/sum(q))
	return q
}

// Steps by lists are those of the dense recursion, over settings, sizes and streams with surprises, excluded classes, classes silent for
// long and predictions of all kinds; and both know the same matrix.
func TestSparseIsDense(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 71))
		n := []int{1, 2, 3, 9, 24, 100, 64, 130}[seed%8]
		s := Settings{Gate: GateAuto}
		if n > 1 {
			s = randomSettings(r, n)
		}
		a, b := unraised(newFilter(t, n, s)), dense(newFilter(t, n, s))
		x, y := make([]float64, n), make([]float64, n)
		for i := range 400 {
			q := sparseItem(r, n)
			if i > 200 && i < 300 { // all but two classes are silent
				clear(q)
				q[0] = 0.9
				q[n-1] += 0.1
			}
			if r.IntN(30) == 0 {
				a.Skip(3)
				b.Skip(3)
			}
			d, e := a.Step(x, q), b.Step(y, q)
			what := fmt.Sprintf("seed %d, gate %s, K %d, step %d", seed, a.Settings().Gate, n, i)
			compare(t, what, append(slices.Clone(x), d.Gate, d.LLR, d.Evidence, d.Entropy), append(slices.Clone(y), e.Gate, e.LLR, e.Evidence, e.Entropy))
			if d.ZeroEvidence != e.ZeroEvidence {
				t.Fatalf("%s: zero evidence %t, dense %t", what, d.ZeroEvidence, e.ZeroEvidence)
			}
		}
		compare(t, fmt.Sprintf("seed %d: transitions", seed), a.Transitions(nil), b.Transitions(nil))
		restored(t, a)
	}
}

func TestSparseOfAThousandClasses(t *testing.T) {
	for _, gate := range []Gate{GateOff, GateAuto} {
		r := rand.New(rand.NewPCG(1, 72))
		a, b := unraised(newFilter(t, 1000, Settings{Gate: gate})), dense(newFilter(t, 1000, Settings{Gate: gate}))
		x, y := make([]float64, 1000), make([]float64, 1000)
		for i := range 60 {
			q := sparseItem(r, 1000)
			a.Step(x, q)
			b.Step(y, q)
			compare(t, fmt.Sprintf("gate %s, step %d", gate, i), x, y)
		}
	}
}

func TestSparseStepsAllocateNothing(t *testing.T) {
	for _, gate := range Gates() {
		f, stream := newFilter(t, 200, Settings{Gate: gate}), topStream(rand.New(rand.NewPCG(3, 4)), 200, 64, 20, 5)
		dst, i := make([]float64, 200), 0
		if n := testing.AllocsPerRun(200, func() { f.Step(dst, stream[i%64]); i++ }); n != 0 {
			t.Errorf("gate %s: %g allocations a step, want 0", gate, n)
		}
	}
}

// A batch gives the bits of single steps, whether it is worth sharing out or not.
func TestStepBatchIsSingleSteps(t *testing.T) {
	for _, n := range []int{3, 150} {
		r := rand.New(rand.NewPCG(uint64(n), 73))
		var together, alone []*Filter
		for i := range 24 {
			s := Settings{Gate: Gates()[i%4]}
			together, alone = append(together, newFilter(t, n, s)), append(alone, newFilter(t, n, s))
		}
		dst, q, diags, want := rows(24, n), make([][]float64, 24), make([]Diagnostics, 24), make([]float64, n)
		for step := range 30 {
			for i := range q {
				q[i] = sparseItem(r, n)
			}
			StepBatch(together, dst, q, diags)
			for i, f := range alone {
				if d := f.Step(want, q[i]); d != diags[i] || !slices.Equal(want, dst[i]) {
					t.Fatalf("K %d, step %d, stream %d: %v %v, alone %v %v", n, step, i, diags[i], dst[i], d, want)
				}
			}
		}
		StepBatch(together, dst, q, nil)
		if got := together[0].Steps(); got != 31 {
			t.Errorf("%d steps, want 31", got)
		}
	}
}

func TestStepBatchPanicsBeforeAnythingMoves(t *testing.T) {
	f := []*Filter{newFilter(t, 2, Settings{}), newFilter(t, 2, Settings{})}
	good := []float64{0.5, 0.5}
	for _, q := range [][][]float64{{good}, {good, {1}}, {good, {math.NaN(), 1}}} {
		func() {
			defer func() {
				if recover() == nil || f[0].Steps() != 0 {
					t.Errorf("StepBatch of %v: no panic, or after %d steps", q, f[0].Steps())
				}
			}()
			StepBatch(f, rows(2, 2), q, nil)
		}()
	}
}

// A filter with a floor is one without that is given predictions without what is below it.
func TestFloor(t *testing.T) {
	const n = 64
	for _, gate := range Gates() {
		r := rand.New(rand.NewPCG(4, 90))
		a, b := newFilter(t, n, Settings{Gate: gate, Floor: 1e-10}), newFilter(t, n, Settings{Gate: gate})
		x, y, cut := make([]float64, n), make([]float64, n), make([]float64, n)
		left := 0
		for i := range 300 {
			q := make([]float64, n)
			for k := range q {
				q[k] = math.Exp(-40 * r.Float64())
			}
			q[r.IntN(n)] += 5
			q = normalised(q)
			total := 0.0
			for k, v := range q {
				if cut[k] = v; v < 1e-10 {
					cut[k] = 0
					left++
				}
				total += cut[k]
			}
			for k := range cut {
				cut[k] *= 1 / total
			}
			a.Step(x, q)
			b.Step(y, cut)
			if !slices.Equal(x, y) {
				t.Fatalf("%s step %d: %v, want %v", gate, i, x, y)
			}
		}
		if left < 1000 {
			t.Errorf("%d entries were below the floor", left)
		}
	}
	for _, bad := range []float64{-1, 2e-9, math.NaN()} {
		if _, err := New(3, Settings{Floor: bad}); err == nil || !strings.Contains(err.Error(), "floor") {
			t.Errorf("floor %g: %v", bad, err)
		}
	}
}
