package adapt

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomGaps draws the gaps before the items of a stream: half of them none.
func randomGaps(r *rand.Rand, steps int) []int {
	missed := make([]int, steps)
	for t := range missed {
		if r.IntN(2) == 0 {
			missed[t] = []int{0, 1, 1, 2, 3, 7, 40, Broken}[r.IntN(8)]
		}
	}
	return missed
}

// tell tells a filter, or a lagged one, of a gap.
func tell(f interface {
	Skip(missed int)
	Break()
}, missed int,
) {
	if missed == Broken {
		f.Break()
	} else {
		f.Skip(missed)
	}
}

func TestPaperWithGapsAgreesWithItsPlainTwin(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 61))
		n := 2 + r.IntN(9)
		f := newFilter(t, n, randomPaper(r, n))
		plain := newPlainPaper(n, f.Settings())
		dst, missed := make([]float64, n), randomGaps(r, 300)
		for i, q := range randomStream(r, n, 300) {
			tell(f, missed[i])
			plain.across = gaps(missed).at(i)
			d := f.Step(dst, q)
			compare(t, fmt.Sprintf("seed %d step %d", seed, i), append(dst, d.Gate), append(plain.step(q), plain.lambda))
		}
	}
}

func TestAutoWithGapsAgreesWithItsPlainTwin(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 62))
		n := 2 + r.IntN(9)
		f := newFilter(t, n, randomAuto(r, n))
		plain := newPlainAuto(n, f)
		dst, missed := make([]float64, n), randomGaps(r, 300)
		for i, q := range randomStream(r, n, 300) {
			tell(f, missed[i])
			plain.across(gaps(missed).at(i))
			f.Step(dst, q)
			compare(t, fmt.Sprintf("seed %d step %d", seed, i), dst, plain.step(q))
		}
	}
}

// Skip(0), and gaps before the first item, change nothing to the bit; calls add up; a break is a break, whatever else is said.
func TestSkipsThatAreTheSame(t *testing.T) {
	said := map[string][2]func(f *Filter, i int){
		"Skip(0)": {func(*Filter, int) {}, func(f *Filter, _ int) { f.Skip(0) }},
		"a gap before the first item": {func(*Filter, int) {}, func(f *Filter, i int) {
			if i == 0 {
				f.Skip(3)
				f.Break()
			}
		}},
		"calls add up": {func(f *Filter, i int) { f.Skip(i % 5) }, func(f *Filter, i int) {
			for range i % 5 {
				f.Skip(1)
			}
		}},
		"a break and more": {func(f *Filter, _ int) { f.Break() }, func(f *Filter, i int) {
			f.Skip(i)
			f.Break()
			f.Skip(math.MaxInt)
		}},
		"counts beyond all bounds": {func(f *Filter, _ int) { f.Skip(mostMissed) }, func(f *Filter, _ int) {
			f.Skip(math.MaxInt)
			f.Skip(math.MaxInt)
		}},
	}
	for what, two := range said {
		for _, gate := range Gates() {
			a, b := newFilter(t, 4, Settings{Gate: gate}), newFilter(t, 4, Settings{Gate: gate})
			x, y := make([]float64, 4), make([]float64, 4)
			for i, q := range randomStream(rand.New(rand.NewPCG(1, 63)), 4, 60) {
				two[0](a, i)
				two[1](b, i)
				if d, e := a.Step(x, q), b.Step(y, q); d != e || !slices.Equal(x, y) {
					t.Fatalf("%s, gate %s, step %d: %v %v, want %v %v", what, gate, i, y, e, x, d)
				}
			}
			if !bytes.Equal(marshalled(t, a), marshalled(t, b)) {
				t.Errorf("%s, gate %s: the states differ", what, gate)
			}
		}
	}
}

// A gap that was told and not yet stepped over survives a snapshot, and Reset forgets it.
func TestPendingGapInSnapshots(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 64))
		n := 1 + r.IntN(6)
		f := newFilter(t, n, randomSettings(r, n))
		fresh := marshalled(t, f)
		g := restored(t, f)
		dst, want, missed := make([]float64, n), make([]float64, n), randomGaps(r, 80)
		for i, q := range randomStream(r, n, 80) {
			tell(f, missed[i])
			tell(g, missed[i])
			g = restored(t, g)
			if a, b := g.Step(dst, q), f.Step(want, q); a != b || !slices.Equal(dst, want) {
				t.Fatalf("seed %d, step %d: restored %v %v, undisturbed %v %v", seed, i, a, dst, b, want)
			}
		}
		f.Skip(3)
		f.Reset()
		if !bytes.Equal(marshalled(t, f), fresh) {
			t.Errorf("seed %d: Reset left something of a gap", seed)
		}
	}
}

