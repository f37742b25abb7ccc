package predict

import (
	"fmt"
	"math"
)

// Kind says what the numbers are that a network puts out.
type Kind string

// The kinds of output. The empty string is Logits.
const (
	Logits           Kind = "logits"
	Probabilities    Kind = "probabilities"
	LogProbabilities Kind = "log-probabilities"
)

// validate reports a kind that is none.
func (k Kind) validate() error {
	switch k {
	case "", Logits, Probabilities, LogProbabilities:
		return nil
	}
	return fmt.Errorf("predict: outputs of kind %q: want %s, %s or %s", string(k), Logits, Probabilities, LogProbabilities)
}

// Probabilities writes the probability vector that the network's raw output [K] means into dst [K], in float64. A network that
// put out NaN or infinities, or "probabilities" that are none, is an error.
func (k Kind) Probabilities(dst []float64, raw []float32) error {
	if len(dst) != len(raw) {
		panic(fmt.Sprintf("predict: %d probabilities of %d outputs", len(dst), len(raw)))
	}
	if k == Probabilities {
		return fromProbabilities(dst, raw)
	}
	return softmax(dst, raw)
}

// softmax subtracts the maximum first, so that no exponential overflows.
func softmax(dst []float64, logits []float32) error {
	top := math.Inf(-1)
	for i, v := range logits {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 1) {
			return fmt.Errorf("predict: the network's output for class %d is %g", i, v)
		}
		top = max(top, float64(v))
	}
	if math.IsInf(top, -1) {
		return fmt.Errorf("predict: the network's output is -Inf for all %d classes", len(logits))
	}
	sum := 0.0
	for i, v := range logits {
		dst[i] = math.Exp(float64(v) - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
	return nil
}

// probabilityTolerance is how far float32 or float16 probabilities may be from summing to 1 before they are taken for something
// else, logits most likely.
const probabilityTolerance = 1e-2

func fromProbabilities(dst []float64, raw []float32) error {
	sum := 0.0
	for i, v := range raw {
		if math.IsNaN(float64(v)) {
			return fmt.Errorf("predict: the network's output for class %d is NaN", i)
		}
		if !(v >= -1e-6 && v <= 1+1e-3) {
			return fmt.Errorf("predict: the network's output for class %d is %g: not a probability (are these logits?)", i, v)
		}
		dst[i] = max(float64(v), 0)
		sum += dst[i]
	}
	if !(math.Abs(sum-1) <= probabilityTolerance) {
		return fmt.Errorf("predict: the network's outputs sum to %.4g: not probabilities (are these logits or independent sigmoids?)", sum)
	}
	for i := range dst {
		dst[i] /= sum
	}
	return nil
}
