package yasa

import (
	"math"
	"testing"
)

func TestMeans(t *testing.T) {
	x := make([]float64, 20)
	x[10] = 8
	got := triangularMean(x)
	near(t, "triangle", got[8:13], []float64{6. / 8, 7. / 8, 1, 7. / 8, 6. / 8}, 1e-12)
	about(t, "triangle without its end", got[13], 5/(8-1./8), 1e-12)
	x = []float64{1, math.NaN(), 4, 7, 10, 3}
	near(t, "past", pastMean(x), []float64{1, 1, 2.5, 4, 7, 6}, 1e-12)
	near(t, "ends", triangularMean([]float64{0, 15})[:1], []float64{15 * 7. / 15}, 1e-12)
}

func TestRobustScale(t *testing.T) {
	var x []float64
	for i := range 101 {
		x = append(x, float64(i))
	}
	got := robustScale(append(x, math.NaN()))
	near(t, "scaled", got[:101:101][50:52], []float64{0, 1. / 90}, 1e-12)
	if !math.IsNaN(got[101]) {
		t.Errorf("of NaN: %g", got[101])
	}
	near(t, "constant", robustScale([]float64{3, 3, 3}), []float64{0, 0, 0}, 0)
	if got := robustScale([]float64{math.NaN()}); !math.IsNaN(got[0]) {
		t.Errorf("of NaN alone: %g", got[0])
	}
}
