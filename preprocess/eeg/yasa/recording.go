package yasa

import (
	"errors"
	"fmt"
	"math"
)

// Recording is channels with gaps, each at its own rate, in microvolts.
type Recording struct {
	EEG Signal  // required; over 80 Hz
	EOG *Signal // nil: none
	EMG *Signal // nil: none
}

// Signal is one channel in stretches without a gap.
type Signal struct {
	Rate   float64 // Hz, over 0 and up to 20,000; up to 80 Hz it is brought to 100 as [Upsample] does, so that what is above half the rate is missing
	Pieces []Piece // they do not overlap
}

// Piece is a stretch without a gap.
type Piece struct {
	Start   float64   // second of the first sample; negative before the first epoch, where it only helps the filter
	Samples []float64 // finite
}

// maxEpochs bounds what is allocated: nine years.
const maxEpochs = 1 << 23

// Features returns the features of so many epochs, of which the first begins at second 0: as the function [Features] where there is one
// piece that begins there. Every stretch is filtered by itself, so that nothing rings over a gap; epochs that do not lie in one stretch of
// every channel are marked as gaps, and count for no mean of their neighbours.
func (r Recording) Features(epochs int) (*Table, error) {
	if err := r.check(epochs); err != nil {
		return nil, fmt.Errorf("yasa: %w", err)
	}
	return r.table(epochs), nil
}

func (r Recording) check(epochs int) error {
	if epochs < 2 || epochs > maxEpochs {
		return fmt.Errorf("%d epochs: want 2 to %d", epochs, maxEpochs)
	}
	if !(r.EEG.Rate > minRate) {
		return fmt.Errorf("eeg: rate of %g Hz: want over %d", r.EEG.Rate, minRate)
	}
	for _, c := range r.present() {
		if err := c.check(); err != nil {
			return fmt.Errorf("%s: %w", c.kind, err)
		}
	}
	return nil
}

func (s Signal) check() error {
	if !(s.Rate > 0 && s.Rate <= maxRate) {
		return fmt.Errorf("rate of %g Hz: want over 0 and up to %d", s.Rate, maxRate)
	}
	for i, p := range s.Pieces {
		if !(math.Abs(p.Start) <= maxEpochs*epochSeconds) {
			return fmt.Errorf("piece %d begins at second %g", i, p.Start)
		}
		if len(p.Samples) == 0 {
			return errors.New("a piece without samples")
		}
		if err := finite(p.Samples); err != nil {
			return err
		}
	}
	return nil
}

// channel is one signal and what it records.
type channel struct {
	kind kind
	Signal
}

// present returns the channels in the order of their columns.
func (r Recording) present() []channel {
	out := []channel{{eeg, r.EEG}}
	if r.EOG != nil {
		out = append(out, channel{eog, *r.EOG})
	}
	if r.EMG != nil {
		out = append(out, channel{emg, *r.EMG})
	}
	return out
}

// stretch is a piece as its epochs are measured: of 100 Hz and filtered.
type stretch struct {
	samples    []float64
	start      int // sample of the grid at which it begins; negative before it
	first, end int // epochs that lie in it, the second not counted
}

// stretches returns those in which there are epochs.
func (s Signal) stretches(epochs int) (out []stretch) {
	for _, p := range s.Pieces {
		start := int(math.Round(p.Start * sampleRate))
		n := s.samplesOf(p)
		first := max(0, (start+epochSamples-1)/epochSamples)
		end := min((start+n)/epochSamples, epochs)
		if start+n >= 0 && first < end {
			out = append(out, stretch{bandPass(s.resampled(p)), start, first, end})
		}
	}
	return out
}

// samplesOf is how many samples a piece has at 100 Hz.
func (s Signal) samplesOf(p Piece) int { return resampledLen(len(p.Samples), sampleRate, s.Rate) }

// resampled brings a piece to 100 Hz.
func (s Signal) resampled(p Piece) []float64 {
	switch {
	case s.Rate == sampleRate:
		return p.Samples
	case s.Rate <= minRate:
		return periodic(p.Samples, s.samplesOf(p))
	}
	return resample(p.Samples, sampleRate, s.Rate)
}
