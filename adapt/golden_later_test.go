package adapt

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// laterCase is one run of testdata/auto2_reference.py, the second edition of auto, as filter_golden_auto2.json holds it.
type laterCase struct {
	K      int
	Note   string
	Config struct {
		Prior, Frequencies       []float64
		Population               [][]float64
		Confidence, Share, Gamma *float64
		Beta                     *float64
		LiftPseudo               *float64  `json:"lift_pseudo"`
		FullErrors               []float64 `json:"full_errors"`
		Temperatures, Errors     []float64
		Nones                    [][2]float64
	}
	Q, Out  [][]float64
	Weights [][][]float64 // at some steps, by temperature and hypothesis, before the share is handed back
}

func readLaterCases(t testing.TB) []laterCase {
	t.Helper()
	data, err := os.ReadFile("testdata/filter_golden_auto2.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []laterCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 25 {
		t.Fatalf("filter_golden_auto2.json has %d cases, want 25", len(file.Cases))
	}
	return file.Cases
}

func (c laterCase) settings(a Auto) Settings {
	set(&a.Confidence, c.Config.Confidence)
	set(&a.Share, c.Config.Share)
	set(&a.Gamma, c.Config.Gamma)
	set(&a.Beta, c.Config.Beta)
	set(&a.LiftPseudo, c.Config.LiftPseudo)
	if c.Config.FullErrors != nil {
		a.FullErrors = c.Config.FullErrors
	}
	if c.Config.Temperatures != nil {
		a.Temperatures = c.Config.Temperatures
	}
	if c.Config.Errors != nil {
		a.Errors = c.Config.Errors
	}
	if c.Config.Nones != nil {
		a.Marginals = nil
		for _, n := range c.Config.Nones {
			a.Marginals = append(a.Marginals, Marginal{n[0], n[1]})
		}
	}
	s := Settings{Prior: c.Config.Prior, Auto: &a}
	if c.Config.Population != nil {
		s.Population = &Population{c.Config.Population, c.Config.Frequencies}
	}
	return s
}

func TestGoldenOfTheSecondEdition(t *testing.T) {
	for n, c := range readLaterCases(t) {
		t.Run(fmt.Sprintf("%02d-K%d", n, c.K), func(t *testing.T) {
			f := newFilter(t, c.K, c.settings(SecondAuto()))
			for range 2 { // again after Reset
				c.replay(t, f)
				f.Reset()
			}
		})
	}
}

// The goldens of the third edition are on the predictions and settings of the second's.
func TestGoldenOfTheThirdEdition(t *testing.T) {
	data, err := os.ReadFile("testdata/filter_golden_auto3.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Case    int
			Out     [][]float64
			Weights [][][]float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	second := readLaterCases(t)
	if len(file.Cases) != len(second) {
		t.Fatalf("filter_golden_auto3.json has %d cases, want %d", len(file.Cases), len(second))
	}
	for _, third := range file.Cases {
		c := second[third.Case]
		c.Out, c.Weights = third.Out, third.Weights
		t.Run(fmt.Sprintf("%02d-K%d", third.Case, c.K), func(t *testing.T) {
			f := newFilter(t, c.K, c.settings(DefaultAuto()))
			for range 2 { // again after Reset
				c.replay(t, f)
				f.Reset()
			}
		})
	}
}

func (c laterCase) replay(t *testing.T, f *Filter) {
	m, dst := f.mode.(*mixture), make([]float64, c.K)
	every := len(c.Q) / len(c.Weights)
	for i, q := range c.Q {
		f.Step(dst, q)
		for k, want := range c.Out[i] {
			near(t, fmt.Sprintf("step %d class %d", i, k), dst[k], want)
		}
		if i%every > 0 {
			continue
		}
		for j, row := range c.Weights[i/every] {
			for h, want := range row {
				k := j*m.hypotheses + h
				near(t, fmt.Sprintf("step %d weight %d,%d", i, j, h), m.weights[k], (1-m.Share)*want+m.Share*m.initial[k])
			}
		}
	}
}
