package dsp

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gain returns how much of a sine of hz passes, away from the ends.
func gain(t *testing.T, hz, rate float64, change func(x []float64) []float64, newRate float64) float64 {
	t.Helper()
	x := make([]float64, int(60*rate))
	for i := range x {
		x[i] = math.Sin(2 * math.Pi * hz * float64(i) / rate)
	}
	y := change(x)
	squares := 0.0 // over 20 seconds, whole periods of all frequencies used
	for _, v := range y[int(20*newRate):int(40*newRate)] {
		squares += v * v
	}
	return math.Sqrt(2 * squares / (20 * newRate))
}

func TestBandPasses(t *testing.T) {
	f, err := Band{Low: 0.3, High: 35}.Design(100)
	if err != nil {
		t.Fatal(err)
	}
	both := func(x []float64) []float64 {
		if err := f.Both(x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	for hz, want := range map[float64][2]float64{0.05: {0, 0.001}, 0.3: {0.49, 0.51}, 2: {0.999, 1.001}, 10: {0.999, 1.001}, 35: {0.49, 0.51}, 48: {0, 0.001}} {
		if g := gain(t, hz, 100, both, 100); g < want[0] || g > want[1] {
			t.Errorf("%g Hz: gain %g, want %v", hz, g, want)
		}
	}
}

// TestNoAlias shows that what the new rate cannot carry is gone, which a nearest-neighbour resampling would fold down.
func TestNoAlias(t *testing.T) {
	down := func(x []float64) []float64 { return Resample(x, 25, 128) } // 512 to 100 Hz
	if g := gain(t, 90, 512, down, 100); g > 0.002 {
		t.Errorf("90 Hz at 100 Hz: %g is left", g)
	}
	if g := gain(t, 20, 512, down, 100); math.Abs(g-1) > 0.01 {
		t.Errorf("20 Hz: gain %g", g)
	}
}

func TestRatio(t *testing.T) {
	for _, tt := range []struct {
		from, to float64
		up, down int
	}{{512, 100, 25, 128}, {100, 100, 1, 1}, {256, 100, 25, 64}, {1, 100, 100, 1}, {199.8, 100, 500, 999}, {100, math.Pi, 0, 0}, {1e9, 1, 0, 0}} {
		up, down, err := Ratio(tt.from, tt.to)
		if up != tt.up || down != tt.down || (err != nil) != (tt.up == 0) {
			t.Errorf("%g to %g: %d/%d, error %v; want %d/%d", tt.from, tt.to, up, down, err, tt.up, tt.down)
		}
	}
}

// TestCausal changes the end of a signal: forward alone, nothing before it may change.
func TestCausal(t *testing.T) {
	f, err := Band{Low: 0.5, High: 20, Causal: true}.Design(100)
	if err != nil {
		t.Fatal(err)
	}
	a, b := wave(1000), wave(1000)
	b[700] += 100
	f.Forward(a)
	f.Forward(b)
	if d := cmp.Diff(a[:700], b[:700]); d != "" || a[700] == b[700] {
		t.Error("the filter looks ahead, or not at all", d)
	}
	if err := f.Both(make([]float64, f.Edge())); err == nil {
		t.Error("a signal shorter than the edge was filtered both ways")
	}
}
