package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/report/items"
)

// Collected is what the results say, counted.
type Collected struct {
	settings Settings
	files    []*source
	kind     Kind

	classes []string
	index   map[string]int

	total    counts
	changes  map[[2]int]int // of labels, from which to which
	follows  map[[2]int]int // adapted labels of neighbours in a stream
	raw      []int          // items of each class
	adapted  []int
	modes    map[string]int
	bins     [2]bins
	failures messages
	bad      messages
	cut      bool // a file ends in the middle of a line

	streams []*stream
	order   []*stream // as ranked gives them; nil: nobody has asked
	byName  map[string]*stream
	truths  map[string]bool // labels that the items hold
	second  *second
	hidden  int // streams without a series, as there are too many
}

// source is one file of results.
type source struct {
	*items.File
	counts
	kind   Kind
	placed []string // classes that have a place
	place  []int    // of each class of the file's vectors among all
}

// arrange finds the places of the file's classes, which any of its lines may tell: those of files that were put together tell others.
func (c *Collected) arrange(src *source) {
	if n := len(src.Classes); n == len(src.placed) && (n == 0 || &src.Classes[0] == &src.placed[0]) {
		return
	}
	src.placed, src.place = src.Classes, nil
	for _, class := range src.Classes {
		src.place = append(src.place, c.class(class))
	}
}

// spread puts a vector of the file in the order of all classes; nil if it is of other classes than the file tells.
func (src *source) spread(dst, p []float64) []float64 {
	if p == nil || len(p) != len(src.place) {
		return nil
	}
	clear(dst)
	for i, v := range p {
		if src.place[i] >= 0 && src.place[i] < len(dst) {
			dst[src.place[i]] += v
		}
	}
	return dst
}

// counts are those of a file, a stream, or all.
type counts struct {
	items, failed, unpredicted, changed, bad, untouched, outside int
}

// stream is one stream.
type stream struct {
	name   string
	source *source
	counts
	gate        float64 // sum
	gates       int
	first, last time.Time
	series      *series
	night       *night
	movement    *movement
	before      [2]int // labels of the last item; -1: none
	switches    [2]int // neighbours with different labels, before and after the filter
	again       int    // items that were read a second time
	labelled    bool   // true classes of some are known
	lastOffset  float64
	period      float64        // from one item to the next, where the manifest does not say
	classes     [3]map[int]int // items of each class: raw, adapted, true
}

// bins are confidences.
type bins struct {
	items [20]int
	sum   [20]float64
	known int
}

func (b *bins) add(p float64) {
	if p != p {
		return
	}
	k := min(max(int(p*float64(len(b.items))), 0), len(b.items)-1)
	b.items[k]++
	b.sum[k] += p
	b.known++
}

// messages are texts and how often each came.
type messages struct {
	count map[string]int
	order []string
	more  int // that were too many to be told apart
}

func (m *messages) add(text string) {
	if m.count == nil {
		m.count = map[string]int{}
	}
	if m.count[text] == 0 {
		if len(m.order) >= mostMessages {
			m.more++
			return
		}
		m.order = append(m.order, text)
	}
	m.count[text]++
}

// Gather reads the files. Their items must be of one kind, and no stream may be in two of them.
func Gather(files []*items.File, s Settings) (*Collected, error) {
	c := &Collected{
		settings: s, index: map[string]int{}, changes: map[[2]int]int{}, follows: map[[2]int]int{}, modes: map[string]int{},
		byName: map[string]*stream{}, truths: map[string]bool{},
	}
	for _, f := range files {
		src := &source{File: f}
		c.files = append(c.files, src)
		c.arrange(src)
	}
	for _, src := range c.files {
		if src.Format == "scores" {
			continue
		}
		if err := c.read(src); err != nil {
			return nil, err
		}
	}
	if c.total.items == 0 && c.settings.Scores == nil {
		return nil, errors.New("no item in the results: nothing to report")
	}
	for _, st := range c.streams {
		if st.movement != nil && len(st.movement.days) > 0 {
			st.movement.days[len(st.movement.days)-1].close()
		}
	}
	if c.kind == "" {
		c.kind = Other
		if m := c.files[0].Manifest; m != nil {
			c.kind = KindOf(c.files[0].File, nil, "")
		}
	}
	return c, nil
}

