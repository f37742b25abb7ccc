package yasa

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
)

// A whole number of waves stays as many waves, in fewer samples or more, whatever the factors of their numbers.
func TestPeriodic(t *testing.T) {
	for _, c := range [][2]int{{100, 128}, {128, 100}, {64, 64}, {30, 3000}, {99, 100}, {1000, 997}, {512, 2 * 1009}, {997, 1000}} {
		x, want := wave(c[0], 5, float64(c[0])), wave(c[1], 5, float64(c[1]))
		near(t, "waves", periodic(x, c[1]), want, 1e-10)
	}
	// Of a wave at half the rate, the samples are kept.
	got := periodic([]float64{1, -1, 1, -1}, 8)
	near(t, "half the rate", []float64{got[0], got[2], got[4], got[6]}, []float64{1, -1, 1, -1}, 1e-12)
	back := periodic(got, 4)
	near(t, "and back", back, []float64{1, -1, 1, -1}, 1e-12)
}

// The chirp gives what gonum's transform gives.
func TestChirp(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 211, 1009, 2 * 503, 4096} {
		bins := fourier.NewFFT(n).Coefficients(nil, noise(n))
		got, want := chirp(bins, n), fourier.NewFFT(n).Sequence(nil, bins)
		floats.Scale(1/float64(n), got)
		floats.Scale(1/float64(n), want)
		near(t, "samples", got, want, 1e-8)
	}
	for n, want := range map[int]int{1: 1, 2: 2, 12: 3, 97: 97, 2 * 97: 97, 3 * 1009: 1009, 1009 * 1009: 1009} {
		if got := largestFactor(n); got != want {
			t.Errorf("largest prime factor of %d: %d, want %d", n, got, want)
		}
	}
}

func TestResample(t *testing.T) {
	for _, rate := range []float64{81, 128, 250, 499.7, 512} {
		x := wave(int(60*rate), 7, rate)
		y := resample(x, 100, rate)
		if want := resampledLen(len(x), 100, rate); len(y) != want {
			t.Fatalf("%g Hz: %d samples, want %d", rate, len(y), want)
		}
		most := 0.2
		if math.Mod(128*100, rate) != 0 { // the padded length is not whole at 100 Hz: times are off by up to a sample
			most = 50 * 2 * math.Pi * 7 / 100
		}
		near(t, "middle", y[1000:5000], wave(6000, 7, 100)[1000:5000], most)
	}
}
