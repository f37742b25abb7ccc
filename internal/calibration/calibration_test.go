package calibration

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The numbers are those of testdata/golden.py. Log-probabilities are float32 here and float64 there.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Q             [][]float64
		Truth, Stream []int
		Temperature   float64
		Error         float64 `json:"standard_error"`
		Before, After Metrics
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	set := NewSet(4, DefaultMaxBytes)
	for i, q := range g.Q {
		set.Add(fmt.Sprint(g.Stream[i]), g.Truth[i], q)
	}
	f, err := set.Fit(Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "temperature", f.Temperature, g.Temperature, 1e-6)
	near(t, "standard error", f.Error, g.Error, .15*g.Error) // both are of a finite number of resamples
	if f.Unit != "streams" || f.Streams != 12 || !(f.Low < f.Temperature && f.Temperature < f.High) {
		t.Errorf("%+v", f)
	}
	for name, pair := range map[string][2]Metrics{"before": {f.Before, g.Before}, "after": {f.After, g.After}} {
		near(t, name+" accuracy", pair[0].Accuracy, pair[1].Accuracy, 1e-12)
		near(t, name+" nll", pair[0].NLL, pair[1].NLL, 1e-6)
		near(t, name+" ece", pair[0].ECE, pair[1].ECE, 1e-6)
		near(t, name+" ece_mass", pair[0].ECEMass, pair[1].ECEMass, 1e-6)
	}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s %.9g, want %.9g", what, got, want)
	}
}

// random returns over-confident predictions of K classes.
func random(rng *rand.Rand, classes, items, streams int) *Set {
	set := NewSet(classes, DefaultMaxBytes)
	q := make([]float64, classes)
	sharp := 0.3 + 4*rng.Float64()
	for i := range items {
		truth := rng.IntN(classes)
		sum := 0.0
		for k := range q {
			z := rng.NormFloat64()
			if k == truth {
				z++
			}
			q[k] = math.Exp(sharp * z)
			sum += q[k]
		}
		for k := range q {
			q[k] /= sum
		}
		set.Add(fmt.Sprint(i%streams), truth, q)
	}
	return set
}

// The fit is the minimum: its twin looks at the loss itself, on a grid.
func TestMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 40 {
		set := random(rng, 2+rng.IntN(20), 1+rng.IntN(200), 1+rng.IntN(10))
		f, err := set.Fit(Options{Resamples: 10})
		if err != nil {
			t.Fatal(err)
		}
		for temperature := MinTemperature; temperature < MaxTemperature; temperature *= 1.03 {
			if loss := set.Metrics(temperature).NLL; loss < f.After.NLL-1e-12 {
				t.Fatalf("T %g (%s) has a loss of %.12g, and %g has %.12g", f.Temperature, f.Bound, f.After.NLL, temperature, loss)
			}
		}
	}
}

