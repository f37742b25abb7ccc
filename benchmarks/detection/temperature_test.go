package detection

import (
	"fmt"
	"math"
	"testing"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/internal/testdata"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s %.9g, want %.9g", what, got, want)
	}
}

// fromPredictions takes streams of 100 items each.
func fromPredictions(p *benchmarks.Predictions, items []int) *calibration.Set {
	set := calibration.NewSet(p.Classes(), calibration.DefaultMaxBytes)
	for n, i := range items {
		set.Add(fmt.Sprint(n/100), p.Truth[i], p.Q[i])
	}
	return set
}

// On real predictions, a temperature of one half makes the other fit better.
func TestTemperatureOnTheOtherHalf(t *testing.T) {
	sets, err := benchmarks.ReadCIFARSets(testdata.Tree(t, testdata.CIFARPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	// Computed by numpy on the whole sets, by golden-section search.
	want := map[string]float64{"test set, balanced": 1.6018, "test set, imbalanced": 2.2478, "impulse_noise": 2.8642, "contrast": 4.6660, "brightness": 1.8135}
	seen := 0
	for _, p := range append(sets.Corrupted, sets.Test[:2]...) {
		halves := [2][]int{}
		all := make([]int, len(p.Q))
		for i := range p.Q {
			halves[i%2] = append(halves[i%2], i)
			all[i] = i
		}
		fit, err := fromPredictions(p, halves[0]).Fit(calibration.Options{})
		if err != nil {
			t.Fatal(err)
		}
		other := fromPredictions(p, halves[1])
		before, after := other.Metrics(1), other.Metrics(fit.Temperature)
		if !(after.NLL < before.NLL-.03 && after.ECE < before.ECE && after.Accuracy == before.Accuracy) {
			t.Errorf("%s: T %.3f: NLL %.4f to %.4f, ECE %.4f to %.4f", p.Name, fit.Temperature, before.NLL, after.NLL, before.ECE, after.ECE)
		}
		whole, err := fromPredictions(p, all).Fit(calibration.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := want[p.Name]; ok {
			seen++
			near(t, p.Name, whole.Temperature, w, 1e-4)
		}
		// The same metrics as `oatta eval`'s.
		tally := scores.NewTally(p.Classes())
		for i, q := range p.Q {
			tally.Add(p.Truth[i], q)
		}
		s := tally.Scores(make([]string, p.Classes()))
		near(t, p.Name+" NLL", whole.Before.NLL, s.NLL, 1e-6)
		near(t, p.Name+" ECE", whole.Before.ECE, s.ECE, 2e-4) // float32 moves an item over the edge of a bin now and then
	}
	if seen != len(want) {
		t.Errorf("%d of %d sets seen", seen, len(want))
	}
}
