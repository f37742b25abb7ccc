package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestExponential(t *testing.T) {
	try := func(x float64) {
		t.Helper()
		got, want := exponential(x), math.Exp(x)
		if got != want && !(math.Abs(got-want) <= 5e-16*want) && !(math.IsNaN(x) && math.IsNaN(got)) {
			t.Fatalf("exponential(%g) = %.17g, want %.17g", x, got, want)
		}
	}
	for _, x := range []float64{math.Inf(-1), math.Inf(1), math.NaN(), 0, math.Copysign(0, -1), 5e-324, -5e-324, leastWhole, mostWhole, -745, -746, 710, 1, -1} {
		try(x)
		try(math.Nextafter(x, -1e9))
		try(math.Nextafter(x, 1e9))
	}
	r := rand.New(rand.NewPCG(1, 52))
	for range 300_000 {
		try(1400 * (r.Float64() - 0.5))
		try(-20 * r.Float64())
		try(math.Ldexp(r.Float64()-0.5, -r.IntN(60)))
	}
	for n := -2000.; n < 2000; n++ { // both ends of every interval of the table
		x := (n + 0.5) / perLog2
		try(x)
		try(math.Nextafter(x, -1e9))
	}
	if exponential(0) != 1 {
		t.Errorf("exponential(0) = %g, want 1", exponential(0))
	}
}

func BenchmarkExponential(b *testing.B) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = -float64(i) / 50
	}
	for name, f := range map[string]func(float64) float64{"math": math.Exp, "table": exponential} {
		b.Run(name, func(b *testing.B) {
			total := 0.0
			for b.Loop() {
				for _, v := range x {
					total += f(v)
				}
			}
			_ = total
		})
	}
}
