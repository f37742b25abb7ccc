package charts

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"
)

// says checks that a figure is the same XML each time, with all of the texts.
func says(t *testing.T, f Figure, texts ...string) string {
	t.Helper()
	svg, err := f.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
	}
	if again, err := f.Encode("svg"); err != nil || !bytes.Equal(svg, again) {
		t.Errorf("another drawing of the same: %v", err)
	}
	for _, want := range texts {
		if !strings.Contains(string(svg), want) {
			t.Errorf("it does not say %s", want)
		}
	}
	return string(svg)
}

func TestScatter(t *testing.T) {
	series := []Points{
		{"a <gain>", []float64{20, 50, 90}, []float64{-2, 1, 4}, 0, &Line{-4, 0.1}},
		{"no fit", []float64{20, 50, math.NaN()}, []float64{1, math.Inf(1), 2}, 1, nil},
		{"nothing", nil, nil, 2, &Line{}},
	}
	svg := says(t, Scatter("gains", "accuracy", "gain", series), ">gains<", ">accuracy<", ">gain<", ">a &lt;gain&gt;<", ">no fit<")
	if strings.Contains(svg, "nothing") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("what is no number is drawn")
	}
	says(t, Scatter("empty", "x", "y", nil), ">empty<")
}

func TestBands(t *testing.T) {
	x := []float64{1, 2, 3}
	bands := []Band{
		{Curve{"mean", x, []float64{.2, .1, .1}, 0, false}, []float64{.1, .05, math.NaN()}, []float64{.4, .2, .2}},
		{Curve{"line", x, []float64{.3, .3, .3}, 6, true}, nil, nil},
	}
	with := says(t, Bands("G", "step", "gain", bands, 2, 99), ">G<", ">step<", ">gain<", ">mean<", ">line<")
	bands[0].High = nil
	without := says(t, Bands("G", "step", "gain", bands))
	if strings.Count(with, "<path") <= strings.Count(without, "<path") {
		t.Error("neither the field nor the upright line is drawn")
	}
	says(t, Bands("empty", "x", "y", nil), ">empty<")
}
