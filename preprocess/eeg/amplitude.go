package eeg

import (
	"fmt"
	"math"
	"slices"
)

// The typical amplitude of a signal on the skin or in the head, in microvolts: the median over epochs of the mean distance from the epoch's mean.
// Scalp EEG has 5 to 100 (Niedermeyer's Electroencephalography: 10 to 100 from peak to peak awake, 75 and more in N3), eyes and muscles
// 1 to 200, the heart and electrodes inside up to 500. Beyond these bounds it is most likely one of another unit, whatever the header says.
const (
	leastAmplitude = 0.5
	mostAmplitude  = 1000
)

// usualLeast and usualMost bound the amplitude that a unit must give to be proposed, in microvolts.
const usualLeast, usualMost = 2, 300

// leastRate is that from which on a signal is one of waves, in Hz: below, it may be an envelope, as the muscle's of Sleep-EDF.
const leastRate = 20

// voltages are the units that are proposed.
var voltages = []string{"uV", "mV", "V", "nV"}

// amplitude is that of the samples of an epoch around their mean.
func amplitude(x []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sum += math.Abs(v - mean)
	}
	return sum / float64(len(x))
}

// weigh tells of a signal whose amplitudes, one for each epoch that moves, cannot be in its unit.
func (e *Epochs) weigh(c Channel, amplitudes []float64, set Settings) {
	scale, ok := set.scaleOf(c.Unit)
	if !ok || len(amplitudes) == 0 || c.Rate < leastRate {
		return
	}
	slices.Sort(amplitudes)
	typical := amplitudes[len(amplitudes)/2]
	var word string
	switch uV := typical * scale; {
	case uV < leastAmplitude:
		word = fmt.Sprintf("under %g", leastAmplitude)
	case uV > mostAmplitude:
		word = fmt.Sprintf("over %d", mostAmplitude)
	default:
		return
	}
	e.Warnings = append(e.Warnings, fmt.Sprintf("channel %q: its typical amplitude is %s microvolts by the unit %q, which is no sleeper's: %s", c.Label, word, c.Unit, propose(c.Unit, typical)))
}

// propose says what the user can do about a unit, and names the one in which an amplitude is usual.
func propose(unit string, typical float64) string {
	said, is := "", "UNIT"
	if own, ok := Microvolts(unit); ok {
		for _, v := range voltages {
			if s, _ := Microvolts(v); s == own {
				said = v + "="
			}
		}
	}
	for _, v := range voltages {
		if s, _ := Microvolts(v); typical*s >= usualLeast && typical*s <= usualMost {
			is = v
			break
		}
	}
	if is == "UNIT" {
		return "if it has another unit, --unit " + said + is + " says which"
	}
	return fmt.Sprintf("if it is %s, --unit %s%s says so", is, said, is)
}
