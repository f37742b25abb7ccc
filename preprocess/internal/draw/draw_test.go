package draw

import (
	"math"
	"testing"
)

// TestViewsAreTheirOwn: a view is the same whatever was drawn before, and other seeds and views are others.
func TestViewsAreTheirOwn(t *testing.T) {
	s, seen := New(), map[uint64]bool{}
	for seed := range uint64(50) {
		for view := range 50 {
			s.View(seed, view)
			first := s.Uint64()
			if seen[first] {
				t.Fatalf("seed %d, view %d: begins as another does", seed, view)
			}
			seen[first] = true
			s.View(seed, view)
			if again := s.Uint64(); again != first {
				t.Fatalf("seed %d, view %d: %x, then %x", seed, view, first, again)
			}
		}
	}
}

// TestFirstNumbersAreIndependent: over consecutive seeds and over consecutive views, a view's first numbers are even and not
// correlated with those of the next. The bounds are five standard errors.
func TestFirstNumbersAreIndependent(t *testing.T) {
	const n = 20000
	s := New()
	for name, set := range map[string]func(i int){
		"seeds": func(i int) { s.View(uint64(i), 1) },
		"views": func(i int) { s.View(1, i) },
	} {
		sum, product, last := 0.0, 0.0, 0.0
		for i := range n {
			set(i)
			x := s.Float64() - 0.5
			sum += x
			product += x * last
			last = x
		}
		if mean := sum / n; math.Abs(mean) > 5*math.Sqrt(1.0/12/n) {
			t.Errorf("%s: mean is off by %v", name, mean)
		}
		if c := product / n * 12; math.Abs(c) > 5/math.Sqrt(n) {
			t.Errorf("%s: correlation %v", name, c)
		}
	}
}

func TestDistributions(t *testing.T) {
	const n = 50000
	s := New()
	s.View(3, 3)
	coins, chances, between := 0.0, 0.0, 0.0
	var w [3]float64
	var mean, square [3]float64
	for range n {
		if s.Coin() {
			coins++
		}
		if s.Chance(0.2) {
			chances++
		}
		x := s.Between(-3, 5)
		if !(x >= -3 && x < 5) {
			t.Fatal(x)
		}
		between += x
		s.Simplex(w[:])
		if sum := w[0] + w[1] + w[2]; math.Abs(sum-1) > 1e-12 {
			t.Fatalf("weights sum to %v", sum)
		}
		for i, v := range w {
			mean[i] += v / n
			square[i] += v * v / n
		}
	}
	near := func(what string, got, want, tolerance float64) {
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("coin", coins/n, 0.5, 0.01)
	near("chance", chances/n, 0.2, 0.01)
	near("between", between/n, 1, 0.06)
	for i := range w { // Dirichlet(1, 1, 1): mean 1/3, variance 1/18
		near("weight", mean[i], 1.0/3, 0.006)
		near("variance", square[i]-mean[i]*mean[i], 1.0/18, 0.003)
	}
}
