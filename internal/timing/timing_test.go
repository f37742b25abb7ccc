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
	if err := All([]*Task{a, b}, 3, 1e-9); err != nil {
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
	if err := All([]*Task{many}, 1, 1e-3); err != nil || many.runs < 1000 {
		t.Errorf("%d runs, %v", many.runs, err)
	}
}

func TestMedian(t *testing.T) {
	if m := (&Task{times: []float64{5, 1, 2}}).Median(); m != 2 {
		t.Errorf("%g", m)
	}
}
