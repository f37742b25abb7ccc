package calibration

import (
	"errors"
	"fmt"
	"math"
)

// The temperatures that a fit can end at. They lie within what settings of the filter may say.
const (
	MinTemperature = 0.02
	MaxTemperature = 50
)

// Options says how to fit. The zero value is the default.
type Options struct {
	Resamples int    // of the bootstrap; 0 is 2000
	Seed      uint64 // of the bootstrap
}

// Fit is a temperature and what it does.
type Fit struct {
	Temperature float64 `json:"temperature"`
	Low         float64 `json:"low"`  // ends of the 95 % interval of the bootstrap
	High        float64 `json:"high"` // both are Temperature where there is only one unit
	// Error is the standard error of the temperature, from the same bootstrap; 0 where there is only one unit.
	Error float64 `json:"standard_error"`
	Unit  string  `json:"unit"` // what was resampled: streams or items
	// Bound is "lower" or "upper" if the loss still falls at the end of the range of temperatures, else empty.
	Bound   string  `json:"bound,omitempty"`
	Items   int     `json:"items"`
	Streams int     `json:"streams"`
	Floored int     `json:"floored"` // items whose truth had a probability under Floor
	Before  Metrics `json:"before"`  // at temperature 1
	After   Metrics `json:"after"`   // at Temperature, on the items of the fit
}

// ErrNothingToFit is the cause of a fit that the data cannot decide.
var ErrNothingToFit = errors.New("no temperature changes how well the predictions fit")

// Fit returns the temperature of least loss. The error is that there is no item, or [ErrNothingToFit]: one class only, or
// predictions that are all uniform.
func (s *Set) Fit(o Options) (Fit, error) {
	if s.Len() == 0 {
		return Fit{}, errors.New("calibration: no labelled item")
	}
	if s.flat() {
		return Fit{}, fmt.Errorf("calibration: %d items of %d classes: %w", s.Len(), s.classes, ErrNothingToFit)
	}
	beta, bound := s.solve()
	f := Fit{
		Temperature: 1 / beta, Bound: bound, Items: s.Len(), Streams: s.Streams(), Floored: s.floored,
		Before: s.Metrics(1), After: s.Metrics(1 / beta),
	}
	s.bootstrap(&f, beta, o)
	return f, nil
}

// flat tells that every prediction is uniform, which one of a single class always is.
func (s *Set) flat() bool {
	for i := range s.truth {
		for _, v := range s.row(i) {
			if v != s.row(i)[0] {
				return false
			}
		}
	}
	return true
}

// solve finds the zero of the slope in beta = 1/T, by Newton's steps inside a bracket that every step narrows; a step that leaves the
// bracket is replaced by its geometric middle.
func (s *Set) solve() (beta float64, bound string) {
	lo, hi := 1.0/MaxTemperature, 1.0/MinTemperature
	if slope, _ := s.slope(lo); slope >= 0 {
		return lo, "upper"
	}
	if slope, _ := s.slope(hi); slope <= 0 {
		return hi, "lower"
	}
	beta = 1
	for range 100 {
		slope, curve := s.slope(beta)
		if slope < 0 {
			lo = beta
		} else {
			hi = beta
		}
		next := beta - slope/curve
		if !(next > lo && next < hi) { // also where the curve is 0
			next = math.Sqrt(lo * hi)
		}
		if math.Abs(next-beta) <= 1e-12*beta || slope == 0 {
			break
		}
		beta = next
	}
	return beta, ""
}

// slope returns the first and second derivative of the loss, summed over the items.
func (s *Set) slope(beta float64) (first, second float64) {
	for i := range s.truth {
		a, b := s.slopeOf(i, beta)
		first += a
		second += b
	}
	return first, second
}

// slopeOf returns the derivatives of one item's loss: E l - l_y and Var l under q^beta, normalised.
func (s *Set) slopeOf(i int, beta float64) (first, second float64) {
	row := s.row(i)
	top := row[0]
	for _, v := range row {
		top = max(top, v)
	}
	sum, mean, square := 0.0, 0.0, 0.0
	for _, v := range row {
		d := float64(v - top)
		w := math.Exp(beta * d)
		sum += w
		mean += w * d
		square += w * d * d
	}
	mean /= sum
	return mean - float64(row[s.truth[i]]-top), square/sum - mean*mean
}
