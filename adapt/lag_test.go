package adapt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newLagged(t testing.TB, classes int, s Settings, lag int) *Lagged {
	t.Helper()
	l, err := NewLagged(classes, s, lag)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// laggedAll returns the answers to all items, those of Flush included.
func laggedAll(t testing.TB, s Settings, lag int, q [][]float64) [][]float64 {
	t.Helper()
	l := newLagged(t, len(q[0]), s, lag)
	var out [][]float64
	dst := make([]float64, len(q[0]))
	for i, row := range q {
		if _, ok := l.Step(dst, row); ok != (i >= lag) {
			t.Fatalf("lag %d, step %d: answered is %t", lag, i, ok)
		} else if ok {
			out = append(out, slices.Clone(dst))
		}
	}
	for {
		if _, ok := l.Flush(dst); !ok {
			break
		}
		out = append(out, slices.Clone(dst))
	}
	if len(out) != len(q) || l.Pending() != 0 {
		t.Fatalf("lag %d: %d answers to %d items, %d pending", lag, len(out), len(q), l.Pending())
	}
	return out
}

func TestNoLagIsTheFilterToTheBit(t *testing.T) {
	for _, gate := range Gates() {
		s := Settings{Gate: gate}
		q := randomStream(rand.New(rand.NewPCG(1, 41)), 5, 200)
		f, l := newFilter(t, 5, s), newLagged(t, 5, s, 0)
		want, got := make([]float64, 5), make([]float64, 5)
		for i, row := range q {
			d := f.Step(want, row)
			e, ok := l.Step(got, row)
			if !ok || d != e || !slices.Equal(got, want) {
				t.Fatalf("gate %s, step %d: lagged %v %v %t, filter %v %v", gate, i, got, e, ok, want, d)
			}
		}
	}
}

// In the paper's modes the answer to item t-N is that of smoothing the first t+1 items, and with N >= T-1 that of smoothing all.
func TestLaggedPaperIsSmoothingThePrefix(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 42))
		n, steps := 2+r.IntN(5), 1+r.IntN(20)
		s, q := randomPaper(r, n), randomStream(r, n, steps)
		lag := r.IntN(steps + 3)
		for i, got := range laggedAll(t, s, lag, q) {
			want, _ := smooth(t, s, q[:min(i+lag+1, steps)])
			closeRows(t, fmt.Sprintf("seed %d, gate %s, lag %d, item %d", seed, s.Gate, lag, i), [][]float64{got}, want[i:i+1], exact)
		}
	}
}

// plainLagged is the answer of auto to item s given all up to the end of q: each hypothesis by enumeration of its causal chain, but
// for the learned matrix, which is the one of the end for all steps back.
func plainLagged(f *Filter, q [][]float64, missed []int, s int) []float64 {
	n, a := len(q[0]), *f.Settings().Auto
	plain := newPlainAuto(n, f)
	laws := make([]law, len(plain.w))
	fulls, lifts := make([][][]float64, len(plain.at)), make([][][]float64, len(plain.at))
	for u, row := range q {
		plain.across(gaps(missed).at(u))
		for i, p := range plain.at {
			mu := p.marginal(a)
			l := plainLikelihood(row, plain.s.Prior, p.temperature/plain.b)
			lift := slices.Clone(l)
			for j := range lift {
				lift[j] /= mu[j]
			}
			lifts[i] = append(lifts[i], lift)
			for h := range len(plain.w) / len(plain.at) {
				laws[i*len(plain.w)/len(plain.at)+h].extend(hypothesisOf(a, h, n), l)
			}
		}
		plain.step(row)
		for i, p := range plain.at {
			fulls[i] = append(fulls[i], p.full)
		}
	}
	out := make([]float64, n)
	per := len(plain.w) / len(plain.at)
	for h, w := range plain.w {
		if h%per == per-1 {
			p := plain.at[h/per]
			addScaled(out, w, p.lookBack(a, lastMarginal(f.Settings(), q, missed, h/per), fulls[h/per], lifts[h/per], missed, s))
			continue
		}
		post, _ := laws[h].over(missed).posteriors()
		addScaled(out, w, post[s])
	}
	return out
}

