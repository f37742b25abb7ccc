package dsp

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// picked is part of a signal as SciPy made it; see testdata/golden.py.
type picked struct {
	N           int
	First, Last []float64
	Power       float64
}

func (p picked) compare(t *testing.T, what string, got []float64) {
	t.Helper()
	if len(got) != p.N {
		t.Fatalf("%s: %d values, want %d", what, len(got), p.N)
	}
	power := 0.0
	for _, v := range got {
		power += v * v
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }
	for i, want := range p.First {
		if !near(got[i], want) {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want)
		}
	}
	for i, want := range p.Last {
		if v := got[len(got)-len(p.Last)+i]; !near(v, want) {
			t.Fatalf("%s: %d from the end: %v, want %v", what, len(p.Last)-i, v, want)
		}
	}
	if !near(power, p.Power) {
		t.Errorf("%s: sum of squares %v, want %v", what, power, p.Power)
	}
}

type golden struct {
	Filters []struct {
		Order           int
		Low, High, Rate float64
		ZeroPhase       picked `json:"zero_phase"`
		Causal          picked
	}
	Resampled []struct {
		N, Up, Down int
		Out         picked
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
	if len(g.Filters) < 7 || len(g.Resampled) < 9 {
		t.Fatalf("%d filters, %d resamplings: the golden file is not whole", len(g.Filters), len(g.Resampled))
	}
	return g
}

// wave is that of golden.py.
func wave(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		t := float64(i)
		x[i] = math.Sin(0.3*t) + 0.5*math.Cos(1.7*t+1) + 0.01*t + float64(i*7919%101)/101
	}
	return x
}

func TestFiltersAsSciPy(t *testing.T) {
	for _, g := range scipy(t).Filters {
		b := Band{Low: g.Low, High: g.High, Order: g.Order}
		f, err := b.Design(g.Rate)
		if err != nil {
			t.Fatal(err)
		}
		x := wave(700)
		if err := f.Both(x); err != nil {
			t.Fatal(err)
		}
		g.ZeroPhase.compare(t, "both ways", x)
		x = wave(700)
		f.Forward(x)
		g.Causal.compare(t, "forward", x)
	}
}

func TestResampleAsSciPy(t *testing.T) {
	for _, g := range scipy(t).Resampled {
		g.Out.compare(t, "resampled", Resample(wave(g.N), g.Up, g.Down))
	}
}

// TestResamplePlain compares with the definition: zeros between, a convolution, every down-th value.
func TestResamplePlain(t *testing.T) {
	x := wave(61)
	const up, down = 4, 3
	phases, half := polyphase(up, down)
	h := make([]float64, 2*half+1)
	for i := range h {
		h[i] = phases[i%up][i/up]
	}
	long := make([]float64, len(x)*up)
	for i, v := range x {
		long[i*up] = v
	}
	got := Resample(x, 2*up, 2*down)
	for m := range got {
		want := 0.0
		for i := range h {
			if k := half + m*down - i; k >= 0 && k < len(long) {
				want += h[i] * long[k]
			}
		}
		if math.Abs(got[m]-want) > 1e-12 {
			t.Fatalf("value %d is %v, want %v", m, got[m], want)
		}
	}
}
