package benchmarks

import (
	"math"

	"github.com/oatta/oatta/internal/results"
)

// The methods here are what people use today. Span is the usual one, five.

// Span is the number of predictions that the simple smoothers look at.
const Span = 5

// CentredVote takes the most frequent label of Span predictions around each: two before, itself and two after, fewer at the ends. It
// is not causal: it waits for two predictions. Of equally frequent labels it keeps the item's own, if that is among them.
func CentredVote() Method {
	return Method{"centred vote of 5, not causal", func(dst []int, q [][]float64) {
		labels := baseLabels(q)
		for t := range q {
			dst[t] = vote(labels[max(t-Span/2, 0):min(t+Span/2+1, len(labels))], labels[t])
		}
	}}
}

// RollingMode takes the most frequent of the last Span labels, of equally frequent ones the item's own.
func RollingMode() Method {
	return Method{"rolling mode of 5", func(dst []int, q [][]float64) {
		labels := baseLabels(q)
		for t := range q {
			dst[t] = vote(labels[max(t-Span+1, 0):t+1], labels[t])
		}
	}}
}

// RollingMean takes the class of the highest mean probability over the last Span predictions.
func RollingMean() Method {
	return Method{"probability mean of 5", func(dst []int, q [][]float64) { windowMean(dst, q, Span-1, 0) }}
}

// CentredMean is the same over two predictions before, itself and two after, fewer at the ends. It is not causal.
func CentredMean() Method {
	return Method{"centred probability mean of 5, not causal", func(dst []int, q [][]float64) { windowMean(dst, q, Span/2, Span/2) }}
}

func windowMean(dst []int, q [][]float64, before, after int) {
	if len(q) == 0 {
		return
	}
	sum := make([]float64, len(q[0]))
	for t := range q {
		clear(sum)
		for _, row := range q[max(t-before, 0):min(t+after+1, len(q))] {
			for j, v := range row {
				sum[j] += v
			}
		}
		dst[t], _ = results.Top(sum)
	}
}

func baseLabels(q [][]float64) []int {
	labels := make([]int, len(q))
	Base().Label(labels, q)
	return labels
}

// vote returns own if no label is more frequent, and else the most frequent, the first seen of equals.
func vote(labels []int, own int) int {
	best, most := own, count(labels, own)
	for _, label := range labels {
		if n := count(labels, label); n > most {
			best, most = label, n
		}
	}
	return best
}

func count(labels []int, label int) (n int) {
	for _, v := range labels {
		if v == label {
			n++
		}
	}
	return n
}

// Population is what the streams of others tell: how often a class follows another, and how frequent each is. It needs their labels.
type Population struct {
	Transitions [][]float64 // rows sum to 1
	Frequencies []float64
}

// NewPopulation counts over the streams of labels, each count one higher than seen, so that nothing is impossible.
func NewPopulation(classes int, streams [][]int) *Population {
	p := &Population{Frequencies: make([]float64, classes)}
	for range classes {
		p.Transitions = append(p.Transitions, make([]float64, classes))
	}
	for i := range classes {
		p.Frequencies[i] = 1
		for j := range classes {
			p.Transitions[i][j] = 1
		}
	}
	for _, labels := range streams {
		for t, label := range labels {
			p.Frequencies[label]++
			if t > 0 {
				p.Transitions[labels[t-1]][label]++
			}
		}
	}
	normalise(p.Frequencies)
	for _, row := range p.Transitions {
		normalise(row)
	}
	return p
}

// Viterbi takes the most probable path of labels under the population's matrix, with q for the likelihood, or with q divided by the
// population's frequencies (scaled), as is right for a predictor that was trained under these. It is not causal: it sees the
// whole stream.
func (p *Population) Viterbi(scaled bool) Method {
	name := "Viterbi, population matrix, not causal"
	if scaled {
		name = "the same, q over frequencies"
	}
	return Method{name, func(dst []int, q [][]float64) { p.viterbi(dst, q, scaled) }}
}

// Filter is the Bayes filter with the population's matrix, which is causal.
func (p *Population) Filter() Method {
	law := func(dst []float64, from, _ int) { copy(dst, p.Transitions[from]) }
	return Method{"Bayes filter, population matrix", func(dst []int, q [][]float64) { knowing(dst, q, law) }}
}

func (p *Population) viterbi(dst []int, q [][]float64, scaled bool) {
	if len(q) == 0 {
		return
	}
	k := len(p.Frequencies)
	logA := logMatrix(p.Transitions)
	back := make([][]int, len(q))
	score, next := make([]float64, k), make([]float64, k)
	for t, row := range q {
		back[t] = make([]int, k)
		for j := range k {
			came, from := math.Log(p.Frequencies[j]), j
			if t > 0 {
				from = bestInto(score, logA, j)
				came = score[from] + logA[from][j]
			}
			back[t][j] = from
			next[j] = came + emission(row[j], p.Frequencies[j], scaled)
		}
		score, next = next, score
	}
	dst[len(q)-1], _ = results.Top(score)
	for t := len(q) - 1; t > 0; t-- {
		dst[t-1] = back[t][dst[t]]
	}
}

// bestInto returns the class from which class j is reached best.
func bestInto(score []float64, logA [][]float64, j int) int {
	best := 0
	for i, s := range score {
		if s+logA[i][j] > score[best]+logA[best][j] {
			best = i
		}
	}
	return best
}

// leastProbability keeps the logarithm of a rounded zero finite: the ready predictions are printed with eight digits.
const leastProbability = 1e-9

func emission(q, frequency float64, scaled bool) float64 {
	e := math.Log(max(q, leastProbability))
	if scaled {
		e -= math.Log(frequency)
	}
	return e
}

func logMatrix(a [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i, row := range a {
		out[i] = make([]float64, len(row))
		for j, v := range row {
			out[i][j] = math.Log(v)
		}
	}
	return out
}
