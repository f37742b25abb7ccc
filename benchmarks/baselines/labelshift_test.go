package baselines

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// Of n items that say a and m that say b of two classes the likelihood of the share pi is greatest where its derivative
// n e/(c + pi e) + m f/(d + pi f) is 0, with e and f the differences of the likelihoods of the classes, and c and d those of the second.
func TestLabelShiftOfTwoClasses(t *testing.T) {
	for _, c := range []struct {
		a, b, rho float64
		n, m      int
	}{{0.9, 0.2, 0.5, 30, 70}, {0.8, 0.3, 0.6, 50, 50}, {0.7, 0.1, 0.2, 5, 20}} {
		var q [][]float64
		for range c.n {
			q = append(q, []float64{c.a, 1 - c.a})
		}
		for range c.m {
			q = append(q, []float64{c.b, 1 - c.b})
		}
		like := func(v float64) (e, second float64) {
			second = (1 - v) / (1 - c.rho)
			return v/c.rho - second, second
		}
		e, c1 := like(c.a)
		f, d := like(c.b)
		n, m := float64(c.n), float64(c.m)
		want := min(max(-(n*e*d+m*f*c1)/((n+m)*e*f), 0), 1)
		p := rows(len(q), 2)
		shares := labelShift(p, q, []float64{c.rho, 1 - c.rho})
		if math.Abs(shares[0]-want) > 1e-6 {
			t.Errorf("%+v: share %.8f, want %.8f", c, shares[0], want)
		}
		if first := want / c.rho * c.a; math.Abs(p[0][0]-first/(first+(1-want)/(1-c.rho)*(1-c.a))) > 1e-6 {
			t.Errorf("%+v: first posterior %.8f", c, p[0][0])
		}
	}
}

// The shares of three classes are those of the greatest likelihood on a fine grid.
func TestLabelShiftIsMostLikely(t *testing.T) {
	q := [][]float64{{0.7, 0.2, 0.1}, {0.6, 0.3, 0.1}, {0.2, 0.7, 0.1}, {0.8, 0.1, 0.1}, {0.1, 0.3, 0.6}, {0.5, 0.25, 0.25}, {0.1, 0.8, 0.1}}
	rho := []float64{0.3, 0.3, 0.4}
	got := labelShift(rows(len(q), 3), q, rho)
	best, most := []float64{}, math.Inf(-1)
	const grid = 400
	for i := 1; i < grid; i++ {
		for j := 1; i+j < grid; j++ {
			pi := []float64{float64(i) / grid, float64(j) / grid, float64(grid-i-j) / grid}
			sum := 0.0
			for _, row := range q {
				v := 0.0
				for k := range pi {
					v += pi[k] / rho[k] * row[k]
				}
				sum += math.Log(v)
			}
			if sum > most {
				best, most = pi, sum
			}
		}
	}
	if floats.Distance(got, best, math.Inf(1)) > 2./grid {
		t.Errorf("%v, on the grid %v", got, best)
	}
}

// Shares that are those of the training change nothing, and neither does a row that the shares leave nothing of.
func TestLabelShiftStays(t *testing.T) {
	q := [][]float64{{0.9, 0.1}, {0.1, 0.9}, {0.6, 0.4}, {0.4, 0.6}}
	p := rows(4, 2)
	LabelShift(nil).Probabilities(p, q)
	if got, want := fmt.Sprint(p), fmt.Sprint(q); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	sure := [][]float64{{1, 0}, {1, 0}}
	labels := make([]int, 2)
	LabelShift([]float64{0.1, 0.9}).Label(labels, sure)
	if labels[0] != 0 || labels[1] != 0 {
		t.Error(labels)
	}
	adjust(p[0], []float64{0, 1}, []float64{1, 0})
	if p[0][1] != 1 {
		t.Errorf("%v of a row of which nothing is left", p[0])
	}
}

func rows(n, k int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, k)
	}
	return out
}
