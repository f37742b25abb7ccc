package yasa

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What antropy's documentation gives for a sine of 1 Hz, and what the definitions give for a line.
func TestComplexity(t *testing.T) {
	x := wave(3000, 1, 100)
	about(t, "permutation entropy", permutationEntropy(x), 0.4463, 1e-4) // equal values differ by their rounding
	about(t, "permutation entropy", permutationEntropy([]float64{4, 7, 9, 10, 6, 11, 3}), 0.5888, 5e-5)
	about(t, "Petrosian", petrosianDimension(3000, signChanges(differences(nil, x))), 1.0010, 5e-5)
	line := make([]float64, 1000)
	for i := range line {
		line[i] = float64(i)
	}
	about(t, "permutation entropy of a line", permutationEntropy(line), 0, 0)
	about(t, "Higuchi of a line", higuchiDimension(line), 1, 1e-12)
	about(t, "Petrosian of a line", petrosianDimension(1000, 0), 1, 0)
	about(t, "Higuchi of noise", higuchiDimension(noise(3000)), 2, 0.02)
}

func TestStatistics(t *testing.T) {
	about(t, "quantile", quantile([]float64{1, 2, 3, 10}, 0.75), 4.75, 1e-12)
	about(t, "quantile", quantile([]float64{1, 2, 3, 10}, 1), 10, 0)
	about(t, "quantile of one", quantile([]float64{3}, 0.05), 3, 0)
	skew, kurt := shape([]float64{0, 0, 0, 1})
	about(t, "skewness", skew, 2/math.Sqrt(3), 1e-12)
	about(t, "kurtosis", kurt, 7./3-3, 1e-12)
	if skew, kurt = shape([]float64{5, 5, 5}); !math.IsNaN(skew) || !math.IsNaN(kurt) {
		t.Errorf("of equal values: %g, %g", skew, kurt)
	}
	if got := signChanges([]float64{1, -1, -2, 0, 3, -1}); got != 3 {
		t.Errorf("%d changes of sign, want 3", got)
	}
}

// Values that are arranged give the quantiles of those that are sorted.
func TestArrange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 200 {
		x := make([]float64, 1+n)
		for i := range x {
			x[i] = float64(r.IntN(1 + n)) // some are equal
		}
		sorted := slices.Sorted(slices.Values(x))
		for _, q := range []float64{0, 0.25, 0.5, 0.75, 1} {
			arrange(x, q)
			about(t, "quantile", quantile(x, q), quantile(sorted, q), 0)
		}
	}
}
