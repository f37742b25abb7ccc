package eeg

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/preprocess/dsp"
	"github.com/oatta/oatta/runtime"
)

// Piece is a stretch of a signal without a gap.
type Piece struct {
	Start   float64   // second of the first sample
	Samples []float64 // in the unit of the channel; what is not finite counts as a gap
}

// Channel is one signal of a recording.
type Channel struct {
	Label  string
	Unit   string  // uV, mV ...; others are left as they are
	Rate   float64 // Hz
	Pieces []Piece // in order of time

	// The range of the converter and its step, in the unit; all 0 where they are not known. They tell what is saturated or does not move.
	Min, Max, Step float64
}

// Source is a recording. Channel is called once or twice for each channel chosen; the result belongs to the caller.
type Source interface {
	Labels() []string
	Channel(i int) (Channel, error)
}

// Epochs is a recording as a network takes it.
type Epochs struct {
	Labels    []string  // of the channels that were found; "C3 - A2" for a difference
	Features  []string  // names of the columns of a row, nil where epochs are samples
	Samples   int       // of a channel in an epoch; numbers of a row of features
	Count     int       // epochs; the one of number i begins at second offset + i EpochSeconds
	Gap       []bool    // [Count]: the epoch is not whole, and its values are zeros
	Data      []float32 // [Count, channels, Samples], or [Count, Samples] of features, of which NaN stands for those that an epoch does not have
	Mean, Std []float64 // [channels] that were subtracted and divided by; nil without standardisation
	Warnings  []string
	Faults    []Fault // of the signals that have any
}

// Tensor returns epoch i as float32 [1, channels, samples], or [1, features], over the memory of Data.
func (e *Epochs) Tensor(i int) runtime.Tensor {
	if e.Features != nil {
		return runtime.TensorOf(e.Data[i*e.Samples:(i+1)*e.Samples], 1, int64(e.Samples))
	}
	size := len(e.Labels) * e.Samples
	return runtime.TensorOf(e.Data[i*size:(i+1)*size], 1, int64(len(e.Labels)), int64(e.Samples))
}

// Prepare turns a recording into epochs, of which the first begins offset seconds after its start.
func Prepare(src Source, offset float64, set Settings) (*Epochs, error) {
	if set.Features != "" {
		return PrepareView(src, offset, set, View{})
	}
	if err := set.check(offset); err != nil {
		return nil, err
	}
	e := &Epochs{Samples: set.samples()}
	var all [][]Piece
	for _, name := range set.Channels {
		pieces, err := e.channel(src, name, offset, set)
		if err != nil {
			return nil, fmt.Errorf("eeg: %w", err)
		}
		all = append(all, pieces)
	}
	if err := e.cut(all, offset, set); err != nil {
		return nil, fmt.Errorf("eeg: %w", err)
	}
	return e, nil
}

func (s Settings) check(offset float64) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if !(offset >= 0) || math.IsInf(offset, 1) {
		return fmt.Errorf("eeg: epochs from second %g", offset)
	}
	return nil
}

// channel reads a channel and does everything to it but cutting.
func (e *Epochs) channel(src Source, name string, offset float64, set Settings) ([]Piece, error) {
	c, err := e.recorded(src, name, offset, set)
	if err != nil {
		return nil, err
	}
	if err := c.reshape(set); err != nil {
		return nil, fmt.Errorf("channel %q: %w", c.Label, err)
	}
	if set.Standardise {
		e.standardise(c, len(e.Labels)-1, set)
	}
	return c.Pieces, nil
}

// recorded reads a channel as it was recorded, in microvolts, and notes its faults.
func (e *Epochs) recorded(src Source, name string, offset float64, set Settings) (Channel, error) {
	c, err := read(src, name, func(c Channel) { e.inspect(c, offset, set) })
	if err != nil {
		return c, err
	}
	e.Labels = append(e.Labels, c.Label)
	if scale, ok := set.scaleOf(c.Unit); ok {
		eachSample(c.Pieces, func(v float64) float64 { return v * scale })
	} else {
		e.Warnings = append(e.Warnings, fmt.Sprintf("channel %q: unit %q is no voltage: values are as they are", c.Label, c.Unit))
	}
	return c, nil
}

