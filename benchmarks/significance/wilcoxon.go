package significance

import (
	"cmp"
	"math"
	"slices"
)

// Up to these numbers of differences, zeros among them, the distribution is counted: without ties and zeros, and with them.
const (
	exactPlain = 50
	exactTied  = 13
)

// SignedRank is the two-sided Wilcoxon signed-rank test of the differences of pairs: how probable ranks as one-sided as theirs are where
// the differences are symmetric around zero. Zeros are left out (Wilcoxon's own way), ties share the mean of their ranks. The distribution
// is counted for up to 50 differences without ties and zeros, and for up to 13 with them; for more it is the normal one, with the variance
// that ties leave and without correction for continuity. statistic is the lesser sum of ranks.
//
// Where nothing is left to rank, p is 1 if the distribution is counted, and else NaN, as it is of no differences at all.
func SignedRank(differences []float64) (statistic, p float64) {
	n := len(differences)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	r := rank(differences)
	plus, minus := r.sums()
	statistic = float64(min(plus, minus)) / 2
	if tied := r.ties > 0 || len(r.twice) < n; n <= exactTied || !tied && n <= exactPlain {
		return statistic, r.counted(min(plus, minus))
	}
	return statistic, r.normal(plus)
}

// ranks are those of the absolute values of the differences that are not zero, in ascending order.
type ranks struct {
	twice    []int // doubled, so that they are whole numbers
	positive []bool
	ties     float64 // sum of m^3 - m over groups of m equal ones
}

func rank(differences []float64) (r ranks) {
	var d []float64
	for _, v := range differences {
		if v != 0 {
			d = append(d, v)
		}
	}
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	for from := 0; from < len(d); {
		to := from + 1
		for to < len(d) && math.Abs(d[to]) == math.Abs(d[from]) {
			to++
		}
		for _, v := range d[from:to] {
			r.twice, r.positive = append(r.twice, from+1+to), append(r.positive, v > 0)
		}
		m := float64(to - from)
		r.ties += m*m*m - m
		from = to
	}
	return r
}

// sums returns the doubled sums of the ranks of positive and of negative differences.
func (r ranks) sums() (plus, minus int) {
	for i, v := range r.twice {
		if r.positive[i] {
			plus += v
		} else {
			minus += v
		}
	}
	return plus, minus
}

// counted returns twice the share of all choices of signs whose sum is at most the lesser one. The distribution is symmetric, so that it
// does not matter whose sum that is. Counts are below 2^50: exact.
func (r ranks) counted(lesser int) float64 {
	ways, all := make([]float64, lesser+1), 1.0
	ways[0] = 1
	for _, v := range r.twice {
		for s := lesser; s >= v; s-- {
			ways[s] += ways[s-v]
		}
		all *= 2
	}
	total := 0.0
	for _, w := range ways {
		total += w
	}
	return min(1, 2*total/all)
}

// normal returns the probability by the normal distribution; NaN without ranks.
func (r ranks) normal(plus int) float64 {
	n := float64(len(r.twice))
	mean := n * (n + 1) / 4
	deviation := math.Sqrt((n*(n+1)*(2*n+1) - r.ties/2) / 24)
	return math.Erfc(math.Abs(float64(plus)/2-mean) / deviation / math.Sqrt2)
}
