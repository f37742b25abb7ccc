package run

import (
	"strings"
	"testing"
)

func TestUniformity(t *testing.T) {
	flat := func(i int) []float64 { d := float64(i) * 1e-4; return []float64{0.34 - d, 0.33 + d, 0.33} }
	for name, c := range map[string]struct {
		n    int
		of   func(i int) []float64
		want string
	}{
		"uniform":            {20, flat, "the first 20 predictions are nearly uniform over the 3 classes"},
		"uniform, but few":   {7, flat, ""},
		"the same":           {100, func(int) []float64 { return []float64{0.9, 0.1} }, "the first 64 predictions are the same"},
		"one differs":        {64, func(i int) []float64 { return []float64{0.9 - float64(i/63)*0.2, 0.1 + float64(i/63)*0.2} }, ""},
		"one is clear":       {64, func(i int) []float64 { return []float64{0.34 + float64(i/63)*0.2, 0.33, 0.33 - float64(i/63)*0.2} }, ""},
		"clear and the same": {32, func(int) []float64 { return []float64{1, 0} }, "the first 32 predictions are the same"},
		"the same, but few":  {31, func(int) []float64 { return []float64{1, 0} }, ""},
		"one class":          {64, func(int) []float64 { return []float64{1} }, ""},
	} {
		var u uniformity
		for i := range c.n {
			u.Add(c.of(i))
		}
		if got := u.Warning(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
