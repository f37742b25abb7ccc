package significance

import (
	"cmp"
	"math"
	"slices"
)

// Holm returns the p-values of tests that are looked at together, adjusted so that the chance of any false alarm among them is what it is
// for one (Holm 1979): the smallest times their number, the next times one less, and so on, none less than the one before and none over 1.
// A NaN is a test that could tell nothing and counts as 1.
func Holm(p []float64) []float64 {
	order, out := make([]int, len(p)), make([]float64, len(p))
	for i, v := range p {
		order[i], out[i] = i, v
		if math.IsNaN(v) {
			out[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(out[a], out[b]) })
	least := 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(p)-k)*out[i]))
		out[i] = least
	}
	return out
}