// read counts the items of a file.
func (c *Collected) read(src *source) error {
	err := src.Each(items.Handler{
		Vectors: c.wantsVectors(src),
		Bad: func(e items.LineError) {
			src.bad++
			c.total.bad++
			c.cut = c.cut || e.Cut
			text := fmt.Sprintf("%s, line %d: %v", filepath.Base(e.Name), e.Line, e.Err)
			if e.Cut {
				text += " (the file ends in the middle of the line: it was not copied whole, or is still being written)"
			}
			c.bad.add(text)
		},
		Item: func(it *items.Item) error {
			if src.kind == "" {
				src.kind = cmp.Or(c.settings.Kind, KindOf(src.File, src.File.Classes, it.File))
				if c.kind != "" && c.kind != src.kind {
					return fmt.Errorf("%s holds %s, and %s holds %s: one report is of one kind (--kind says which, if that is wrong)",
						src.Path, src.kind, c.files[0].Path, c.kind)
				}
				c.kind = src.kind
			}
			c.arrange(src)
			return c.add(src, it)
		},
	})
	c.total.untouched += src.Untouched
	c.total.outside += src.Outside
	return err
}

// wantsVectors tells of files whose vectors are drawn, or may be: those take time to read.
func (c *Collected) wantsVectors(src *source) bool {
	if k := c.settings.Kind; k != "" {
		return k == Sleep
	}
	return src.Manifest == nil || src.Manifest.What == "" || src.Manifest.What == "epoch"
}

func (c *Collected) class(label string) int {
	if label == "" {
		return -1
	}
	i, ok := c.index[label]
	if !ok {
		i = len(c.classes)
		c.index[label] = i
		c.classes, c.raw, c.adapted = append(c.classes, label), append(c.raw, 0), append(c.adapted, 0)
	}
	return i
}

// streamOf finds the stream of an item; that it is in two files is an error: two answers to one question are no results of one run.
func (c *Collected) streamOf(src *source, name string) (*stream, error) {
	st, ok := c.byName[name]
	if !ok {
		st = &stream{name: name, source: src, before: [2]int{-1, -1}, classes: [3]map[int]int{{}, {}, {}}}
		c.streams, c.byName[name] = append(c.streams, st), st
		if len(c.streams) <= mostStreams {
			st.series = &series{}
			switch c.kind {
			case Sleep:
				st.night = &night{}
			case Movement:
				st.movement = &movement{}
			}
		} else {
			c.hidden++
		}
	}
	if st.source != src {
		return nil, fmt.Errorf("stream %q is in %s and in %s: a report has each stream once; write one report for each file", name, st.source.Path, src.Path)
	}
	return st, nil
}

// add counts one item.
func (c *Collected) add(src *source, it *items.Item) error {
	st, err := c.streamOf(src, it.Stream)
	if err != nil {
		return err
	}
	all := [...]*counts{&c.total, &src.counts, &st.counts}
	for _, n := range all {
		n.items++
	}
	if it.Truth != "" && len(c.truths) < 1<<20 && !c.truths[it.Truth] {
		c.truths[it.Truth] = true
	}
	if !it.Time.IsZero() {
		if st.first.IsZero() || it.Time.Before(st.first) {
			st.first = it.Time
		}
		if it.Time.After(st.last) {
			st.last = it.Time
		}
	}
	raw, adapted := c.class(it.Raw), c.class(it.Adapted)
	if !it.Predicted() {
		raw, adapted = -1, -1
		for _, n := range all {
			if it.Failure != "" {
				n.failed++
			} else {
				n.unpredicted++
			}
		}
		if it.Failure != "" {
			c.failures.add(it.Failure)
		}
	} else {
		c.count(st, it, raw, adapted)
		if it.Changed() {
			for _, n := range all {
				n.changed++
			}
		}
	}
	c.shape(st, it, raw, adapted)
	return nil
}

