package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/oatta/oatta/internal/charts"
	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/scores"
)

// second is what the whole of the results chose to be looked at again.
type second struct {
	rank map[string]int // of each stream

	truth               Truth
	comparison          *scores.Comparison
	evaluation          *scores.Evaluation
	intervals           *scores.Bootstrap
	unlabelled, unknown int
	exact               bool // vectors are known: likelihoods mean something
	reliability         [2][]charts.ReliabilityBin
	vectors             [2][]float64

	listed []listed // changed items
	bursts []burst
	open   map[string]*burst

	accounts map[string]*burst // of posts
	pending  int               // pictures in bursts
	plain    int               // pictures in bursts without a change
	more     int               // pictures with a changed label that are not shown
}

// listed is an item for people.
type listed struct {
	file, stream, failure string
	time                  time.Time
	offset                float64
	piece                 bool
	box                   *[4]float64
	raw, adapted, truth   string
	prob, after, gate     float64
	text                  string
	picture               string // data: URI
	problem               string // why there is no picture or text
}

func (l *listed) changed() bool { return l.raw != "" && l.adapted != "" && l.raw != l.adapted }

func listedOf(it *items.Item) listed {
	l := listed{
		file: it.File, stream: it.Stream, failure: it.Failure, time: it.Time, offset: it.Offset, piece: it.Piece(),
		raw: it.Raw, adapted: it.Adapted, truth: it.Truth, prob: it.Prob, after: it.AdaptedProb, gate: it.Gate,
	}
	if it.Box != nil {
		box := *it.Box
		l.box = &box
	}
	return l
}

// burst is neighbours in a stream, in the order in which they came.
type burst struct {
	stream  string
	items   []listed
	changes int
	more    int // of an account: posts that are left out
}

// What is one burst: pictures that come within the gap of each other, and not more than fit in a row or two.
const (
	burstGap   = time.Minute
	burstMost  = 12
	mostBursts = 20_000 // pictures that wait to be chosen from

	accountMost = 40 // posts of an account
)

// Again reads the results a second time: for scores, for the items that were changed, and for the pictures or texts to show.
func (c *Collected) Again() error {
	s := &second{rank: map[string]int{}, open: map[string]*burst{}, accounts: map[string]*burst{}, exact: true, truth: c.settings.Truth}
	c.second = s
	for i, st := range c.ranked() {
		s.rank[st.name] = i
	}
	if c.total.items == 0 {
		s.exact = false
		return nil
	}
	if err := c.beginTruth(); err != nil {
		return err
	}
	for _, src := range c.files {
		if src.Format == "scores" {
			continue
		}
		err := src.Each(items.Handler{Vectors: s.truth != nil, Item: func(it *items.Item) error { return c.look(src, it) }})
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.open)) {
		s.close(s.open[name])
	}
	c.choose()
	if s.comparison != nil && s.unscored() == c.total.items-c.total.failed-c.total.unpredicted {
		s.comparison = nil
	}
	if s.comparison != nil {
		e := s.comparison.EvaluateClasses(c.classes)
		s.evaluation = &e
		s.intervals, _ = s.comparison.Bootstrap(c.classes, scores.BootstrapOptions{}) // fewer than two streams: nothing to tell
	}
	return c.show()
}

func (s *second) unscored() int { return s.unlabelled + s.unknown }

// beginTruth tells the truth, if there is any, what classes there are.
func (c *Collected) beginTruth() error {
	s := c.second
	if s.truth == nil || !c.settings.Labelled && len(c.truths) == 0 {
		s.truth = nil
		return nil
	}
	if err := s.truth.Decide(c.classes, slices.Sorted(maps.Keys(c.truths))); err != nil {
		return err
	}
	s.comparison = scores.NewComparison(len(c.classes))
	for k := range s.reliability {
		s.reliability[k] = make([]charts.ReliabilityBin, scores.Bins)
		s.vectors[k] = make([]float64, len(c.classes))
	}
	return nil
}

// look takes one item.
func (c *Collected) look(src *source, it *items.Item) error {
	s := c.second
	c.arrange(src)
	c.byName[it.Stream].again++
	if it.Predicted() && s.truth != nil {
		if err := c.score(src, it); err != nil {
			return err
		}
	}
	if it.Changed() && (c.kind != Pictures || c.settings.Inputs == nil) && len(s.listed) < mostBursts {
		s.listed = append(s.listed, listedOf(it))
	}
	switch {
	case c.kind == Pictures && c.settings.Inputs != nil:
		s.burst(it)
	case c.kind == Posts && s.rank[it.Stream] < c.settings.figures():
		s.post(it)
	}
	return nil
}

