package view

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/report"
	"github.com/oatta/oatta/internal/report/items"
)

// Collection is what results say, item by item.
type Collection struct {
	Name     string // of the file
	Kind     report.Kind
	Classes  []string // that a label may be of, in the order of the model where it is known
	Closed   bool     // Classes are all that the model has
	Warnings []string // of the run and of reading its results
	Facts    []items.Fact
	Inputs   []string // names of what was run on, without folders

	records  []record
	streams  []stream
	labels   []string // by their numbers in records
	number   map[string]int32
	failures []string
	modes    []string
	bad      int
	unsure   float64
}

// record is an item.
type record struct {
	file             string
	stream, place    int32 // and where in it
	time             time.Time
	offset, duration float64
	box              *[4]float64
	raw, adapted     int32 // label; -1: none
	truth, failure   int32
	mode             int32
	prob, after      float32
	gate             float32
	before, later    []share // the most probable classes, before and after the filter
}

// share is how probable a class is.
type share struct {
	label int32
	p     float32
}

// mostShares are kept of a distribution.
const mostShares = 6

// stream is one stream.
type stream struct {
	name    string
	items   []int32
	changed int
	unsure  int
	failed  int
	gate    float64 // sum
	gates   int
}

// Settings say how results are read.
type Settings struct {
	Kind    report.Kind // "": as the results say
	Classes []string    // of the model; nil: those that the results tell
	Unsure  float64     // an adapted label less probable than this is unsure
}

// mostItems bounds what is held.
const mostItems = 20_000_000

// Read reads results whole.
func Read(f *items.File, s Settings) (*Collection, error) {
	c := &Collection{Name: filepath.Base(f.Path), number: map[string]int32{}, unsure: s.Unsure}
	if f.Format == "scores" {
		return nil, fmt.Errorf("%s: holds scores, and no items to look at", f.Path)
	}
	r := reader{c: c, f: f, streams: map[string]int32{}, kinds: [2]map[string]int32{{}, {}}, kind: s.Kind}
	for _, class := range s.Classes {
		c.label(class)
	}
	err := f.Each(items.Handler{Item: r.add, Vectors: true, Bad: r.bad})
	if err == nil && len(c.records) == 0 {
		err = errors.New("no item in the results: nothing to look at")
	}
	if err != nil {
		return nil, err
	}
	c.Kind = r.kind
	c.tell(f, r)
	c.choices(f, s)
	return c, nil
}

// reader makes records of items.
type reader struct {
	c       *Collection
	f       *items.File
	kind    report.Kind
	streams map[string]int32
	kinds   [2]map[string]int32 // failures and modes by what they say
	wrong   []string            // lines that are left out
	cut     bool
}

func (r *reader) bad(e items.LineError) {
	r.c.bad++
	r.cut = r.cut || e.Cut
	if len(r.wrong) < 5 {
		r.wrong = append(r.wrong, fmt.Sprintf("%s, line %d, is left out: %v", filepath.Base(e.Name), e.Line, e.Err))
	}
}

// add keeps an item.
func (r *reader) add(it *items.Item) error {
	c := r.c
	if len(c.records) == mostItems {
		return fmt.Errorf("%s: more than %d items: give a part of them", r.f.Path, mostItems)
	}
	if r.kind == "" {
		r.kind = report.KindOf(r.f, r.f.Classes, it.File)
	}
	k, ok := r.streams[it.Stream]
	if !ok {
		k = int32(len(c.streams))
		r.streams[it.Stream] = k
		c.streams = append(c.streams, stream{name: it.Stream})
	}
	st := &c.streams[k]
	rec := record{
		file: it.File, stream: k, place: int32(len(st.items)), time: it.Time, offset: it.Offset, duration: it.Duration,
		raw: c.label(it.Raw), adapted: c.label(it.Adapted), truth: c.label(it.Truth), failure: -1, mode: place(&c.modes, r.kinds[1], it.Mode),
		prob: float32(it.Prob), after: float32(it.AdaptedProb), gate: float32(it.Gate), before: c.top(r.f.Classes, it.Probs), later: c.top(r.f.Classes, it.AdaptedProbs),
	}
	if it.Box != nil {
		box := *it.Box
		rec.box = &box
	}
	if it.Failure != "" {
		rec.failure = place(&c.failures, r.kinds[0], it.Failure)
	}
	st.items = append(st.items, int32(len(c.records)))
	c.records = append(c.records, rec)
	st.count(c, &rec)
	return nil
}

