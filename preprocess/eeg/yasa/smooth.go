package yasa

import (
	"math"
	"slices"
)

const (
	aroundEpochs = 15 // 7.5 minutes
	pastEpochs   = 4  // 2 minutes
)

// triangularMean is the mean of 15 epochs around each, under weights of 1/8 to 1 in the middle; at the ends, and where values are NaN, of
// those there are.
func triangularMean(x []float64) []float64 {
	const half = aroundEpochs / 2
	return means(x, half, half, func(distance int) float64 {
		return 1 - math.Abs(float64(distance))/(half+1)
	})
}

// pastMean is the mean of each epoch and the 3 before, or of those there are.
func pastMean(x []float64) []float64 {
	return means(x, pastEpochs-1, 0, func(int) float64 { return 1 })
}

func means(x []float64, before, after int, weight func(distance int) float64) []float64 {
	out := make([]float64, len(x))
	for i := range out {
		var sum, total float64
		for j := max(0, i-before); j <= min(len(x)-1, i+after); j++ {
			if !math.IsNaN(x[j]) {
				sum += weight(j-i) * x[j]
				total += weight(j - i)
			}
		}
		out[i] = sum / total
	}
	return out
}

// robustScale returns x less its median, over the distance of its 5th and 95th percentiles, or over 1 where that is 0. NaN stays NaN and
// does not count (sklearn.preprocessing.robust_scale).
func robustScale(x []float64) []float64 {
	sorted := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	if len(sorted) == 0 {
		return x
	}
	slices.Sort(sorted)
	middle := quantile(sorted, 0.5)
	scale := quantile(sorted, 0.95) - quantile(sorted, 0.05)
	if scale < 10*epsilon {
		scale = 1
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v - middle) / scale
	}
	return out
}
