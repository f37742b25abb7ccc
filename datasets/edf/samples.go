package edf

import (
	"errors"
	"fmt"
	"math"
)

// decode writes the little-endian two's complement samples in b, of 2 or 3 bytes each, to dst.
func decode(dst []int32, b []byte, width int) {
	if width == 2 {
		for i := range dst {
			dst[i] = int32(int16(uint16(b[2*i]) | uint16(b[2*i+1])<<8))
		}
		return
	}
	for i := range dst {
		// The three bytes go to the top, and the shift back brings the sign along.
		dst[i] = int32(uint32(b[3*i])<<8|uint32(b[3*i+1])<<16|uint32(b[3*i+2])<<24) >> 8
	}
}

// Samples returns how many samples a signal has in the whole file, gaps not counted.
func (f *File) Samples(signal int) int64 {
	return f.header.Records * int64(f.header.Signals[signal].SamplesPerRecord)
}

// Digital reads len(dst) samples of a signal as they were digitised, from sample first of the file on, gaps not counted. A signal or a
// range that the file does not have is the caller's bug and panics.
func (f *File) Digital(dst []int32, signal int, first int64) error {
	f.checkRange(signal, first, len(dst))
	n := int64(f.header.Signals[signal].SamplesPerRecord)
	var buf []byte
	width := f.header.Format.SampleBytes()
	for len(dst) > 0 {
		from := int(first % n)
		take := min(int(n)-from, len(dst))
		var err error
		if buf, err = f.recordBytes(buf, first/n, signal, from, take); err != nil {
			return f.wrap(err)
		}
		decode(dst[:take], buf, width)
		dst, first = dst[take:], first+int64(take)
	}
	return nil
}

func (f *File) checkRange(signal int, first int64, n int) {
	if signal < 0 || signal >= len(f.header.Signals) {
		panic(fmt.Sprintf("edf: signal %d of %d", signal, len(f.header.Signals)))
	}
	if first < 0 || first > f.Samples(signal)-int64(n) {
		panic(fmt.Sprintf("edf: samples %d to %d of %d", first, first+int64(n), f.Samples(signal)))
	}
}

// Physical is [File.Digital] in the unit of the signal.
func (f *File) Physical(dst []float64, signal int, first int64) error {
	f.checkRange(signal, first, len(dst))
	s := f.header.Signals[signal]
	if err := f.readable(signal); err != nil {
		return f.wrap(err)
	}
	var chunk [4096]int32
	for len(dst) > 0 {
		part := chunk[:min(len(chunk), len(dst))]
		if err := f.Digital(part, signal, first); err != nil {
			return err
		}
		for i, d := range part {
			dst[i] = s.Physical(d)
		}
		dst, first = dst[len(part):], first+int64(len(part))
	}
	return nil
}

func (f *File) readable(signal int) error {
	s := f.header.Signals[signal]
	if s.annotations {
		return fmt.Errorf("%s: holds annotations, not samples", f.header.place(signal))
	}
	if s.scale != nil {
		return fmt.Errorf("%s: %w", f.header.place(signal), s.scale)
	}
	return nil
}

// Piece is a stretch of samples without a gap.
type Piece struct {
	Start   float64   // of the first sample, in seconds since the first of the file
	Samples []float64 // in the unit of the signal
}

// Span reads the samples of a signal at times t with from <= t < to, in seconds since the first sample: one piece, or more where gaps are
// in between, or none. What lies outside the recording is no error.
func (f *File) Span(signal int, from, to float64) ([]Piece, error) {
	f.checkRange(signal, 0, 0)
	if err := f.readable(signal); err != nil {
		return nil, f.wrap(err)
	}
	rate := f.header.Signals[signal].Rate()
	if rate == 0 {
		return nil, f.wrap(fmt.Errorf("%s: %w", f.header.place(signal), errNoRate))
	}
	if !(from <= to) {
		return nil, f.wrap(fmt.Errorf("seconds %g to %g", from, to))
	}
	var out []Piece
	for _, run := range f.runs {
		p, err := f.spanOf(run, signal, rate, from, to)
		if err != nil {
			return nil, err
		}
		if len(p.Samples) > 0 {
			out = append(out, p)
		}
	}
	return out, nil
}

var errNoRate = errors.New("no sampling rate: no samples, or records without a duration")

func (f *File) spanOf(run Run, signal int, rate, from, to float64) (Piece, error) {
	per := int64(f.header.Signals[signal].SamplesPerRecord)
	count := run.Records * per
	first, end := sampleAt(from-run.Start, rate, count), sampleAt(to-run.Start, rate, count)
	if first >= end {
		return Piece{}, nil
	}
	p := Piece{Start: run.Start + float64(first)/rate, Samples: make([]float64, end-first)}
	return p, f.Physical(p.Samples, signal, run.First*per+first)
}

// sampleAt returns the first sample of a run at t seconds or later, of count. A millionth of a sample before counts as in time:
// decimal seconds times a rate are seldom whole in binary.
func sampleAt(t, rate float64, count int64) int64 {
	i := math.Ceil(t*rate - 1e-6)
	return int64(min(max(i, 0), float64(count)))
}
