package servetest

import (
	"math"
	"math/rand/v2"
)

// Prediction makes up probabilities of so many classes, some much greater than others.
func Prediction(r *rand.Rand, classes int) []float64 {
	q, sum := make([]float64, classes), 0.0
	for k := range q {
		q[k] = math.Exp(2 * r.NormFloat64())
		sum += q[k]
	}
	for k := range q {
		q[k] /= sum
	}
	return q
}