// hypothesisOf returns stay and trust of the chain of hypothesis h, in the order of the weights.
func hypothesisOf(a Auto, h, n int) (c struct{ stay, trust float64 }) {
	stretch := float64(n) / float64(n-1)
	switch g := len(a.Grid); {
	case h == 0 || h > g+g*len(a.Errors):
		c.trust = 1
	case h <= g:
		c.stay, c.trust = a.Grid[h-1]/3, 1-a.Flicker*stretch
	default:
		c.stay, c.trust = a.Grid[(h-1-g)/len(a.Errors)], 1-a.Errors[(h-1-g)%len(a.Errors)]*stretch
	}
	return c
}

func (l *law) extend(c struct{ stay, trust float64 }, like []float64) {
	n := len(like)
	l.first = uniform(n)
	l.seen = append(l.seen, spreadOver(like, c.trust))
	l.step = append(l.step, matrix(n, func(i, j int) float64 {
		row := make([]float64, n)
		row[i] = 1
		return spreadOver(row, c.stay)[j]
	}))
}

func (t *plainTempered) marginal(a Auto) []float64 {
	mu := make([]float64, len(t.mass))
	for i := range mu {
		mu[i] = (t.mass[i] + a.Pseudo/t.k) / (sum(t.mass) + a.Pseudo)
	}
	return mu
}

// lastMarginal returns mu as it was when the last item came.
func lastMarginal(s Settings, q [][]float64, missed []int, temperature int) []float64 {
	f, _ := New(len(q[0]), s)
	plain := newPlainAuto(len(q[0]), f)
	for u, row := range q[:len(q)-1] {
		plain.across(gaps(missed).at(u))
		plain.step(row)
	}
	return plain.at[temperature].marginal(*s.Auto)
}

func (t *plainTempered) lookBack(a Auto, mu []float64, alphas, lifts [][]float64, missed []int, s int) []float64 {
	n := len(mu)
	beta := make([]float64, n)
	fill(beta, 1)
	for u := len(alphas) - 1; u > s; u-- {
		for j := range beta {
			beta[j] *= lifts[u][j]
		}
		if missed[u] == Broken {
			fill(beta, 1)
		}
		for range missed[u] + 1 {
			next := make([]float64, n)
			for i := range n {
				for j := range n {
					next[i] += (t.c[i][j] + a.Beta*mu[j]) / (sum(t.c[i]) + a.Beta) * beta[j]
				}
			}
			beta = next
		}
	}
	return product(alphas[s], beta)
}

func (a *plainAuto) across(g gap) {
	for _, p := range a.at {
		p.across = g
	}
}

func TestLaggedAutoAgainstEnumeration(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 43))
		n, steps := 2+r.IntN(2), 1+r.IntN(6)
		s, q := randomAuto(r, n), randomStream(r, n, steps)
		lag := 1 + r.IntN(steps+2)
		f := newFilter(t, n, s)
		for i, got := range laggedAll(t, s, lag, q) {
			want := plainLagged(f, q[:min(i+lag+1, steps)], make([]int, steps), i)
			closeRows(t, fmt.Sprintf("seed %d, lag %d, item %d", seed, lag, i), [][]float64{got}, [][]float64{want}, 10*exact)
		}
	}
}

// The rows of classes that never come decay to nothing, and a prior may exclude what comes, exactly or nearly: looking back goes
// over the same matrices, and stops at the same steps, whether at once or with a lag.
func TestLaggedAndSmoothedAgreeAtTheExtremes(t *testing.T) {
	q := rows(700, 3)
	for i := range q {
		q[i][i/350] = 1
	}
	for i := range 20 {
		q = append(q, []float64{1e-310, 1, 0}, []float64{0, 0.5, 0.5}, []float64{float64(i % 2), 0, float64(1 - i%2)})
	}
	for _, init := range []Init{InitUniform, InitIdentity} {
		for _, gamma := range []float64{0, 0.9} {
			s := Settings{Gate: GateOff, Paper: &Paper{Init: init, Kappa: 1, Gamma: gamma, Tau: 1, Window: 1, GateTau: 1}}
			want, _ := smooth(t, s, q)
			closeRows(t, fmt.Sprintf("init %s, gamma %g", init, gamma), laggedAll(t, s, len(q), q), want, exact)
			for i, row := range want {
				if err := Check(row, 3); err != nil {
					t.Fatalf("init %s, gamma %g, item %d: %v", init, gamma, i, err)
				}
			}
		}
	}
}

