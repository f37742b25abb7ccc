package augment

import (
	"fmt"
	"math"
	"slices"
)

// Views are the settings of the views of a window. Each change is off where its number is 0; the zero value is the plain window
// alone.
type Views struct {
	Augmented int // views beside the plain one, 0 to 4096

	Shift  float64 // largest move in time as a share of the window, 0 to 1; whole samples
	Scale  float64 // standard deviation of a channel's factor, 0 to 1
	Warp   float64 // standard deviation of the points of a channel's curve of factors, 0 to 1
	Knots  int     // points of that curve beside its ends, 2 to 64; default 4
	Jitter float64 // standard deviation of the noise as a share of the channel's own, 0 to 10
	Drop   float64 // probability that a channel falls silent, 0 to 1
	Mask   float64 // longest silent stretch as a share of the window, 0 to 1

	// Triples are the channels that are x, y and z of one sensor, and Rotate is the largest angle in degrees by which they are
	// turned, 0 to 180.
	Triples [][3]int
	Rotate  float64
}

// Movement returns defaults for windows of an accelerometer or gyroscope: 16 views; shift by up to a tenth, scale 0.1, warp 0.2,
// jitter 0.05, and turns of the triples, if any are named, by up to 15 degrees.
func Movement(triples ...[3]int) Views {
	v := Views{Augmented: 16, Shift: 0.1, Scale: 0.1, Warp: 0.2, Jitter: 0.05, Triples: triples}
	if len(triples) > 0 {
		v.Rotate = 15
	}
	return v
}

// EEG returns defaults for epochs of EEG, EOG and EMG: 16 views; shift by up to a tenth, scale 0.1, jitter 0.05, a channel silent
// with probability 0.1, a stretch of up to a tenth silent. Magnitude is not warped: within an epoch, amplitude is what tells deep
// sleep.
func EEG() Views {
	return Views{Augmented: 16, Shift: 0.1, Scale: 0.1, Jitter: 0.05, Drop: 0.1, Mask: 0.1}
}

const (
	maxViews = 4096
	maxKnots = 64
	maxSize  = 1 << 28 // numbers of all views of a window: 1 GiB
)

// Validate returns the first thing that is wrong with the settings.
func (v Views) Validate() error {
	if err := v.validate(); err != nil {
		return fmt.Errorf("preprocess/augment: views: %w", err)
	}
	return nil
}

func (v Views) validate() error {
	if v.Augmented < 0 || v.Augmented > maxViews {
		return fmt.Errorf("%d augmented views: want 0 to %d", v.Augmented, maxViews)
	}
	for _, c := range []struct {
		name        string
		value, most float64
	}{
		{"shift", v.Shift, 1},
		{"scale", v.Scale, 1},
		{"warp", v.Warp, 1},
		{"jitter", v.Jitter, 10},
		{"drop", v.Drop, 1},
		{"mask", v.Mask, 1},
		{"rotate", v.Rotate, 180},
	} {
		if !(c.value >= 0 && c.value <= c.most) {
			return fmt.Errorf("%s %v: want 0 to %v", c.name, c.value, c.most)
		}
	}
	if v.Knots != 0 && (v.Knots < 2 || v.Knots > maxKnots) {
		return fmt.Errorf("%d knots: want 2 to %d, or 0 for the default", v.Knots, maxKnots)
	}
	if v.Rotate > 0 && len(v.Triples) == 0 {
		return fmt.Errorf("rotate %v: no triples are named", v.Rotate)
	}
	return nil
}

// fits returns what is wrong with windows of this size.
func (v Views) fits(channels, samples int) error {
	if channels < 1 || samples < 1 || channels > maxSize/samples/(1+v.Augmented) {
		return fmt.Errorf("%d views of %d channels of %d samples: want 1 channel and sample or more, and at most %d numbers",
			1+v.Augmented, channels, samples, maxSize)
	}
	var seen []int
	for _, triple := range v.Triples {
		for _, c := range triple {
			if c < 0 || c >= channels || slices.Contains(seen, c) {
				return fmt.Errorf("triple %v: want channels 0 to %d, each once", triple, channels-1)
			}
			seen = append(seen, c)
		}
	}
	return nil
}

func (v Views) knots() int {
	if v.Knots == 0 {
		return 4
	}
	return v.Knots
}

// share returns the whole samples that a share of a window is, at most.
func share(of float64, samples int) int { return int(math.Round(of * float64(samples))) }
