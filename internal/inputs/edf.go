package inputs

import (
	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/preprocess/eeg"
)

// edfSource shows a file of EDF or BDF as package eeg wants recordings.
type edfSource struct {
	*edf.File
	signals []int // those that are no annotations
}

func newEDFSource(f *edf.File) edfSource {
	s := edfSource{File: f}
	for i, signal := range f.Header().Signals {
		if !signal.Annotations() {
			s.signals = append(s.signals, i)
		}
	}
	return s
}

// Labels implements [eeg.Source].
func (s edfSource) Labels() []string {
	out := make([]string, len(s.signals))
	for k, i := range s.signals {
		out[k] = s.Header().Signals[i].Label
	}
	return out
}

// Channel implements [eeg.Source].
func (s edfSource) Channel(k int) (eeg.Channel, error) {
	i := s.signals[k]
	signal := s.Header().Signals[i]
	c := eeg.Channel{Label: signal.Label, Unit: signal.Unit, Rate: signal.Rate()}
	for _, run := range s.Runs() {
		p := eeg.Piece{Start: run.Start, Samples: make([]float64, run.Records*int64(signal.SamplesPerRecord))}
		if err := s.Physical(p.Samples, i, run.First*int64(signal.SamplesPerRecord)); err != nil {
			return c, err
		}
		c.Pieces = append(c.Pieces, p)
	}
	return c, nil
}

// seconds returns when the last run ends, gaps included.
func (s edfSource) seconds() (end float64) {
	for _, run := range s.Runs() {
		end = max(end, run.Start+run.Seconds)
	}
	return end
}
