package charts

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestCurves(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	f := Curves("a <run>", "step", []Panel{
		{"loss", []Curve{{"training", x, []float64{2, 1.5, math.NaN(), 1}, 0, true}, {"validation", x, []float64{2.1, 1.6, 1.2, 1.1}, 1, false}}},
		{"accuracy", []Curve{{"training", x, []float64{.2, .5, .6, .7}, 0, true}, {"none", nil, nil, 1, false}}},
	})
	first, err := f.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a &lt;run&gt;", ">loss<", ">accuracy<", ">step<", ">training<", ">validation<"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("it does not say %s", want)
		}
	}
	if again, err := f.Encode("svg"); err != nil || !bytes.Equal(again, first) {
		t.Errorf("another drawing of the same: %v", err)
	}
	if _, err := Curves("nothing", "step", nil).Encode("png"); err != nil {
		t.Error(err)
	}
}
