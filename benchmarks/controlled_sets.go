package benchmarks

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/models/predict"
)

// Predictions are the ready probabilities of one predictor for the items of one labelled collection.
type Predictions struct {
	Name     string
	Q        [][]float64 // [items][classes]
	Truth    []int       // class of each item
	Prior    []float64   // class prior that the predictor was trained under; nil is uniform or unknown
	Accuracy float64     // of the predictor over the items, in percent
}

// NewPredictions turns logits [items][classes] into probabilities. truth may be longer than the logits: the rest is ignored.
func NewPredictions(name string, logits [][]float32, truth []int) (*Predictions, error) {
	if len(logits) == 0 || len(truth) < len(logits) {
		return nil, fmt.Errorf("benchmarks: %s: %d rows of logits and %d labels", name, len(logits), len(truth))
	}
	p := &Predictions{Name: name, Truth: truth[:len(logits)]}
	hits := 0
	for i, z := range logits {
		if len(z) != len(logits[0]) || truth[i] < 0 || truth[i] >= len(z) {
			return nil, fmt.Errorf("benchmarks: %s: item %d: %d logits and class %d", name, i, len(z), truth[i])
		}
		q := make([]float64, len(z))
		if err := predict.Logits.Probabilities(q, z); err != nil {
			return nil, fmt.Errorf("benchmarks: %s: item %d: %w", name, i, err)
		}
		if class, _ := results.Top(q); class == truth[i] {
			hits++
		}
		p.Q = append(p.Q, q)
	}
	p.Accuracy = 100 * float64(hits) / float64(len(logits))
	return p, nil
}

// Classes returns K.
func (p *Predictions) Classes() int { return len(p.Q[0]) }

// Tempered returns q^(1/temperature)/rho, normalised, of every item.
func (p *Predictions) Tempered(temperature float64) [][]float64 {
	out := make([][]float64, len(p.Q))
	for i, q := range p.Q {
		like := make([]float64, len(q))
		for j, v := range q {
			like[j] = math.Pow(v, 1/temperature)
			if p.Prior != nil {
				like[j] /= p.Prior[j]
			}
		}
		normalise(like)
		out[i] = like
	}
	return out
}

// normalise makes x sum to 1; what sums to nothing becomes uniform.
func normalise(x []float64) {
	s := 0.0
	for _, v := range x {
		s += v
	}
	for i := range x {
		if s > 0 {
			x[i] /= s
		} else {
			x[i] = 1 / float64(len(x))
		}
	}
}

// CIFARSets holds the ready predictions of the project's ResNet-18.
type CIFARSets struct {
	Corrupted []*Predictions // fifteen corruptions at severity 5, the first 1000 test images
	Test      []*Predictions // the lossless test set: balanced, imbalanced, and imbalanced with its source prior
}

// ImbalancedPrior is the class frequencies of the imbalanced training set: classes 5 to 9 at a tenth.
func ImbalancedPrior() []float64 {
	prior := []float64{1, 1, 1, 1, 1, .1, .1, .1, .1, .1}
	normalise(prior)
	return prior
}

// ReadCIFARSets reads data/predictions/cifar10* and their labels below the folder of shared data.
func ReadCIFARSets(shared string) (*CIFARSets, error) {
	truth, err := datasets.ReadCIFARLabels(filepath.Join(shared, "data", "cifar10", "test_labels.u8"))
	if err != nil {
		return nil, err
	}
	arrays, err := ReadNPZFile(filepath.Join(shared, "data", "predictions", "cifar10c_first1000_resnet18_balanced_logits.npz"))
	if err != nil {
		return nil, err
	}
	sets := &CIFARSets{}
	for _, a := range arrays {
		p, err := NewPredictions(a.Name, a.Rows, truth)
		if err != nil {
			return nil, err
		}
		sets.Corrupted = append(sets.Corrupted, p)
	}
	for _, kind := range []string{"balanced", "imbalanced"} {
		rows, err := ReadNPYFile(filepath.Join(shared, "data", "predictions", "cifar10_test_resnet18_"+kind+"_logits.npy"))
		if err != nil {
			return nil, err
		}
		p, err := NewPredictions("test set, "+kind, rows, truth)
		if err != nil {
			return nil, err
		}
		sets.Test = append(sets.Test, p)
	}
	corrected := *sets.Test[1]
	corrected.Name, corrected.Prior = "test set, imbalanced, source prior", ImbalancedPrior()
	sets.Test = append(sets.Test, &corrected)
	return sets, nil
}
