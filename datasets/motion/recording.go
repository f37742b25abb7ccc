package motion

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// Channel is one axis of one sensor.
type Channel struct {
	Name string // as the file has it; x, y, z where a format has no names
	Unit string // g, m/s2, mg, deg/s, uT, degC; raw for what has no scale
}

// Header is what a recording says of itself.
type Header struct {
	Name     string    // of the recording: its file without folder and ending
	Person   string    // who wore it, "" if the file does not say
	Device   string    // model and serial number, "" if unknown
	Start    time.Time // of the first sample; the zero time if the file gives no date
	Zoned    bool      // Start is in UTC; else it is wall-clock time held in UTC
	Channels []Channel
	Rate     float64 // Hz, nominal: times tell the true one
}

// Names returns the names of the channels.
func (h *Header) Names() []string {
	out := make([]string, len(h.Channels))
	for i, c := range h.Channels {
		out[i] = c.Name
	}
	return out
}

// Units returns the units of the channels.
func (h *Header) Units() []string {
	out := make([]string, len(h.Channels))
	for i, c := range h.Channels {
		out[i] = c.Unit
	}
	return out
}

// NoLabel is the label of a sample that has none.
const NoLabel = -1

// Recording is an open recording, read from its beginning to its end. It is not safe for concurrent use.
type Recording struct {
	head   Header
	dec    decoder
	closer io.Closer // nil: nothing to close

	buf  batch
	at   int // next sample of buf
	last float64
	kept int64
	lost int64 // samples without an increasing time
	err  error // after which nothing comes

	labels  *dictionary // nil: no labels
	classes *classes    // nil: labels as they are
	notes   notes
}

// batch is some samples on their way from a decoder.
type batch struct {
	times  []float64 // seconds since the first sample of the file
	values []float32 // [samples, channels]
	labels []int32   // nil where there are none
}

func (b *batch) reset() {
	b.times, b.values, b.labels = b.times[:0], b.values[:0], b.labels[:0]
}

// decoder is one format. next fills an empty batch with one sample or more, or returns io.EOF; where tells the place of sample i of the
// batch that it filled last.
type decoder interface {
	next(b *batch) error
	where(i int) string
}

// Header returns what the recording says of itself; it must not be changed.
func (r *Recording) Header() *Header { return &r.head }

// Names returns the names of the channels. With Units, Rate, Labels and Read a Recording is a source for windows.
func (r *Recording) Names() []string { return r.head.Names() }

// Units returns the units of the channels.
func (r *Recording) Units() []string { return r.head.Units() }

// Rate returns the nominal rate in Hz.
func (r *Recording) Rate() float64 { return r.head.Rate }

// Labels returns the names that labels stand for. Those of a CSV table grow while it is read, unless [Recording.Relabel] fixed them.
// Nil for a recording without labels.
func (r *Recording) Labels() []string {
	switch {
	case r.labels == nil:
		return nil
	case r.classes != nil:
		return r.classes.names
	}
	return r.labels.names
}

// Warnings returns what was left out, or read in spite of a fault, so far.
func (r *Recording) Warnings() []string { return r.notes.strings() }

// Close closes the file. It is needed for recordings that opened one, and harmless for all.
func (r *Recording) Close() error {
	if r.closer == nil {
		return nil
	}
	err := r.closer.Close()
	r.closer = nil
	return err
}

// Read reads up to len(times) samples: times in seconds since Header.Start, each greater than the one before; values [n, channels],
// NaN where one is missing; labels as indices into [Recording.Labels] or NoLabel, which a nil slice leaves out. It returns how many
// samples it read, at least one without an error, and io.EOF after the last.
func (r *Recording) Read(times []float64, values []float32, labels []int32) (int, error) {
	c := len(r.head.Channels)
	if len(values) < len(times)*c || labels != nil && len(labels) < len(times) {
		panic(fmt.Sprintf("motion: Read: %d values and %d labels for %d samples of %d channels", len(values), len(labels), len(times), c))
	}
	n := 0
	for n < len(times) {
		if r.at == len(r.buf.times) {
			if n > 0 {
				break // what is there is not kept back by an error behind it
			}
			if err := r.fill(); err != nil {
				return 0, err
			}
		}
		n += r.take(times[n:], values[n*c:], tail(labels, n))
	}
	return n, nil
}

