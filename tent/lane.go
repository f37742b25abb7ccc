package tent

import (
	"math"
	"slices"
)

// lane is a stream's own: everything that a step changes.
type lane struct {
	theta []float32
	slots [][]float32 // of the optimiser
	step  int64       // of the optimiser, since the source
	since int         // items since the source
	items int64       // of the stream
	mean  float64     // running, of the entropy since the source; +Inf before the first
	due   bool        // the next item meets the source
}

func (p *Predictor) newLane() *lane {
	l := &lane{theta: make([]float32, len(p.source))}
	for range p.d.Ports.Slots {
		l.slots = append(l.slots, make([]float32, len(p.source)))
	}
	l.begin(p.source)
	return l
}

// begin makes the lane a new stream's.
func (l *lane) begin(source []float32) {
	l.toSource(source)
	l.items = 0
}

// toSource gives the lane the source's parameters and a fresh optimiser.
func (l *lane) toSource(source []float32) {
	copy(l.theta, source)
	for _, s := range l.slots {
		clear(s)
	}
	l.step, l.since, l.mean, l.due = 0, 0, math.Inf(1), false
}

// collapseBelow returns the mean entropy below which a lane has collapsed, in nats.
func collapseBelow(r Reset, classes int) float64 { return r.Below * math.Log(float64(classes)) }

// note counts an item, of the given entropy before its step, and decides whether the next one meets the source.
func (l *lane) note(r Reset, entropy, below float64) {
	switch {
	case math.IsNaN(entropy) || math.IsInf(entropy, 0): // evidence of nothing
	case math.IsInf(l.mean, 1):
		l.mean = entropy
	default:
		l.mean = r.Keep*l.mean + (1-r.Keep)*entropy
	}
	l.items++
	l.since++
	switch r.When {
	case Every:
		l.due = l.since >= r.Items
	case Item:
		l.due = true
	case Collapse:
		l.due = l.mean < below
	}
}

func allFinite(values []float32) bool {
	return !slices.ContainsFunc(values, func(v float32) bool { return !finite(v) })
}
