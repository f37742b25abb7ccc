package predict

import (
	"math"
	"strings"
	"testing"
)

func TestKindProbabilities(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tc := range []struct {
		kind Kind
		raw  []float32
		want []float64
		err  string
	}{
		{Logits, []float32{0, 0}, []float64{0.5, 0.5}, ""},
		{"", []float32{1000, 1000, -inf}, []float64{0.5, 0.5, 0}, ""},
		{LogProbabilities, []float32{float32(math.Log(0.25)), float32(math.Log(0.75))}, []float64{0.25, 0.75}, ""},
		{Probabilities, []float32{0.2, 0.8}, []float64{0.2, 0.8}, ""},
		{Logits, []float32{nan, 0}, nil, "class 0 is NaN"},
		{Logits, []float32{0, inf}, nil, "class 1 is +Inf"},
		{Logits, []float32{-inf, -inf}, nil, "-Inf for all 2 classes"},
		{Probabilities, []float32{3, -2}, nil, "class 0 is 3: not a probability"},
		{Probabilities, []float32{0.9, 0.8}, nil, "sum to 1.7"},
		{Probabilities, []float32{nan, 1}, nil, "class 0 is NaN"},
	} {
		dst := make([]float64, len(tc.raw))
		err := tc.kind.Probabilities(dst, tc.raw)
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s of %v: %v, want %q", tc.kind, tc.raw, err, tc.err)
			}
			continue
		}
		for i := range tc.want {
			if err != nil || math.Abs(dst[i]-tc.want[i]) > 1e-7 {
				t.Errorf("%s of %v: %v, %v, want %v", tc.kind, tc.raw, dst, err, tc.want)
				break
			}
		}
	}
}
