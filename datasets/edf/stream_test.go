package edf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// Decoder is a plain twin of File: it reads a recording from a stream, record by record.
type Decoder struct {
	header Header
	r      io.Reader
	buf    bytes.Buffer
	record int64
}

// Record is one data record.
type Record struct {
	Index       int64
	Onset       float64      // seconds since the first sample
	Digital     [][]int32    // [signal][sample]; nil for signals of annotations
	Annotations []Annotation // those in this record, which may be of other times
}

// NewDecoder reads the header from r. Header.Records is what the file claims, -1 if it does not know: only the end of the stream tells.
func NewDecoder(r io.Reader) (*Decoder, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, fmt.Errorf("edf: %w", err)
	}
	h.Records = h.claimed
	// Where the size is unknown nothing can confirm another length of the header than the one that the signals need.
	if want := fixedBytes + int64(len(h.Signals))*signalBytes; h.bytes != want {
		h.warn("header: length %d, but %d signals need %d, which is taken", h.bytes, len(h.Signals), want)
	}
	return &Decoder{header: *h, r: r}, nil
}

// Header returns the header. Start gains its fraction of a second, and Warnings may grow, with the first record.
func (d *Decoder) Header() *Header { return &d.header }

// Next reads the next record into rec, whose slices are reused. It returns io.EOF at the end, and an error that wraps
// io.ErrUnexpectedEOF where the stream ends within a record.
func (d *Decoder) Next(rec *Record) error {
	d.buf.Reset()
	n, err := io.CopyN(&d.buf, d.r, d.header.record)
	if n == 0 && errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("edf: record %d: %w after %d of %d bytes", d.record+1, cut(err), n, d.header.record)
	}
	d.decode(rec, d.buf.Bytes())
	d.record++
	return nil
}

func (d *Decoder) decode(rec *Record, b []byte) {
	h := &d.header
	d.takeOnset(rec, b)
	rec.Index, rec.Annotations = d.record, rec.Annotations[:0]
	if len(rec.Digital) != len(h.Signals) {
		rec.Digital = make([][]int32, len(h.Signals))
	}
	for i, s := range h.Signals {
		part := h.part(b, s)
		if s.annotations {
			rec.Annotations = h.appendAnnotations(rec.Annotations, part, h.warn)
			continue
		}
		if len(rec.Digital[i]) != s.SamplesPerRecord {
			rec.Digital[i] = make([]int32, s.SamplesPerRecord)
		}
		decode(rec.Digital[i], part, h.Format.SampleBytes())
	}
}

// part returns the bytes of a signal in a record.
func (h *Header) part(record []byte, s Signal) []byte {
	return record[s.offset : s.offset+int64(s.SamplesPerRecord*h.Format.SampleBytes())]
}

// takeOnset finds the time of the record; a continuous file needs it only once.
func (d *Decoder) takeOnset(rec *Record, b []byte) {
	h := &d.header
	onset, ok := h.onsetIn(b)
	if d.record == 0 {
		h.firstSample(func() (float64, bool, error) { return onset, ok, nil })
	}
	rec.Onset = float64(d.record) * h.RecordSeconds
	switch off := onset - h.origin - rec.Onset; {
	case h.Discontinuous && ok:
		rec.Onset = onset - h.origin
	case h.Discontinuous:
		h.warn("record %d: no onset: taken for one without a gap", d.record+1)
	case ok && math.Abs(off) > maxDrift && h.RecordSeconds > 0:
		rec.Onset = onset - h.origin
		h.warn("record %d of a continuous file begins %g seconds off: its onset counts", d.record+1, off)
	}
}

func (h *Header) onsetIn(record []byte) (float64, bool) {
	for _, s := range h.Signals {
		if s.annotations {
			return recordTime(h.part(record, s))
		}
	}
	return 0, false
}
