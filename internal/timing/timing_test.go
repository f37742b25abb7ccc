package timing

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// Tasks take turns, and an error ends it.
func TestAll(t *testing.T) {
	var order []string
	busy := func(name string) *Task {
		return &Task{Name: name, Run: func() error {
			for x := 1.0; x < 1e5; x++ {
				if math.Sqrt(x) < 0 {
					return io.EOF
				}
			}
			order = append(order, name)
			return nil
		}}
	}
	a, b := busy("a"), busy("b")
	if err := All([]*Task{a, b}, 3, 0); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ""); !strings.HasSuffix(got, "ababab") || len(a.times) != 3 || a.Median() < 0 {
		t.Errorf("%s: %v", got, a.times)
	}
	broken := &Task{Name: "broken", Run: func() error { return io.EOF }}
	if err := All([]*Task{broken}, 1, 1); !errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), "timing: broken: ") {
		t.Errorf("%v", err)
	}
	many := &Task{Name: "no time at all", Run: func() error { return nil }}
	if err := All([]*Task{many}, 1, 1e-3); err != nil || many.runs < 1000 || many.Median() <= 0 {
		t.Errorf("%d runs, %g s, %v", many.runs, many.Median(), err)
	}
}

// A clock that stood still makes the runs a few times as many, and not so many that the next measurement takes hours.
func TestMore(t *testing.T) {
	for _, c := range []struct {
		runs           int
		seconds, least float64
		want           int
	}{
		{1, 0, 0.1, 32},
		{32, 0, 0.1, 1024},
		{1 << 19, 0, 0.1, 1 << 20},
		{1, 0.005, 0.1, 20},
		{4, 0.09, 0.1, 8},
	} {
		if got := more(c.runs, c.seconds, c.least); got != c.want {
			t.Errorf("%d runs of %g s: %d, want %d", c.runs, c.seconds, got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	if m := (&Task{times: []float64{5, 1, 2}}).Median(); m != 2 {
		t.Errorf("%g", m)
	}
}
