package charts

import (
	"bytes"
	"math"
	"testing"
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