// count counts an item with a result.
func (c *Collected) count(st *stream, it *items.Item, raw, adapted int) {
	if raw >= 0 {
		c.raw[raw]++
		st.classes[0][raw]++
	}
	c.adapted[adapted]++
	st.classes[1][adapted]++
	if it.Changed() {
		c.changes[[2]int{raw, adapted}]++
	}
	c.modes[it.Mode]++
	c.bins[0].add(it.Prob)
	c.bins[1].add(it.AdaptedProb)
	if it.Gate == it.Gate {
		st.gate += it.Gate
		st.gates++
	}
	if st.before[1] >= 0 {
		c.follows[[2]int{st.before[1], adapted}]++
	}
	for k, class := range [2]int{raw, adapted} {
		if st.before[k] >= 0 && class >= 0 && st.before[k] != class {
			st.switches[k]++
		}
		st.before[k] = class
	}
}

// shape adds an item to what is drawn of its stream.
func (c *Collected) shape(st *stream, it *items.Item, raw, adapted int) {
	if st.series == nil {
		return
	}
	st.series.add(it, raw, adapted)
	if st.night != nil {
		var probs, after []float64
		if len(c.streams) <= c.settings.figures() && len(c.classes) <= mostStages {
			probs, after = st.source.spread(make([]float64, len(c.classes)), it.Probs), st.source.spread(make([]float64, len(c.classes)), it.AdaptedProbs)
		}
		st.night.add(it, raw, adapted, probs, after)
	}
	if st.movement != nil && (!it.Time.IsZero() || it.Piece()) {
		st.movement.add(it, raw, adapted, st.seconds(it))
	}
}

// seconds is how long an item counts: to the next, as windows overlap.
func (st *stream) seconds(it *items.Item) float64 {
	if m := st.source.Manifest; m != nil && m.Period > 0 {
		return m.Period
	}
	at := it.Offset
	if !it.Piece() && !it.Time.IsZero() {
		at = float64(it.Time.UnixNano()) / 1e9
	}
	if step := at - st.lastOffset; st.items > 1 && step > 0 && (st.period == 0 || step < st.period) {
		st.period = step
	}
	st.lastOffset = at
	if st.period > 0 {
		return st.period
	}
	return it.Duration
}

// ranked are the streams by how many labels the filter changed, as a share of their items where these are as many.
// They are ordered once: after [Gather] nothing of it changes.
func (c *Collected) ranked() []*stream {
	if c.order == nil {
		c.order = slices.Clone(c.streams)
		slices.SortStableFunc(c.order, func(a, b *stream) int {
			return cmp.Or(cmp.Compare(b.changed, a.changed), cmp.Compare(b.share(), a.share()), datasets.CompareNatural(a.name, b.name))
		})
	}
	return c.order
}

func (st *stream) share() float64 {
	if n := st.items - st.failed - st.unpredicted; n > 0 {
		return float64(st.changed) / float64(n)
	}
	return 0
}

func (st *stream) meanGate() float64 {
	if st.gates == 0 {
		return math.NaN()
	}
	return st.gate / float64(st.gates)
}

// stagesOf are the stages of sleep that labels are; nil unless all of them are.
func stagesOf(labels []string) []hypnogram.Stage {
	var out []hypnogram.Stage
	for _, l := range labels {
		s, ok := hypnogram.ParseLabel(l)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

// Damaged tells that a part of the results could not be read.
func (c *Collected) Damaged() bool { return c.total.bad > 0 }

// Told is the report in a line.
func (c *Collected) Told() string {
	return fmt.Sprintf("%s in %s, %s changed, %d failed", plural(c.total.items, c.kind.Noun(), "s"), plural(len(c.streams), "stream", "s"), plural(c.total.changed, "label", "s"), c.total.failed)
}
