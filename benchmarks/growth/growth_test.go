package growth

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks/report"
)

func TestExponent(t *testing.T) {
	s := Series{Seconds: []float64{9, 9, 1, 4, 16}}
	if e := s.Exponent([]float64{1, 2, 3, 6, 12}); math.Abs(e-2) > 1e-12 {
		t.Errorf("%g", e)
	}
	if e := (&Series{Seconds: []float64{1}}).Exponent([]float64{1}); !math.IsNaN(e) {
		t.Errorf("%g of one point", e)
	}
	if e := (&Series{Seconds: []float64{3, math.NaN(), 1, 8}}).Exponent([]float64{1, 2, 4, 8}); math.Abs(e-3) > 1e-12 {
		t.Errorf("%g with a point that was not measured", e)
	}
}

// A quick run measures every axis, and nothing grows much faster than its input: by half a power more at most, as times are short here.
func TestRun(t *testing.T) {
	axes, err := Run(context.Background(), Settings{Quick: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range axes {
		for _, s := range a.Series {
			if len(s.Seconds) != len(a.X) {
				t.Fatalf("%s, %s: %d points of %d", a.ID, s.Name, len(s.Seconds), len(a.X))
			}
			for i, v := range s.Seconds {
				if !(v > 0) {
					t.Errorf("%s, %s: %g seconds at %g", a.ID, s.Name, v, a.X[i])
				}
			}
			if e := s.Exponent(a.X); a.ID != "cores" && e > s.Bound+0.5 {
				t.Errorf("%s, %s grows as x^%.2f: %v", a.ID, s.Name, e, s.Seconds)
			}
		}
	}
	section, err := sectionOf(axes)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.WriteMarkdown(&b, []report.Section{section}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| exponent |", "megapixels", "auto, µs"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Settings{Quick: true}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := (&Axis{Series: make([]Series, 1)}).measure([][]point{{{1, func() error { return io.EOF }}}}, 1, 0); !errors.Is(err, io.EOF) {
		t.Errorf("%v", err)
	}
}
