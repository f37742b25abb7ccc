package charts

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

func someReliability() []ReliabilitySeries {
	var before, after []ReliabilityBin
	for i := range 15 {
		c := (float64(i) + .5) / 15
		before = append(before, ReliabilityBin{i * i * i, c, math.Pow(c, 2)})
		after = append(after, ReliabilityBin{100 * i, c, c})
	}
	return []ReliabilitySeries{{"before", .12, before}, {"after, T = 1.6", .01, after}}
}

func TestReliability(t *testing.T) {
	f := Reliability("CIFAR-10 <test>", someReliability())
	svg, err := f.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if chars, ok := token.(xml.CharData); ok {
			text += string(chars)
		}
	}
	for _, want := range []string{"before, ECE 0.120", "after, T = 1.6, ECE 0.010", "CIFAR-10 <test>", "share of items"} {
		if !strings.Contains(text, want) {
			t.Errorf("the SVG does not say %q", want)
		}
	}
	if strings.Contains(string(svg), "NaN") {
		t.Error("the SVG has places that are no numbers")
	}
	data, err := f.Encode("png")
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	vermilion := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r>>8 == 0xD5 && g>>8 == 0x5E && b>>8 == 0 {
				vermilion++
			}
		}
	}
	if vermilion < 200 {
		t.Errorf("%d pixels of the first series' colour", vermilion)
	}
}

// Nothing to show, or one bin, is a figure all the same.
func TestReliabilityOfLittle(t *testing.T) {
	for _, series := range [][]ReliabilitySeries{nil, {{"empty", 0, make([]ReliabilityBin, 15)}}, {{"one", 0, []ReliabilityBin{{1, 1, 1}}}}} {
		svg, err := Reliability("", series).Encode("svg")
		if err != nil || strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%v: %v", series, err)
		}
	}
}

func TestWilson(t *testing.T) {
	for _, tc := range []struct{ rate, n, lo, hi float64 }{ // the roots of (p - rate)^2 = z^2 p (1-p)/n
		{.5, 100, .4038315, .5961685},
		{1, 10, .7224672, 1},
		{0, 1, 0, .7934507},
	} {
		if lo, hi := wilson(tc.rate, tc.n); math.Abs(lo-tc.lo) > 1e-6 || math.Abs(hi-tc.hi) > 1e-6 {
			t.Errorf("%g of %g: %.7f to %.7f, want %.7f to %.7f", tc.rate, tc.n, lo, hi, tc.lo, tc.hi)
		}
	}
}