func TestLaggedTellsWhatItIs(t *testing.T) {
	l := newLagged(t, 4, Settings{Gate: GateWindow}, 3)
	if l.Lag() != 3 || l.Classes() != 4 || l.Settings().Gate != GateWindow || l.Settings().Paper == nil || l.Pending() != 0 {
		t.Errorf("lag %d, %d classes, %+v, %d pending", l.Lag(), l.Classes(), l.Settings(), l.Pending())
	}
}

func TestLaggedAllocatesNothing(t *testing.T) {
	for _, gate := range Gates() {
		l := newLagged(t, 10, Settings{Gate: gate}, 6)
		stream := randomStream(rand.New(rand.NewPCG(3, 44)), 10, 64)
		dst, i := make([]float64, 10), 0
		allocs := testing.AllocsPerRun(200, func() {
			l.Step(dst, stream[i%64])
			if i++; i%50 == 0 {
				for ok := true; ok; {
					_, ok = l.Flush(dst)
				}
				l.Reset()
			}
		})
		if allocs != 0 {
			t.Errorf("gate %s: %g allocations a step, want 0", gate, allocs)
		}
	}
}

// Each answer comes with the diagnostics of its own item's causal step, in place as well as apart; after Reset all is as new.
func TestLaggedDiagnosticsPlaceAndReset(t *testing.T) {
	for _, gate := range Gates() {
		s := Settings{Gate: gate}
		q := randomStream(rand.New(rand.NewPCG(5, 45)), 4, 60)
		const lag = 7
		f, l := newFilter(t, 4, s), newLagged(t, 4, s, lag)
		dst := make([]float64, 4)
		for _, row := range q[:30] {
			l.Step(dst, row)
		}
		l.Reset()
		want := laggedAll(t, s, lag, q)
		var causal []Diagnostics
		for _, row := range q {
			causal = append(causal, f.Step(dst, row))
		}
		for i, row := range q {
			row = slices.Clone(row)
			d, ok := l.Step(row, row)
			if ok && (d != causal[i-lag] || !slices.Equal(row, want[i-lag])) {
				t.Fatalf("gate %s, item %d: %v %v, want %v %v", gate, i-lag, row, d, want[i-lag], causal[i-lag])
			}
		}
	}
}

func TestLaggedRefusals(t *testing.T) {
	first := FirstAuto()
	for _, tc := range []struct {
		classes, lag int
		s            Settings
		want         string
	}{
		{3, -1, Settings{}, "lag -1"},
		{3, MaxLag + 1, Settings{}, "lag 65537"},
		{0, 1, Settings{}, "0 classes"},
		{5000, 1000, Settings{Gate: GateOff}, "GiB"},
		{5000, MaxLag, Settings{}, "GiB"},
		{5000, MaxLag, Settings{Auto: &first}, "GiB"},
	} {
		if _, err := NewLagged(tc.classes, tc.s, tc.lag); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("NewLagged(%d, %d): %v, want %q", tc.classes, tc.lag, err, tc.want)
		}
	}
	for name, bug := range map[string]func(l *Lagged){
		"Step after Flush": func(l *Lagged) { l.Flush(make([]float64, 2)); l.Step(make([]float64, 2), []float64{0, 1}) },
		"length of dst":    func(l *Lagged) { l.Step(nil, []float64{0, 1}) },
		"length of q":      func(l *Lagged) { l.Step(make([]float64, 2), nil) },
		"Flush into less":  func(l *Lagged) { l.Flush(nil) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "adapt: ") {
					t.Errorf("%s: panic %q", name, got)
				}
			}()
			bug(newLagged(t, 2, Settings{}, 3))
		}()
	}
}

func BenchmarkLagged(b *testing.B) {
	for _, gate := range []Gate{GateOff, GateAuto} {
		for _, lag := range []int{0, 5, 20} {
			b.Run(fmt.Sprintf("%s/K=10/lag=%d", gate, lag), func(b *testing.B) {
				l := newLagged(b, 10, Settings{Gate: gate}, lag)
				stream := randomStream(rand.New(rand.NewPCG(6, 46)), 10, 256)
				dst, i := make([]float64, 10), 0
				b.ReportAllocs()
				for b.Loop() {
					l.Step(dst, stream[i%256])
					i++
				}
			})
		}
	}
}
