package motion

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/preprocess/dsp"
)

// picked is part of a signal as SciPy made it; see testdata/golden.py.
type picked struct {
	N           int
	First, Last []float64
	Power       float64
}

// compare allows for the rounding to float32: 1e-6 of values of around 1 to 300.
func (p picked) compare(t *testing.T, what string, got []float32, tolerance float64) {
	t.Helper()
	if len(got) != p.N {
		t.Fatalf("%s: %d values, want %d", what, len(got), p.N)
	}
	power := 0.0
	for _, v := range got {
		power += float64(v) * float64(v)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(b)) }
	for i, want := range p.First {
		if !near(float64(got[i]), want) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want)
		}
	}
	for i, want := range p.Last {
		if v := float64(got[len(got)-len(p.Last)+i]); !near(v, want) {
			t.Fatalf("%s: %d from the end: %v, want %v", what, len(p.Last)-i, v, want)
		}
	}
	if !near(power, p.Power) {
		t.Errorf("%s: sum of squares %v, want %v", what, power, p.Power)
	}
}

func wave(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		t := float64(i)
		x[i] = float32(1 + math.Sin(0.3*t) + 0.5*math.Cos(1.7*t+1) + 0.01*t + float64(i*7919%101)/101)
	}
	return x
}

type golden struct {
	Resampled []struct {
		N        int
		From, To float64
		Out      picked
	}
	Filtered []struct {
		Order           int
		Low, High, Rate float64
		N               int
		ZeroPhase       picked `json:"zero_phase"`
		Causal          picked
	}
}

func scipy(t *testing.T) (g golden) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// all returns every value of a source on the grid, as windows of one sample.
func all(t *testing.T, src Source, set Settings) (out []float32) {
	t.Helper()
	set.Samples = 1
	s, err := NewStream(src, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range windows(t, s) {
		out = append(out, w.Data[0])
	}
	return out
}

func TestResampleAsSciPy(t *testing.T) {
	for _, g := range scipy(t).Resampled {
		got := all(t, regular(g.From, wave(g.N)), Settings{Channels: []string{"x"}, Rate: g.To})
		g.Out.compare(t, "resampled", got, 1e-6)
	}
}

// TestFilterAsSciPy compares blocks that overlap with the filter of the whole. The sums of squares are of 30,000 values.
func TestFilterAsSciPy(t *testing.T) {
	for _, g := range scipy(t).Filtered {
		for _, causal := range []bool{false, true} {
			want := g.ZeroPhase
			if causal {
				want = g.Causal
			}
			set := Settings{Channels: []string{"x"}, Rate: g.Rate, Band: dsp.Band{Low: g.Low, High: g.High, Order: g.Order, Causal: causal}}
			want.compare(t, "filtered", all(t, regular(g.Rate, wave(g.N)), set), 5e-6)
		}
	}
}
