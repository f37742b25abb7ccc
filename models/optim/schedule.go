package optim

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
)

// Course is how a learning rate falls once it is warm.
type Course uint8

// The courses. With x = (t - Warmup) / (Total - Warmup), between 0 and 1:
const (
	Constant    Course = iota // rate
	Linear                    // from rate to floor, as 1 - x
	Cosine                    // from rate to floor, as (1 + cos(pi x))/2
	Exponential               // rate Factor^(t - Warmup), not below floor
	Stairs                    // rate Factor^floor((t - Warmup)/Every), not below floor
)

// Schedule is a learning rate as a function of the steps taken. The first step is t = 0.
type Schedule struct {
	Rate   float64 // > 0
	Floor  float64 // 0 <= Floor <= Rate: where the rate ends
	Course Course
	Warmup int64   // steps in which the rate rises as (t+1)/Warmup; >= 0
	Total  int64   // of Linear and Cosine: steps until the floor, more than Warmup
	Factor float64 // of Exponential and Stairs, 0 < Factor <= 1
	Every  int64   // of Stairs: steps on a stair, > 0
}

// Validate reports the first setting out of its range.
func (s Schedule) Validate() error {
	switch {
	case !(s.Rate > 0 && s.Rate < 1e9):
		return fmt.Errorf("optim: rate %v is not in (0, 1e9)", s.Rate)
	case !(s.Floor >= 0 && s.Floor <= s.Rate):
		return fmt.Errorf("optim: floor %v is not between 0 and the rate %v", s.Floor, s.Rate)
	case s.Course > Stairs:
		return fmt.Errorf("optim: course %d is none", s.Course)
	case s.Warmup < 0:
		return fmt.Errorf("optim: warmup %d is negative", s.Warmup)
	case (s.Course == Linear || s.Course == Cosine) && s.Total <= s.Warmup:
		return fmt.Errorf("optim: total %d is not more than warmup %d", s.Total, s.Warmup)
	case (s.Course == Exponential || s.Course == Stairs) && !(s.Factor > 0 && s.Factor <= 1):
		return fmt.Errorf("optim: factor %v is not in (0, 1]", s.Factor)
	case s.Course == Stairs && s.Every <= 0:
		return fmt.Errorf("optim: stairs of %d steps", s.Every)
	}
	return nil
}

// At returns the rate of the step after t steps.
func (s Schedule) At(t int64) float64 {
	warm := 1.0
	if s.Warmup > 0 {
		warm = min(1, float64(t+1)/float64(s.Warmup))
	}
	after := float64(max(0, t-s.Warmup))
	span := s.Rate - s.Floor
	rate := s.Rate
	switch x := min(1, after/float64(s.Total-s.Warmup)); s.Course {
	case Linear:
		rate = s.Floor + span*(1-x)
	case Cosine:
		rate = s.Floor + span*(1+math.Cos(math.Pi*x))/2
	case Exponential:
		rate = max(s.Floor, s.Rate*math.Pow(s.Factor, after))
	case Stairs:
		rate = max(s.Floor, s.Rate*math.Pow(s.Factor, math.Floor(after/float64(s.Every))))
	}
	return rate * warm
}

// Value appends the rate as a function of the steps taken, an integer of rank 0 or of shape [1], and returns it as a scalar of a type. It
// is computed in float64, but for the cosine.
func (s Schedule) Value(g *graph.Graph, step graph.Value, elem graph.DType) (graph.Value, error) {
	if err := s.Validate(); err != nil {
		return graph.None, err
	}
	op := func(name string, inputs ...graph.Value) graph.Value { return g.Op(name, inputs) }
	num := func(f float64) graph.Value { return g.Scalar(graph.Float64, f) }
	if len(g.TypeOf(step).Shape) == 1 {
		step = op("Squeeze", step)
	}
	t := g.Op("Cast", []graph.Value{step}, graph.A("to", graph.Float64))
	after := op("Max", op("Sub", t, num(float64(s.Warmup))), num(0))
	rate := num(s.Rate)
	between := func(fraction graph.Value) graph.Value {
		return op("Add", op("Mul", fraction, num(s.Rate-s.Floor)), num(s.Floor))
	}
	falling := func(exponent graph.Value) graph.Value {
		return op("Max", op("Mul", op("Pow", num(s.Factor), exponent), num(s.Rate)), num(s.Floor))
	}
	switch s.Course {
	case Linear, Cosine:
		x := op("Min", op("Div", after, num(float64(s.Total-s.Warmup))), num(1))
		if s.Course == Linear {
			rate = between(op("Sub", num(1), x))
		} else {
			// ONNX Runtime has no cosine of float64; in float32 it is exact to 1e-7 of the rate.
			angle := g.Op("Cast", []graph.Value{op("Mul", x, num(math.Pi))}, graph.A("to", graph.Float32))
			cos := g.Op("Cast", []graph.Value{op("Cos", angle)}, graph.A("to", graph.Float64))
			rate = between(op("Mul", op("Add", cos, num(1)), num(0.5)))
		}
	case Exponential:
		rate = falling(after)
	case Stairs:
		rate = falling(op("Floor", op("Div", after, num(float64(s.Every)))))
	}
	if s.Warmup > 0 {
		warm := op("Div", op("Add", t, num(1)), num(float64(s.Warmup)))
		rate = op("Mul", rate, op("Min", warm, num(1)))
	}
	if elem != graph.Float64 {
		rate = g.Op("Cast", []graph.Value{rate}, graph.A("to", elem))
	}
	return rate, g.Err()
}
