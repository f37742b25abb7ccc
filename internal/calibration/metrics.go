package calibration

import (
	"math"
	"slices"

	"github.com/oatta/oatta/internal/scores"
)

// Metrics say how well probabilities fit the truth, at one temperature.
type Metrics struct {
	Accuracy float64 `json:"accuracy"` // the same at every temperature
	NLL      float64 `json:"nll"`      // mean -log p(truth) in nats
	ECE      float64 `json:"ece"`      // calibration error of the top label over scores.Bins bins of equal width
	ECEMass  float64 `json:"ece_mass"` // the same over as many bins of equal numbers of items
	Bins     []Bin   `json:"bins"`     // those of equal width, from low confidence to high
}

// Bin is the items whose confidence, the probability of their top label, is in one range. Its means are 0 where it is empty.
type Bin struct {
	Items      int     `json:"items"`
	Confidence float64 `json:"confidence"` // mean
	Accuracy   float64 `json:"accuracy"`
}

// Metrics returns the scores of q^(1/temperature), normalised. At least one item must be there.
func (s *Set) Metrics(temperature float64) Metrics {
	m := Metrics{Bins: make([]Bin, scores.Bins)}
	all := make([]scored, s.Len())
	for i := range all {
		loss, confidence := s.score(i, 1/temperature)
		all[i] = scored{confidence, s.hit[i]}
		m.NLL += loss
		m.Bins[min(int(confidence*scores.Bins), scores.Bins-1)].add(all[i])
	}
	hits := 0
	for _, hit := range s.hit {
		if hit {
			hits++
		}
	}
	n := float64(s.Len())
	m.Accuracy = float64(hits) / n
	m.NLL /= n
	m.ECE = calibrationError(m.Bins, n)
	m.ECEMass = calibrationError(massBins(all), n)
	for i := range m.Bins {
		m.Bins[i].mean()
	}
	return m
}

type scored struct {
	confidence float64
	hit        bool
}

// score returns the loss of item i in nats and the probability of its top label.
func (s *Set) score(i int, beta float64) (loss, confidence float64) {
	row := s.row(i)
	top := slices.Max(row)
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(beta * float64(v-top))
	}
	return math.Log(sum) - beta*float64(row[s.truth[i]]-top), 1 / sum
}

// add counts an item; until mean is called the means are sums.
func (b *Bin) add(one scored) {
	b.Items++
	b.Confidence += one.confidence
	if one.hit {
		b.Accuracy++
	}
}

func (b *Bin) mean() {
	if b.Items > 0 {
		b.Confidence /= float64(b.Items)
		b.Accuracy /= float64(b.Items)
	}
}

// massBins cuts the items, sorted by confidence, into bins of equal numbers, up to one.
func massBins(all []scored) []Bin {
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.confidence < b.confidence:
			return -1
		case a.confidence > b.confidence:
			return 1
		}
		return 0
	})
	bins := make([]Bin, scores.Bins)
	for i, one := range all {
		bins[i*len(bins)/len(all)].add(one)
	}
	return bins
}

// calibrationError is of bins that hold sums.
func calibrationError(bins []Bin, n float64) float64 {
	e := 0.0
	for _, b := range bins {
		e += math.Abs(b.Confidence - b.Accuracy)
	}
	return e / n
}
