package calibration

import (
	"math"
	"time"

	"github.com/oatta/oatta/adapt/population"
)

// Recordings are whole streams of predictions in their order, of which some items have labels. It is not safe for concurrent use.
type Recordings struct {
	set     *Set
	rest    []float32 // [items][classes] log q of the items without a label
	streams []recording
	index   map[string]int
}

type recording struct {
	name   string
	items  []recorded
	labels int
}

// recorded is an item: its row among those with a label, or ^row among those without one, or unread.
type recorded struct {
	row  int
	time time.Time
}

const unread = math.MinInt

// NewRecordings returns empty recordings that hold as many items as fit into maxBytes of log-probabilities, at least one. It panics if classes
// is under 1.
func NewRecordings(classes int, maxBytes int64) *Recordings {
	return &Recordings{set: NewSet(classes, maxBytes), index: map[string]int{}}
}

// Set returns the items with labels. It is that of the recordings.
func (r *Recordings) Set() *Set { return r.set }

// Add keeps the prediction q [classes] of the next item of a stream, as [Set.Add] does; truth is -1 if it is not known, and t the zero
// time if it has none. It returns false if the recordings are full.
func (r *Recordings) Add(stream string, truth int, t time.Time, q []float64) bool {
	if r.Len() >= r.set.limit {
		return false
	}
	s := r.stream(stream)
	row := r.set.Len()
	if truth >= 0 {
		r.set.Add(stream, truth, q)
		s.labels++
	} else {
		row = ^(len(r.rest) / r.set.classes)
		for _, v := range q {
			r.rest = append(r.rest, float32(math.Log(max(v, Floor))))
		}
	}
	s.items = append(s.items, recorded{row, t})
	return true
}

// Unread says that the next item of a stream is not known: those on its two sides are no neighbours.
func (r *Recordings) Unread(stream string) {
	s := r.stream(stream)
	s.items = append(s.items, recorded{row: unread})
}

// Len returns the number of predictions.
func (r *Recordings) Len() int { return r.set.Len() + len(r.rest)/r.set.classes }

func (r *Recordings) stream(name string) *recording {
	at, known := r.index[name]
	if !known {
		at = len(r.streams)
		r.index[name] = at
		r.streams = append(r.streams, recording{name: name})
	}
	return &r.streams[at]
}

// order returns the labels of a stream in their order.
func (r *Recordings) order(s recording) []population.Item {
	out := make([]population.Item, len(s.items))
	for i, item := range s.items {
		out[i] = population.Item{Class: r.truth(item), Time: item.time}
	}
	return out
}

// truth returns the class of an item, -1 if it is not known.
func (r *Recordings) truth(item recorded) int {
	if item.row < 0 {
		return -1
	}
	return int(r.set.truth[item.row])
}

// probs writes the prediction of an item that was read.
func (r *Recordings) probs(dst []float64, item recorded) {
	row := r.rest
	if item.row >= 0 {
		row = r.set.row(item.row)
	} else {
		row = row[^item.row*r.set.classes:][:r.set.classes]
	}
	total := 0.0
	for k, v := range row {
		dst[k] = math.Exp(float64(v))
		total += dst[k]
	}
	for k := range dst {
		dst[k] /= total
	}
}

// Counts returns what all streams tell of the order of their labels, nil if there are more classes than that is learned of.
func (r *Recordings) Counts() *population.Counts {
	return r.counts(func(int) bool { return true })
}

func (r *Recordings) counts(which func(stream int) bool) *population.Counts {
	if r.set.classes > population.MaxClasses {
		return nil
	}
	c := population.NewCounts(r.set.classes)
	for i, s := range r.streams {
		if which(i) {
			c.Add(r.order(s))
		}
	}
	return c
}
