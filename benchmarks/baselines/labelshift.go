package baselines

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/oatta/oatta/benchmarks"
)

const (
	shiftTolerance = 1e-9 // greatest change of a class's share at which EM ends
	shiftSteps     = 5000 // at most
	leastShare     = 1e-12
)

// LabelShift adjusts predictions to the class shares of the stream, which it estimates by EM (M. Saerens, P. Latinne, C. Decaestecker, Adjusting
// the Outputs of a Classifier to New a Priori Probabilities: A Simple Procedure, Neural Computation 14(1), 2002, equations 2.8 and 2.9), from
// the prior that the predictor was trained under; nil: uniform. It knows no order, and is not causal: it sees the whole stream.
func LabelShift(prior []float64) benchmarks.Method {
	return benchmarks.Soft("label-shift EM", func(dst, q [][]float64) {
		rho := prior
		if rho == nil {
			rho = even(len(q[0]))
		}
		labelShift(dst, q, rho)
	})
}

func even(classes int) []float64 {
	p := make([]float64, classes)
	for j := range p {
		p[j] = 1 / float64(classes)
	}
	return p
}

// labelShift writes the posteriors and returns the shares of the classes. With rho the prior and pi the shares, from pi = rho on,
//
//	p_t(j) ~ pi_j/rho_j q_t(j),   pi_j = mean over t of p_t(j)
func labelShift(dst, q [][]float64, prior []float64) []float64 {
	shares, next := slices.Clone(prior), make([]float64, len(prior))
	weights := make([]float64, len(prior))
	for range shiftSteps {
		floats.DivTo(weights, shares, prior)
		clear(next)
		for t, row := range q {
			adjust(dst[t], row, weights)
			floats.Add(next, dst[t])
		}
		floats.Scale(1/float64(len(q)), next)
		change := floats.Distance(next, shares, math.Inf(1))
		copy(shares, next)
		if change <= shiftTolerance {
			break
		}
	}
	return shares
}

// adjust writes the row times the weights, normalised; the row itself where nothing is left of it.
func adjust(dst, row, weights []float64) {
	floats.MulTo(dst, row, weights)
	if s := floats.Sum(dst); s > leastShare {
		floats.Scale(1/s, dst)
		return
	}
	copy(dst, row)
}
