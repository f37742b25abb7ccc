package dropout_test

import (
	"math"
	"slices"
	"testing"

	"github.com/oatta/oatta/models/dropout"
)

// Masks drop with their probability, have the mean 1, and are new for each seed, dropout and pass, and for nothing else.
func TestFillMask(t *testing.T) {
	const n = 40000
	mask := func(p float64, seed uint64, layer, pass int) []float32 {
		out := make([]float32, n)
		dropout.FillMask(out, p, seed, layer, pass)
		return out
	}
	for _, p := range []float64{1e-9, 0.1, 0.2, 0.5, 0.9} {
		zeros, sum := 0, 0.0
		for _, v := range mask(p, 1, 2, 3) {
			if v == 0 {
				zeros++
			} else if math.Abs(float64(v)*(1-p)-1) > 1e-3 {
				t.Fatalf("p %g: an element is %g", p, v)
			}
			sum += float64(v)
		}
		deviation := math.Sqrt(p * (1 - p) / n)
		if d := math.Abs(float64(zeros)/n - p); d > 4*deviation+1e-4 {
			t.Errorf("p %g: %d of %d are 0", p, zeros, n)
		}
		if d := math.Abs(sum/n - 1); d > 4*deviation/(1-p)+1e-4 {
			t.Errorf("p %g: mean %g", p, sum/n)
		}
	}
	first := mask(0.5, 7, 0, 0)
	if !slices.Equal(first, mask(0.5, 7, 0, 0)) {
		t.Error("the same mask differs")
	}
	for _, other := range [][]float32{mask(0.5, 8, 0, 0), mask(0.5, 7, 1, 0), mask(0.5, 7, 0, 1), mask(0.5, 1, 0, 7)} {
		same := 0
		for i := range first {
			if first[i] == other[i] {
				same++
			}
		}
		if math.Abs(float64(same)/n-0.5) > 0.01 { // four deviations
			t.Errorf("of two masks, %d of %d elements are the same", same, n)
		}
	}
	short := make([]float32, 7) // no multiple of four
	dropout.FillMask(short, 0.5, 7, 0, 0)
	if !slices.Equal(short, first[:7]) {
		t.Errorf("%v, want the beginning of the longer mask, %v", short, first[:7])
	}
}
