package edf

import (
	"cmp"
	"slices"
)

// Annotations reads all annotations of the file in order of their onsets; those of one onset stay in the order of the file. The
// second result says what was left out or read in spite of a fault. A plain EDF or BDF file has none.
func (f *File) Annotations() ([]Annotation, []string, error) {
	var out []Annotation
	var notes Header // for its bounded warnings
	var buf []byte
	for record := range f.header.Records {
		for i, s := range f.header.Signals {
			if !s.annotations {
				continue
			}
			var err error
			if buf, err = f.recordBytes(buf, record, i, 0, s.SamplesPerRecord); err != nil {
				return nil, nil, f.wrap(err)
			}
			out = f.header.appendAnnotations(out, buf, notes.warn)
		}
	}
	sortAnnotations(out)
	return out, notes.Warnings, nil
}

// appendAnnotations reads the texts of one signal in one record. Empty ones only carry the time of the record.
func (h *Header) appendAnnotations(out []Annotation, b []byte, warn func(string, ...any)) []Annotation {
	for _, l := range parseLists(b, warn) {
		for _, t := range l.texts {
			if t != "" {
				out = append(out, Annotation{Onset: l.onset - h.origin, Duration: l.duration, HasDuration: l.timed, Text: t})
			}
		}
	}
	return out
}

func sortAnnotations(a []Annotation) {
	slices.SortStableFunc(a, func(x, y Annotation) int { return cmp.Compare(x.Onset, y.Onset) })
}
