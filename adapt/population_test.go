package adapt

import (
	"math"
	"slices"
	"testing"
)

// wanderers is a population that tests take powers of: sticky, with one class that is left for one other only.
func wanderers() *Population {
	return &Population{
		Transitions: [][]float64{{.95, .04, .01}, {.02, .9, .08}, {.03, 0, .97}},
		Frequencies: []float64{.3, .2, .5},
	}
}

func apart(a, b [][]float64) (most float64) {
	for i := range a {
		for j := range a[i] {
			most = max(most, math.Abs(a[i][j]-b[i][j]))
		}
	}
	return most
}

// composed returns a b, with rows that sum to 1.
func composed(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(b))
	for i := range b {
		out[i] = make([]float64, len(b))
		total := 0.0
		for j, v := range a[i] {
			for k, w := range b[j] {
				out[i][k] += v * w
			}
		}
		for _, v := range out[i] {
			total += v
		}
		scale(out[i], 1/total)
	}
	return out
}

func TestPopulationPower(t *testing.T) {
	p := wanderers()
	identity := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	twice := [][]float64{
		{.95*.95 + .04*.02 + .01*.03, .95*.04 + .04*.9, .95*.01 + .04*.08 + .01*.97},
		{.02*.95 + .9*.02 + .08*.03, .02*.04 + .9*.9, .02*.01 + .9*.08 + .08*.97},
		{.03*.95 + .97*.03, .03 * .04, .03*.01 + .97*.97},
	}
	half := math.Sqrt(.95)
	for _, tc := range []struct {
		name      string
		got, want [][]float64
		within    float64
	}{
		{"0", p.Power(0).Transitions, identity, 0},
		{"1", p.Power(1).Transitions, p.Transitions, 0},
		{"2", p.Power(2).Transitions, twice, 1e-15},
		{"the row of a half", p.Power(.5).Transitions[:1], [][]float64{{half, (1 - half) * .8, (1 - half) * .2}}, 1e-15},
		{"2.5 in two", p.Power(2.5).Transitions, composed(p.Power(2).Transitions, p.Power(.5).Transitions), 1e-15},
		{"7 in two", p.Power(7).Transitions, composed(p.Power(3).Transitions, p.Power(4).Transitions), 1e-14},
		{"2 of a half", p.Power(.5).Power(2).Transitions, p.Transitions, .0025},
		{"a half of 2", p.Power(2).Power(.5).Transitions, p.Transitions, .0025},
		{"many, and more", p.Power(1e12).Transitions, p.Power(1e6).Transitions, 1e-9},
		{"a half of the identity", (&Population{Transitions: identity}).Power(.5).Transitions, identity, 0},
		{"a half of an alternation", (&Population{Transitions: [][]float64{{0, 1}, {1, 0}}}).Power(.5).Transitions, [][]float64{{0, 1}, {1, 0}}, 0},
	} {
		if d := apart(tc.got, tc.want); !(d <= tc.within) {
			t.Errorf("%s: %v, want %v", tc.name, tc.got, tc.want)
		}
	}
	for _, x := range []float64{1e-9, .1, .999, 1, 1.001, 3.7, 1000, math.MaxFloat64} {
		q := p.Power(x)
		for i, row := range q.Transitions {
			total := 0.0
			for _, v := range row {
				if total += v; v < 0 {
					t.Errorf("power %g: row %d is %v", x, i, row)
				}
			}
			if math.Abs(total-1) > 1e-14 || !slices.Equal(q.Frequencies, p.Frequencies) {
				t.Errorf("power %g: row %d sums to %g", x, i, total)
			}
		}
	}
	if q := wanderers(); apart(q.Transitions, p.Transitions) != 0 {
		t.Error("a power changed the population")
	}
}

func TestPopulationPowerPanics(t *testing.T) {
	for _, x := range []float64{-1, math.NaN(), math.Inf(1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("power %g: no panic", x)
				}
			}()
			wanderers().Power(x)
		}()
	}
}
