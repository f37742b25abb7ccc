package scores

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// BootstrapOptions says how intervals are found. The zero value is 2000 resamples at 95 %.
type BootstrapOptions struct {
	Resamples int     // 0: 2000
	Level     float64 // of the intervals, between 0 and 1; 0: 0.95
	Seed      uint64
}

// Bootstrap holds intervals of metrics over the streams of a comparison, or over people or cameras where it is Grouped: how far another
// draw of as many of them would move a metric. Streams are drawn whole, with replacement: items of one stream are alike, and intervals over items
// would be far too narrow. The bounds are percentiles of the resamples (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13); with
// fewer than ten streams they are rough.
type Bootstrap struct {
	Streams   int     `json:"streams"`
	Resamples int     `json:"resamples"`
	Level     float64 `json:"level"`
	Seed      uint64  `json:"seed"`
	// Pooled are the metrics over the items of all streams together, those of Evaluation, so that long streams count for more; then
	// the F1 of each class.
	Pooled []MetricRow `json:"pooled"`
	// Mean are means over streams of each one's own metrics: every stream, or person, counts the same.
	Mean []MetricRow `json:"mean_of_streams"`
}

// MetricRow is one metric before and after the filter, and what the filter changed. Raw and adapted are paired: of the same draws.
type MetricRow struct {
	Metric  string   `json:"metric"` // as in Scores: accuracy, balanced_accuracy, macro_f1, weighted_f1, kappa, nll, brier; or f1
	Class   string   `json:"class,omitempty"`
	Raw     Estimate `json:"raw"`
	Adapted Estimate `json:"adapted"`
	Change  Estimate `json:"change"`
}

// Estimate is a value and its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// metrics are the scores that have intervals.
var metrics = []struct {
	name string
	of   func(s *Scores) float64
}{
	{"accuracy", func(s *Scores) float64 { return s.Accuracy }},
	{"balanced_accuracy", func(s *Scores) float64 { return s.BalancedAccuracy }},
	{"macro_f1", func(s *Scores) float64 { return s.MacroF1 }},
	{"weighted_f1", func(s *Scores) float64 { return s.WeightedF1 }},
	{"kappa", func(s *Scores) float64 { return s.Kappa }},
	{"nll", func(s *Scores) float64 { return s.NLL }},
	{"brier", func(s *Scores) float64 { return s.Brier }},
}

// Bootstrap returns intervals over streams. Fewer than two streams are an error: one tells nothing of others. labels names the classes. It
// depends on the comparison and the arguments alone, and takes a time in proportion to resamples, streams and classes.
func (c *Comparison) Bootstrap(labels []string, o BootstrapOptions) (*Bootstrap, error) {
	b := &Bootstrap{Streams: len(c.order), Resamples: cmp.Or(o.Resamples, 2000), Level: cmp.Or(o.Level, 0.95), Seed: o.Seed}
	if b.Streams < 2 {
		return nil, fmt.Errorf("scores: intervals over %d streams: want 2 or more", b.Streams)
	}
	if b.Resamples < 1 || !(b.Level > 0 && b.Level < 1) {
		return nil, fmt.Errorf("scores: intervals at level %g by %d resamples: want a level between 0 and 1 and 1 resample or more", b.Level, b.Resamples)
	}
	own := make([][]float64, b.Streams)
	for i, name := range c.order {
		own[i] = c.streams[name].values(nil, nil)
	}
	classes := c.all.present()
	pooled, mean := newDraws(c.all.values(nil, classes)), newDraws(average(own))
	rng := rand.New(rand.NewPCG(o.Seed, 0x6f617474612d6273))
	drawn := make([][]float64, b.Streams)
	for range b.Resamples {
		sum := NewPair(c.classes)
		for i := range drawn {
			k := rng.IntN(b.Streams)
			sum.raw.mergeCounts(c.streams[c.order[k]].raw)
			sum.adapted.mergeCounts(c.streams[c.order[k]].adapted)
			drawn[i] = own[k]
		}
		pooled.add(sum.values(nil, classes))
		mean.add(average(drawn))
	}
	b.Pooled, b.Mean = pooled.rows(b.Level, labels, classes), mean.rows(b.Level, labels, nil)
	return b, nil
}

// present returns the classes that occur or were predicted.
func (p *Pair) present() (classes []int) {
	for k, n := range p.raw.support {
		if n+p.raw.predicted[k]+p.adapted.predicted[k] > 0 {
			classes = append(classes, k)
		}
	}
	return classes
}

// values appends raw, adapted and change of each metric, then of the F1 of some classes. The F1 of a class that neither occurs nor was
// predicted is NaN.
func (p *Pair) values(dst []float64, classes []int) []float64 {
	raw, adapted := p.raw.totals(), p.adapted.totals()
	for _, m := range metrics {
		a, b := m.of(&raw), m.of(&adapted)
		dst = append(dst, a, b, b-a)
	}
	for _, k := range classes {
		a, b := p.raw.f1(k), p.adapted.f1(k)
		dst = append(dst, a, b, b-a)
	}
	return dst
}

func (t *Tally) f1(k int) float64 {
	if t.support[k]+t.predicted[k] == 0 {
		return math.NaN()
	}
	return t.class(k).F1
}

// average returns the mean of vectors of equal length.
func average(vectors [][]float64) []float64 {
	out := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		floats.Add(out, v)
	}
	floats.Scale(1/float64(len(vectors)), out)
	return out
}

// draws are the values of all metrics, three for each, and those of every resample.
type draws struct {
	values   []float64
	resample [][]float64 // by value; without the resamples in which it was not defined
}

func newDraws(values []float64) *draws {
	return &draws{values: values, resample: make([][]float64, len(values))}
}

func (d *draws) add(values []float64) {
	for i, v := range values {
		if !math.IsNaN(v) {
			d.resample[i] = append(d.resample[i], v)
		}
	}
}

// rows returns the metrics, then the F1 of the classes, with percentile intervals.
func (d *draws) rows(level float64, labels []string, classes []int) (rows []MetricRow) {
	for at := 0; at < len(d.values); at += 3 {
		row := MetricRow{Raw: d.estimate(at, level), Adapted: d.estimate(at+1, level), Change: d.estimate(at+2, level)}
		if i := at / 3; i < len(metrics) {
			row.Metric = metrics[i].name
		} else {
			row.Metric, row.Class = "f1", labels[classes[i-len(metrics)]]
		}
		rows = append(rows, row)
	}
	return rows
}

// estimate sorts the resamples of a value. A value that is not defined, as the F1 of a class that only the filter names is before the filter, is 0.
func (d *draws) estimate(at int, level float64) Estimate {
	x := d.resample[at]
	if math.IsNaN(d.values[at]) || len(x) == 0 {
		return Estimate{}
	}
	slices.Sort(x)
	tail := (1 - level) / 2
	return Estimate{d.values[at], stat.Quantile(tail, stat.Empirical, x, nil), stat.Quantile(1-tail, stat.Empirical, x, nil)}
}
