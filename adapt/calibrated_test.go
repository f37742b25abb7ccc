package adapt

import (
	"math"
	"testing"
)

func TestCalibrated(t *testing.T) {
	for _, tc := range []struct {
		s            Settings
		fitted, want float64
	}{
		{Settings{}, .7, .7},
		{Settings{}, 1, 1},
		{Settings{}, 1.3, 1},
		{Settings{}, 5. / 3, 1},
		{Settings{Temperature: 9}, 9, 5},
		{Settings{Gate: GateOff}, 1.3, 1.3},
		{Settings{Gate: GateEWMA}, 5, 5},
		{Settings{Auto: &Auto{Temperatures: []float64{.5, 1}}}, 2, 2},
		{Settings{Auto: &Auto{Temperatures: []float64{1, 4}}}, 8, 2},
		{Settings{Auto: &Auto{}}, 8, 8},
	} {
		if got := tc.s.Calibrated(tc.fitted).Temperature; math.Abs(got-tc.want) > 1e-15 {
			t.Errorf("%+v: %g for %g, want %g", tc.s, got, tc.fitted, tc.want)
		}
	}
}
