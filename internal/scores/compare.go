package scores

import (
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/oatta/oatta/internal/results"
)

// Comparison gathers the metrics of predictions before and after the filter, over all items and by stream.
type Comparison struct {
	classes int
	all     *Pair
	streams map[string]*Pair
	order   []string
}

// Pair is the tallies of the same items before and after the filter.
type Pair struct {
	raw, adapted *Tally
	flips        Flips
}

// Flips counts the items whose label the filter changed.
type Flips struct {
	Right int `json:"right"` // from wrong to right
	Wrong int `json:"wrong"` // from right to wrong
	Other int `json:"other"` // from wrong to wrong
	// P is the exact two-sided McNemar p-value of Right against Wrong: how likely a split at least as uneven is if changes help
	// and harm alike. It takes items for independent, which those of a stream are not: it overstates the evidence.
	P float64 `json:"mcnemar_p"`
}

// NewComparison returns an empty comparison for a number of classes.
func NewComparison(classes int) *Comparison {
	return &Comparison{classes: classes, all: NewPair(classes), streams: map[string]*Pair{}}
}

// NewPair returns an empty pair for a number of classes.
func NewPair(classes int) *Pair { return &Pair{raw: NewTally(classes), adapted: NewTally(classes)} }

// Add counts one item of a stream; labels are the most probable classes.
func (c *Comparison) Add(stream string, truth int, raw, adapted []float64) {
	label, _ := results.Top(adapted)
	c.AddLabel(stream, truth, label, raw, adapted)
}

// AddLabel counts one item whose label after the filter was decided otherwise than by adapted.
func (c *Comparison) AddLabel(stream string, truth, label int, raw, adapted []float64) {
	before, _ := results.Top(raw)
	c.AddLabels(stream, truth, before, label, raw, adapted)
}

// AddLabels counts one item whose labels before and after the filter were both decided otherwise.
func (c *Comparison) AddLabels(stream string, truth, before, after int, raw, adapted []float64) {
	s := c.stream(stream)
	c.all.addLabels(truth, before, after, raw, adapted)
	s.addLabels(truth, before, after, raw, adapted)
}

// AddPair counts items of a stream that were counted elsewhere.
func (c *Comparison) AddPair(stream string, p *Pair) {
	c.all.Merge(p)
	c.stream(stream).Merge(p)
}

// AddLabel counts one item whose label after the filter is after.
func (p *Pair) AddLabel(truth, after int, raw, adapted []float64) {
	before, _ := results.Top(raw)
	p.addLabels(truth, before, after, raw, adapted)
}

func (p *Pair) addLabels(truth, before, after int, raw, adapted []float64) {
	p.raw.AddLabel(truth, before, raw)
	p.adapted.AddLabel(truth, after, adapted)
	switch {
	case before == after:
	case after == truth:
		p.flips.Right++
	case before == truth:
		p.flips.Wrong++
	default:
		p.flips.Other++
	}
}

// Gained is the change in accuracy in points, exact where it is a whole number of them. At least one item must be there.
func (p *Pair) Gained() float64 {
	raw, adapted := p.raw.totals(), p.adapted.totals()
	return 100 * float64(adapted.Correct-raw.Correct) / float64(raw.Items)
}

// Evaluation is a comparison in numbers.
type Evaluation struct {
	Raw     Scores             `json:"raw"`
	Adapted Scores             `json:"adapted"`
	Flips   Flips              `json:"flips"`
	Streams []StreamEvaluation `json:"streams"`
}

// StreamEvaluation is that of one stream.
type StreamEvaluation struct {
	Stream  string `json:"stream"`
	Raw     Scores `json:"raw"`
	Adapted Scores `json:"adapted"`
	Flips   Flips  `json:"flips"`
}

// Evaluate returns the metrics so far, streams in the order in which they came. labels names the classes.
func (c *Comparison) Evaluate(labels []string) Evaluation {
	e := c.EvaluateClasses(labels)
	for i := range e.Streams {
		e.Streams[i].Raw.Classes, e.Streams[i].Adapted.Classes = nil, nil
	}
	return e
}

// EvaluateClasses is Evaluate with the scores of every class in every stream, such as the F1 of each stage of sleep in each night.
func (c *Comparison) EvaluateClasses(labels []string) Evaluation {
	e := Evaluation{Streams: []StreamEvaluation{}, Raw: c.all.raw.Scores(labels), Adapted: c.all.adapted.Scores(labels), Flips: c.all.flips.tested()}
	for _, name := range c.order {
		s := c.streams[name]
		e.Streams = append(e.Streams, StreamEvaluation{name, s.raw.Scores(labels), s.adapted.Scores(labels), s.flips.tested()})
	}
	return e
}

func (f Flips) tested() Flips {
	f.P = 1
	if n := f.Right + f.Wrong; n > 0 {
		b := distuv.Binomial{N: float64(n), P: 0.5}
		f.P = min(1, 2*b.CDF(float64(min(f.Right, f.Wrong))))
	}
	return f
}