// count counts an item of the stream.
func (st *stream) count(c *Collection, rec *record) {
	switch {
	case rec.adapted < 0:
		st.failed++
		return
	case rec.changed():
		st.changed++
	}
	if c.isUnsure(rec) {
		st.unsure++
	}
	if rec.gate == rec.gate {
		st.gate += float64(rec.gate)
		st.gates++
	}
}

// place returns the number of a text, and gives it one.
func place(list *[]string, known map[string]int32, text string) int32 {
	i, ok := known[text]
	if !ok {
		i = int32(len(*list))
		known[text] = i
		*list = append(*list, text)
	}
	return i
}

// label returns the number of a label, -1 of none.
func (c *Collection) label(text string) int32 {
	if text == "" {
		return -1
	}
	return place(&c.labels, c.number, text)
}

// top keeps the most probable classes.
func (c *Collection) top(classes []string, p []float64) []share {
	if len(p) == 0 || len(p) != len(classes) {
		return nil
	}
	var out []share
	for i, v := range p {
		if len(out) == mostShares && !(v > float64(out[mostShares-1].p)) {
			continue
		}
		if len(out) < mostShares {
			out = append(out, share{})
		}
		at := len(out) - 1
		for ; at > 0 && v > float64(out[at-1].p); at-- {
			out[at] = out[at-1]
		}
		out[at] = share{c.label(classes[i]), float32(v)}
	}
	return out
}

func (r *record) changed() bool { return r.raw >= 0 && r.adapted >= 0 && r.raw != r.adapted }

func (r *record) piece() bool { return r.duration > 0 }

func (c *Collection) isUnsure(r *record) bool { return r.adapted >= 0 && float64(r.after) < c.unsure }

// text is a label by its number.
func (c *Collection) text(label int32) string {
	if label < 0 {
		return ""
	}
	return c.labels[label]
}

// tell gathers what a reader should know.
func (c *Collection) tell(f *items.File, r reader) {
	if m := f.Manifest; m != nil {
		c.Facts, c.Inputs = m.Facts, m.Inputs
		c.Warnings = append(c.Warnings, m.Warnings...)
		if !m.Complete && !m.Partial {
			c.Warnings = append(c.Warnings, c.Name+": the run did not come to its end")
		}
	} else {
		c.Warnings = append(c.Warnings, c.Name+": there is no manifest beside it: what was run is not known")
	}
	if f.Problem != nil {
		c.Warnings = append(c.Warnings, f.Problem.Error())
	}
	c.Warnings = append(c.Warnings, r.wrong...)
	if more := c.bad - len(r.wrong); more > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d more lines are left out", more))
	}
	if r.cut {
		c.Warnings = append(c.Warnings, c.Name+": ends in the middle of a line: it was not copied whole, or is still being written")
	}
	if f.Outside > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d items have a number outside of 0 to 1 where a probability belongs: it is taken for not told", f.Outside))
	}
	if f.Untouched > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d pictures or boxes that the filter left alone are not shown", f.Untouched))
	}
}

// choices finds the classes that a label may be of: those of the model, else those that the results name, the most frequent first.
func (c *Collection) choices(f *items.File, s Settings) {
	switch {
	case s.Classes != nil:
		c.Classes, c.Closed = s.Classes, true
		return
	case len(f.Classes) > 0:
		c.Classes, c.Closed = f.Classes, true
		return
	}
	count := make([]int, len(c.labels))
	for i := range c.records {
		for _, l := range []int32{c.records[i].raw, c.records[i].adapted, c.records[i].truth} {
			if l >= 0 {
				count[l]++
			}
		}
	}
	c.Classes = slices.Clone(c.labels)
	slices.SortStableFunc(c.Classes, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[c.number[b]], count[c.number[a]]), datasets.CompareNatural(a, b))
	})
}

// Len returns how many items there are.
func (c *Collection) Len() int { return len(c.records) }

// Told is the collection in a line.
func (c *Collection) Told() string {
	n := c.totals()
	return fmt.Sprintf("%d %ss in %d streams, %d changed by the filter, %d unsure, %d failed", len(c.records), c.Kind.Noun(), len(c.streams), n.changed, n.unsure, n.failed)
}

func (c *Collection) totals() (n stream) {
	for i := range c.streams {
		n.changed += c.streams[i].changed
		n.unsure += c.streams[i].unsure
		n.failed += c.streams[i].failed
	}
	return n
}
