package yasa

import (
	"errors"
	"fmt"
	"math"
)

const (
	minRate = 80    // Hz; the band up to 30 Hz and its transition must be in the signal
	maxRate = 20000 // Hz
)

// Channels are the signals of one recording in microvolts, all of the same length; [Upsample] helps where one is recorded at a lower rate.
type Channels struct {
	EEG []float64 // required; best a central electrode against a mastoid or Fpz
	EOG []float64 // nil: none
	EMG []float64 // nil: none; of the chin
}

// Table is a recording as a classifier takes it.
type Table struct {
	Names  []string  // [columns], as [Names] gives them
	Epochs int       // rows; row i is of second 30 i to 30 (i + 1)
	Gap    []bool    // [Epochs]: a channel is not whole there, and the row means nothing
	Data   []float32 // [Epochs, columns]; NaN where an epoch has no such value
}

// Row returns the features of epoch i, [columns], over the memory of Data.
func (t *Table) Row(i int) []float32 {
	n := len(t.Names)
	return t.Data[i*n : (i+1)*n : (i+1)*n]
}

// Features returns the features of a recording of that rate in Hz, over 80 and up to 20,000: [epochs, columns]. The order of columns is that of the
// classifier trained on these channels. It is an error where there is no EEG, channels differ in length, values are not finite, or there
// are fewer than two whole epochs.
func Features(ch Channels, rate float64) (*Table, error) {
	if err := ch.check(rate); err != nil {
		return nil, fmt.Errorf("yasa: %w", err)
	}
	return ch.recording(rate).table(resampledLen(len(ch.EEG), sampleRate, rate) / epochSamples), nil
}

// recording is the channels without gaps.
func (ch Channels) recording(rate float64) Recording {
	of := func(x []float64) *Signal {
		if x == nil {
			return nil
		}
		return &Signal{rate, []Piece{{0, x}}}
	}
	return Recording{EEG: *of(ch.EEG), EOG: of(ch.EOG), EMG: of(ch.EMG)}
}

func (ch Channels) check(rate float64) error {
	if !(rate > minRate && rate <= maxRate) {
		return fmt.Errorf("rate of %g Hz: want over %d and up to %d", rate, minRate, maxRate)
	}
	if len(ch.EEG) == 0 {
		return errors.New("no EEG")
	}
	for _, c := range ch.recording(rate).present() {
		x := c.Pieces[0].Samples
		if len(x) != len(ch.EEG) {
			return fmt.Errorf("%s: %d samples, but %d of the EEG", c.kind, len(x), len(ch.EEG))
		}
		if err := finite(x); err != nil {
			return fmt.Errorf("%s: %w", c.kind, err)
		}
	}
	if resampledLen(len(ch.EEG), sampleRate, rate) < 2*epochSamples {
		return fmt.Errorf("%.4g seconds: want two epochs of %d at the least", float64(len(ch.EEG))/rate, epochSeconds)
	}
	return nil
}

// maxMicrovolts bounds values so that no sum of their fourth powers overflows.
const maxMicrovolts = 1e60

func finite(x []float64) error {
	for i, v := range x {
		if !(math.Abs(v) <= maxMicrovolts) {
			return fmt.Errorf("sample %d is %g", i, v)
		}
	}
	return nil
}
