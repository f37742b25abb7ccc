package baselines

import (
	"gonum.org/v1/gonum/floats"

	"github.com/oatta/oatta/benchmarks"
)

// LabelViterbi is the smoothing of OxWearables' stepcount and accelerometer (HMMSmoother of https://github.com/OxWearables/stepcount, file
// hmm_utils.py): the most probable path under a population's transitions, from classes that are equally probable, where each item tells its
// predicted label alone, with a probability that is counted: confusions are how often items of class i were predicted as class j. Of a
// class that was never met every label is equally probable. It is not causal.
func LabelViterbi(p *benchmarks.Population, confusions [][]float64) benchmarks.Method {
	k := len(p.Frequencies)
	path := (&benchmarks.Population{Transitions: p.Transitions, Frequencies: even(k)}).Viterbi(false)
	emissions := make([][]float64, k) // by label, of each class
	for j := range emissions {
		emissions[j] = make([]float64, k)
		for i, row := range confusions {
			if n := floats.Sum(row); n > 0 {
				emissions[j][i] = row[j] / n
			} else {
				emissions[j][i] = 1 / float64(k)
			}
		}
	}
	base := benchmarks.Base()
	return benchmarks.Method{Name: "Viterbi on labels", Label: func(dst []int, q [][]float64) {
		base.Label(dst, q)
		like := make([][]float64, len(q))
		for t, label := range dst {
			like[t] = emissions[label]
		}
		path.Label(dst, like)
	}}
}