// score compares an item with the truth.
func (c *Collected) score(src *source, it *items.Item) error {
	s := c.second
	class, err := s.truth.Of(it)
	switch {
	case err != nil:
		return err
	case class == NoLabel:
		s.unlabelled++
		return nil
	case class < 0 || it.Raw == "":
		s.unknown++
		return nil
	}
	c.byName[it.Stream].mark(it, class)
	before, after := c.index[it.Raw], c.index[it.Adapted]
	raw, ok := s.vector(0, src, it.Probs, before, it.Prob)
	adapted, also := s.vector(1, src, it.AdaptedProbs, after, it.AdaptedProb)
	s.exact = s.exact && ok && also
	s.comparison.AddLabels(it.Stream, class, before, after, raw, adapted)
	s.rely(0, it.Prob, before == class)
	s.rely(1, it.AdaptedProb, after == class)
	return nil
}

// mark gives the item in hand its true class in what is drawn of the stream.
func (st *stream) mark(it *items.Item, class int) {
	st.labelled = true
	if st.series != nil {
		st.series.mark(st.again, class)
	}
	if st.night != nil {
		st.night.mark(it, class)
	}
	st.classes[2][class]++
}

// NoLabel is what a [Truth] says of an item without one.
const NoLabel = -2

// vector returns the probabilities, or, where only that of the label is known, the rest shared by the others: then only what depends on the label may be shown.
func (s *second) vector(k int, src *source, p []float64, label int, prob float64) ([]float64, bool) {
	v := s.vectors[k]
	if whole := src.spread(v, p); whole != nil {
		return whole, true
	}
	if prob != prob {
		prob = 1
	}
	for i := range v {
		v[i] = (1 - prob) / float64(max(len(v)-1, 1))
	}
	v[label] = prob
	return v, false
}

// rely counts an item for the reliability diagram.
func (s *second) rely(k int, p float64, right bool) {
	if p != p {
		return
	}
	b := &s.reliability[k][min(max(int(p*scores.Bins), 0), scores.Bins-1)]
	n := float64(b.Items)
	hit := 0.0
	if right {
		hit = 1
	}
	b.Confidence, b.Accuracy = (b.Confidence*n+p)/(n+1), (b.Accuracy*n+hit)/(n+1)
	b.Items++
}

// burst adds a picture to that of its stream, or begins another.
func (s *second) burst(it *items.Item) {
	b := s.open[it.Stream]
	if b != nil {
		last := &b.items[len(b.items)-1]
		apart := it.Time.Sub(last.time)
		if len(b.items) >= burstMost || !it.Time.IsZero() && !last.time.IsZero() && (apart > burstGap || apart < -burstGap) {
			s.close(b)
			b = nil
		}
	}
	if b == nil {
		b = &burst{stream: it.Stream}
		s.open[it.Stream] = b
	}
	l := listedOf(it)
	b.items = append(b.items, l)
	if l.changed() {
		b.changes++
	}
}

// close keeps a burst that has a change, and some that have none, until there are pictures enough to choose from.
func (s *second) close(b *burst) {
	delete(s.open, b.stream)
	if s.pending+len(b.items) > mostBursts {
		s.more += b.changes
		return
	}
	if b.changes == 0 {
		if s.plain+len(b.items) > mostThumbnails {
			return
		}
		s.plain += len(b.items)
	}
	s.pending += len(b.items)
	s.bursts = append(s.bursts, *b)
}

// post keeps the first posts of an account.
func (s *second) post(it *items.Item) {
	b := s.accounts[it.Stream]
	if b == nil {
		b = &burst{stream: it.Stream}
		s.accounts[it.Stream] = b
	}
	if it.Changed() {
		b.changes++
	}
	if len(b.items) >= accountMost {
		b.more++
		return
	}
	b.items = append(b.items, listedOf(it))
}

// choose orders what was kept, changed ones first, and cuts it to what is shown.
func (c *Collected) choose() {
	s := c.second
	slices.SortStableFunc(s.listed, func(a, b listed) int {
		return cmp.Or(cmp.Compare(s.rank[a.stream], s.rank[b.stream]), a.time.Compare(b.time), cmp.Compare(a.offset, b.offset))
	})
	s.listed = s.listed[:min(len(s.listed), mostListed)]
	slices.SortStableFunc(s.bursts, func(a, b burst) int {
		return cmp.Or(-cmp.Compare(min(a.changes, 1), min(b.changes, 1)), cmp.Compare(s.rank[a.stream], s.rank[b.stream]))
	})
	if c.kind != Pictures {
		return
	}
	left := c.settings.thumbnails()
	for i := range s.bursts {
		if n := len(s.bursts[i].items); n > left {
			for _, b := range s.bursts[i:] {
				s.more += b.changes
			}
			s.bursts = s.bursts[:i]
			break
		}
		left -= len(s.bursts[i].items)
	}
}
