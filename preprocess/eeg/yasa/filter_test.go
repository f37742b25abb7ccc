package yasa

import (
	"math"
	"slices"
	"testing"
)

// MNE's taps at some places, and what is true of all of them.
func TestTaps(t *testing.T) {
	h := bandTaps()
	if len(h) != 825 {
		t.Fatalf("%d taps, want 825", len(h))
	}
	for i, want := range map[int]float64{0: 5.552491065237147e-05, 390: -0.0034185945035425545, 411: 0.26582556630017073, 412: 0.6702615166968056} {
		about(t, "tap", h[i], want, 1e-15)
		about(t, "tap mirrored", h[len(h)-1-i], want, 1e-15)
	}
}

// The blocks join to what the sum of the definition gives.
func TestConvolve(t *testing.T) {
	h := bandTaps()
	for _, n := range []int{825, 826, blockSamples, blockSamples + 1, 3*blockSamples - 5} {
		x := noise(n)
		got := convolve(x, h)
		if len(got) != n-824 {
			t.Fatalf("%d values of %d", len(got), n)
		}
		for i := 0; i < len(got); i += 1 + len(got)/500 {
			sum := 0.0
			for k, v := range h {
				sum += v * x[i+824-k]
			}
			about(t, "value", got[i], sum, 1e-11)
		}
	}
}

// Nothing but the band passes, without delay.
func TestBandPass(t *testing.T) {
	for hz, gain := range map[float64]float64{0.01: 0, 0.2: 0.5, 1: 1, 10: 1, 29: 1, 33.75: 0.5, 40: 0} {
		x := wave(12000, hz, 100)
		y := bandPass(x)
		for i := 2000; i < 10000; i++ {
			if !(math.Abs(y[i]-gain*x[i]) < 1) { // 2 %
				t.Fatalf("%g Hz: value %d is %g, want %g", hz, i, y[i], gain*x[i])
			}
		}
	}
}

func TestReflected(t *testing.T) {
	if got, want := reflected([]float64{1, 2, 4}, 3, 4), []float64{0, -2, 0, 1, 2, 4, 6, 7, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestGoldenTaps(t *testing.T) {
	near(t, "taps", bandTaps(), readIndex(t).FIR.Taps, 1e-15)
}
