package corruption

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Fit is a line through gains in points over base accuracies in percent, by least squares.
type Fit struct {
	R         float64    `json:"r"`        // Pearson's
	Interval  [2]float64 `json:"interval"` // of R, 95 %, by Fisher's transformation; of fewer than four points -1 to 1
	Slope     float64    `json:"slope"`    // points per percent
	At0       float64    `json:"at_0"`
	BreakEven float64    `json:"break_even_percent"` // accuracy at which the line crosses zero; it may be outside of 0 to 100
}

// fitted needs two points with different accuracies.
func fitted(accuracy, gain []float64) Fit {
	f := Fit{R: stat.Correlation(accuracy, gain, nil), Interval: [2]float64{-1, 1}}
	f.At0, f.Slope = stat.LinearRegression(accuracy, gain, nil, false)
	f.BreakEven = -f.At0 / f.Slope
	if n := float64(len(accuracy)); n > 3 {
		half := distuv.UnitNormal.Quantile(0.975) / math.Sqrt(n-3)
		f.Interval = [2]float64{math.Tanh(math.Atanh(f.R) - half), math.Tanh(math.Atanh(f.R) + half)}
	}
	return f
}
