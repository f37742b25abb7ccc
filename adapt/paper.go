package adapt

import "math"

// paper is the recursion of Algorithms 1 and 2. The reading of what the paper leaves open is that of the reference: pi_t uses
// A_{t-1}; q_0 = 1/K also when gated; the ungated p_t is carried on.
//
// One pass over K x K a step. The counts are held as C = scale * c, so that the decay is one multiplication, and the row sums of c
// are carried. The pass that adds the outer product also accumulates the next prior, A'p, whose rows are then still in cache.
type paper struct {
	Paper
	gate        Gate
	temperature float64
	inv         []float64 // 1/rho or nil

	c     []float64 // [K, K] row-major
	rows  []float64 // [K] sums of the rows of c
	scale float64

	p, q, prior, marginal []float64 // [K]
	like, logq            []float64 // [K] scratch
	llr                   float64
	ratios                window
}

func newPaper(classes int, s Settings) *paper {
	vec := func() []float64 { return make([]float64, classes) }
	f := &paper{
		Paper: *s.Paper, gate: s.Gate, temperature: s.Temperature, inv: inverse(s.Prior),
		c: make([]float64, classes*classes), rows: vec(),
		p: vec(), q: vec(), prior: vec(), marginal: vec(), like: vec(), logq: vec(),
	}
	if s.Gate == GateWindow {
		f.ratios.values = make([]float64, s.Paper.Window)
	}
	f.reset()
	return f
}

func (f *paper) reset() {
	n := len(f.p)
	f.scale, f.llr = 1, 0
	f.ratios.reset()
	fill(f.p, 1/float64(n))
	fill(f.q, 1/float64(n))
	fill(f.prior, 1/float64(n)) // both initial matrices map the uniform to the uniform
	fill(f.marginal, 1/float64(n))
	if f.Init == InitIdentity {
		fill(f.c, 0)
		for i := range n {
			f.c[i*n+i] = f.Kappa
		}
		fill(f.rows, f.Kappa)
		return
	}
	fill(f.c, f.Kappa)
	fill(f.rows, f.Kappa*float64(n))
}

func (f *paper) step(dst, q []float64) Diagnostics {
	d := Diagnostics{Gate: 1, Entropy: logs(f.logq, q)}
	likelihood(f.like, q, f.logq, f.inv, f.temperature)
	d.Evidence = f.posterior()
	d.ZeroEvidence = !(d.Evidence > minEvidence)
	if f.gate != GateOff {
		d.Gate = f.weigh(q)
		d.LLR = f.llr
	}
	f.learn(q, f.Gamma*math.Exp(-d.Entropy/f.Tau))
	copy(f.q, q)
	f.mix(dst, d.Gate) // last: dst may be q
	return d
}

// minEvidence is the evidence under which a prior is taken to exclude what came: far above the denormal numbers, whose reciprocal
// is infinite.
const minEvidence = 1e-290

// posterior sets p to like*prior, normalised, and returns the evidence, the sum before normalising. Zero evidence leaves the
// likelihood alone to decide.
func (f *paper) posterior() float64 {
	evidence := 0.0
	for i, l := range f.like {
		v := l * f.prior[i]
		f.p[i] = v
		evidence += v
	}
	if evidence > minEvidence {
		scale(f.p, 1/evidence)
	} else {
		copy(f.p, f.like)
	}
	return evidence
}

// weigh advances the log-likelihood ratio between the prior and the running marginal, and returns the gate's weight.
func (f *paper) weigh(q []float64) float64 {
	for i, v := range q {
		f.marginal[i] = (1-f.Eta)*f.marginal[i] + f.Eta*v
	}
	scale(f.marginal, 1/sum(f.marginal))
	delta := math.Log(dot(q, f.prior)+f.Eps) - math.Log(dot(q, f.marginal)+f.Eps)
	if math.IsNaN(delta) || math.IsInf(delta, 0) { // only with eps = 0 and an excluded observation
		delta = math.Max(-maxRatio, math.Min(maxRatio, nanTo(delta, 0)))
	}
	if f.gate == GateWindow {
		f.llr = f.ratios.push(delta)
	} else {
		w := float64(f.Window)
		f.llr = (1-1/w)*f.llr + delta/w
	}
	return 1 / (1 + math.Exp(-(f.llr-f.Margin)/f.GateTau))
}

// maxRatio bounds one step's log ratio where eps = 0 would make it infinite: log of the smallest float64.
const maxRatio = 745

func nanTo(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
}

// learn decays the counts, adds g q_{t-1} q_t', and leaves the next prior A'p in f.prior.
func (f *paper) learn(q []float64, g float64) {
	f.scale *= 1 - g
	if f.scale < 1e-100 {
		f.rescale()
	}
	n, add, total := len(q), g/f.scale, sum(q)
	fill(f.prior, 0)
	spare := 0.0 // posterior mass on rows that decayed to nothing
	for i, before := range f.q {
		row := f.c[i*n : i*n+n]
		f.rows[i] += add * before * total
		weight := 0.0
		if f.rows[i] > tiny {
			weight = f.p[i] / f.rows[i]
		} else if f.Init == InitIdentity {
			f.prior[i] += f.p[i]
		} else {
			spare += f.p[i]
		}
		addThenAccumulate(row, add*before, q, f.prior, weight)
	}
	if spare > 0 {
		for i := range f.prior {
			f.prior[i] += spare / float64(n)
		}
	}
}

// tiny is the row sum under which a row holds no more information: exact zeros in q let rows decay for ever, and the row then
// counts as its initial one.
const tiny = 1e-280

// addThenAccumulate adds a*q to row, and w times the result to prior.
func addThenAccumulate(row []float64, a float64, q, prior []float64, w float64) {
	q, prior = q[:len(row)], prior[:len(row)]
	for j := range row {
		v := row[j] + a*q[j]
		row[j] = v
		prior[j] += w * v
	}
}

// rescale multiplies the scale into the counts, long before it underflows.
func (f *paper) rescale() {
	scale(f.c, f.scale)
	scale(f.rows, f.scale)
	f.scale = 1
}

// mix writes lambda p + (1 - lambda) q, normalised, where q is already stored as f.q.
func (f *paper) mix(dst []float64, lambda float64) {
	if f.gate == GateOff {
		copy(dst, f.p)
		return
	}
	s := 0.0
	for i, v := range f.p {
		m := lambda*v + (1-lambda)*f.q[i]
		dst[i] = m
		s += m
	}
	scale(dst, 1/s)
}

// window is a mean over the last len(values) numbers. The sum is formed anew once a turn, so that rounding does not pile up.
type window struct {
	values      []float64
	next, count int
	sum         float64
}

// reset also clears the ring: what a stream leaves there would reach the next one's snapshots.
func (w *window) reset() {
	w.next, w.count, w.sum = 0, 0, 0
	clear(w.values)
}

func (w *window) push(v float64) float64 {
	if w.count == len(w.values) {
		w.sum -= w.values[w.next]
	} else {
		w.count++
	}
	w.values[w.next] = v
	w.sum += v
	if w.next++; w.next == len(w.values) {
		w.next, w.sum = 0, sum(w.values)
	}
	return w.sum / float64(w.count)
}