// The bootstrap's twin makes each resample and fits it.
func TestBootstrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	set := random(rng, 5, 1500, 15)
	f, err := set.Fit(Options{Resamples: 1000, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	var temperatures []float64
	for range 500 {
		re := NewSet(5, DefaultMaxBytes)
		q := make([]float64, 5)
		for range 15 {
			s := int32(rng.IntN(15))
			for i, of := range set.stream {
				if of == s {
					for k, v := range set.row(i) {
						q[k] = math.Exp(float64(v))
					}
					re.Add("", int(set.truth[i]), q)
				}
			}
		}
		beta, _ := re.solve()
		temperatures = append(temperatures, 1/beta)
	}
	slices.Sort(temperatures)
	sd := stat.StdDev(temperatures, nil)
	near(t, "standard error", f.Error, sd, .15*sd)
	near(t, "low", f.Low, stat.Quantile(.025, stat.Empirical, temperatures, nil), .4*sd)
	near(t, "high", f.High, stat.Quantile(.975, stat.Empirical, temperatures, nil), .4*sd)
	again, err := set.Fit(Options{Resamples: 1000, Seed: 9})
	if err != nil || again.Low != f.Low || again.Error != f.Error {
		t.Errorf("the same seed gives %g and %g", f.Low, again.Low)
	}
	// More streams than units are pooled; the interval stays that of independent items.
	many := random(rng, 3, 5000, 5000)
	g, err := many.Fit(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var squares, curve float64
	for i := range many.truth {
		a, b := many.slopeOf(i, 1/g.Temperature)
		squares, curve = squares+a*a, curve+b
	}
	sandwich := math.Sqrt(squares) / curve * g.Temperature * g.Temperature // of T = 1/beta
	near(t, "standard error of many", g.Error, sandwich, .1*sandwich)
}

func TestDegenerate(t *testing.T) {
	one := func(classes int, items ...any) *Set {
		set := NewSet(classes, DefaultMaxBytes)
		for i := 0; i < len(items); i += 2 {
			set.Add("s", items[i].(int), items[i+1].([]float64))
		}
		return set
	}
	for _, tc := range []struct {
		name        string
		set         *Set
		bound       string
		temperature float64 // 0: any
		floored     int
		err         error
	}{
		{"all right", one(2, 0, []float64{.9, .1}, 1, []float64{.4, .6}), "lower", MinTemperature, 0, nil},
		{"all right for certain", one(2, 0, []float64{1, 0}, 1, []float64{0, 1}), "lower", MinTemperature, 0, nil},
		{"one item", one(3, 2, []float64{.1, .1, .8}), "lower", MinTemperature, 0, nil},
		{"all wrong", one(2, 0, []float64{.1, .9}, 1, []float64{.6, .4}), "upper", MaxTemperature, 0, nil},
		{"zero for the truth", one(2, 0, []float64{0, 1}, 0, []float64{.9, .1}, 1, []float64{.1, .9}), "upper", MaxTemperature, 1, nil},
		{"one of five wrong", one(2, 0, []float64{.8, .2}, 0, []float64{.8, .2}, 0, []float64{.8, .2}, 0, []float64{.8, .2}, 1, []float64{.8, .2}), "", 1, 0, nil},
		{"one class", one(1, 0, []float64{1}), "", 0, 0, ErrNothingToFit},
		{"uniform", one(2, 0, []float64{.5, .5}), "", 0, 0, ErrNothingToFit},
	} {
		f, err := tc.set.Fit(Options{})
		if !errors.Is(err, tc.err) || f.Bound != tc.bound || f.Floored != tc.floored || tc.temperature > 0 && math.Abs(f.Temperature-tc.temperature) > 1e-6 {
			t.Errorf("%s: %+v, %v", tc.name, f, err)
		}
		if err == nil && (math.IsNaN(f.After.NLL) || math.IsInf(f.After.NLL, 0) || math.IsNaN(f.Low+f.High+f.Error)) {
			t.Errorf("%s: %+v", tc.name, f)
		}
	}
	if _, err := NewSet(2, DefaultMaxBytes).Fit(Options{}); err == nil {
		t.Error("no item is no error")
	}
}

func TestSetIsFull(t *testing.T) {
	set := NewSet(2, 4*2*3+7)
	for i := range 5 {
		if took := set.Add("s", 0, []float64{.5, .5}); took != (i < 3) {
			t.Errorf("item %d: %t", i, took)
		}
	}
	if set.Len() != 3 || set.Limit() != 3 || set.Counts()[0] != 3 {
		t.Errorf("%d of %d items", set.Len(), set.Limit())
	}
}

func TestPrior(t *testing.T) {
	got, err := Prior([]int{3, 0, 1}, Pseudocount)
	if want := []float64{3.5 / 5.5, .5 / 5.5, 1.5 / 5.5}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, counts := range [][]float64{{-1, 2}, {math.NaN(), 1}, {math.Inf(1), 1}, {1e15, 0}} {
		if got, err := Prior(counts, Pseudocount); err == nil {
			t.Errorf("%v gave %v", counts, got)
		}
	}
}
