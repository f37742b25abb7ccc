package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// energy is what LAME minimises.
func energy(z, q, w [][]float64) float64 {
	e := 0.0
	for i := range z {
		for j, v := range z[i] {
			if v > 0 {
				e += v * math.Log(v/q[i][j])
			}
		}
		for j := range z {
			for k, v := range z[i] {
				e -= w[i][j] * v * z[j][k] / 2
			}
		}
	}
	return e
}

// Three predictions of two classes are all neighbours of each other: the least energy on a fine grid is where LAME ends.
func TestLAMEMinimises(t *testing.T) {
	for _, p := range [][]float64{{0.6, 0.7, 0.2}, {0.9, 0.55, 0.45}, {0.3, 0.35, 0.45}, {0.5, 0.2, 0.6}} {
		q := [][]float64{{p[0], 1 - p[0]}, {p[1], 1 - p[1]}, {p[2], 1 - p[2]}}
		got, w := shaped(q), affinities(q, lameNeighbours)
		lame(got, q)
		best, least := shaped(q), math.Inf(1)
		at := shaped(q)
		const grid = 80
		for i := range grid + 1 {
			for j := range grid + 1 {
				for k := range grid + 1 {
					for n, v := range []int{i, j, k} {
						at[n][0] = float64(v) / grid
						at[n][1] = 1 - at[n][0]
					}
					if e := energy(at, q, w); e < least {
						least = e
						for n := range at {
							copy(best[n], at[n])
						}
					}
				}
			}
		}
		if e := energy(got, q, w); e > least+1e-9 {
			t.Errorf("%v: energy %.9f, on the grid %.9f", p, e, least)
		}
		for n := range got {
			if math.Abs(got[n][0]-best[n][0]) > 1./grid {
				t.Errorf("%v: %v, on the grid %v", p, got, best)
			}
		}
	}
}

// Where it ends, no small change of any prediction has less energy.
func TestLAMEIsStationary(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	q := randomRows(rng, 20, 4)
	z, w := shaped(q), affinities(q, lameNeighbours)
	lame(z, q)
	least := energy(z, q, w)
	for i := range z {
		for from := range z[i] {
			for to := range z[i] {
				const step = 1e-6
				if from == to || z[i][from] < step {
					continue
				}
				z[i][from], z[i][to] = z[i][from]-step, z[i][to]+step
				if e := energy(z, q, w); e < least-1e-10 {
					t.Errorf("row %d, from %d to %d: energy %.12f, less than %.12f", i, from, to, e, least)
				}
				z[i][from], z[i][to] = z[i][from]+step, z[i][to]-step
			}
		}
	}
}

// 0.2 is nearest to 0.1 and to 0.5, and 0.1 to 0.2.
func TestAffinities(t *testing.T) {
	q := [][]float64{{0.1, 0.9}, {0.2, 0.8}, {0.5, 0.5}}
	if got := fmt.Sprint(affinities(q, 1)); got != "[[0 1 0] [1 0 0.5] [0 0.5 0]]" {
		t.Error(got)
	}
}

// A batch knows nothing of another, and the last one may be short.
func TestLAMEBatches(t *testing.T) {
	q := randomRows(rand.New(rand.NewPCG(23, 24)), lameBatch+7, 3)
	all, first, second := shaped(q), shaped(q[:lameBatch]), shaped(q[lameBatch:])
	LAME().Probabilities(all, q)
	lame(first, q[:lameBatch])
	lame(second, q[lameBatch:])
	if got, want := fmt.Sprint(all), fmt.Sprint(append(first, second...)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	LAME().Label(nil, nil)
	LAME().Label(make([]int, 1), q[:1])
}
