package motion

import (
	"fmt"
	"io"
)

// Planned is a window that a [Stream] will give.
type Planned struct {
	Index  int64
	Start  float64
	Label  int32
	Purity float32
}

// Plan says what a recording will give, without the samples: 24 bytes a window.
type Plan struct {
	Windows   []Planned
	Start     float64   // of window 0, whole or not: seconds since the start of the recording
	Labels    []string  // of the source
	Mean, Std []float64 // of each channel, in the unit of the settings, all stretches on the grid and filtered; Std is 1 for a flat channel
	Seconds   float64   // that the stretches cover
	Warnings  []string
}

// maxWindows bounds a plan: two years of windows a second.
const maxWindows = 1 << 26

// Scan reads a source to its end. To standardise by the recording's own numbers, put Mean and Std of the plan into the settings of a stream.
func Scan(src Source, set Settings) (*Plan, error) {
	p := &Plan{}
	s, err := each(src, set, false, func(w *Window) error {
		if len(p.Windows) == maxWindows {
			return fmt.Errorf("motion: more than %d windows", maxWindows)
		}
		p.Windows = append(p.Windows, Planned{w.Index, w.Start, int32(w.Label), float32(w.Purity)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.finish(s, src)
	return p, nil
}

// each gives all windows of a source to use, which may not keep them.
func each(src Source, set Settings, data bool, use func(*Window) error) (*Stream, error) {
	s, err := newStream(src, set)
	if err != nil {
		return nil, err
	}
	var w Window
	for {
		err := s.next(&w, data)
		if err == io.EOF {
			return s, nil
		}
		if err == nil {
			err = use(&w)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *Plan) finish(s *Stream, src Source) {
	p.Labels, p.Warnings, p.Start = src.Labels(), s.Warnings(), s.stretches.next.origin
	for c, m := range s.windows.moments {
		if m.squares == 0 && m.n > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("channel %q: flat", s.set.Channels[c]))
		}
		p.Mean, p.Std = append(p.Mean, m.mean), append(p.Std, m.std())
		p.Seconds = m.n / s.set.Rate
	}
}