// After a break the first item's own prediction is the answer, gates and weights stay, and nothing is learned of order.
func TestBreakStartsTheBeliefAfresh(t *testing.T) {
	for _, gate := range Gates() {
		a := DefaultAuto()
		a.Share = 0
		f := newFilter(t, 3, Settings{Gate: gate, Auto: &a})
		dst, r := make([]float64, 3), rand.New(rand.NewPCG(2, 65))
		for i := range 400 {
			f.Step(dst, softmaxAround(r, 3, i%3))
		}
		before, weights := f.Transitions(nil), f.Hypotheses(nil)
		llr := 0.0
		if m, ok := f.mode.(*paper); ok {
			llr = m.llr
		}
		q := []float64{0.2, 0.5, 0.3}
		f.Break()
		f.Step(dst, q)
		if gate != GateAuto {
			closeRows(t, string(gate), [][]float64{dst}, [][]float64{q}, exact)
			closeRows(t, string(gate), [][]float64{f.Transitions(nil)}, [][]float64{before}, exact)
			if m := f.mode.(*paper); m.llr != llr {
				t.Errorf("gate %s: the ratio went from %g to %g", gate, llr, m.llr)
			}
			continue
		}
		one := len(weights) / len(f.Settings().Auto.Temperatures)
		for i, h := range f.Hypotheses(nil) {
			none := i / one * one // of the same temperature
			if !h.Ordered() {
				continue // what it says is another, and its evidence, too
			}
			was, is := weights[i].Weight/weights[none].Weight, h.Weight/f.Hypotheses(nil)[none].Weight
			if math.Abs(is-was) > exact*was {
				t.Errorf("%v weighs %g of none, before %g", h, is, was)
			}
		}
	}
}

func TestSkipAllocatesNothing(t *testing.T) {
	for _, gate := range Gates() {
		f, l := newFilter(t, 10, Settings{Gate: gate}), newLagged(t, 10, Settings{Gate: gate}, 4)
		stream := randomStream(rand.New(rand.NewPCG(3, 66)), 10, 64)
		dst, i := make([]float64, 10), 0
		allocs := testing.AllocsPerRun(200, func() {
			missed := []int{0, 1, 5, 1000, Broken}[i%5]
			tell(f, missed)
			tell(l, missed)
			f.Step(dst, stream[i%64])
			l.Step(dst, stream[i%64])
			i++
		})
		if allocs != 0 {
			t.Errorf("gate %s: %g allocations a step, want 0", gate, allocs)
		}
	}
}

func TestSkipOfLessThanNothing(t *testing.T) {
	for what, bug := range map[string]func(){
		"Skip of -1":             func() { newFilter(t, 2, Settings{}).Skip(-1) },
		"1 counts of missed":     func() { _, _ = SmoothGaps(2, Settings{}, rows(2, 2), [][]float64{{0, 1}, {0, 1}}, []int{0}) },
		"-2 missed steps before": func() { _, _ = ViterbiGaps(1, Settings{}, make([]int, 1), [][]float64{{1}}, []int{-2}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "adapt: "+what) {
					t.Errorf("panic %q, want %q", got, what)
				}
			}()
			bug()
		}()
	}
}

// BenchmarkSkip measures a step over a gap against one without.
func BenchmarkSkip(b *testing.B) {
	for _, gate := range []Gate{GateOff, GateAuto} {
		for _, classes := range []int{10, 100, 1000} {
			for _, missed := range []int{0, 1, 10, 1 << 20} {
				b.Run(fmt.Sprintf("%s/K=%d/missed=%d", gate, classes, missed), func(b *testing.B) {
					f := newFilter(b, classes, Settings{Gate: gate})
					stream := randomStream(rand.New(rand.NewPCG(6, 67)), classes, 256)
					dst, i := make([]float64, classes), 0
					b.ReportAllocs()
					for b.Loop() {
						f.Skip(missed)
						f.Step(dst, stream[i%256])
						i++
					}
				})
			}
		}
	}
}
