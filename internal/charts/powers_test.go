package charts

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/plot"
)

func TestPowers(t *testing.T) {
	curves := []Curve{{Name: "off", X: []float64{1, 10, 100}, Y: []float64{1, 100, 10000}}, {Name: "auto", X: []float64{1, 0, -3, 50}, Y: []float64{2, 1, 1, math.NaN()}, Colour: 1}}
	for _, c := range [][]Curve{curves, nil, {{Name: "one", X: []float64{3}, Y: []float64{7}}}, {{Name: "none", X: []float64{0}, Y: []float64{0}}}} {
		svg, err := Powers("Growth", "classes", "µs", c).Encode("svg")
		if err != nil || !bytes.Contains(svg, []byte("</svg>")) || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Fatalf("%v: %v\n%s", c, err, svg)
		}
	}
}

// An axis names at least two powers of ten, whatever lies on it.
func TestDecades(t *testing.T) {
	for _, c := range []struct{ min, max, from, to float64 }{{2, 2, 1, 10}, {20, 30, 10, 100}, {1, 2000, 1, 10000}, {0.25, 16, 0.1, 100}, {1, 1, 1, 10}, {0, 5, 1, 10}, {math.Inf(1), math.Inf(-1), 1, 10}} {
		a := plot.Axis{Min: c.min, Max: c.max}
		if decades(&a); math.Abs(a.Min-c.from) > 1e-9 || math.Abs(a.Max-c.to) > 1e-9 {
			t.Errorf("%g to %g: %g to %g, want %g to %g", c.min, c.max, a.Min, a.Max, c.from, c.to)
		}
	}
}
