package yasa

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

func differences(dst, x []float64) []float64 {
	dst = dst[:0]
	for i := 1; i < len(x); i++ {
		dst = append(dst, x[i]-x[i-1])
	}
	return dst
}

// quantile interpolates between order statistics so that the first is of 0 and the last of 1, as NumPy does. gonum's stat.Quantile knows
// other rules alone.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (sorted[i+1]-sorted[i])*(at-float64(i))
}

// arrange moves the values of x so that quantile of q finds what it would find if x were sorted. A night's epochs take a third of the time
// that sorting takes.
func arrange(x []float64, q float64) {
	i := int(q * float64(len(x)-1))
	selectSmallest(x, i)
	if i+2 < len(x) {
		selectSmallest(x[i+1:], 0)
	}
}

// selectSmallest puts the value of rank k to its place, none larger before it and none smaller behind (Hoare 1961).
func selectSmallest(x []float64, k int) {
	for low, high := 0, len(x)-1; low < high; {
		pivot, i, j := x[low+(high-low)/2], low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return
		}
	}
}

// shape returns skewness and excess kurtosis, the plain moments of the epoch; gonum's are corrected for the size of a sample. Where
// values differ by no more than their rounding there is neither.
func shape(x []float64) (skew, kurt float64) {
	mean := stat.Mean(x, nil)
	var m2, m3, m4 float64
	for _, v := range x {
		d := v - mean
		m2 += d * d
		m3 += d * d * d
		m4 += d * d * d * d
	}
	n := float64(len(x))
	m2, m3, m4 = m2/n, m3/n, m4/n
	if rounding := epsilon * mean; m2 <= rounding*rounding {
		return math.NaN(), math.NaN()
	}
	return m3 / math.Pow(m2, 1.5), m4/(m2*m2) - 3
}

// epsilon is the step of float64 at 1.
const epsilon = 0x1p-52

func signChanges(x []float64) int {
	n := 0
	for i := 1; i < len(x); i++ {
		if math.Signbit(x[i]) != math.Signbit(x[i-1]) {
			n++
		}
	}
	return n
}

// hjorth returns mobility, the deviation of the differences over that of the signal, and complexity, the mobility of the differences
// over that of the signal (Hjorth 1970).
func hjorth(x, d1, d2 []float64) (mobility, complexity float64) {
	vx, v1, v2 := stat.PopVariance(x, nil), stat.PopVariance(d1, nil), stat.PopVariance(d2, nil)
	mobility = math.Sqrt(v1 / vx)
	return mobility, math.Sqrt(v2/v1) / mobility
}
