package inputs

import (
	"fmt"
	"math"

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
	c := eeg.Channel{
		Label: signal.Label, Unit: signal.Unit, Rate: signal.Rate(),
		Min: min(signal.PhysicalMin, signal.PhysicalMax), Max: max(signal.PhysicalMin, signal.PhysicalMax),
		Step: math.Abs(signal.Physical(1) - signal.Physical(0)),
	}
	for _, run := range s.Runs() {
		p := eeg.Piece{Start: run.Start, Samples: make([]float64, run.Records*int64(signal.SamplesPerRecord))}
		if err := s.Physical(p.Samples, i, run.First*int64(signal.SamplesPerRecord)); err != nil {
			return c, err
		}
		c.Pieces = append(c.Pieces, p)
	}
	return c, nil
}

// leastShare is the rate below which a signal is none for a network, as a share of the network's own.
const leastShare = 1.0 / 100

// bounded refuses a recording whose header asks for many epochs of few samples: signals that are hardly sampled, and records that lie far
// apart. Without it a number in a header, and not the samples, would say how much is done.
func (s edfSource) bounded(choice eeg.Choice, set eeg.Settings) error {
	for _, k := range []int{choice.Signal, choice.Reference} {
		if k < 0 {
			continue
		}
		signal := s.Header().Signals[s.signals[k]]
		if rate := signal.Rate(); rate < leastShare*set.Rate {
			return fmt.Errorf("channel %q: %.3g Hz, and the network takes %g: want at least a hundredth of that", signal.Label, rate, set.Rate)
		}
	}
	const day = 86400
	if there, end := s.Header().Seconds(), s.seconds(); end-there > 30*there+day {
		return fmt.Errorf("its records lie far apart: %g seconds of them in %g", there, end)
	}
	return nil
}

// seconds returns when the last run ends, gaps included.
func (s edfSource) seconds() (end float64) {
	for _, run := range s.Runs() {
		end = max(end, run.Start+run.Seconds)
	}
	return end
}
