package dsp

import (
	"errors"
	"fmt"
	"math"
)

// CheckScale reports means and standard deviations, one a channel, that cannot standardise: given without standardisation, of other
// numbers than the channels, not finite, or not over 0.
func CheckScale(channels []string, standardise bool, mean, std []float64) error {
	if mean == nil && std == nil {
		return nil
	}
	if !standardise {
		return errors.New("mean and standard deviation without standardisation")
	}
	if len(mean) != len(channels) || len(std) != len(channels) {
		return fmt.Errorf("%d means and %d standard deviations of %d channels", len(mean), len(std), len(channels))
	}
	for i := range mean {
		if !(std[i] > 0) || math.IsInf(std[i], 1) || math.IsNaN(mean[i]) || math.IsInf(mean[i], 0) {
			return fmt.Errorf("channel %q: mean %g, standard deviation %g", channels[i], mean[i], std[i])
		}
	}
	return nil
}
