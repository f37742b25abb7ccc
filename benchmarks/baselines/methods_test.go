package baselines

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks"
)

// of returns predictions of labels, each with the given probability of its label.
func of(classes int, p float64, labels ...int) (q [][]float64) {
	for _, label := range labels {
		row := make([]float64, classes)
		for j := range row {
			row[j] = (1 - p) / float64(classes-1)
		}
		row[label] = p
		q = append(q, row)
	}
	return q
}

func labelled(m benchmarks.Method, q [][]float64) []int {
	out := make([]int, len(q))
	m.Label(out, q)
	return out
}

func TestSequences(t *testing.T) {
	for _, c := range []struct {
		name   string
		method benchmarks.Method
		p      float64
		labels []int
		want   []int
	}{
		{"majority", SequenceVote(5), 0.6, []int{1, 1, 2, 1, 0, 2, 2}, []int{1, 1, 1, 1, 1, 2, 2}},
		{"a tie is the first class's", SequenceVote(4), 0.6, []int{2, 1, 1, 2}, []int{1, 1, 1, 1}},
		{"all are one", SequenceVote(0), 0.6, []int{2, 1, 1, 2, 2, 0, 0}, []int{2, 2, 2, 2, 2, 2, 2}},
		{"four overwrite one", Dominant(10), 0.6, []int{1, 1, 2, 1, 1, 0}, []int{1, 1, 1, 1, 1, 1}},
		{"not two", Dominant(10), 0.6, []int{1, 1, 2, 1, 1, 2, 0}, []int{1, 1, 2, 1, 1, 2, 1}},
		{"three do not", Dominant(10), 0.6, []int{1, 1, 2, 1}, []int{1, 1, 2, 1}},
		{"doubt is left alone", Dominant(10), 0.45, []int{1, 1, 2, 1, 1}, []int{1, 1, 2, 1, 1}},
		{"nothing", Dominant(10), 0.6, nil, []int{}},
		{"nothing", SequenceVote(0), 0.6, nil, []int{}},
	} {
		if got := labelled(c.method, of(3, c.p, c.labels...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Of all paths of labels the one is taken whose probability is highest.
func TestLabelViterbiIsTheBestPath(t *testing.T) {
	p := &benchmarks.Population{Transitions: [][]float64{{0.7, 0.2, 0.1}, {0.1, 0.8, 0.1}, {0.27, 0.13, 0.6}}, Frequencies: []float64{0.5, 0.3, 0.2}}
	confusions := [][]float64{{8, 1, 1}, {3, 5, 2}, {0, 0, 0}}
	emission := [][]float64{{0.8, 0.1, 0.1}, {0.3, 0.5, 0.2}, {1. / 3, 1. / 3, 1. / 3}}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		const n = 6
		seen := make([]int, n)
		for i := range seen {
			seen[i] = rng.IntN(3)
		}
		best, most := []int{}, math.Inf(-1)
		for code := range 729 {
			path, log := make([]int, n), 0.0
			for t, rest := 0, code; t < n; t, rest = t+1, rest/3 {
				path[t] = rest % 3
				log += math.Log(emission[path[t]][seen[t]])
				if t > 0 {
					log += math.Log(p.Transitions[path[t-1]][path[t]])
				}
			}
			if log > most {
				best, most = path, log
			}
		}
		if got := labelled(LabelViterbi(p, confusions), of(3, 0.6, seen...)); !slices.Equal(got, best) {
			t.Errorf("%v: %v, want %v", seen, got, best)
		}
	}
}

// What answers at once does not change when the future does, and methods have the names that they are listed by.
func TestCausality(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var labels []int
	for range 120 {
		labels = append(labels, rng.IntN(3))
	}
	q := of(3, 0.5, labels...)
	known := benchmarks.Known{Own: benchmarks.NewPopulation(3, [][]int{labels}), Confusions: [][]float64{{3, 1, 0}, {1, 3, 1}, {0, 1, 3}}}
	for i, m := range append(causal(), waiting()...) {
		method, ok := m.Make(known)
		if !ok || method.Name != m.Name {
			t.Fatalf("%s: %t, named %s", m.Name, ok, method.Name)
		}
		part, whole := labelled(method, q[:80]), labelled(method, q)
		if i < len(causal()) && !slices.Equal(part, whole[:80]) {
			t.Errorf("%s is not causal", m.Name)
		}
	}
	for _, m := range append(causal(), waiting()...) {
		if _, ok := m.Make(benchmarks.Known{}); ok == strings.Contains(m.Name, "population") {
			t.Errorf("%s of a stream without others: %t", m.Name, ok)
		}
	}
}
