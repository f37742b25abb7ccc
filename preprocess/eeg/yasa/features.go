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
	n := resampledLen(len(ch.EEG), sampleRate, rate) / epochSamples
	t := newTable(Names(ch.EOG != nil, ch.EMG != nil), n)
	at := 0
	for _, c := range ch.present() {
		for _, column := range c.columns(rate) {
			t.set(at, column)
			at++
		}
		if c.kind == eeg {
			t.setTime(at)
			at += 2
		}
	}
	return t, nil
}

// channel is one signal and what it records.
type channel struct {
	kind    kind
	samples []float64
}

// present returns the channels in the order of their columns.
func (ch Channels) present() []channel {
	out := []channel{{eeg, ch.EEG}}
	if ch.EOG != nil {
		out = append(out, channel{eog, ch.EOG})
	}
	if ch.EMG != nil {
		out = append(out, channel{emg, ch.EMG})
	}
	return out
}

func (ch Channels) check(rate float64) error {
	if !(rate > minRate && rate <= maxRate) {
		return fmt.Errorf("rate of %g Hz: want over %d and up to %d", rate, minRate, maxRate)
	}
	if len(ch.EEG) == 0 {
		return errors.New("no EEG")
	}
	for _, c := range ch.present() {
		if len(c.samples) != len(ch.EEG) {
			return fmt.Errorf("%s: %d samples, but %d of the EEG", c.kind, len(c.samples), len(ch.EEG))
		}
		if err := c.finite(); err != nil {
			return err
		}
	}
	if resampledLen(len(ch.EEG), sampleRate, rate) < 2*epochSamples {
		return fmt.Errorf("%.4g seconds: want two epochs of %d at the least", float64(len(ch.EEG))/rate, epochSeconds)
	}
	return nil
}

// maxMicrovolts bounds values so that no sum of their fourth powers overflows.
const maxMicrovolts = 1e60

func (c channel) finite() error {
	for i, v := range c.samples {
		if !(math.Abs(v) <= maxMicrovolts) {
			return fmt.Errorf("%s: sample %d is %g", c.kind, i, v)
		}
	}
	return nil
}

// columns returns all features of a channel, [columns][epochs].
func (c channel) columns(rate float64) [][]float64 {
	x := c.samples
	if rate != sampleRate {
		x = resample(x, sampleRate, rate)
	}
	x = bandPass(x)
	features := c.kind.features()
	raw := make([][]float64, len(features))
	m := newMeter(c.kind)
	for i := range len(x) / epochSamples {
		values := m.measure(x[i*epochSamples : (i+1)*epochSamples])
		for j, f := range features {
			raw[j] = append(raw[j], values[f])
		}
	}
	var out [][]float64
	for _, column := range raw {
		out = append(out, column, robustScale(triangularMean(column)), robustScale(pastMean(column)))
	}
	return out
}

func newTable(names []string, epochs int) *Table {
	return &Table{Names: names, Epochs: epochs, Data: make([]float32, epochs*len(names))}
}

func (t *Table) set(column int, values []float64) {
	for i, v := range values {
		t.Data[i*len(t.Names)+column] = float32(v)
	}
}

// setTime fills the two columns of the time, of which the first is given.
func (t *Table) setTime(column int) {
	for i := range t.Epochs {
		row := t.Row(i)
		row[column] = float32(float64(epochSeconds*i) / 3600)
		row[column+1] = float32(float64(i) / float64(t.Epochs-1))
	}
}
