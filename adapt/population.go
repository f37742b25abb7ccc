package adapt

import (
	"fmt"
	"math"
	"slices"
)

// Population is what labelled streams of other people, cameras or accounts taught of the order of classes: one more hypothesis of the
// later editions of auto, which weigh it by evidence as all others. It is never changed by the stream at hand. Rows and frequencies of
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

// Power returns the population as it is over x of its items in place of one: x is the time from one item to the next of a stream over that
// of the streams that taught, finite and at least 0. The whole part of x is a power of the matrix. For what is left of it, r, the chance to
// stay s becomes s^r, as if stays were geometric, and the other entries of the row share 1 - s^r as they shared 1 - s: a root of
// the matrix itself need not have probabilities. The frequencies are the same at every rhythm.
func (p *Population) Power(x float64) *Population {
	if !(x >= 0 && x <= math.MaxFloat64) {
		panic(fmt.Sprintf("adapt: a power of %g of transitions", x))
	}
	n := len(p.Transitions)
	whole, rest := math.Modf(x)
	a := flat(p.Transitions)
	if whole == 0 {
		a = flat(p.part(rest))
	} else if power(a, n, int(min(whole, mostMissed))); rest > 0 {
		b := make([]float64, n*n)
		multiply(b, a, flat(p.part(rest)), n)
		a = b
	}
	out := &Population{Frequencies: slices.Clone(p.Frequencies)}
	for i := range n {
		out.Transitions = append(out.Transitions, a[i*n:(i+1)*n:(i+1)*n])
	}
	return out
}

// flat returns the rows of a matrix one after another.
func flat(rows [][]float64) []float64 { return slices.Concat(rows...) }

// part returns the transitions over a part of an item, 0 to 1.
func (p *Population) part(r float64) [][]float64 {
	out := make([][]float64, len(p.Transitions))
	for i, row := range p.Transitions {
		out[i] = slices.Clone(row)
		stay := math.Pow(row[i], r)
		if row[i] < 1 {
			scale(out[i], (1-stay)/(1-row[i]))
		}
		out[i][i] = stay
	}
	return out
}
