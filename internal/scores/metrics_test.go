package scores

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

var fruits = []string{"apple", "pear", "plum", "fig"}

func oneHot(k int, p float64) []float64 {
	out := make([]float64, len(fruits))
	for i := range out {
		out[i] = (1 - p) / float64(len(out)-1)
	}
	out[k] = p
	return out
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// Worked by hand: truth a a a p p u; predicted a a p p u u; fig never occurs.
func TestScoresByHand(t *testing.T) {
	tally := NewTally(4)
	for i, truth := range []int{0, 0, 0, 1, 1, 2} {
		tally.Add(truth, oneHot([]int{0, 0, 1, 1, 2, 2}[i], 0.7))
	}
	s := tally.Scores(fruits)
	if s.Items != 6 || s.Correct != 4 {
		t.Errorf("%d of %d correct, want 4 of 6", s.Correct, s.Items)
	}
	near(t, "accuracy", s.Accuracy, 4./6)
	near(t, "balanced accuracy", s.BalancedAccuracy, (2./3+1./2+1)/3)
	near(t, "macro F1", s.MacroF1, (4./5+2./4+2./3)/3)
	chance := (3.*2 + 2*2 + 1*2) / 36
	near(t, "kappa", s.Kappa, (4./6-chance)/(1-chance))
	near(t, "weighted F1", s.WeightedF1, (3*4./5+2*2./4+1*2./3)/6)
	near(t, "NLL", s.NLL, -(4*math.Log(0.7)+2*math.Log(0.1))/6)
	near(t, "Brier", s.Brier, (4*(0.09+3*0.01)+2*(0.49+0.81+2*0.01))/6)
	near(t, "ECE", s.ECE, 0.7-4./6)
	want := []ClassScores{
		{"apple", 3, 2, 1, 2. / 3, 0.8, map[string]int{"apple": 2, "pear": 1}},
		{"pear", 2, 2, 0.5, 0.5, 0.5, map[string]int{"pear": 1, "plum": 1}},
		{"plum", 1, 2, 0.5, 1, 2. / 3, map[string]int{"plum": 1}},
	}
	if !reflect.DeepEqual(s.Classes, want) {
		t.Errorf("classes %+v, want %+v", s.Classes, want)
	}
}

func TestScoresAtTheEdges(t *testing.T) {
	if s := NewTally(4).Scores(fruits); !reflect.DeepEqual(s, Scores{}) {
		t.Errorf("of nothing: %+v", s)
	}
	tally := NewTally(4)
	tally.Add(2, []float64{0, 0, 1, 0})
	s := tally.Scores(fruits)
	if s.Accuracy != 1 || s.Kappa != 0 || s.NLL != 0 || s.ECE != 0 || s.MacroF1 != 1 {
		t.Errorf("of one item of one class: %+v", s)
	}
	tally = NewTally(4)
	tally.Add(1, []float64{0, 0, 1, 0})
	near(t, "NLL of the impossible", tally.Scores(fruits).NLL, -math.Log(1e-15))
}

// Kappa and F1 do not care how the classes are numbered.
func TestScoresUnderRenumbering(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := NewTally(4), NewTally(4)
	perm := r.Perm(4)
	for range 500 {
		truth, p := r.IntN(4), make([]float64, 4)
		for k := range p {
			p[k] = r.ExpFloat64()
		}
		p[truth]++
		sum := p[0] + p[1] + p[2] + p[3]
		q := make([]float64, 4)
		for k := range p {
			p[k] /= sum
			q[perm[k]] = p[k]
		}
		a.Add(truth, p)
		b.Add(perm[truth], q)
	}
	x, y := a.Scores(fruits), b.Scores(fruits)
	for _, m := range [][2]float64{{x.Kappa, y.Kappa}, {x.MacroF1, y.MacroF1}, {x.BalancedAccuracy, y.BalancedAccuracy}, {x.ECE, y.ECE}} {
		if math.Abs(m[0]-m[1]) > 1e-12 {
			t.Errorf("%g became %g", m[0], m[1])
		}
	}
}

func TestComparison(t *testing.T) {
	c := NewComparison(4)
	add := func(stream string, truth, before, after int) {
		c.Add(stream, truth, oneHot(before, 0.6), oneHot(after, 0.8))
	}
	add("cam2", 0, 0, 0)
	add("cam2", 0, 1, 0) // flipped right
	add("cam2", 0, 1, 0) // flipped right
	add("cam1", 0, 0, 2) // flipped wrong
	add("cam1", 0, 1, 2) // flipped to another wrong one
	e := c.Evaluate(fruits)
	near(t, "raw accuracy", e.Raw.Accuracy, 0.4)
	near(t, "adapted accuracy", e.Adapted.Accuracy, 0.6)
	if e.Flips.Right != 2 || e.Flips.Wrong != 1 || e.Flips.Other != 1 {
		t.Errorf("flips %+v", e.Flips)
	}
	near(t, "McNemar p of 2 against 1", e.Flips.P, 1)
	if len(e.Streams) != 2 || e.Streams[0].Stream != "cam2" || e.Streams[0].Flips.Right != 2 || e.Streams[1].Adapted.Accuracy != 0 {
		t.Errorf("streams %+v", e.Streams)
	}
	near(t, "McNemar p of 9 against 1", Flips{Right: 9, Wrong: 1}.tested().P, 2*11./1024)
}
