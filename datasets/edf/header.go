package edf

import (
	"fmt"
	"strings"
	"time"
)

// The limits of what is read.
const (
	maxSignals     = 9999      // what four digits can say
	maxRecordBytes = 256 << 20 // a minute of 256 channels of 24 bits at 4 kHz is 184 MB
)

// Format is the kind of a file.
type Format uint8

// The four formats; the plus ones have annotations, and may be discontinuous.
const (
	EDF Format = iota
	EDFPlus
	BDF
	BDFPlus
)

// String returns the usual name.
func (f Format) String() string { return [...]string{"EDF", "EDF+", "BDF", "BDF+"}[f&3] }

// Plus tells whether the file can hold annotations.
func (f Format) Plus() bool { return f&1 != 0 }

// SampleBytes returns the bytes of a sample: 2 for EDF, 3 for BDF.
func (f Format) SampleBytes() int {
	if f >= BDF {
		return 3
	}
	return 2
}

// Header is what a file says of itself, and what was wrong with it.
type Header struct {
	Format        Format
	Discontinuous bool      // EDF+D, BDF+D: records may have gaps between them
	Patient       string    // local patient identification
	Recording     string    // local recording identification
	Start         time.Time // of the first sample, wall clock held in UTC; zero if the file gives no date that can be read
	Records       int64     // whole data records that are there
	RecordSeconds float64   // duration of a record; 0 only where nothing but annotations is recorded, or no rate is defined
	Signals       []Signal  // annotations included, in the order of the file
	Warnings      []string  // what was read in spite of a fault

	bytes   int64           // length of the header
	record  int64           // length of a record
	kinds   map[string]kind // of warnings, by their formats
	claimed int64           // the count of records as the header has it
	origin  float64
}

// Signal describes one signal of a file.
type Signal struct {
	Label            string
	Transducer       string
	Unit             string // physical dimension, as written: uV, mV, degC
	PhysicalMin      float64
	PhysicalMax      float64
	DigitalMin       float64
	DigitalMax       float64
	Prefilter        string
	SamplesPerRecord int

	annotations bool
	offset      int64   // of its samples in a record
	seconds     float64 // duration of a record
	scale       error   // why there are no physical values
}

// Annotations tells whether the signal holds annotation lists instead of samples.
func (s Signal) Annotations() bool { return s.annotations }

// Rate returns the sampling rate in Hz, or 0 where records have no duration.
func (s Signal) Rate() float64 {
	if s.seconds == 0 {
		return 0
	}
	return float64(s.SamplesPerRecord) / s.seconds
}

// Physical returns the value of a sample in the signal's unit: the line through (DigitalMin, PhysicalMin) and (DigitalMax, PhysicalMax).
// It is meaningless where [File.Physical] is an error.
func (s Signal) Physical(digital int32) float64 {
	gain := (s.PhysicalMax - s.PhysicalMin) / (s.DigitalMax - s.DigitalMin)
	return (float64(digital) + (s.PhysicalMax/gain - s.DigitalMax)) * gain
}

// Seconds returns the time that the samples cover, gaps not counted.
func (h *Header) Seconds() float64 { return float64(h.Records) * h.RecordSeconds }

// Labels returns the labels of all signals, annotations included, in order.
func (h *Header) Labels() []string {
	out := make([]string, len(h.Signals))
	for i, s := range h.Signals {
		out[i] = s.Label
	}
	return out
}

// kind is a kind of fault: the first is told, and the rest counted.
type kind struct {
	at, count int    // of its warning; how many there are
	first     string // the warning
}

func (h *Header) warn(format string, args ...any) {
	k, known := h.kinds[format]
	if !known {
		k = kind{at: len(h.Warnings), first: fmt.Sprintf(format, args...)}
		h.Warnings = append(h.Warnings, k.first)
	}
	if k.count++; k.count > 1 {
		h.Warnings[k.at] = fmt.Sprintf("%s (%d times; this is the first)", k.first, k.count)
	}
	if h.kinds == nil {
		h.kinds = map[string]kind{}
	}
	h.kinds[format] = k
}

// annotationLabel is what the label of a signal of annotations is in either format.
func (h *Header) annotationLabel() string {
	if h.Format.SampleBytes() == 3 {
		return "BDF Annotations"
	}
	return "EDF Annotations"
}

// place names a signal in messages.
func (h *Header) place(signal int) string {
	return fmt.Sprintf("signal %d (%s)", signal+1, show(h.Signals[signal].Label))
}

// show quotes a text of the file, cut where it is long, so that no byte of a file reaches a terminal as it is.
func show(s string) string {
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "..."
	}
	return fmt.Sprintf("%q", s)
}
