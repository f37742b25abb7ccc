package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLogarithm(t *testing.T) {
	try := func(x float64) {
		t.Helper()
		got, want := logarithm(x), math.Log(x)
		if got != want && !(math.Abs(got-want) <= 4e-16*max(1, math.Abs(want))) {
			t.Fatalf("logarithm(%g) = %.17g, want %.17g", x, got, want)
		}
	}
	for _, x := range []float64{0, 5e-324, 0x1p-1022, 0x1p-1023, 0.5, 0.6875, 1, 1.375, 2, math.MaxFloat64} {
		try(x)
		try(math.Nextafter(x, 0))
		try(math.Nextafter(x, 2))
	}
	r := rand.New(rand.NewPCG(1, 51))
	for range 300_000 {
		try(r.Float64())
		try(math.Ldexp(1+r.Float64(), r.IntN(2000)-1000))
	}
	for i := range 1 << logBits { // both ends of every interval of the table
		x := math.Float64frombits(logStart + uint64(i)<<(52-logBits))
		try(x)
		try(math.Nextafter(x, 0))
	}
	if logarithm(1) != 0 {
		t.Errorf("logarithm(1) = %g, want 0", logarithm(1))
	}
	for _, e := range []float64{1e-15, 1e-10, 1e-6, 1e-3} { // beside 1 small results keep their digits
		if got, want := logarithm(1+e), math.Log(1+e); math.Abs(got/want-1) > 1e-15 {
			t.Errorf("logarithm(1+%g) = %.17g, want %.17g", e, got, want)
		}
	}
}

func TestEntropy(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 51))
	for range 200 {
		n := 1 + r.IntN(30)
		q, want := softmaxAround(r, n, 0), 0.0
		for i := range q {
			if r.IntN(4) == 0 {
				q[i] = 0
			} else if i > 0 && r.IntN(4) == 0 {
				q[i] = q[i-1]
			}
			if q[i] > 0 {
				want -= q[i] * math.Log(q[i])
			}
		}
		logq := make([]float64, n)
		if got := logs(logq, q); math.Abs(got-max(want, 0)) > 1e-14 {
			t.Fatalf("entropy of %v: %g, want %g", q, got, want)
		}
		for i, v := range logq {
			if want := math.Log(q[i]); v != want && math.Abs(v-want) > 4e-16*max(1, math.Abs(want)) {
				t.Fatalf("log %g = %g", q[i], v)
			}
		}
	}
}
