package benchmarks

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/results"
)

// Counts are the transitions and classes counted over labelled streams.
type Counts struct {
	Transitions [][]float64 `json:"counts"` // [K][K] how often class j followed class i
	Frequencies []float64   `json:"freq"`   // [K] items of each class
}

// CountLabels counts over streams of labels.
func CountLabels(classes int, streams [][]int) *Counts {
	c := &Counts{Frequencies: make([]float64, classes)}
	for range classes {
		c.Transitions = append(c.Transitions, make([]float64, classes))
	}
	for _, labels := range streams {
		for t, label := range labels {
			c.Frequencies[label]++
			if t > 0 {
				c.Transitions[labels[t-1]][label]++
			}
		}
	}
	return c
}

// check reports a shape that is not that of the classes, entries that are no counts, and counts of nothing.
func (c *Counts) check(classes int) error {
	if len(c.Transitions) != classes {
		return fmt.Errorf("counts: %d rows: want one per class, %d", len(c.Transitions), classes)
	}
	for i, row := range c.Transitions {
		if err := checkCounts(row, classes); err != nil {
			return fmt.Errorf("counts[%d]: %w", i, err)
		}
	}
	if err := checkCounts(c.Frequencies, classes); err != nil {
		return fmt.Errorf("freq: %w", err)
	}
	if floats.Sum(c.Frequencies) == 0 {
		return errors.New("freq: no item of any class")
	}
	return nil
}

// maxCount keeps sums of counts exact.
const maxCount = 1 << 32

func checkCounts(x []float64, classes int) error {
	if len(x) != classes {
		return fmt.Errorf("%d numbers: want one per class, %d", len(x), classes)
	}
	for i, v := range x {
		if !(v >= 0 && v <= maxCount) {
			return fmt.Errorf("[%d] is %g: want 0 to %g", i, v, float64(maxCount))
		}
	}
	return nil
}

// Population is what the streams of others tell: how often a class follows another, and how frequent each is. It needs their labels.
type Population struct {
	Transitions [][]float64 // rows sum to 1
	Frequencies []float64
}

// NewPopulation counts over the streams of labels, each count one higher than seen, so that nothing is impossible.
func NewPopulation(classes int, streams [][]int) *Population {
	return CountLabels(classes, streams).addOne()
}

func (c *Counts) addOne() *Population {
	p := &Population{Frequencies: make([]float64, len(c.Frequencies))}
	one := func(dst, counts []float64) {
		for i, n := range counts {
			dst[i] = n + 1
		}
		normalise(dst)
	}
	one(p.Frequencies, c.Frequencies)
	for _, counts := range c.Transitions {
		row := make([]float64, len(counts))
		one(row, counts)
		p.Transitions = append(p.Transitions, row)
	}
	return p
}

// Population returns rows (counts + strength frequencies)/(count of the row + strength): a class that was hardly seen is followed as any
// is. The frequencies are those counted and one item more, spread evenly over the classes, so that nothing is impossible.
func (c *Counts) Population(strength float64) *Population {
	k := float64(len(c.Frequencies))
	p := &Population{}
	for _, n := range c.Frequencies {
		p.Frequencies = append(p.Frequencies, n+1/k)
	}
	normalise(p.Frequencies)
	for _, counts := range c.Transitions {
		row := make([]float64, len(counts))
		for j, n := range counts {
			row[j] = n + strength*p.Frequencies[j]
		}
		normalise(row)
		p.Transitions = append(p.Transitions, row)
	}
	return p
}

// Renamed is the population of somebody for whom class i is called i+1, and the last one the first: every order that it tells of is wrong
// but for how long classes last.
func (p *Population) Renamed() *Population {
	k := len(p.Frequencies)
	out := &Population{Frequencies: make([]float64, k), Transitions: make([][]float64, k)}
	for i, f := range p.Frequencies {
		to := (i + 1) % k
		out.Frequencies[to], out.Transitions[to] = f, make([]float64, k)
		for j, v := range p.Transitions[i] {
			out.Transitions[to][(j+1)%k] = v
		}
	}
	return out
}

// Hypothesis is the population as the filter takes it.
func (p *Population) Hypothesis() *adapt.Population {
	return &adapt.Population{Transitions: p.Transitions, Frequencies: p.Frequencies}
}

// Viterbi takes the most probable path of labels under the population's matrix, with q for the likelihood, or with q divided by the
// population's frequencies (scaled), as is right for a predictor that was trained under these. It is not causal: it sees the
// whole stream.
func (p *Population) Viterbi(scaled bool) Method {
	name := "Viterbi, population matrix, not causal"
	if scaled {
		name = "the same, q over frequencies"
	}
	return Method{Name: name, Label: func(dst []int, q [][]float64) { p.viterbi(dst, q, scaled) }}
}

// Filter is the Bayes filter with the population's matrix and q for the likelihood, which is causal.
func (p *Population) Filter() Method {
	return Soft("Bayes filter, population matrix", func(dst, q [][]float64) { forward(dst, q, uniform(len(q[0])), p.law) })
}

// ScaledFilter is the Bayes filter with q divided by the population's frequencies, which are also the law of the first label.
func (p *Population) ScaledFilter() Method {
	return Soft("HMM filter", func(dst, q [][]float64) { forward(dst, p.scaled(q), p.Frequencies, p.law) })
}

// ScaledSmoother is the same with the whole stream in view, by forward-backward. It is not causal.
func (p *Population) ScaledSmoother() Method {
	return Soft("HMM smoother", func(dst, q [][]float64) { forwardBackward(dst, p.scaled(q), p.Frequencies, p.law) })
}

func (p *Population) law(dst []float64, from, _ int) { copy(dst, p.Transitions[from]) }

// scaled returns q over the frequencies, each row normalised.
func (p *Population) scaled(q [][]float64) [][]float64 {
	like := shaped(q)
	for t, row := range q {
		for j, v := range row {
			like[t][j] = max(v, leastProbability) / p.Frequencies[j]
		}
		normalise(like[t])
	}
	return like
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
