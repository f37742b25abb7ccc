package explain

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/oatta/oatta/adapt"
)

// Settings says what is recorded, and how much of it.
type Settings struct {
	Stream     string   // name of the stream, for titles
	Classes    []string // names [K] of the classes, in order
	MaxRecords int      // an even number from 2 on; default 200000, which take some 30 MB
	Overwrite  bool     // replace files that are there
}

// Validate reports the first setting out of range.
func (s Settings) Validate() error {
	if len(s.Classes) < 1 || len(s.Classes) > adapt.MaxClasses {
		return fmt.Errorf("explain: %d classes: want 1 to %d", len(s.Classes), adapt.MaxClasses)
	}
	if s.MaxRecords < 0 || s.MaxRecords%2 != 0 {
		return fmt.Errorf("explain: %d records: want an even number, or 0 for %d", s.MaxRecords, defaultRecords)
	}
	return nil
}

const defaultRecords = 200_000

// Event is what happened between a step and the one before it. Events add up.
type Event uint8

// The events. What a long pause does to the filter is not the recorder's to know: the caller says whether it began anew.
const (
	Gap   Event = 1 << iota // time was missing
	Break                   // so much that the filter began anew
	Reset                   // the filter began anew for another reason
)

// Step is what the caller knows of a step besides the filter and its diagnostics.
type Step struct {
	Raw, Adapted []float64 // probabilities [K] before and after the filter; read, not retained
	Truth        int       // true class; negative if not known
	Time         time.Time // zero if not known; years before 1679 and after 2261 count as not known
	Event        Event
}

// Recorder collects the steps of one stream. Make it with [New].
type Recorder struct {
	settings Settings
	records  []record
	per      int // steps in a record
	sizes    sizes
	hyps     []adapt.Hypothesis // scratch

	filter *adapt.Filter
	seen   int       // steps of the filter at the last Add
	matrix []float64 // kept by Keep, else nil
	final  []float64 // sizes of the matrix' rows

	steps, zero, changed           int
	labelled, rawRight, afterRight int
}

// record is one step, or the mean of several.
type record struct {
	first, steps                 int // number of the first step, from 1 on; how many
	time                         int64
	timed                        bool
	raw, adapted, truth          int32
	gate, gain, ratio            float64
	entropy, after, logEvidence  float64
	none, persist, sticky, learn float64 // weights by kind
	others                       float64
	zero                         int
	event                        Event
}

// New returns a recorder without steps.
func New(s Settings) (*Recorder, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.MaxRecords == 0 {
		s.MaxRecords = defaultRecords
	}
	return &Recorder{settings: s, per: 1, sizes: newSizes(len(s.Classes))}, nil
}

// Steps returns how many steps have been added.
func (r *Recorder) Steps() int { return r.steps }

// Add records a step that the filter has just made, with the diagnostics that it returned. It panics if a length is not K. It asks
// the filter for its gain, K reads, and its hypotheses; now and then for the sizes of its rows.
func (r *Recorder) Add(f *adapt.Filter, d adapt.Diagnostics, s Step) {
	k := len(r.settings.Classes)
	if f.Classes() != k || len(s.Raw) != k || len(s.Adapted) != k || s.Truth >= k {
		panic(fmt.Sprintf("explain: Add of a step of %d classes with vectors of %d and %d and truth %d: want %d classes", f.Classes(), len(s.Raw), len(s.Adapted), s.Truth, k))
	}
	r.steps++
	r.filter, r.seen, r.matrix = f, f.Steps(), nil
	one := record{
		first: r.steps, steps: 1, raw: top(s.Raw), adapted: top(s.Adapted), truth: int32(max(s.Truth, -1)),
		gate: d.Gate, gain: f.Gain(), ratio: d.LLR, entropy: d.Entropy, after: entropy(s.Adapted),
		logEvidence: math.Log(max(d.Evidence, leastEvidence)), event: s.Event,
	}
	if y := s.Time.Year(); y > 1678 && y < 2262 { // the years that nanoseconds can count; others are no dates of recordings
		one.time, one.timed = s.Time.UnixNano(), true
	}
	if d.ZeroEvidence {
		one.zero = 1
	}
	r.weigh(&one, f)
	r.count(one)
	r.sizes.add(r.steps, f)
	r.append(one)
}

// leastEvidence stands for zero, whose logarithm would make a mean infinite.
const leastEvidence = 1e-300

