package calibration

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// units bounds what is resampled. Where there are more streams (or items), they are first pooled at random into so many groups of
// equal size, which stay independent of each other.
const units = 2000

// offsets are the places, in log beta from the best, at which the slope of each unit is tabulated: dense where most resamples end. A
// resample's slope is the sum of its units' and falls with T, so its zero is between two neighbours.
var offsets = []float64{-1.4, -1, -.7, -.5, -.35, -.25, -.17, -.11, -.07, -.04, -.02, 0, .02, .04, .07, .11, .17, .25, .35, .5, .7, 1, 1.4}

// bootstrap fills in the interval and the standard error. Each unit's slope is computed at all offsets once, so that the number of
// resamples costs next to nothing.
func (s *Set) bootstrap(f *Fit, beta float64, o Options) {
	f.Low, f.High, f.Unit = f.Temperature, f.Temperature, "streams"
	rng := rand.New(rand.NewPCG(o.Seed, 0x63616c69627261))
	n, of := s.unitsOf(rng)
	if s.Streams() < 2 {
		f.Unit = "items"
	}
	if n < 2 || f.Bound != "" {
		return // one unit tells nothing of the others; at a bound every resample is there, too
	}
	slopes := s.tabulate(n, of, beta)
	resamples := o.Resamples
	if resamples <= 0 {
		resamples = 2000
	}
	temperatures := make([]float64, resamples)
	total := make([]float64, len(offsets))
	for r := range temperatures {
		clear(total)
		for range n {
			for k, v := range slopes[rng.IntN(n)] {
				total[k] += v
			}
		}
		temperatures[r] = 1 / (beta * math.Exp(zero(total)))
	}
	slices.Sort(temperatures)
	f.Low, f.High = stat.Quantile(.025, stat.Empirical, temperatures, nil), stat.Quantile(.975, stat.Empirical, temperatures, nil)
	f.Error = stat.StdDev(temperatures, nil)
}

// unitsOf returns the number of units and that of each item's.
func (s *Set) unitsOf(rng *rand.Rand) (n int, of func(item int) int) {
	all, each := s.Streams(), func(i int) int { return int(s.stream[i]) }
	if all < 2 {
		all, each = s.Len(), func(i int) int { return i }
	}
	if all <= units {
		return all, each
	}
	place := rng.Perm(all)
	return units, func(i int) int { return place[each(i)] % units }
}

// tabulate returns the slope of each unit at each offset [units][offsets].
func (s *Set) tabulate(n int, of func(item int) int, beta float64) [][]float64 {
	out := make([][]float64, n)
	for u := range out {
		out[u] = make([]float64, len(offsets))
	}
	for k, offset := range offsets {
		b := beta * math.Exp(offset)
		for i := range s.truth {
			first, _ := s.slopeOf(i, b)
			out[of(i)][k] += first
		}
	}
	return out
}

// zero returns the offset at which a rising function, given at the offsets, is 0, linear between neighbours; outside it is the end.
func zero(rising []float64) float64 {
	for k, v := range rising {
		if v < 0 {
			continue
		}
		if k == 0 {
			return offsets[0]
		}
		below := rising[k-1]
		return offsets[k-1] + (offsets[k]-offsets[k-1])*(-below)/(v-below)
	}
	return offsets[len(offsets)-1]
}
