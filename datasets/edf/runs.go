package edf

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// Run is a stretch of records that follow one another without a gap. A continuous file is one run.
type Run struct {
	Start   float64 // seconds since the first sample
	Seconds float64 // length
	First   int64   // its first record
	Records int64
}

// Runs returns the stretches without gaps, in order of time. The slice must not be changed.
func (f *File) Runs() []Run { return f.runs }

// maxDrift is how many seconds the onsets of a continuous file may be off before they count: clocks drift, and onsets are rounded.
const maxDrift = 1.0

// hiddenGaps returns the runs of a file that calls itself continuous: one, unless the onset of its last record shows that it is not.
func (f *File) hiddenGaps() []Run {
	h := &f.header
	one := []Run{{Records: h.Records, Seconds: h.Seconds()}}
	if !h.Format.Plus() || h.RecordSeconds == 0 {
		return one
	}
	last, ok, err := f.onset(h.Records - 1)
	off := last - h.origin - float64(h.Records-1)*h.RecordSeconds
	if err != nil || !ok || math.Abs(off) <= maxDrift {
		return one
	}
	runs, err := h.findRuns(f.onset, maxDrift)
	if err != nil {
		h.warn("header: continuous, yet the last record begins %g seconds off: %v: taken for continuous", off, err)
		return one
	}
	h.Discontinuous = true
	h.warn("header: continuous, yet between the records are gaps of %g seconds in all: taken where their onsets are", off)
	return runs
}

// halfSample is half the time between two samples of the fastest signal.
func (h *Header) halfSample() float64 {
	slack := h.RecordSeconds / 2
	for _, s := range h.Signals {
		if !s.annotations && s.SamplesPerRecord > 0 {
			slack = min(slack, h.RecordSeconds/float64(2*s.SamplesPerRecord))
		}
	}
	return slack
}

// findRuns reads the onset of every record of a discontinuous file. Records join where they are less than slack seconds apart; measured
// from the beginning of the run, so that many small deviations do not add up unseen.
func (h *Header) findRuns(onset func(int64) (float64, bool, error), slack float64) ([]Run, error) {
	var runs []Run
	end := math.Inf(-1) // of the record before
	for i := range h.Records {
		t, ok, err := onset(i)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("record %d: a discontinuous file without its onset", i+1)
		}
		t -= h.origin
		if t < end-slack {
			return nil, fmt.Errorf("record %d begins at second %g, before the end of the one before at %g", i+1, t, end)
		}
		end = t + h.RecordSeconds
		if n := len(runs) - 1; n >= 0 && math.Abs(t-runs[n].Start-runs[n].Seconds) < slack {
			runs[n].Records++
			runs[n].Seconds = float64(runs[n].Records) * h.RecordSeconds
			continue
		}
		runs = append(runs, Run{Start: t, Seconds: h.RecordSeconds, First: i, Records: 1})
	}
	return runs, nil
}

// onset reads the onset of a record, counted from the header's start: that of the first list of the first signal of annotations.
func (f *File) onset(record int64) (seconds float64, ok bool, err error) {
	for i, s := range f.header.Signals {
		if !s.annotations {
			continue
		}
		b, err := f.recordBytes(nil, record, i, 0, s.SamplesPerRecord)
		if err != nil {
			return 0, false, err
		}
		seconds, ok = recordTime(b)
		return seconds, ok, nil
	}
	return 0, false, nil
}

// recordBytes reads count samples of one signal in one record, from its sample first on, into buf, which grows as needed.
func (f *File) recordBytes(buf []byte, record int64, signal, first, count int) ([]byte, error) {
	h := &f.header
	width := h.Format.SampleBytes()
	buf = slices.Grow(buf[:0], count*width)[:count*width]
	at := h.bytes + record*h.record + h.Signals[signal].offset + int64(first*width)
	if got, err := f.r.ReadAt(buf, at); got < len(buf) {
		return nil, fmt.Errorf("record %d: %s: %w", record+1, h.place(signal), cut(err))
	}
	return buf, nil
}

// recordTime finds the time of a record in its first signal of annotations: the onset of the first list, whose first text is empty.
func recordTime(b []byte) (seconds float64, ok bool) {
	first, _, _ := bytes.Cut(b, []byte{0})
	lists := parseLists(first, func(string, ...any) {})
	if len(lists) == 0 || len(lists[0].texts) > 0 && lists[0].texts[0] != "" {
		return 0, false
	}
	return lists[0].onset, true
}
