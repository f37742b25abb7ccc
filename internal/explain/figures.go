package explain

import (
	"fmt"
	"math"
	"sort"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/charts"
)

// Stream returns the figure of the steps as data.
func (r *Recorder) Stream() charts.Stream {
	n := len(r.records)
	s := charts.Stream{
		Title: "Stream " + r.settings.Stream, Note: r.note(), Classes: r.settings.Classes,
		Step: make([]int, n), Raw: make([]int, n), Adapted: make([]int, n),
		Gate: r.each(func(a record) float64 { return a.gate }), Gain: r.each(func(a record) float64 { return a.gain }),
		Entropy:        r.each(func(a record) float64 { return a.entropy }),
		AdaptedEntropy: r.each(func(a record) float64 { return a.after }),
		Evidence:       r.each(func(a record) float64 { return math.Exp(a.logEvidence) }),
	}
	for i, a := range r.records {
		s.Step[i], s.Raw[i], s.Adapted[i] = a.first, int(a.raw), int(a.adapted)
		s.Marks = append(s.Marks, marks(i, a)...)
	}
	r.addTruth(&s)
	r.addTimes(&s)
	r.addSizes(&s)
	switch r.gate() {
	case adapt.GateAuto:
		s.Shares = r.shares()
	case adapt.GateEWMA, adapt.GateWindow:
		s.Ratio = r.each(func(a record) float64 { return a.ratio })
	}
	return s
}

func (r *Recorder) gate() adapt.Gate {
	if r.filter == nil {
		return ""
	}
	return r.filter.Settings().Gate
}

func (r *Recorder) each(of func(a record) float64) []float64 {
	out := make([]float64, len(r.records))
	for i, a := range r.records {
		out[i] = of(a)
	}
	return out
}

// shares of the kinds, in the order of the documentation of [adapt.Auto]; a population's only where there is one.
func (r *Recorder) shares() []charts.Share {
	shares := []charts.Share{
		{Name: "none", Values: r.each(func(a record) float64 { return a.none })},
		{Name: "persist", Values: r.each(func(a record) float64 { return a.persist })},
		{Name: "sticky", Values: r.each(func(a record) float64 { return a.sticky })},
		{Name: "full", Values: r.each(func(a record) float64 { return a.learn })},
	}
	if r.filter != nil && r.filter.Settings().Population != nil {
		shares = append(shares, charts.Share{Name: "population", Values: r.each(func(a record) float64 { return a.others })})
	}
	return shares
}

func (r *Recorder) addTruth(s *charts.Stream) {
	if r.labelled == 0 {
		return
	}
	for _, a := range r.records {
		s.Truth = append(s.Truth, int(a.truth))
	}
}

// addTimes gives the axis its times if every record has one: an axis with holes would be no axis.
func (r *Recorder) addTimes(s *charts.Stream) {
	times := make([]int64, len(r.records))
	for i, a := range r.records {
		if !a.timed {
			return
		}
		times[i] = a.time
	}
	s.Times = times
}

// addSizes places the samples at the records that hold their steps.
func (r *Recorder) addSizes(s *charts.Stream) {
	for i, step := range r.sizes.at {
		at := sort.Search(len(r.records), func(k int) bool { return r.records[k].first > step }) - 1
		if n := len(s.SizeAt); n > 0 && s.SizeAt[n-1] == at {
			continue // a record of many steps holds more than one
		}
		values := make([]float64, len(r.settings.Classes))
		for k, v := range r.sizes.values[i] {
			values[k] = float64(v)
		}
		s.SizeAt, s.Sizes = append(s.SizeAt, at), append(s.Sizes, values)
	}
}

func marks(at int, a record) (out []charts.Mark) {
	for _, e := range []struct {
		event Event
		kind  charts.MarkKind
	}{{Gap, charts.MarkGap}, {Break, charts.MarkBreak}, {Reset, charts.MarkReset}} {
		if a.event&e.event != 0 {
			out = append(out, charts.Mark{At: at, Kind: e.kind})
		}
	}
	if a.zero > 0 {
		out = append(out, charts.Mark{At: at, Kind: charts.MarkZero})
	}
	return out
}

// note is the line under the title.
func (r *Recorder) note() string {
	n := fmt.Sprintf("%s, %s, gate %s; %s changed (%.1f %%)", plural(r.steps, "step", "s"), plural(len(r.settings.Classes), "class", "es"),
		r.gate(), plural(r.changed, "label", "s"), percent(r.changed, r.steps))
	if r.labelled > 0 {
		n += fmt.Sprintf("; accuracy %.2f %% raw, %.2f %% adapted", percent(r.rawRight, r.labelled), percent(r.afterRight, r.labelled))
	}
	if r.zero > 0 {
		n += "; zero evidence at " + plural(r.zero, "step", "s")
	}
	return n
}

func plural(n int, one, more string) string {
	if n == 1 {
		more = ""
	}
	return fmt.Sprintf("%d %s%s", n, one, more)
}

func percent(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }

// Matrix returns the figure of the learned matrix as data. The error tells that there is no matrix, or no longer: see [Recorder.Keep].
func (r *Recorder) Matrix() (charts.Matrix, error) {
	if err := r.complete(); err != nil {
		return charts.Matrix{}, fmt.Errorf("explain: %w", err)
	}
	note := fmt.Sprintf("after %s; n: effective sample size of the row", plural(r.steps, "step", "s"))
	if r.gate() == adapt.GateAuto { // a matrix that nothing rests on must not look like one that matters
		note += fmt.Sprintf("; hypothesis full, of weight %.2g", r.records[len(r.records)-1].learn)
	}
	return charts.Matrix{
		Title: "Transitions learned on " + r.settings.Stream, Note: note,
		Classes: r.settings.Classes, Values: r.matrix, Sizes: r.final,
	}, nil
}
