package eeg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/oatta/oatta/preprocess/eeg/yasa"
)

// YASA names the features of package yasa, in [Settings] and in manifests.
const YASA = "yasa-0.8.1"

// The roles of channels, of which features are taken, in the order of their columns.
const (
	EEG = "eeg" // required
	EOG = "eog"
	EMG = "emg"
)

// View is a change of a whole recording, of which features are taken then. The zero value changes nothing.
type View struct {
	Gain   float64 // what every channel is multiplied with, less 1
	Shift  float64 // seconds by which what comes later is brought forward; epochs at the ends that are not whole then are marked as gaps
	Jitter float64 // deviation of noise that is added, as a share of the channel's own
	Seed   uint64  // of the noise
}

// LowRate is the rate in Hz up to which a signal has not all of the band of the features. An EEG must have more.
const LowRate = 80

// leastEpochs are the five minutes that YASA asks for: the means of its features are of seven.
const leastEpochs = 10

// PrepareView is [Prepare] of a recording that is changed before features are taken; settings without features take no view.
func PrepareView(src Source, offset float64, set Settings, v View) (*Epochs, error) {
	if err := set.check(offset); err != nil {
		return nil, err
	}
	e := &Epochs{}
	if err := e.features(src, offset, set, v); err != nil {
		return nil, fmt.Errorf("eeg: %w", err)
	}
	return e, nil
}

// features fills Data with a row for each epoch. The recording is taken from its beginning on, whatever the offset: features are
// normalised by all of it.
func (e *Epochs) features(src Source, offset float64, set Settings, v View) error {
	var r yasa.Recording
	lead, end := math.Mod(offset, set.seconds()), 0.0
	for i, name := range set.Channels {
		s, err := e.signal(src, name, set.Roles[i], offset, set)
		if err != nil {
			return err
		}
		v.change(&s, uint64(i))
		for k := range s.Pieces {
			p := &s.Pieces[k]
			end = max(end, p.Start+float64(len(p.Samples))/s.Rate)
			p.Start -= lead + v.Shift
		}
		switch set.Roles[i] {
		case EEG:
			r.EEG = s
		case EOG:
			r.EOG = &s
		case EMG:
			r.EMG = &s
		}
	}
	skip := int(min((offset-lead)/set.seconds()+0.5, maxValues))
	count := math.Floor((end-lead)/set.seconds() + 1e-6)
	switch {
	case !(count > float64(skip)):
		return errShort
	case count < leastEpochs:
		return CheckLength(epochSeconds * count)
	case count*float64(len(yasa.Names(r.EOG != nil, r.EMG != nil))) > maxValues:
		return errLong
	}
	table, err := r.Features(int(count))
	if err != nil {
		return err
	}
	return e.take(table, skip)
}

const epochSeconds = 30

// CheckRate reports an EEG whose rate in Hz is too low for its features.
func CheckRate(label string, rate float64) error {
	if !(rate > LowRate) {
		return fmt.Errorf("channel %q: %g Hz: the features are of up to 30 Hz, want over %d", label, rate, LowRate)
	}
	return nil
}

// CheckLength reports a recording of fewer seconds than features take.
func CheckLength(seconds float64) error {
	if !(seconds >= leastEpochs*epochSeconds) {
		return fmt.Errorf("%.1f minutes: the features are means over minutes, want %d at the least", seconds/60, leastEpochs*epochSeconds/60)
	}
	return nil
}

// take takes the rows of a table from one on.
func (e *Epochs) take(t *yasa.Table, skip int) error {
	whole := 0
	for _, gap := range t.Gap {
		if !gap {
			whole++
		}
	}
	if whole < leastEpochs {
		return fmt.Errorf("%d epochs without a gap in any channel: the features are means over minutes, want %d at the least", whole, leastEpochs)
	}
	columns := len(t.Names)
	e.Features, e.Samples, e.Count = t.Names, columns, t.Epochs-skip
	e.Gap, e.Data = t.Gap[skip:], t.Data[skip*columns:]
	for i, gap := range e.Gap {
		if gap {
			clear(e.Data[i*columns : (i+1)*columns])
		}
	}
	return nil
}

// signal reads a channel for its features.
func (e *Epochs) signal(src Source, name, role string, offset float64, set Settings) (s yasa.Signal, err error) {
	c, err := e.recorded(src, name, offset, set)
	if err != nil {
		return s, err
	}
	switch {
	case !(c.Rate > 0) || math.IsInf(c.Rate, 1):
		return s, fmt.Errorf("channel %q: rate %g Hz", c.Label, c.Rate)
	case role == EEG && c.Rate <= LowRate:
		return s, CheckRate(c.Label, c.Rate)
	case c.Rate <= LowRate:
		e.Warnings = append(e.Warnings, fmt.Sprintf("channel %q: %g Hz: it has nothing above %g Hz, and its features are of up to 30", c.Label, c.Rate, c.Rate/2))
	}
	s.Rate = c.Rate
	for _, p := range finite(c.Pieces, c.Rate) {
		s.Pieces = append(s.Pieces, yasa.Piece(p))
	}
	return s, nil
}

// change makes the view of a signal.
func (v View) change(s *yasa.Signal, channel uint64) {
	if v.Gain == 0 && v.Jitter == 0 {
		return
	}
	random := rand.New(rand.NewPCG(v.Seed, channel))
	pieces := make([]Piece, len(s.Pieces))
	for i, p := range s.Pieces {
		pieces[i] = Piece(p)
	}
	_, std := moments(pieces)
	eachSample(pieces, func(x float64) float64 {
		if v.Jitter != 0 {
			x += v.Jitter * std * random.NormFloat64()
		}
		return (1 + v.Gain) * x
	})
}

// checkFeatures holds settings with features to what their package computes.
func (s Settings) checkFeatures() error {
	if s.Features == "" {
		if s.Roles != nil {
			return fmt.Errorf("roles %q without features", s.Roles)
		}
		return nil
	}
	switch {
	case s.Features != YASA:
		return fmt.Errorf("features %q: want %s", s.Features, YASA)
	case s.seconds() != epochSeconds || s.Band.Active() || s.Standardise:
		return fmt.Errorf("features %s are of epochs of %d seconds, with a band of their own and not standardised", s.Features, epochSeconds)
	case len(s.Roles) != len(s.Channels):
		return fmt.Errorf("%d roles for %d channels", len(s.Roles), len(s.Channels))
	}
	return CheckRoles(s.Roles)
}

// CheckRoles reports roles that are not of EEG, EOG and EMG in that order, the first of them there and none twice.
func CheckRoles(roles []string) error {
	for i, role := range roles {
		at := slices.Index([]string{EEG, EOG, EMG}, role)
		if at < i || i == 0 && at > 0 || i > 0 && role == roles[i-1] {
			return fmt.Errorf("roles %q: want %s, then %s, %s or both", roles, EEG, EOG, EMG)
		}
	}
	return nil
}