// read finds a channel and, where it is a difference, subtracts. Each signal is shown to see as it was recorded.
func read(src Source, name string, see func(Channel)) (Channel, error) {
	choice, err := Find(src.Labels(), name)
	if err != nil {
		return Channel{}, err
	}
	c, err := src.Channel(choice.Signal)
	if err != nil {
		return c, err
	}
	see(c)
	if choice.Reference < 0 {
		return c, nil
	}
	r, err := src.Channel(choice.Reference)
	if err != nil {
		return c, err
	}
	see(r)
	alike := c.Rate == r.Rate && c.Unit == r.Unit && slices.EqualFunc(c.Pieces, r.Pieces, func(a, b Piece) bool {
		return a.Start == b.Start && len(a.Samples) == len(b.Samples)
	})
	if !alike {
		return c, fmt.Errorf("channel %q: %q and %q differ in rate, unit or gaps", name, c.Label, r.Label)
	}
	for i, p := range c.Pieces {
		for k, v := range r.Pieces[i].Samples {
			p.Samples[k] -= v
		}
	}
	c.Label += " - " + r.Label
	return c, nil
}

// reshape filters and resamples what can give an epoch.
func (c *Channel) reshape(set Settings) error {
	if !(c.Rate > 0) || math.IsInf(c.Rate, 1) {
		return fmt.Errorf("rate %g Hz", c.Rate)
	}
	filter, err := set.Band.Design(c.Rate)
	if err != nil {
		return err
	}
	up, down, err := dsp.Ratio(c.Rate, set.Rate)
	if err != nil {
		return err
	}
	var out []Piece
	for _, p := range finite(c.Pieces, c.Rate) {
		if float64(len(p.Samples))/c.Rate < set.seconds()-1e-6 {
			continue
		}
		if set.Band.Causal {
			filter.Forward(p.Samples)
		} else if err := filter.Both(p.Samples); err != nil {
			return err
		}
		if up != down {
			p.Samples = aroundMean(p.Samples, func(x []float64) []float64 { return dsp.Resample(x, up, down) })
		}
		out = append(out, p)
	}
	c.Pieces, c.Rate = out, set.Rate
	return nil
}

// finite cuts out what is not finite.
func finite(pieces []Piece, rate float64) (out []Piece) {
	for _, p := range pieces {
		first := 0
		for i := 0; i <= len(p.Samples); i++ {
			if i < len(p.Samples) && p.Samples[i]-p.Samples[i] == 0 { // NaN for NaN and infinities
				continue
			}
			if i > first {
				out = append(out, Piece{p.Start + float64(first)/rate, p.Samples[first:i]})
			}
			first = i + 1
		}
	}
	return out
}

// aroundMean calls f with the mean taken away, and puts it back: f takes what is beyond the ends for 0.
func aroundMean(x []float64, f func([]float64) []float64) []float64 {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i := range x {
		x[i] -= mean
	}
	y := f(x)
	for i := range y {
		y[i] += mean
	}
	return y
}

func eachSample(pieces []Piece, f func(float64) float64) {
	for _, p := range pieces {
		for i, v := range p.Samples {
			p.Samples[i] = f(v)
		}
	}
}

// standardise brings a channel to mean 0 and deviation 1, by the numbers of the settings or of the recording.
func (e *Epochs) standardise(c Channel, i int, set Settings) {
	var mean, std float64
	if set.Mean != nil {
		mean, std = set.Mean[i], set.Std[i]
	} else if mean, std = moments(c.Pieces); std == 0 {
		std = 1 // flat, which Faults says
	}
	e.Mean, e.Std = append(e.Mean, mean), append(e.Std, std)
	eachSample(c.Pieces, func(v float64) float64 { return (v - mean) / std })
}

// moments returns mean and standard deviation (of the population) of all samples, in two passes since the mean may be large.
func moments(pieces []Piece) (mean, std float64) {
	n, sum, squares := 0, 0.0, 0.0
	for _, p := range pieces {
		n += len(p.Samples)
		for _, v := range p.Samples {
			sum += v
		}
	}
	if n == 0 {
		return 0, 0
	}
	mean = sum / float64(n)
	for _, p := range pieces {
		for _, v := range p.Samples {
			squares += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(squares / float64(n))
}
