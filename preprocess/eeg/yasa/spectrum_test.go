package yasa

import (
	"testing"
)

// White noise has its variance evenly up to 50 Hz, and shares that sum to 1 but for the edges.
func TestWelch(t *testing.T) {
	w, x := newWelch(), noise(400*epochSamples)
	mean := 0.0
	var shares [featureCount]float64
	for i := range 400 {
		psd := w.density(x[i*epochSamples : (i+1)*epochSamples])
		mean += w.power(psd) / 400
		w.shares(psd, &shares)
		sum := 0.0
		for _, s := range shares {
			sum += s
		}
		about(t, "sum of shares", sum, 1, 0.02)
	}
	about(t, "power", mean, 400*29.6/50, 2.5)
}

func TestMedianBias(t *testing.T) {
	about(t, "bias of a median of one", medianBias(1), 1, 0)
	about(t, "bias of a median of three", medianBias(3), 5./6, 1e-15)
}
