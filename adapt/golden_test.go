package adapt

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// goldenCase is one run of testdata/oatta_reference.py, which sits beside filter_golden.json and writes it.
type goldenCase struct {
	Kind   string
	K      int
	Config struct {
		Kappa, Gamma, Tau, Eta, M, Eps *float64
		Init                           *Init
		Gate                           *Gate
		W                              *int
		GateTau                        *float64 `json:"gate_tau"`
		Rho                            []float64
		Temperature                    float64
		Grid, Errors, Temperatures     []float64
		Flicker, Share, Beta, Delta    *float64
		Pseudo                         *float64
	}
	Q, Out   [][]float64
	Counts   [][]float64   // under auto the matrices of all temperatures, one below the other
	Weights  [][][]float64 // by step, temperature and hypothesis
	Lam, LLR []float64
}

func readGolden(t testing.TB) []goldenCase {
	t.Helper()
	data, err := os.ReadFile("testdata/filter_golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 38 {
		t.Fatalf("filter_golden.json has %d cases, want 38", len(file.Cases))
	}
	return file.Cases
}

func set[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}

func (c goldenCase) settings() Settings {
	s := Settings{Gate: GateOff, Prior: c.Config.Rho, Temperature: c.Config.Temperature}
	if c.Kind == "auto" {
		a := FirstAuto()
		a.Confidence = 0 // as published
		if c.Config.Grid != nil {
			a.Grid = c.Config.Grid
		}
		if c.Config.Errors != nil {
			a.Errors = c.Config.Errors
		}
		if c.Config.Temperatures != nil {
			a.Temperatures = c.Config.Temperatures
		}
		set(&a.Flicker, c.Config.Flicker)
		set(&a.Share, c.Config.Share)
		set(&a.Gamma, c.Config.Gamma)
		set(&a.Beta, c.Config.Beta)
		set(&a.Delta, c.Config.Delta)
		set(&a.Pseudo, c.Config.Pseudo)
		s.Gate, s.Auto = GateAuto, &a
		return s
	}
	set(&s.Gate, c.Config.Gate)
	p := DefaultPaper()
	set(&p.Kappa, c.Config.Kappa)
	set(&p.Gamma, c.Config.Gamma)
	set(&p.Tau, c.Config.Tau)
	set(&p.Init, c.Config.Init)
	set(&p.Eta, c.Config.Eta)
	set(&p.Window, c.Config.W)
	set(&p.Margin, c.Config.M)
	set(&p.GateTau, c.Config.GateTau)
	set(&p.Eps, c.Config.Eps)
	s.Paper = &p
	return s
}

// tolerance is that of the issue: float64 recursions of sixty steps differ by rounding alone.
const tolerance = 1e-12

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Fatalf("%s: got %.17g, want %.17g, off by %g", what, got, want, got-want)
	}
}

func TestGolden(t *testing.T) {
	for n, c := range readGolden(t) {
		t.Run(fmt.Sprintf("%02d-%s-K%d", n, c.Kind, c.K), func(t *testing.T) {
			f, err := New(c.K, c.settings())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // again after Reset
				c.replay(t, f)
				f.Reset()
			}
		})
	}
}

func (c goldenCase) replay(t *testing.T, f *Filter) {
	dst := make([]float64, c.K)
	for i, q := range c.Q {
		d := f.Step(dst, q)
		for k, want := range c.Out[i] {
			near(t, fmt.Sprintf("step %d class %d", i, k), dst[k], want)
		}
		if c.Lam != nil {
			near(t, fmt.Sprintf("step %d lambda", i), d.Gate, c.Lam[i])
			near(t, fmt.Sprintf("step %d llr", i), d.LLR, c.LLR[i])
		}
		if c.Weights != nil {
			c.compareWeights(t, i, f.mode.(*mixture), d)
		}
	}
	c.compareCounts(t, f)
}

// compareWeights undoes the share that the filter has already handed back: the golden holds the weights before it.
func (c goldenCase) compareWeights(t *testing.T, step int, m *mixture, d Diagnostics) {
	none := 0.0
	for i, row := range c.Weights[step] {
		none += row[0]
		for h, want := range row {
			k := i*m.hypotheses + h
			near(t, fmt.Sprintf("step %d weight %d,%d", step, i, h), m.weights[k], (1-m.Share)*want+m.Share*m.initial[k])
		}
	}
	near(t, fmt.Sprintf("step %d gate", step), d.Gate, 1-none)
}

func (c goldenCase) compareCounts(t *testing.T, f *Filter) {
	got := counts(f)
	if len(got) != len(c.Counts)*c.K {
		t.Fatalf("%d counts, want %d rows of %d", len(got), len(c.Counts), c.K)
	}
	for i, row := range c.Counts {
		for j, want := range row {
			near(t, fmt.Sprintf("count %d,%d", i, j), got[i*c.K+j], want)
		}
	}
}

func counts(f *Filter) (out []float64) {
	switch m := f.mode.(type) {
	case *paper:
		for _, v := range m.c {
			out = append(out, v*m.scale)
		}
	case *mixture:
		for _, t := range m.at {
			for _, f := range t.fulls {
				all := f.pairs.(*pairs)
				for _, v := range all.c {
					out = append(out, v*all.scale)
				}
			}
		}
	}
	return out
}

func (c *goldenCase) UnmarshalJSON(data []byte) error {
	type plain goldenCase // counts are K x K under "paper", and one such matrix a temperature under "auto"
	var head struct {
		plain
		Counts json.RawMessage
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	*c = goldenCase(head.plain)
	if c.Kind == "paper" {
		return json.Unmarshal(head.Counts, &c.Counts)
	}
	var each [][][]float64
	if err := json.Unmarshal(head.Counts, &each); err != nil {
		return err
	}
	for _, m := range each {
		c.Counts = append(c.Counts, m...)
	}
	return nil
}
