package timing

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/internal/cputime"
)

// Task is something to time, such as one item of a predictor or a step of a filter.
type Task struct {
	Name  string
	Run   func() error
	runs  int       // that are timed as one
	times []float64 // CPU seconds of one run, by round
}

// All times tasks in turn, so that whatever else the machine does meets all of them: each for about least seconds a round,
// and where least is not 0 until the clock has moved.
func All(tasks []*Task, rounds int, least float64) error {
	for _, t := range tasks { // the first run allocates and plans: it does not count
		if _, err := t.time(1); err != nil {
			return err
		}
		seconds, err := t.time(1)
		if err != nil {
			return err
		}
		for t.runs = 1; float64(t.runs)*seconds < least && t.runs < maxRuns; { // what is short is timed again: clocks are coarse
			t.runs = more(t.runs, seconds, least)
			if seconds, err = t.time(t.runs); err != nil {
				return err
			}
		}
	}
	for range rounds {
		for _, t := range tasks {
			seconds, err := t.time(t.runs)
			for err == nil && seconds == 0 && least > 0 && t.runs < maxRuns { // the clock stood still
				t.runs = min(maxRuns, 2*t.runs)
				seconds, err = t.time(t.runs)
			}
			if err != nil {
				return err
			}
			t.times = append(t.times, seconds)
		}
	}
	return nil
}

const (
	maxRuns   = 1 << 20
	maxGrowth = 32
)

// more is how many runs take least seconds, after so many took so many seconds each: at least twice as many, and not many times as many, as a clock
// that stood still meanwhile, as those of Windows do for up to 16 ms, does not say how short they are.
func more(runs int, seconds, least float64) int {
	needed := least / math.Max(seconds, least/maxRuns)
	return min(maxRuns, max(2*runs, int(math.Min(needed, float64(maxGrowth*runs)))))
}

// time returns the CPU seconds of one of so many runs.
func (t *Task) time(runs int) (float64, error) {
	start := cputime.Seconds()
	for range runs {
		if err := t.Run(); err != nil {
			return 0, fmt.Errorf("timing: %s: %w", t.Name, err)
		}
	}
	return (cputime.Seconds() - start) / float64(runs), nil
}

// Median is the middle one of the times, the lower of two.
func (t *Task) Median() float64 {
	return Median(t.times)
}

// Least is the least of the times, which other work disturbs least.
func (t *Task) Least() float64 { return slices.Min(t.times) }

// Median is the middle one, the lower of two; 0 of none.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(x)), nil)
}
