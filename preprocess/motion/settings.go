package motion

import (
	"fmt"

	"github.com/oatta/oatta/preprocess/dsp"
)

// Settings says what a network takes. It is part of its manifest.
type Settings struct {
	Channels []string // names as for Find, in the order of the network; at least one
	Unit     string   // of acceleration: g (default) or m/s2
	Rate     float64  // Hz; required
	Samples  int      // of a window; required
	Hop      int      // samples from one window to the next; default Samples, no overlap; more leaves some out
	MaxGap   float64  // seconds without a sample that are bridged; default 0.1, and never less than one and a half samples of the source
	Band     dsp.Band // default: no filter

	Standardise bool      // subtract the mean and divide by the standard deviation of each channel
	Mean, Std   []float64 // for Standardise, one a channel in Unit; default: of the recording itself, as Scan finds them

	Purity float64 // share of a window, 0 to 1, that its label must have; a window of less has none. Default 0: any majority
}

// The limits of what makes sense, and bounds what is allocated.
const (
	maxChannels = 256
	maxWindow   = 1 << 24 // samples of all channels of a window
	maxRate     = 100_000 // Hz
	maxRatio    = 200     // of the two rates
	maxGap      = 60      // seconds that are bridged
)

// Validate returns what is wrong with the settings, or nil.
func (s Settings) Validate() error {
	for _, check := range []func() error{s.checkSizes, s.checkBand, s.checkScale} {
		if err := check(); err != nil {
			return fmt.Errorf("motion: settings: %w", err)
		}
	}
	return nil
}

func (s Settings) checkSizes() error {
	switch {
	case len(s.Channels) == 0 || len(s.Channels) > maxChannels:
		return fmt.Errorf("%d channels: want 1 to %d", len(s.Channels), maxChannels)
	case s.Unit != "" && s.Unit != G && s.Unit != MetresPerSecond2:
		return fmt.Errorf("unit %q: want %s or %s", s.Unit, G, MetresPerSecond2)
	case !(s.Rate > 0 && s.Rate <= maxRate):
		return fmt.Errorf("rate of %v Hz: want over 0 and at most %d", s.Rate, maxRate)
	case s.Samples < 1 || s.Samples > maxWindow/len(s.Channels):
		return fmt.Errorf("windows of %d samples: want 1 to %d", s.Samples, maxWindow/len(s.Channels))
	case s.Hop < 0 || s.Hop > maxWindow:
		return fmt.Errorf("hop of %d samples: want 1 to %d", s.Hop, maxWindow)
	case !(s.MaxGap >= 0 && s.MaxGap <= maxGap):
		return fmt.Errorf("gaps of up to %v seconds: want 0 to %d", s.MaxGap, maxGap)
	case !(s.Purity >= 0 && s.Purity <= 1):
		return fmt.Errorf("purity of %v: want 0 to 1", s.Purity)
	}
	return nil
}

func (s Settings) checkBand() error {
	_, err := s.Band.Design(s.Rate)
	return err
}

func (s Settings) checkScale() error {
	return dsp.CheckScale(s.Channels, s.Standardise, s.Mean, s.Std)
}

func (s Settings) hop() int {
	if s.Hop == 0 {
		return s.Samples
	}
	return s.Hop
}

// gap returns the time between two samples from which on something is missing that is not bridged.
func (s Settings) gap(rate float64) float64 {
	gap := s.MaxGap
	if gap == 0 {
		gap = 0.1
	}
	return max(gap, 1.5/rate)
}
