package adapt

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
)

// knownCase is one run of testdata/known_reference.py, as known_golden.json holds it.
type knownCase struct {
	hindsightCase
	Known            []int
	Auto2, Auto3     [][]float64
	Paper            map[Gate][][]float64
	Smoothed, Lagged [][]float64
}

func readKnownGolden(t testing.TB) []knownCase {
	t.Helper()
	data, err := os.ReadFile("testdata/known_golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []knownCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 17 {
		t.Fatalf("known_golden.json has %d cases, want 17", len(file.Cases))
	}
	return file.Cases
}

// causalSettings are those of the filter's references, whose temperatures are their editions' own.
func (c knownCase) causalSettings(a Auto) Settings {
	s := c.settings(a)
	s.Auto.Temperatures = a.Temperatures
	return s
}

// stepKnown steps a filter through predictions and known labels.
func stepKnown(f *Filter, q [][]float64, known []int) [][]float64 {
	out := rows(len(q), f.Classes())
	for t, v := range q {
		if known[t] == Unknown {
			f.Step(out[t], v)
		} else {
			f.StepKnown(out[t], known[t])
		}
	}
	return out
}

// lagKnown does the same with a lag.
func lagKnown(t *testing.T, s Settings, lag int, q [][]float64, known []int) (out [][]float64) {
	t.Helper()
	l, err := NewLagged(len(q[0]), s, lag)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, len(q[0]))
	step := func(i int) bool {
		if known[i] == Unknown {
			_, due := l.Step(dst, q[i])
			return due
		}
		_, due := l.StepKnown(dst, known[i])
		return due
	}
	for i := range q {
		if step(i) {
			out = append(out, slices.Clone(dst))
		}
	}
	for {
		if _, due := l.Flush(dst); !due {
			return out
		}
		out = append(out, slices.Clone(dst))
	}
}

// causalGolden is the tolerance of the causal answers: those of the golden have 13 digits.
const causalGolden = 1e-12

func TestKnownGolden(t *testing.T) {
	for n, c := range readKnownGolden(t) {
		t.Run(fmt.Sprintf("%02d-K%d", n, c.K), func(t *testing.T) {
			for what, run := range map[string]struct {
				s    Settings
				want [][]float64
			}{
				"edition 2": {c.causalSettings(SecondAuto()), c.Auto2},
				"edition 3": {c.causalSettings(DefaultAuto()), c.Auto3},
				"off":       {Settings{Gate: GateOff}, c.Paper[GateOff]},
				"ewma":      {Settings{Gate: GateEWMA}, c.Paper[GateEWMA]},
				"window":    {Settings{Gate: GateWindow}, c.Paper[GateWindow]},
			} {
				if run.want == nil {
					continue
				}
				f := newFilter(t, c.K, run.s)
				for range 2 { // again after Reset
					closeRows(t, c.Note+", "+what, stepKnown(f, c.Q, c.Known), run.want, causalGolden)
					f.Reset()
				}
			}
			for _, a := range []Auto{SecondAuto(), DefaultAuto()} {
				c.hindsight(t, c.settings(a))
			}
		})
	}
}

func (c knownCase) hindsight(t *testing.T, s Settings) {
	out, path := rows(len(c.Q), c.K), make([]int, len(c.Q))
	if _, err := SmoothKnown(c.K, s, out, c.Q, nil, c.Known); err != nil {
		t.Fatal(err)
	}
	closeRows(t, c.Note+", smoothed", out, c.Smoothed, hindsightGolden)
	if _, err := ViterbiKnown(c.K, s, path, c.Q, nil, c.Known); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(path, c.Path) {
		t.Errorf("%s: path %v, want %v", c.Note, path, c.Path)
	}
	closeRows(t, c.Note+", lagged", lagKnown(t, s, *c.Lag, c.Q, c.Known), c.Lagged, hindsightGolden)
}
