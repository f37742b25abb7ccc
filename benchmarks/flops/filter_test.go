package flops

import (
	"math"
	"testing"

	"github.com/oatta/oatta/adapt"
)

// The twins are the filter: the same posteriors, step by step.
func TestTwins(t *testing.T) {
	for _, classes := range []int{2, 10, 37} {
		for name, twin := range map[string]*Twin{"printed": Printed(classes), "carried": Carried(classes)} {
			f, err := adapt.New(classes, adapt.Settings{Gate: adapt.GateOff})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, classes)
			for range 20 {
				for step, q := range predictions(classes) {
					f.Step(want, q)
					got, _ := twin.Step(q)
					for k, v := range got {
						if math.Abs(v-want[k]) > 1e-12 {
							t.Fatalf("%s, %d classes, step %d: class %d has %g, want %g", name, classes, step, k, v, want[k])
						}
					}
				}
			}
		}
	}
}

// The counts by hand. Update: 2K, normalisation K; entropy 3K, and its weight 3; then the matrix.
//
//	printed  1-g, K of g q_i; K^2 each of decay, growth, sum of both, row sum, division and product, K (K-1) of their sum
//	carried  1-g and scale, g/scale, K of the sum of q, its product; K each of sum and product for a row's sum, weight, growth; 4 K^2
func TestOperations(t *testing.T) {
	for _, k := range []int64{5, 10, 14, 1000} {
		q := predictions(int(k))[0]
		if _, got := Printed(int(k)).Step(q); got != 6*k+3+1+k+6*k*k+k*(k-1) {
			t.Errorf("printed, %d classes: %d", k, got)
		}
		if _, got := Carried(int(k)).Step(q); got != 6*k+3+4+5*k+4*k*k {
			t.Errorf("carried, %d classes: %d", k, got)
		}
	}
	// The examples of the paper's appendix.
	for k, want := range map[int]int64{5: 175, 10: 700, 14: 1372, 1000: 7_000_000} {
		if got := PaperFormula(k); got != want {
			t.Errorf("7 K^2 of %d: %d, want %d", k, got, want)
		}
	}
	for k, want := range map[int]int64{10: 2 * 800, 1000: 2 * 8_000_000} {
		if got, err := autoTerm(k); err != nil || got != want {
			t.Errorf("auto, %d classes: %d, want %d (%v)", k, got, want, err)
		}
	}
}
