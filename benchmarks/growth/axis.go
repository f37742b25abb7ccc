package growth

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/internal/timing"
)

// Axis is something that grows, and what an item costs with it.
type Axis struct {
	ID     string    `json:"id"`
	Title  string    `json:"title"`
	Grows  string    `json:"grows"` // unit of X
	Note   string    `json:"note"`
	X      []float64 `json:"x"`
	Series []Series  `json:"series"`
}

// Series is one kind of work.
type Series struct {
	Name    string    `json:"name"`
	Bound   float64   `json:"bound"`   // exponent that its input grows by, an item, as X grows
	Seconds []float64 `json:"seconds"` // of an item, at each X; of the CPU, or that pass, see Axis; NaN: not measured
}

// point is the work of one series at one X.
type point struct {
	items int // that run does
	run   func() error
}

// steepFrom is the number of points, the largest ones, by which growth is told: what a small input costs is mostly what any costs.
const steepFrom = 3

// Exponent returns e where the cost of an item grows as X^e, by least squares over the logarithms of the last few points; NaN for fewer than two.
func (s *Series) Exponent(x []float64) float64 {
	var lx, ly []float64
	for i, v := range s.Seconds {
		if i >= len(x)-steepFrom && v > 0 {
			lx, ly = append(lx, math.Log(x[i])), append(ly, math.Log(v))
		}
	}
	if len(lx) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(lx, ly, nil, false)
	return slope
}

// measure times the points of all series in turn; work[s][i] is that of series s at X[i], and may be empty.
func (a *Axis) measure(work [][]point, rounds int, least float64) error {
	var tasks []*timing.Task
	for _, points := range work {
		for _, p := range points {
			if p.run != nil {
				tasks = append(tasks, &timing.Task{Name: a.ID, Run: p.run})
			}
		}
	}
	if err := timing.All(tasks, rounds, least); err != nil {
		return err
	}
	for s, points := range work {
		for _, p := range points {
			seconds := math.NaN()
			if p.run != nil {
				seconds = tasks[0].Median() / float64(p.items)
				tasks = tasks[1:]
			}
			a.Series[s].Seconds = append(a.Series[s].Seconds, seconds)
		}
	}
	return nil
}
