package flops

import (
	"math"

	"github.com/oatta/oatta/adapt"
)

// tally counts the operations of arithmetic that is done through it. A logarithm, an exponential and a division are one each, as the
// paper has it.
type tally struct{ operations int64 }

func (c *tally) add(a, b float64) float64 { c.operations++; return a + b }
func (c *tally) sub(a, b float64) float64 { c.operations++; return a - b }
func (c *tally) mul(a, b float64) float64 { c.operations++; return a * b }
func (c *tally) div(a, b float64) float64 { c.operations++; return a / b }
func (c *tally) exp(a float64) float64    { c.operations++; return math.Exp(a) }
func (c *tally) log(a float64) float64    { c.operations++; return math.Log(a) }

// Twin is the paper's filter without its gate, for a uniform prior, on numbers that count: slow, plain, and the same answers as
// [adapt.Filter] with [adapt.GateOff].
type Twin struct {
	tally
	paper    adapt.Paper
	learn    func(t *Twin, q []float64, g float64)
	counts   [][]float64 // [K][K]; A of the printed one is in rows
	rows     [][]float64 // [K][K]
	sums     []float64   // [K] of the carried one: row sums of counts
	scale    float64     // of the carried one: the counts are scale times counts
	p, q, pi []float64
}

// Printed is the filter as Algorithm 1 has it: the whole matrix decays, grows and is normalised anew at every step.
func Printed(classes int) *Twin { return newTwin(classes, (*Twin).learnPrinted) }

// Carried is the filter as package adapt has it: the decay is carried as one number and the sums of the rows are kept, so that an element of the
// matrix takes four operations and not seven.
func Carried(classes int) *Twin { return newTwin(classes, (*Twin).learnCarried) }

func newTwin(classes int, learn func(*Twin, []float64, float64)) *Twin {
	t := &Twin{paper: adapt.DefaultPaper(), learn: learn, scale: 1}
	uniform := func() []float64 {
		row := make([]float64, classes)
		for i := range row {
			row[i] = 1 / float64(classes)
		}
		return row
	}
	for range classes {
		counts := make([]float64, classes)
		for j := range counts {
			counts[j] = t.paper.Kappa
		}
		t.counts, t.rows = append(t.counts, counts), append(t.rows, uniform())
		t.sums = append(t.sums, t.paper.Kappa*float64(classes))
	}
	t.p, t.q, t.pi = uniform(), uniform(), uniform()
	return t
}

// Step takes q and returns the posterior, which is good until the next call, and how many operations it took.
func (t *Twin) Step(q []float64) (p []float64, operations int64) {
	t.operations = 0
	total := 0.0
	for k, v := range q { // the likelihood is q: dividing by a uniform prior changes nothing that is normalised
		t.p[k] = t.mul(v, t.pi[k])
		total = t.add(total, t.p[k])
	}
	for k, v := range t.p {
		t.p[k] = t.div(v, total)
	}
	entropy := 0.0
	for _, v := range q {
		if v > 0 {
			entropy = t.sub(entropy, t.mul(v, t.log(v)))
		}
	}
	t.learn(t, q, t.mul(t.paper.Gamma, t.exp(t.div(-entropy, t.paper.Tau))))
	copy(t.q, q)
	return t.p, t.operations
}

// learnPrinted: C = (1 - g) C + g q_{t-1} q_t', A is C with its rows normalised, and the next prior is A'p.
func (t *Twin) learnPrinted(q []float64, g float64) {
	keep := t.sub(1, g)
	for i, row := range t.counts {
		total, more := 0.0, t.mul(g, t.q[i])
		for j, c := range row {
			row[j] = t.add(t.mul(keep, c), t.mul(more, q[j]))
			total = t.add(total, row[j])
		}
		for j, c := range row {
			t.rows[i][j] = t.div(c, total)
		}
	}
	for j := range t.pi {
		t.pi[j] = t.mul(t.rows[0][j], t.p[0])
		for i, row := range t.rows[1:] {
			t.pi[j] = t.add(t.pi[j], t.mul(row[j], t.p[i+1]))
		}
	}
}

// learnCarried: the prior is the sum of the rows of counts, each times p_i over its sum.
func (t *Twin) learnCarried(q []float64, g float64) {
	t.scale = t.mul(t.scale, t.sub(1, g))
	more, total := t.div(g, t.scale), 0.0
	for _, v := range q {
		total = t.add(total, v)
	}
	whole := t.mul(more, total)
	clear(t.pi)
	for i, row := range t.counts {
		t.sums[i] = t.add(t.sums[i], t.mul(whole, t.q[i]))
		weight, grow := t.div(t.p[i], t.sums[i]), t.mul(more, t.q[i])
		for j, c := range row {
			row[j] = t.add(c, t.mul(grow, q[j]))
			t.pi[j] = t.add(t.pi[j], t.mul(weight, row[j]))
		}
	}
}

// PaperFormula is the paper's approximation for K classes.
func PaperFormula(classes int) int64 { return 7 * int64(classes) * int64(classes) }

// autoTerm is the leading term of auto: eight operations for each element of each matrix that it learns.
func autoTerm(classes int) (int64, error) {
	s, err := (adapt.Settings{}).Resolved(classes)
	if err != nil {
		return 0, err
	}
	matrices := int64(len(s.Auto.Temperatures) * len(s.Auto.FullErrors))
	return 8 * matrices * int64(classes) * int64(classes), nil
}
