package optim_test

import (
	"math"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/optim"
)

// TestSchedule: rates at chosen steps by hand, and the graph against the Go function at all of the first steps.
func TestSchedule(t *testing.T) {
	for name, c := range map[string]struct {
		s    optim.Schedule
		want map[int64]float64
	}{
		"constant":    {optim.Schedule{Rate: 0.1}, map[int64]float64{0: 0.1, 99: 0.1}},
		"warm up":     {optim.Schedule{Rate: 0.1, Warmup: 4}, map[int64]float64{0: 0.025, 1: 0.05, 3: 0.1, 4: 0.1}},
		"linear":      {optim.Schedule{Rate: 1, Floor: 0.2, Course: optim.Linear, Total: 8}, map[int64]float64{0: 1, 4: 0.6, 8: 0.2, 20: 0.2}},
		"cosine":      {optim.Schedule{Rate: 1, Course: optim.Cosine, Total: 12}, map[int64]float64{0: 1, 4: 0.75, 6: 0.5, 8: 0.25, 12: 0, 15: 0}},
		"warm cosine": {optim.Schedule{Rate: 2, Course: optim.Cosine, Warmup: 2, Total: 8}, map[int64]float64{0: 1, 1: 2, 2: 2, 5: 1, 8: 0}},
		"exponential": {optim.Schedule{Rate: 1, Course: optim.Exponential, Factor: 0.5, Floor: 0.1}, map[int64]float64{0: 1, 1: 0.5, 3: 0.125, 4: 0.1}},
		"stairs":      {optim.Schedule{Rate: 1, Course: optim.Stairs, Factor: 0.1, Every: 3}, map[int64]float64{0: 1, 2: 1, 3: 0.1, 6: 0.01}},
	} {
		t.Run(name, func(t *testing.T) {
			for step, want := range c.want {
				if got := c.s.At(step); !(math.Abs(got-want) < 1e-15) {
					t.Errorf("step %d: rate %v, want %v", step, got, want)
				}
			}
			g := graph.New("schedule", 18)
			step := g.Input("step", graph.Type{Elem: graph.Int64, Shape: graph.Of(1)})
			rate, err := c.s.Value(g, step, graph.Float64)
			if err != nil {
				t.Fatal(err)
			}
			g.Output("rate", rate)
			for at := range int64(20) {
				got, err := oracle.Run(g, oracle.Int64s([]int64{at}, 1))
				if err != nil {
					t.Fatal(err)
				}
				if want := c.s.At(at); len(got[0].Dims) != 0 || !(math.Abs(got[0].F[0]-want) < 1e-15) {
					t.Errorf("step %d: rate %v of sizes %v, want %v", at, got[0].F, got[0].Dims, want)
				}
			}
		})
	}
}

func TestScheduleValidate(t *testing.T) {
	for _, s := range []optim.Schedule{
		{},
		{Rate: math.NaN()},
		{Rate: 1, Floor: 2},
		{Rate: 1, Course: 9},
		{Rate: 1, Warmup: -1},
		{Rate: 1, Course: optim.Cosine},
		{Rate: 1, Course: optim.Linear, Warmup: 5, Total: 5},
		{Rate: 1, Course: optim.Stairs, Factor: 0.5},
		{Rate: 1, Course: optim.Exponential},
	} {
		if s.Validate() == nil {
			t.Errorf("%+v was taken", s)
		}
		if _, err := s.Value(graph.New("g", 18), graph.None, graph.Float32); err == nil {
			t.Errorf("%+v became a value", s)
		}
	}
}
