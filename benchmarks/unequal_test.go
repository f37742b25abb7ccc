package benchmarks

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

func TestPair(t *testing.T) {
	p := &Predictions{
		Q:     [][]float64{{0.2, 0.5, 0.3}, {0.1, 0.1, 0.8}, {0.6, 0.3, 0.1}, {0.4, 0, 0.6}},
		Truth: []int{2, 1, 0, 0},
	}
	got := p.Pair(2, 0)
	if !slices.Equal(got.Truth, []int{0, 1, 1}) || got.Classes() != 2 {
		t.Errorf("%+v", got)
	}
	near(t, "q", got.Q[0][0], 0.6)
	near(t, "q", got.Q[1][1], 6./7)
	near(t, "accuracy", got.Accuracy, 200./3)
	under := got.Under([]float64{0.2, 0.8})
	near(t, "q under frequencies", under.Q[0][0], 0.6*0.2/(0.6*0.2+0.4*0.8))
	near(t, "accuracy under frequencies", under.Accuracy, 200./3)
}

// Frequencies are as they are to be, and successive labels know nothing of each other.
func TestUnequalStreams(t *testing.T) {
	const steps = 20000
	labels := datasets.Unequal(0.8).Labels(1, 2, steps)
	zeros, repeats := 0, 0
	for i, y := range labels {
		if y == 0 {
			zeros++
		}
		if i > 0 && y == labels[i-1] {
			repeats++
		}
	}
	for name, v := range map[string][2]float64{"class 0": {float64(zeros), 0.8}, "repeats": {float64(repeats), 0.8*0.8 + 0.2*0.2}} {
		if share := v[0] / steps; math.Abs(share-v[1]) > 0.015 {
			t.Errorf("%s: %.3f, want %.3f", name, share, v[1])
		}
	}
}

// The second edition loses nearly nothing where classes are unequal; the same numbers come from any number of workers.
func TestUnequalOnRealPredictions(t *testing.T) {
	sets, err := ReadCIFARSets(testdata.Tree(t, testdata.CIFARPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	some := sets.Corrupted[:4]
	r, err := RunUnequal(some, ControlledSettings{Steps: 500, Seeds: 2, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := RunUnequal(some, ControlledSettings{Steps: 500, Seeds: 2, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, again) {
		t.Error("one worker and three give different results")
	}
	third := slices.Index(r.Methods, "auto 3")
	for i, stream := range r.Streams {
		if c := r.Cell(r.all(), i, third); c.Mean < -1 {
			t.Errorf("%s: auto 3 changes %+.2f", stream, c.Mean)
		}
	}
	first := r.Cell(r.all(), slices.IndexFunc(unequalStreams(), func(u unequalStream) bool { return u.known }), slices.Index(r.Methods, "auto 1"))
	if first.Mean > -3 {
		t.Errorf("the first edition changes %+.2f: the test has lost its case", first.Mean)
	}
	if table := UnequalTable("unequal", r); len(table.Rows) != 6 || len(table.Columns) != 2+len(r.Methods) {
		t.Errorf("table of %d rows and %d columns", len(table.Rows), len(table.Columns))
	}
}
