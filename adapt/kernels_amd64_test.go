//go:build !amd64.v3

package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// narrow runs do without the kernels.
func narrow(do func()) {
	before := wide
	wide = false
	defer func() { wide = before }()
	do()
}

// With GOAMD64=v3 the compiler rounds products and sums of the loops at once, and the kernels do not: hence the constraint.

// The kernels and the loops give the same entries to the bit, and sums that differ by rounding alone, for every length and whatever is left over.
func TestKernelsAreTheirLoops(t *testing.T) {
	if !wide {
		t.Skip("this processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(1, 150))
	for n := range 70 {
		x := make([][]float64, 8)
		for i := range x {
			x[i] = make([]float64, n)
			for j := range x[i] {
				x[i][j] = r.Float64() * []float64{1, 1, 1e-300, 0}[r.IntN(4)]
			}
		}
		for j := range n { // divisors
			x[6][j] = 0.1 + r.Float64()
		}
		a, b, c := r.Float64(), r.Float64(), r.Float64()
		for name, do := range map[string]func(x [][]float64) []float64{
			"sum": func(x [][]float64) []float64 { return []float64{sum(x[0])} },
			"dot": func(x [][]float64) []float64 { return []float64{dot(x[0], x[1])} },
			"dot4": func(x [][]float64) []float64 {
				p, q, v, w := dot4(x[0], x[1], x[2], x[3])
				return []float64{p, q, v, w}
			},
			"setScaled":  func(x [][]float64) []float64 { setScaled(x[0], a, x[1]); return nil },
			"scale":      func(x [][]float64) []float64 { scale(x[0], a); return nil },
			"addScaled":  func(x [][]float64) []float64 { addScaled(x[0], a, x[1]); return nil },
			"addScaled2": func(x [][]float64) []float64 { addScaled2(x[0], a, x[1], b, x[2]); return nil },
			"follow2": func(x [][]float64) []float64 {
				follow2(x[0], x[1], x[2], x[3], x[4], &[2]factors{{a, b, c, 1, 2}, {b, c, a, 3, c}})
				return nil
			},
			"followUniform": func(x [][]float64) []float64 { followUniform(x[0], x[1], x[2], a, b, c); return nil },
			"drift":         func(x [][]float64) []float64 { drift(x[0], x[1], x[2], a, b, c); return nil },
			"driftUniform":  func(x [][]float64) []float64 { drift(x[0], x[1], nil, a, b, c); return nil },
			"over":          func(x [][]float64) []float64 { return []float64{over(x[0], x[1], x[2], x[6], x[3], a, b)} },
			"learnRow":      func(x [][]float64) []float64 { return []float64{learnRow(x[0], x[1], x[2], a, b)} },
			"aimed":         func(x [][]float64) []float64 { p, q, v := aimed(x[0], x[1], x[6], x[2], a); return []float64{p, q, v} },
			"growth": func(x [][]float64) []float64 {
				(&growth{a, b, c, 2, 3}).learn(x[0], x[1], x[2], x[3], x[4], x[5])
				return nil
			},
			"gather":       func(x [][]float64) []float64 { gather(x[0], x[1], x[2], a, b, c); return nil },
			"multiplyRead": func(x [][]float64) []float64 { return []float64{multiplyRead(x[0], x[1], a, b)} },
			"scaleFrom":    func(x [][]float64) []float64 { scaleFrom(x[0], a, 1e-290); return nil },
			"powers": func(x [][]float64) []float64 {
				if n > 0 { // of nothing there is no greatest
					powers(x[0], x[1], a)
				}
				return nil
			},
			"logs":      func(x [][]float64) []float64 { return []float64{logs(x[0], x[1])} },
			"timesRoot": func(x [][]float64) []float64 { timesRoot(x[0], x[1]); return nil },
		} {
			fast, plain := cloned(x), cloned(x)
			got, want := do(fast), []float64(nil)
			narrow(func() { want = do(plain) })
			for i := range fast {
				if !slices.Equal(fast[i], plain[i]) {
					t.Fatalf("%s of %d, vector %d: %v, want %v", name, n, i, fast[i], plain[i])
				}
			}
			compare(t, fmt.Sprintf("%s of %d", name, n), got, want)
		}
	}
}

// The kernels of powers and logarithms give the bits of their loops for all numbers that they may meet, wherever these stand.
func TestSeriesKernelsAreTheirLoops(t *testing.T) {
	if !wide {
		t.Skip("this processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(2, 150))
	edges := []float64{0, 5e-324, 0x1p-1023, leastNormal, 0.6875, 1, 1.375, math.MaxFloat64, 1e-320}
	gone := []float64{math.Inf(-1), leastWhole, -720, -744.9, -745.2, allGone, -1e300, 0, -5e-324, math.Copysign(0, -1)}
	for range 20_000 {
		n := leastWide + r.IntN(40)
		q, logq := make([]float64, n), make([]float64, n)
		for i := range q {
			q[i], logq[i] = math.Ldexp(1+r.Float64(), r.IntN(2000)-1000), -800*r.Float64()*r.Float64()
			if r.IntN(20) == 0 {
				q[i], logq[i] = edges[r.IntN(len(edges))], gone[r.IntN(len(gone))]
				q[i] = math.Nextafter(q[i], q[i]+float64(r.IntN(3)-1))
				logq[i] = math.Nextafter(logq[i], logq[i]+float64(r.IntN(3)-1))
			}
		}
		fast, plain := make([]float64, n), make([]float64, n)
		check := func(what string, in []float64, do func(dst []float64)) {
			do(fast)
			narrow(func() { do(plain) })
			for i := range in {
				if math.Float64bits(fast[i]) != math.Float64bits(plain[i]) && !(math.IsNaN(fast[i]) && math.IsNaN(plain[i])) {
					t.Fatalf("%s of %g, at %d of %d: %g, want %g", what, in[i], i, n, fast[i], plain[i])
				}
			}
		}
		check("power", logq, func(dst []float64) { powers(dst, logq, 1+2*float64(n&1)) })
		check("logarithm", q, func(dst []float64) { logs(dst, q) })
		for what, pair := range map[string][2]func([]float64) float64{"greatest": {greatest, slices.Max[[]float64]}, "smallest": {smallest, slices.Min[[]float64]}} {
			if got, want := pair[0](logq), pair[1](logq); got != want {
				t.Fatalf("%s of %v: %g, want %g", what, logq, got, want)
			}
		}
	}
}

func cloned(x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for i := range x {
		out[i] = slices.Clone(x[i])
	}
	return out
}

func TestStepsWithoutKernels(t *testing.T) {
	for _, n := range []int{30, 64, 101} {
		f, g := newFilter(t, n, Settings{}), newFilter(t, n, Settings{})
		x, y := make([]float64, n), make([]float64, n)
		for i, q := range returning(rand.New(rand.NewPCG(2, 151)), n, 20, 150) {
			f.Step(x, q)
			narrow(func() { g.Step(y, q) })
			compare(t, fmt.Sprintf("K %d, step %d", n, i), x, y)
		}
	}
}
