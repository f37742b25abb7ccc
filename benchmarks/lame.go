package benchmarks

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// LAME is Laplacian adjusted maximum-likelihood estimation (Boudiaf and others, Parameter-free Online Test-time Adaptation, CVPR 2022): the
// predictions of a batch move towards those of their neighbours. It minimises, over the probabilities z_i of a batch,
//
//	sum_i KL(z_i || q_i) - 1/2 sum_ij w_ij <z_i, z_j>
//
// by the paper's iteration z_i ~ q_i exp(sum_j w_ij z_j) from z = q on. An affinity w_ij is 1 where each of i and j is among the other's
// nearest neighbours, and 1/2 where only one is among those of the other. The paper measures distances between features of a network; here
// they are those between predictions, for there is nothing else. Batches follow one another: an answer waits for the end of its batch.
func LAME() Method {
	return Soft("LAME", func(dst, q [][]float64) {
		for at := 0; at < len(q); at += lameBatch {
			end := min(at+lameBatch, len(q))
			lame(dst[at:end], q[at:end])
		}
	})
}

const (
	lameBatch      = 64
	lameNeighbours = 5
	lameSteps      = 100  // at most
	lameTolerance  = 1e-8 // the greatest change of a probability at which the iteration ends
)

func lame(z, q [][]float64) {
	w := affinities(q, lameNeighbours)
	logs := shaped(q)
	for i, row := range q {
		copy(z[i], row)
		for j, v := range row {
			logs[i][j] = math.Log(max(v, leastProbability))
		}
	}
	next := shaped(q)
	for range lameSteps {
		change := 0.0
		for i := range z {
			copy(next[i], logs[i])
			for j, v := range w[i] {
				if v > 0 {
					floats.AddScaled(next[i], v, z[j])
				}
			}
			top := floats.Max(next[i])
			for j, v := range next[i] {
				next[i][j] = math.Exp(v - top)
			}
			normalise(next[i])
			change = max(change, floats.Distance(next[i], z[i], math.Inf(1)))
		}
		for i := range z {
			copy(z[i], next[i])
		}
		if change <= lameTolerance {
			return
		}
	}
}

// affinities are those of the k nearest by Euclidean distance, made symmetric. Of equally near rows those before count as nearer.
func affinities(q [][]float64, k int) [][]float64 {
	w := make([][]float64, len(q))
	for i := range w {
		w[i] = make([]float64, len(q))
	}
	distance, order := make([]float64, len(q)), make([]int, 0, len(q))
	for i, row := range q {
		order = order[:0]
		for j, other := range q {
			if distance[j] = floats.Distance(row, other, 2); j != i {
				order = append(order, j)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
		for _, j := range order[:min(k, len(order))] {
			w[i][j] += 0.5
			w[j][i] += 0.5
		}
	}
	return w
}
