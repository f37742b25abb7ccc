package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// Gains and losses differ in colour and shape, what is not finite is left out, and the key has the greatest change at both ends.
func TestDispersion(t *testing.T) {
	points := []Disperse{{0.2, 0.3, 4}, {0.4, 0.5, -2}, {0.6, 0.7, 0}, {math.NaN(), 0.5, 50}, {0.5, 0.5, math.Inf(1)}}
	draw := func(points []Disperse) string {
		svg, err := Dispersion("Who <goes> on", "p(a|a)", "p(b|b)", "points", points).Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("the SVG is no XML: %v", err)
			}
		}
		return string(svg)
	}
	svg := draw(points)
	for _, want := range []string{"Who &lt;goes&gt; on", "p(a|a)", "p(b|b)", ">points<", ">+4<", ">-4<", "fill:#0072B2", "fill:#D55E00"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in the figure", want)
		}
	}
	if draw(points) != svg {
		t.Error("another drawing of the same")
	}
	if draw(points[:3]) != svg {
		t.Error("points that are not finite are drawn")
	}
	for _, few := range [][]Disperse{nil, {{0.5, 0.5, 0}}} {
		if svg := draw(few); strings.Contains(svg, "+0") || !strings.Contains(svg, ">0<") {
			t.Errorf("the key of %v", few)
		}
	}
}
