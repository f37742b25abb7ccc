package motion

import (
	"errors"
	"fmt"
	"io"
)

// Stream gives the windows of a recording in order. It is not safe for concurrent use.
type Stream struct {
	set       Settings
	sampler   *sampler
	stretches *stretches
	band      *band // nil: no filter
	windows   *assembler
	scale     []float64 // 1 / deviation of each channel; nil: as they are
	ended     bool
	err       error
	count     int // windows given
}

// NewStream begins to read a source. Standardisation by the recording's own numbers needs them beforehand: [Scan] finds them, from another
// opening of the same recording.
func NewStream(src Source, set Settings) (*Stream, error) {
	if set.Standardise && set.Mean == nil {
		return nil, errors.New("motion: standardisation without mean and deviation: scan the recording first")
	}
	return newStream(src, set)
}

func newStream(src Source, set Settings) (*Stream, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	s := &Stream{set: set, windows: newAssembler(set)}
	if err := s.connect(src); err != nil {
		return nil, fmt.Errorf("motion: %w", err)
	}
	for _, std := range set.Std {
		s.scale = append(s.scale, 1/std)
	}
	return s, nil
}

// connect builds the stages: sampler, stretches, grid, band, windows.
func (s *Stream) connect(src Source) (err error) {
	if s.sampler, err = newSampler(src, s.set); err != nil {
		return err
	}
	rate, channels := src.Rate(), len(s.set.Channels)
	k, err := newKernel(rate, s.set.Rate)
	if err != nil {
		return err
	}
	var next sink = s.windows
	if s.set.Band.Active() {
		if s.band, err = newBand(s.set.Band, s.set.Rate, channels, next); err != nil {
			return err
		}
		next = s.band
	}
	s.stretches = &stretches{gap: s.set.gap(rate), period: 1 / rate, next: newGrid(k, rate, s.set.Rate, channels, next)}
	return nil
}

// Next reads the next window into w, whose Data is reused if it is large enough; io.EOF after the last.
func (s *Stream) Next(w *Window) error { return s.next(w, true) }

func (s *Stream) next(w *Window, data bool) error {
	for {
		if at, ok := s.windows.ready(); ok {
			s.windows.start = s.stretches.next.origin
			s.windows.fill(w, at, data)
			if data {
				s.standardise(w)
			}
			s.count++
			return nil
		}
		if s.ended {
			return s.err
		}
		s.advance()
	}
}

// advance reads some samples.
func (s *Stream) advance() {
	err := s.sampler.read(s.stretches.add)
	if err == io.EOF {
		err = s.stretches.end()
		if err == nil {
			err = io.EOF
		}
	}
	if err == nil {
		return
	}
	s.ended, s.err = true, err
	if err != io.EOF {
		s.err = fmt.Errorf("motion: %w", err)
	}
}

func (s *Stream) standardise(w *Window) {
	if s.scale == nil {
		return
	}
	n := s.set.Samples
	for c, scale := range s.scale {
		mean := s.set.Mean[c]
		for i, v := range w.Data[c*n : (c+1)*n] {
			w.Data[c*n+i] = float32((float64(v) - mean) * scale)
		}
	}
}

// Warnings returns what is to be said of the recording; all of it only after the last window.
func (s *Stream) Warnings() []string {
	out := append([]string(nil), s.sampler.warnings...)
	if n := s.sampler.missing; n > 0 {
		out = append(out, fmt.Sprintf("samples without a value in some channel, passed over: %d", n))
	}
	if s.stretches.gaps > 0 {
		out = append(out, fmt.Sprintf("gaps of more than %.3g seconds: %d", s.stretches.gap, s.stretches.gaps))
	}
	if s.band != nil && s.band.short > 0 {
		out = append(out, fmt.Sprintf("stretches too short to be filtered, left out: %d", s.band.short))
	}
	return out
}