func tail(labels []int32, n int) []int32 {
	if labels == nil {
		return nil
	}
	return labels[n:]
}

// fill gets the next batch, and at the end decides whether what was lost is the exception or the rule.
func (r *Recording) fill() error {
	if r.err != nil {
		return r.err
	}
	r.buf.reset()
	r.at = 0
	r.err = r.dec.next(&r.buf)
	if r.err == io.EOF && r.lost > r.kept {
		r.err = fmt.Errorf("motion: %s: %d of %d samples have no time after that of their predecessor", r.head.Name, r.lost, r.lost+r.kept)
	}
	return r.err
}

// take copies samples out of the batch, but for those whose time does not increase.
func (r *Recording) take(times []float64, values []float32, labels []int32) int {
	c, n := len(r.head.Channels), 0
	for ; n < len(times) && r.at < len(r.buf.times); r.at++ {
		t := r.buf.times[r.at]
		if !r.inOrder(t) {
			continue
		}
		times[n] = t
		copy(values[n*c:(n+1)*c], r.buf.values[r.at*c:])
		if labels != nil {
			labels[n] = r.label(r.at)
		}
		r.last = t
		r.kept++
		n++
	}
	return n
}

// inOrder tells whether a time comes after the last one, and counts it if not.
func (r *Recording) inOrder(t float64) bool {
	what := "samples before their predecessor left out"
	switch {
	case t-t != 0: // NaN or infinite
		what = "samples without a time left out"
	case r.kept == 0 || t > r.last:
		return true
	case t == r.last:
		what = "samples at the time of their predecessor left out"
	}
	if !r.notes.again(what) {
		r.notes.add(what, r.dec.where(r.at))
	}
	r.lost++
	return false
}

func (r *Recording) label(i int) int32 {
	if r.labels == nil || len(r.buf.labels) == 0 {
		return NoLabel
	}
	l := r.buf.labels[i]
	if l < 0 || r.classes == nil {
		return l
	}
	return r.classes.of(r.labels, l)
}

// dictionary numbers labels in the order in which they appear.
type dictionary struct {
	names []string
	index map[string]int32
}

func newDictionary(names ...string) *dictionary {
	d := &dictionary{index: map[string]int32{}}
	for _, n := range names {
		d.number(n)
	}
	return d
}

// maxLabels bounds how many labels a recording may have: more are a column of something else.
const maxLabels = 4096

// number returns the number of a name, false if there are too many.
func (d *dictionary) number(name string) (int32, bool) {
	if i, ok := d.index[name]; ok {
		return i, true
	}
	if len(d.names) == maxLabels {
		return NoLabel, false
	}
	i := int32(len(d.names))
	d.names, d.index[name] = append(d.names, name), i
	return i, true
}

// classes brings labels to other ones.
type classes struct {
	names []string
	name  func(string) string
	known []int32 // class of each label seen so far
}

// of returns the class of a label.
func (c *classes) of(d *dictionary, label int32) int32 {
	for int(label) >= len(c.known) {
		class := slices.Index(c.names, c.name(d.names[len(c.known)]))
		c.known = append(c.known, int32(class)) // -1, NoLabel, if it is none of them
	}
	return c.known[label]
}

// Relabel brings the labels to the given classes: class returns the name of one, and what is none of names (such as "") becomes
// NoLabel. It is called before the first Read and replaces what an earlier call set.
func (r *Recording) Relabel(names []string, class func(label string) string) {
	r.classes = &classes{names: slices.Clone(names), name: class}
}

var nan = float32(math.NaN())
