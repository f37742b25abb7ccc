package scores

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/internal/results"
)

// Tally gathers what the metrics of one predictor need, prediction by prediction, in memory that does not grow with their number.
type Tally struct {
	support, predicted, hits []int          // by class
	confusion                map[[2]int]int // by class and label; only the pairs that occurred, since classes may be thousands

	n     int
	nll   float64 // sum of -log p(truth), nats
	brier float64 // sum of squared distances to the one-hot truth
	bins  [Bins]bin
}

// Bins is the number of equally wide bins of confidence in the calibration error.
const Bins = 15

type bin struct {
	n          int
	confidence float64
	hits       int
}

// floor bounds the loss of a prediction that gave its truth no probability at all: -log(1e-15) = 34.5 nats.
const floor = 1e-15

// NewTally returns an empty tally for a number of classes.
func NewTally(classes int) *Tally {
	return &Tally{support: make([]int, classes), predicted: make([]int, classes), hits: make([]int, classes), confusion: map[[2]int]int{}}
}

// Add counts the prediction p [classes] for an item whose class is truth; the label is the most probable class. It panics if truth is
// no class.
func (t *Tally) Add(truth int, p []float64) {
	label, _ := results.Top(p)
	t.AddLabel(truth, label, p)
}

// AddLabel does the same for a label that was decided otherwise, by a path through the stream.
func (t *Tally) AddLabel(truth, label int, p []float64) {
	if truth < 0 || truth >= len(t.support) || len(p) != len(t.support) {
		panic(fmt.Sprintf("scores: truth %d and %d probabilities for %d classes", truth, len(p), len(t.support)))
	}
	confidence := p[label]
	t.n++
	t.support[truth]++
	t.predicted[label]++
	t.confusion[[2]int{truth, label}]++
	t.nll -= math.Log(max(p[truth], floor))
	for k, v := range p {
		if k == truth {
			v--
		}
		t.brier += v * v
	}
	b := &t.bins[min(int(confidence*Bins), Bins-1)]
	b.n++
	b.confidence += confidence
	if label == truth {
		b.hits++
		t.hits[truth]++
	}
}

// Scores are the metrics of one predictor. Rates are 0 to 1. With no item they are all 0.
type Scores struct {
	Items    int     `json:"items"`
	Correct  int     `json:"correct"`
	Accuracy float64 `json:"accuracy"`
	// BalancedAccuracy is the mean recall over the classes that occur.
	BalancedAccuracy float64 `json:"balanced_accuracy"`
	// MacroF1 is the mean F1 over the classes that occur or were predicted.
	MacroF1 float64 `json:"macro_f1"`
	// WeightedF1 is the mean F1 of the classes, each with the weight of its items.
	WeightedF1 float64 `json:"weighted_f1"`
	// Kappa is Cohen's: agreement beyond that of independent labels with the same frequencies; 0 if there is nothing beyond.
	Kappa float64 `json:"kappa"`
	// NLL is the mean negative log-likelihood of the truth in nats, each item's at most 34.5.
	NLL float64 `json:"nll"`
	// Brier is the mean squared distance to the one-hot truth, 0 to 2.
	Brier float64 `json:"brier"`
	// ECE is the expected calibration error of the top label over 15 equally wide bins, each with its lower end.
	ECE float64 `json:"ece"`
	// Classes holds those that occur or were predicted.
	Classes []ClassScores `json:"classes,omitempty"`
}

// ClassScores are the metrics of one class. A ratio over nothing is 0.
type ClassScores struct {
	Label     string  `json:"label"`
	Support   int     `json:"support"`   // items of the class
	Predicted int     `json:"predicted"` // items that got its label
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	// PredictedAs is the class's row of the confusion matrix: how many of its items got which label, labels that none got left out.
	PredictedAs map[string]int `json:"predicted_as,omitempty"`
}

// Confusion returns the confusion matrix [true][predicted] and the names of its rows and columns, the classes that occur or were predicted.
// Columns of classes that bear one name each hold the sum of theirs.
func (s Scores) Confusion() (labels []string, counts [][]int) {
	for _, c := range s.Classes {
		labels = append(labels, c.Label)
	}
	for _, c := range s.Classes {
		row := make([]int, len(labels))
		for k, label := range labels {
			row[k] = c.PredictedAs[label]
		}
		counts = append(counts, row)
	}
	return labels, counts
}

// Scores returns the metrics so far. labels names the classes.
func (t *Tally) Scores(labels []string) Scores {
	s := t.totals()
	if t.n == 0 {
		return s
	}
	s.ECE = t.calibrationError()
	rows := t.confusionRows(labels)
	for k := range t.support {
		if c := t.class(k); c.Support > 0 || c.Predicted > 0 {
			c.Label, c.PredictedAs = labels[k], rows[k]
			s.Classes = append(s.Classes, c)
		}
	}
	return s
}

// totals are the scores over all classes, without those of each and without the calibration error.
func (t *Tally) totals() Scores {
	s := Scores{Items: t.n}
	if t.n == 0 {
		return s
	}
	n := float64(t.n)
	s.NLL, s.Brier = t.nll/n, t.brier/n
	chance, present, named := 0.0, 0, 0
	for k, hits := range t.hits {
		c := t.class(k)
		if c.Support == 0 && c.Predicted == 0 {
			continue
		}
		named++
		s.Correct += hits
		chance += float64(c.Support) / n * float64(c.Predicted) / n
		s.MacroF1 += c.F1
		s.WeightedF1 += c.F1 * float64(c.Support) / n
		if c.Support > 0 {
			present++
			s.BalancedAccuracy += c.Recall
		}
	}
	s.Accuracy = float64(s.Correct) / n
	s.BalancedAccuracy /= float64(present)
	s.MacroF1 /= float64(named)
	if chance < 1 {
		s.Kappa = (s.Accuracy - chance) / (1 - chance)
	}
	return s
}

// confusionRows returns what the items of each class were predicted as. Labels that are the same of several classes share an entry.
func (t *Tally) confusionRows(labels []string) map[int]map[string]int {
	rows := map[int]map[string]int{}
	for pair, n := range t.confusion {
		truth, label := pair[0], labels[pair[1]]
		if rows[truth] == nil {
			rows[truth] = map[string]int{}
		}
		rows[truth][label] += n
	}
	return rows
}

func (t *Tally) class(k int) ClassScores {
	support, predicted, hits := t.support[k], t.predicted[k], t.hits[k]
	return ClassScores{
		Support: support, Predicted: predicted,
		Precision: ratio(hits, predicted), Recall: ratio(hits, support), F1: ratio(2*hits, predicted+support),
	}
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func (t *Tally) calibrationError() float64 {
	e := 0.0
	for _, b := range t.bins {
		e += math.Abs(b.confidence - float64(b.hits))
	}
	return e / float64(t.n)
}
