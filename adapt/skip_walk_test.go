package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// randomMatrix returns a stochastic matrix that stays where it is with a chance of about stay.
func randomMatrix(r *rand.Rand, n int, stay float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		row := a[i*n : (i+1)*n]
		copy(row, softmaxAround(r, n, r.IntN(n)))
		scale(row, 1-stay)
		row[i] += stay
	}
	return a
}

func forwardOf(a []float64, calls *int) func(dst, p []float64) {
	return func(dst, p []float64) {
		*calls++
		fill(dst, 0)
		for i, v := range p {
			addScaled(dst, v, a[i*len(p):(i+1)*len(p)])
		}
	}
}

// plainPower multiplies m times.
func plainPower(a []float64, n, m int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		out[i*n+i] = 1
	}
	for range m {
		next := make([]float64, n*n)
		for i := range n {
			for k := range n {
				addScaled(next[i*n:(i+1)*n], out[i*n+k], a[k*n:(k+1)*n])
			}
		}
		out = next
	}
	return out
}

func TestFarAndPowerAgainstMultiplication(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 71))
		n, m := 1+r.IntN(6), 1+r.IntN(60)
		a := randomMatrix(r, n, r.Float64())
		want := plainPower(a, n, m)
		p, calls := softmaxAround(r, n, 0), 0
		ahead := make([]float64, n)
		forwardOf(want, &calls)(ahead, p)
		w := newWalk(n)
		w.far(p, m, forwardOf(a, &calls))
		what := fmt.Sprintf("seed %d, %d classes, power %d", seed, n, m)
		closeRows(t, what+", walk", [][]float64{p}, [][]float64{ahead}, exact)
		power(a, n, m)
		closeRows(t, what+", power", [][]float64{a}, [][]float64{want}, exact)
	}
}

// A huge count ends at the stationary distribution, which another step leaves alone.
func TestFarArrives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 72))
	for _, n := range []int{2, 10, 60} {
		a, p, calls := randomMatrix(r, n, 0.5), softmaxAround(r, n, 0), 0
		w := newWalk(n)
		w.far(p, mostMissed, forwardOf(a, &calls))
		if calls > 1000 {
			t.Errorf("%d classes: %d steps to the end", n, calls)
		}
		next := make([]float64, n)
		forwardOf(a, &calls)(next, p)
		if d := distance(next, p); d > 1e-12 {
			t.Errorf("%d classes: one step on, it moves by %g", n, d)
		}
		b := append([]float64(nil), a...)
		power(b, n, mostMissed)
		closeRows(t, "power", [][]float64{b[:n], b[n*(n-1):]}, [][]float64{p, p}, 1e-11)
	}
}

// Beyond the bound on the work the rest of the way is a geometric series, or the mean: close to what all steps would give, and a
// distribution always.
func TestFarBeyondTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 73))
	const n = 400
	bound := (&walk{next: make([]float64, n)}).steps()
	if bound != leastWalk {
		t.Fatalf("%d steps one by one: the test is for %d", bound, leastWalk)
	}
	for _, tc := range []struct {
		name       string
		a          func(i, j int) float64
		missed     int
		within     float64
		everywhere bool // the start is no matter
	}{
		{"two rooms, slow", func(i, j int) float64 {
			room := 1 - 1e-3
			if i%2 != j%2 {
				room = 1e-3
			}
			return room / (n / 2)
		}, 700, 1e-8, false},
		{"sticky", func(i, j int) float64 {
			if i == j {
				return 0.98 + 0.02/n
			}
			return 0.02 / n
		}, 300, 1e-9, false},
		{"sticky at many rates", func(i, j int) float64 {
			stay := 0.9 + 0.09*float64(i)/n
			if i == j {
				return stay + (1-stay)/n
			}
			return (1 - stay) / n
		}, 200, 0.2, false},
		{"a circle", func(i, j int) float64 {
			if j == (i+1)%n {
				return 1
			}
			return 0
		}, 1 << 20, 2, true},
	} {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = tc.a(i/n, i%n)
		}
		p, calls := make([]float64, n), 0
		for i := range p {
			p[i] = math.Exp(-float64(i)) * r.Float64()
		}
		p = normalised(p)
		want := append([]float64(nil), p...)
		if !tc.everywhere {
			next := make([]float64, n)
			for range tc.missed {
				forwardOf(a, new(int))(next, want)
				copy(want, next)
			}
		}
		w := newWalk(n)
		w.far(p, tc.missed, forwardOf(a, &calls))
		if calls != bound {
			t.Errorf("%s: %d steps one by one, want %d", tc.name, calls, bound)
		}
		if err := Check(p, n); err != nil || math.Abs(sum(p)-1) > 1e-12 {
			t.Errorf("%s: sum %g, %v", tc.name, sum(p), err)
		}
		if d := distance(p, want); !(d <= tc.within) {
			t.Errorf("%s: off by %g, want %g", tc.name, d, tc.within)
		}
		if tc.everywhere && p[top(p)] > 0.2 {
			t.Errorf("%s: %g on one class: want it spread over the circle so far", tc.name, p[top(p)])
		}
	}
}
