package predict

import "math"

// Merge says how the predictions q_v, v = 1..V, for the views of one item become one. Whichever it is, the result sums to 1.
type Merge string

// The merges. The empty string is MergeMean.
const (
	// MergeMean is the mean of the probabilities: the marginal over views, whose entropy MEMO minimises. It is what most people
	// mean by test-time augmentation.
	MergeMean Merge = "mean"
	// MergeGeometric is the mean of the log-probabilities, normalised: a view that rules a class out weighs heavily. With logits
	// it is the softmax of their mean, as far as float32 resolves the probabilities.
	MergeGeometric Merge = "geometric"
	// MergeMax takes for each class the most that any view gives it, and normalises: the max rule of Kittler, Hatef, Duin and
	// Matas, On Combining Classifiers (1998).
	MergeMax Merge = "max"
	// MergeEntropy is the mean with weights exp(-H(q_v)), H the entropy in nats: a view that is sure of one class weighs K times
	// one that knows nothing. It is the weight that EATA (Niu et al., Efficient Test-Time Model Adaptation without Forgetting,
	// 2022) gives to samples by their reliability.
	MergeEntropy Merge = "entropy"
)

// Merges lists all merges.
func Merges() []Merge { return []Merge{MergeMean, MergeGeometric, MergeMax, MergeEntropy} }

// tiny is the smallest positive float32: what a probability of 0 stands for where its logarithm is taken. So one view that gives
// zero to a class cannot make the mean of logarithms infinite, and views of which each excludes another class leave no 0/0.
const tiny = 0x1p-149

// step adds one view's probability vector to what was merged so far, which begins with zeros.
func (m Merge) step(sum, q []float64) {
	switch m {
	case MergeGeometric:
		for k, v := range q {
			sum[k] += math.Log(max(v, tiny))
		}
	case MergeMax:
		for k, v := range q {
			sum[k] = max(sum[k], v)
		}
	case MergeEntropy:
		weight := math.Exp(-entropy(q))
		for k, v := range q {
			sum[k] += weight * v
		}
	default:
		for k, v := range q {
			sum[k] += v
		}
	}
}

// finish turns what step collected from the views into probabilities.
func (m Merge) finish(dst []float32, sum []float64, views int) {
	if m == MergeGeometric {
		top := math.Inf(-1)
		for _, v := range sum {
			top = max(top, v)
		}
		for k, v := range sum {
			sum[k] = math.Exp((v - top) / float64(views))
		}
	}
	total := 0.0
	for _, v := range sum {
		total += v
	}
	for k, v := range sum {
		dst[k] = float32(v / total)
	}
}

// entropy is that of a probability vector, in nats.
func entropy(q []float64) float64 {
	h := 0.0
	for _, v := range q {
		if v > 0 {
			h -= v * math.Log(v)
		}
	}
	return h
}