func (r *Recorder) weigh(one *record, f *adapt.Filter) {
	r.hyps = f.Hypotheses(r.hyps[:0])
	for _, h := range r.hyps {
		switch h.Kind {
		case "none", "static", "frequencies", "static_f":
			one.none += h.Weight
		case "persist":
			one.persist += h.Weight
		case "sticky":
			one.sticky += h.Weight
		case "population":
			one.others += h.Weight
		default:
			one.learn += h.Weight
		}
	}
}

func (r *Recorder) count(one record) {
	r.zero += one.zero
	if one.raw != one.adapted {
		r.changed++
	}
	if one.truth < 0 {
		return
	}
	r.labelled++
	if one.raw == one.truth {
		r.rawRight++
	}
	if one.adapted == one.truth {
		r.afterRight++
	}
}

// append adds a step to the last record if that is not full yet, else as a record of its own.
func (r *Recorder) append(one record) {
	if n := len(r.records); n > 0 && r.records[n-1].steps < r.per {
		r.records[n-1].absorb(one)
		return
	}
	if len(r.records) == r.settings.MaxRecords {
		for i := range len(r.records) / 2 {
			r.records[2*i].absorb(r.records[2*i+1])
			r.records[i] = r.records[2*i]
		}
		r.records = r.records[:len(r.records)/2]
		r.per *= 2
	}
	r.records = append(r.records, one)
}

// absorb makes the record one with the next.
func (a *record) absorb(b record) {
	part := float64(b.steps) / float64(a.steps+b.steps)
	for _, pair := range [][2]*float64{
		{&a.gate, &b.gate},
		{&a.gain, &b.gain},
		{&a.ratio, &b.ratio},
		{&a.entropy, &b.entropy},
		{&a.after, &b.after},
		{&a.logEvidence, &b.logEvidence},
		{&a.none, &b.none},
		{&a.persist, &b.persist},
		{&a.sticky, &b.sticky},
		{&a.learn, &b.learn},
		{&a.others, &b.others},
	} {
		*pair[0] += part * (*pair[1] - *pair[0])
	}
	a.steps += b.steps
	a.zero += b.zero
	a.event |= b.event
}

// Keep takes the matrix now, unless it has that of the last step already. Whoever resets the filter or steps it on, for another stream,
// before [Recorder.Write], calls it first.
func (r *Recorder) Keep() {
	if r.filter != nil && r.matrix == nil {
		r.matrix, r.final = r.filter.Transitions(nil), r.filter.SampleSizes(nil)
	}
}

// complete has the matrix at hand, that of the last step.
func (r *Recorder) complete() error {
	if r.filter == nil {
		return errors.New("no step was recorded")
	}
	if r.matrix != nil {
		return nil
	}
	if r.filter.Steps() != r.seen {
		return errors.New("the filter has gone on since the last step recorded")
	}
	r.Keep()
	return nil
}

// top returns the first of the most probable classes.
func top(p []float64) int32 {
	best := 0
	for i, v := range p {
		if v > p[best] {
			best = i
		}
	}
	return int32(best)
}

// entropy in nats; what rounding leaves under zero is zero.
func entropy(p []float64) (h float64) {
	for _, v := range p {
		if v > 0 {
			h -= v * math.Log(v)
		}
	}
	return max(h, 0)
}

// sizes are samples of the effective sample sizes over time, at equal distances that double when the room is full.
type sizes struct {
	at     []int // numbers of the steps
	values [][]float32
	every  int
	most   int
	now    []float64
}

// sampleRoom bounds the numbers held, mostSamples and leastSamples the vectors.
const (
	sampleRoom   = 1 << 20
	mostSamples  = 1 << 9
	leastSamples = 1 << 6
)

func newSizes(classes int) sizes {
	return sizes{every: 1, most: min(max(sampleRoom/classes, leastSamples), mostSamples) &^ 1, now: make([]float64, classes)}
}

func (s *sizes) add(step int, f *adapt.Filter) {
	if (step-1)%s.every != 0 {
		return
	}
	if len(s.at) == s.most {
		for i := range s.most / 2 {
			s.at[i], s.values[i] = s.at[2*i], s.values[2*i]
		}
		s.at, s.values = s.at[:s.most/2], s.values[:s.most/2]
		s.every *= 2
		if (step-1)%s.every != 0 {
			return
		}
	}
	v := make([]float32, len(s.now))
	for i, n := range f.SampleSizes(s.now) {
		v[i] = float32(n)
	}
	s.at, s.values = append(s.at, step), append(s.values, v)
}
