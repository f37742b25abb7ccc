package adapt

import (
	"fmt"
	"slices"
)

// Population is what labelled streams of other people, cameras or accounts taught of the order of classes: one more hypothesis of the
// second edition of auto, which weighs it by evidence as all others. It is never changed by the stream at hand. Rows and frequencies of
// zeros are for the caller to smooth: a transition of probability 0 is one that this hypothesis excludes.
type Population struct {
	// Transitions [K][K] holds in row i the probabilities of the classes that follow class i, one item later; each row sums to 1.
	Transitions [][]float64 `json:"transitions"`
	// Frequencies [K] are those of the classes, which a predictor trained on the same population has in its probabilities once; over 0, sum 1.
	Frequencies []float64 `json:"frequencies"`
}

// checked returns a normalised copy.
func (p *Population) checked(classes int) (*Population, error) {
	if len(p.Transitions) != classes {
		return nil, fmt.Errorf("adapt: population.transitions has %d rows: want one per class, %d", len(p.Transitions), classes)
	}
	out := &Population{Transitions: make([][]float64, classes)}
	for i, row := range p.Transitions {
		r, err := distribution(fmt.Sprintf("population.transitions[%d]", i), row, classes, 0)
		if err != nil {
			return nil, err
		}
		out.Transitions[i] = r
	}
	f, err := distribution("population.frequencies", p.Frequencies, classes, minPrior)
	out.Frequencies = f
	return out, err
}

// flat returns the transitions as [K, K], row-major.
func (p *Population) flat() []float64 { return slices.Concat(p.Transitions...) }
