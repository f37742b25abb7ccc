package controlled

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/benchmarks/significance"
)

// level is the chance of a false alarm, in a row and filter, that is taken for significant.
const level = 0.05

// Pair is a predictor without and with a filter in one row.
type Pair struct {
	Plain, Adapted float64 // accuracy in percent, mean over seeds
	Change, Std    float64 // in points: mean over seeds, and standard deviation
	P, Holm        float64 // of the signed-rank test, and adjusted for the five pairs; Holm is NaN for what is none of the five
}

// Mark is * for a significant gain, as in the paper, and † for a significant loss.
func (p Pair) Mark() string {
	switch {
	case !(p.Holm < level):
		return ""
	case p.Change > 0:
		return "*"
	}
	return "†"
}

// Comparison is all pairs of a row and filter.
type Comparison struct {
	Pairs []Pair  // by predictor
	Mean  float64 // of the five pairs' changes, in points, over seeds
	Std   float64 // standard deviation over seeds of the mean over the five
}

// Compare makes the tests of a row and filter, by number.
func (r *Result) Compare(row, filter int) Comparison {
	c, five, family := Comparison{}, make([]float64, r.Seeds), []float64(nil)
	n := 0
	for i, cell := range r.Rows[row].Cells {
		points := 100 / float64(r.Columns[i].Steps)
		differences, change, plain := make([]float64, r.Seeds), make([]float64, r.Seeds), 0.0
		for seed, hits := range cell.Plain {
			differences[seed] = float64(cell.Filtered[filter][seed] - hits)
			change[seed] = points * differences[seed]
			plain += points * float64(hits) / float64(r.Seeds)
		}
		p := Pair{Plain: plain, Holm: math.NaN()}
		p.Change, p.Std = meanStd(change)
		p.Adapted = plain + p.Change
		_, p.P = significance.SignedRank(differences)
		if c.Pairs = append(c.Pairs, p); r.Columns[i].Beside {
			continue
		}
		n, family = n+1, append(family, p.P)
		for seed, v := range change {
			five[seed] += v
		}
	}
	for seed := range five {
		five[seed] /= float64(n)
	}
	c.Mean, c.Std = meanStd(five)
	adjusted := significance.Holm(family)
	for i := range c.Pairs {
		if !r.Columns[i].Beside {
			c.Pairs[i].Holm, adjusted = adjusted[0], adjusted[1:]
		}
	}
	return c
}

// meanStd is the mean and the standard deviation, with one less than their number in the denominator; that of one value is 0.
func meanStd(v []float64) (mean, std float64) {
	if len(v) < 2 {
		return stat.Mean(v, nil), 0
	}
	return stat.MeanStdDev(v, nil)
}
