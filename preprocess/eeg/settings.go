package eeg

import (
	"fmt"
	"math"
	"strings"

	"github.com/oatta/oatta/preprocess/dsp"
)

// Settings says what a network takes. It is part of its manifest.
type Settings struct {
	Channels     []string  // names as for Find, in the order of the network; at least one
	Rate         float64   // Hz; required
	Band         dsp.Band  // default: no filter
	EpochSeconds float64   // default 30; Rate times this must be whole
	Standardise  bool      // subtract the mean and divide by the standard deviation of each channel
	Mean, Std    []float64 // for Standardise, one a channel in the channel's unit (microvolts); default: of the recording itself

	// Unit is what signals are in whose own unit is no voltage, as uV, mV or V; default: their values are taken as they are, with a warning.
	// "uV=mV" is what those are in whose header says uV and is wrong.
	Unit string `json:",omitempty"`

	// Features, [YASA] or none, takes a row of features in the place of the samples of an epoch; no band and no standardisation then, and Rate
	// says nothing but how long an epoch is. Roles are those of Channels: EEG, then EOG, EMG or both.
	Features string   `json:",omitempty"`
	Roles    []string `json:",omitempty"`
}

// The limits of what makes sense, and bounds what is allocated.
const (
	maxChannels = 1024
	maxSamples  = 1 << 24 // of an epoch
)

// Validate returns what is wrong with the settings, or nil.
func (s Settings) Validate() error {
	if err := s.validate(); err != nil {
		return fmt.Errorf("eeg: settings: %w", err)
	}
	return nil
}

func (s Settings) validate() error {
	if len(s.Channels) == 0 || len(s.Channels) > maxChannels {
		return fmt.Errorf("%d channels: want 1 to %d", len(s.Channels), maxChannels)
	}
	n := s.Rate * s.seconds()
	if !(s.Rate > 0 && s.seconds() > 0 && n >= 0.5 && n <= maxSamples) {
		return fmt.Errorf("epochs of %g seconds at %g Hz", s.seconds(), s.Rate)
	}
	if math.Abs(n-math.Round(n)) > 1e-6 {
		return fmt.Errorf("epochs of %g seconds at %g Hz have %g samples: want a whole number", s.seconds(), s.Rate, n)
	}
	if err := s.Band.Validate(); err != nil {
		return err
	}
	if _, _, ok := s.unit(); s.Unit != "" && !ok {
		return fmt.Errorf("unit %q: want uV, mV, V or nV, or as uV=mV what a header says and what it is", s.Unit)
	}
	if s.Band.High > s.Rate/2 {
		return fmt.Errorf("band up to %g Hz: more than half the rate of %g Hz can carry", s.Band.High, s.Rate)
	}
	if err := s.checkFeatures(); err != nil {
		return err
	}
	return dsp.CheckScale(s.Channels, s.Standardise, s.Mean, s.Std)
}

// unit returns what the settings say of units: that of signals of another, "" for those without a voltage, in microvolts.
func (s Settings) unit() (said string, scale float64, ok bool) {
	said, is, both := strings.Cut(s.Unit, "=")
	if !both {
		said, is = "", s.Unit
	}
	scale, ok = Microvolts(is)
	return strings.TrimSpace(said), scale, ok
}

// scaleOf returns what a value in a signal's unit is to be multiplied with to be in microvolts; false where nobody knows.
func (s Settings) scaleOf(unit string) (float64, bool) {
	own, ok := Microvolts(unit)
	said, scale, given := s.unit()
	switch {
	case given && said == "" && !ok:
		return scale, true
	case given && said != "" && sameUnit(said, unit):
		return scale, true
	}
	return own, ok
}

// sameUnit tells whether two units are spelled alike, or are the same voltage.
func sameUnit(a, b string) bool {
	x, ok1 := Microvolts(a)
	y, ok2 := Microvolts(b)
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) || ok1 && ok2 && x == y
}

func (s Settings) seconds() float64 {
	if s.EpochSeconds == 0 {
		return 30
	}
	return s.EpochSeconds
}

// samples is the length of an epoch.
func (s Settings) samples() int { return int(math.Round(s.Rate * s.seconds())) }
