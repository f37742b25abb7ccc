package predictors

import (
	"math"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/results"
)

// accuracy returns the share of rows whose most probable class is right, in percent.
func accuracy(q [][]float64, truth []int) float64 { return 100 * mean(hits(q, truth)) }

// hits is 1 where the most probable class is right.
func hits(q [][]float64, truth []int) []float64 {
	out := make([]float64, len(q))
	for t, row := range q {
		if class, _ := results.Top(row); class == truth[t] {
			out[t] = 1
		}
	}
	return out
}

// filter is the auto gate with its defaults but for the temperature.
func (s *study) filter() adapt.Settings { return adapt.Settings{Temperature: s.temperature} }

// filtered returns what a filter makes of a stream.
func filtered(q [][]float64, s adapt.Settings) ([][]float64, error) {
	f, err := adapt.New(classes, s)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(q))
	for t, row := range q {
		if err := adapt.Check(row, classes); err != nil {
			return nil, err
		}
		out[t] = make([]float64, classes)
		f.Step(out[t], row)
	}
	return out, nil
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// standardError is that of the mean; NaN for fewer than two values.
func standardError(v []float64) float64 {
	m, s := mean(v), 0.0
	for _, x := range v {
		s += (x - m) * (x - m)
	}
	n := float64(len(v))
	return math.Sqrt(s / (n - 1) / n)
}

// minus returns a - b, element by element.
func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

// binomial is the standard error of an accuracy in percent over n pictures.
func binomial(percent float64, n int) float64 {
	return math.Sqrt(percent * (100 - percent) / float64(n))
}
