package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/optim"
)

// The courses of a learning rate, once it is warm.
const (
	Constant = "constant"
	Steps    = "steps"  // times DropFactor at each of Drops
	Linear   = "linear" // to nothing at the end
	Cosine   = "cosine" // to nothing at the end
)

// courses are those of package optim.
var courses = map[string]optim.Course{Constant: optim.Constant, Steps: optim.Constant, Linear: optim.Linear, Cosine: optim.Cosine}

// Schedule says how the learning rate moves.
type Schedule struct {
	Course     string    `json:"course"`
	Warmup     int       `json:"warmup,omitempty"`      // steps in which it rises from near nothing
	Drops      []float64 `json:"drops,omitempty"`       // of Steps: shares of all steps, rising, 0 to 1
	DropFactor float64   `json:"drop_factor,omitempty"` // of Steps, over 0 and below 1
}

// validate reports the first setting out of its range.
func (s Schedule) validate() error {
	if _, known := courses[s.Course]; !known {
		return fmt.Errorf("schedule %q: want %s", s.Course, strings.Join([]string{Constant, Steps, Linear, Cosine}, ", "))
	}
	if s.Warmup < 0 {
		return fmt.Errorf("warm-up of %d steps: want 0 or more", s.Warmup)
	}
	if s.Course != Steps {
		return nil
	}
	if !(s.DropFactor > 0 && s.DropFactor < 1) {
		return fmt.Errorf("drop factor %v: want more than 0 and less than 1", s.DropFactor)
	}
	if len(s.Drops) == 0 || !slices.IsSorted(s.Drops) || !(s.Drops[0] > 0 && s.Drops[len(s.Drops)-1] < 1) {
		return fmt.Errorf("drops at %v: want rising shares of all steps, more than 0 and less than 1", s.Drops)
	}
	return nil
}

// at returns the rate of the step after t of total steps.
func (s Schedule) at(rate float64, t, total int) float64 {
	warmup := min(s.Warmup, total-1)
	rate = optim.Schedule{Rate: rate, Course: courses[s.Course], Warmup: int64(warmup), Total: int64(total)}.At(int64(t))
	if s.Course == Steps {
		for _, share := range s.Drops {
			if float64(t) >= share*float64(total) {
				rate *= s.DropFactor
			}
		}
	}
	return rate
}
