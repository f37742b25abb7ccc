package yasa

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// permutationEntropy is the entropy of the order of three values in a row, over its largest value, log2 of 6 (Bandt and Pompe 2002).
// Of equal values the earlier is the smaller.
func permutationEntropy(x []float64) float64 {
	// Three comparisons tell the order; two of their eight results contradict themselves and do not come.
	var counts [8]float64
	for i := 2; i < len(x); i++ {
		order := 0
		if x[i-2] > x[i-1] {
			order |= 1
		}
		if x[i-1] > x[i] {
			order |= 2
		}
		if x[i-2] > x[i] {
			order |= 4
		}
		counts[order]++
	}
	total, entropy := float64(len(x)-2), 0.0
	for _, c := range counts {
		if c > 0 {
			entropy -= c / total * math.Log2(c/total)
		}
	}
	return entropy / math.Log2(6)
}

// maxLag is the largest distance of values in samples for Higuchi's dimension.
const maxLag = 10

// higuchiDimension is the slope of the logarithm of the length of the curve, measured in steps of k samples, over that of 1/k (Higuchi
// 1988). Every step counts, as in antropy 0.2; earlier versions leave out the last of each curve.
func higuchiDimension(x []float64) float64 {
	var lags, lengths [maxLag]float64
	for k := 1; k <= maxLag; k++ {
		sum := 0.0
		for first := range k {
			sum += curveLength(x, first, k)
		}
		lags[k-1] = math.Log(1 / float64(k))
		lengths[k-1] = math.Log(sum / float64(k))
	}
	_, slope := stat.LinearRegression(lags[:], lengths[:], nil, false)
	return slope
}

func curveLength(x []float64, first, k int) float64 {
	steps := (len(x) - first - 1) / k
	sum := 0.0
	for at := first + k; at <= first+steps*k; at += k {
		sum += math.Abs(x[at] - x[at-k])
	}
	return sum / float64(k) * float64(len(x)-1) / float64(k*steps)
}

// petrosianDimension is of n samples whose differences change their sign so many times (Petrosian 1995).
func petrosianDimension(n, changes int) float64 {
	l, samples := math.Log10(float64(n)), float64(n)
	return l / (l + math.Log10(samples/(samples+0.4*float64(changes))))
}
