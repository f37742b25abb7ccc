package adapt

import (
	"fmt"
	"math"
)

// SumTolerance is how far the sum of a probability vector may be from 1 for [Check]: float32 softmaxes of 16384 classes and
// vectors printed with four digits pass.
const SumTolerance = 1e-2

// RoundedTolerance is the same for [Normalise]: vectors printed with two digits, as other tools write them, are off by so much.
const RoundedTolerance = 5e-2

// Check reports what makes q unfit for a step: a wrong length, a negative or non-finite entry, a sum far from 1.
func Check(q []float64, classes int) error {
	total, err := total(q, classes)
	if err != nil {
		return err
	}
	if !(math.Abs(total-1) <= SumTolerance) {
		return fmt.Errorf("adapt: probabilities sum to %g: want 1", total)
	}
	return nil
}

// Normalise makes q fit for a step where it is off by rounding alone, and tells whether it was: a sum that [Check] refuses, but within
// RoundedTolerance of 1, is divided out. What Check passes stays as it is, to the bit. The error is that of Check, for what is
// farther from 1; q is then unchanged.
func Normalise(q []float64, classes int) (rounded bool, err error) {
	total, err := total(q, classes)
	if err != nil {
		return false, err
	}
	switch off := math.Abs(total - 1); {
	case off <= SumTolerance:
		return false, nil
	case !(off <= RoundedTolerance*(1+1e-12)): // 1.05, summed, is a little more
		return false, fmt.Errorf("adapt: probabilities sum to %g: want 1", total)
	}
	scale(q, 1/total)
	return true, nil
}

// total returns the sum of q, or what is wrong with its length or an entry.
func total(q []float64, classes int) (float64, error) {
	if len(q) != classes {
		return 0, fmt.Errorf("adapt: probability vector has %d entries: want %d", len(q), classes)
	}
	total := sum(q)
	fine := total >= 0 && total <= math.MaxFloat64 // NaN and infinities end in the sum
	for _, v := range q {
		fine = fine && v >= 0
	}
	if fine {
		return total, nil
	}
	for i, v := range q {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return 0, fmt.Errorf("adapt: probability of class %d is %g: want a number from 0 to 1", i, v)
		}
	}
	return 0, fmt.Errorf("adapt: probabilities sum to %g: want 1", total)
}

// likelihood writes q^(1/T)/rho, normalised, into dst; logq is log q. inv is 1/rho, or nil for a uniform prior. One is the
// temperature at which the power is the identity, spared its exponentials.
func likelihood(dst, q, logq, inv []float64, temperature float64) {
	if temperature == 1 {
		if inv == nil {
			setScaled(dst, 1/sum(q), q)
			return
		}
		copy(dst, q)
	} else {
		powers(dst, logq, temperature)
	}
	for i, v := range inv {
		dst[i] *= v
	}
	scale(dst, 1/sum(dst)) // at least the largest entry is well above 0
}

// temper writes q^(1/T), normalised, where logq is log q.
func temper(dst, logq []float64, temperature float64) {
	powers(dst, logq, temperature)
	scale(dst, 1/sum(dst))
}

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

// inverse returns 1/x elementwise, nil for nil.
func inverse(x []float64) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = 1 / v
	}
	return out
}
