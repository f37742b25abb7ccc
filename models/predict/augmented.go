package predict

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// AugmentSettings say how [Augmented] merges views. Views must be given.
type AugmentSettings struct {
	Views int   // views of one item, the plain input among them; 1 to 1024
	Kind  Kind  // what the inner predictor puts out; "" is Logits
	Merge Merge // "" is MergeMean
	// Rows bounds the views of one run, of whatever items: more take memory and, on a CPU, win nothing. 1 to 4096; 0 is 64. A
	// network with a fixed batch size has the last word.
	Rows int
}

// Validate reports a setting out of range.
func (s AugmentSettings) Validate() error {
	if s.Views < 1 || s.Views > maxViews {
		return fmt.Errorf("predict: %d views: want 1 to %d", s.Views, maxViews)
	}
	if s.Merge != "" && !slices.Contains(Merges(), s.Merge) {
		return fmt.Errorf("predict: merge %q: want one of %v", s.Merge, Merges())
	}
	if s.Rows < 0 || s.Rows > maxBatch {
		return fmt.Errorf("predict: runs of %d views: want 1 to %d", s.Rows, maxBatch)
	}
	return s.Kind.validate()
}

const (
	maxViews    = 1024
	defaultRows = 64
)

// Augmented is test-time augmentation: it merges the predictions for several views of each item into one probability vector, so that
// its Kind is Probabilities. The views come from outside, as flips, crops or shifts of the item: see package preprocess.
type Augmented struct {
	inner    Predictor
	settings AugmentSettings
	rows     int
	scratch  sync.Pool // of *merging
}

// merging is the scratch memory of one call.
type merging struct {
	raw    []float32 // [n * views, classes]
	seeds  []uint64  // [n * views]
	q, sum []float64 // [classes]
}

// NewAugmented returns test-time augmentation over a predictor, a [Base] mostly.
func NewAugmented(inner Predictor, s AugmentSettings) (*Augmented, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Rows == 0 {
		s.Rows = defaultRows
	}
	if inner.InputLen() > maxInput/s.Views {
		return nil, fmt.Errorf("predict: %d views of %d numbers: more than %d", s.Views, inner.InputLen(), maxInput)
	}
	return &Augmented{inner: inner, settings: s, rows: max(inner.Size(s.Rows), 1)}, nil
}

// maxInput bounds the numbers of all views of one item.
const maxInput = 1 << 30

// InputLen returns the numbers of all views of one item: src is [n, views, input...].
func (a *Augmented) InputLen() int { return a.settings.Views * a.inner.InputLen() }

// Classes returns the numbers of one output.
func (a *Augmented) Classes() int { return a.inner.Classes() }

// Kind returns Probabilities.
func (a *Augmented) Kind() Kind { return Probabilities }

// Size returns the items of one call where want is asked for. Views are batched and run in parts, so any number will do; it is
// bounded by what the views take in memory.
func (a *Augmented) Size(want int) int {
	return min(max(want, 1), max(maxBatch/a.settings.Views, 1))
}

// Predict writes the merged probabilities of n items into dst [n, Classes]. An item of which a view gives no probabilities, as NaN,
// gets that view's numbers as they are, for [Kind.Probabilities] to refuse: the other items of the batch are none the worse. The
// views' own seeds are made from seeds[i]; the first view has seeds[i] itself.
func (a *Augmented) Predict(ctx context.Context, dst, src []float32, seeds []uint64) error {
	n, classes := checkRows(a, dst, src, seeds), a.Classes()
	m, _ := a.scratch.Get().(*merging)
	if m == nil {
		m = &merging{q: make([]float64, classes), sum: make([]float64, classes)}
	}
	defer a.scratch.Put(m)
	views := a.settings.Views
	m.raw = grow(m.raw, n*views*classes)
	if err := a.runs(ctx, m, src, m.spread(seeds, views)); err != nil {
		return err
	}
	for i := range n {
		a.merge(dst[i*classes:(i+1)*classes], m.raw[i*views*classes:(i+1)*views*classes], m)
	}
	return nil
}

// runs computes the raw outputs of all views, in parts: a part may end amid the views of an item.
func (a *Augmented) runs(ctx context.Context, m *merging, src []float32, seeds []uint64) error {
	one, classes := a.inner.InputLen(), a.Classes()
	rows := len(m.raw) / classes
	for from := 0; from < rows; from += a.rows {
		to := min(from+a.rows, rows)
		var part []uint64
		if seeds != nil {
			part = seeds[from:to]
		}
		if err := a.inner.Predict(ctx, m.raw[from*classes:to*classes], src[from*one:to*one], part); err != nil {
			return err
		}
	}
	return nil
}

// merge merges the raw outputs [views, classes] of one item.
func (a *Augmented) merge(dst, raw []float32, m *merging) {
	clear(m.sum)
	for row := range slices.Chunk(raw, len(dst)) {
		if err := a.settings.Kind.Probabilities(m.q, row); err != nil {
			copy(dst, row)
			return
		}
		a.settings.Merge.step(m.sum, m.q)
	}
	a.settings.Merge.finish(dst, m.sum, a.settings.Views)
}

// spread gives each view of each item a seed.
func (m *merging) spread(seeds []uint64, views int) []uint64 {
	if seeds == nil {
		return nil
	}
	m.seeds = grow(m.seeds, len(seeds)*views)
	for i, seed := range seeds {
		for v := range views {
			m.seeds[i*views+v] = seed + uint64(v)*0x9e3779b97f4a7c15
		}
	}
	return m.seeds
}
