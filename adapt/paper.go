package adapt

import "math"

// paper is the recursion of Algorithms 1 and 2. The reading of what the paper leaves open is that of the reference: pi_t uses
// A_{t-1}; q_0 = 1/K also when gated; the ungated p_t is carried on.
//
// One pass over K x K a step, or a few rows of it: see learnDense and learnSparse. The counts are held as C = scale * c, so that the
// decay is one multiplication, and the row sums of c are carried.
type paper struct {
	Paper
	gate        Gate
	temperature float64
	inv         []float64 // 1/rho or nil

	c     []float64 // [K, K] row-major
	rows  []float64 // [K] sums of the rows of c
	scale float64

	p, q, prior, marginal []float64 // [K]
	like, logq, weight    []float64 // [K] scratch; weight is p_i/C_i., for the next prior
	llr                   float64
	ratios                window

	across gap // before the step in hand
	walk   walk

	few                     int     // up to how many classes a step goes by lists
	columns, before, belief []int32 // scratch: lists of the classes in q, q_{t-1} and p
}

func newPaper(classes int, s Settings) *paper {
	vec := func() []float64 { return make([]float64, classes) }
	f := &paper{
		Paper: *s.Paper, gate: s.Gate, temperature: s.Temperature, inv: inverse(s.Prior),
		c: make([]float64, classes*classes), rows: vec(),
		p: vec(), q: vec(), prior: vec(), marginal: vec(), like: vec(), logq: vec(), weight: vec(),
		walk: newWalk(classes), few: classes / sparseShare,
	}
	for _, list := range []*[]int32{&f.columns, &f.before, &f.belief} {
		*list = make([]int32, 0, f.few)
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

// step takes a label that is known for what a prediction would be that is as sure.
func (f *paper) step(dst, q []float64, _ bool) Diagnostics {
	d := Diagnostics{Gate: 1}
	d.Entropy, d.Evidence = f.observe(q)
	d.ZeroEvidence = !(d.Evidence > minEvidence)
	if f.gate != GateOff {
		d.Gate = f.weigh(q)
		d.LLR = f.llr
	}
	f.learn(q, f.rate(d.Entropy))
	copy(f.q, q)
	f.across = gap{}
	f.mix(dst, d.Gate) // last: dst may be q
	return d
}

// observe sets the likelihood and the posterior.
func (f *paper) observe(q []float64) (entropy, evidence float64) {
	var few bool
	if f.columns, few = nonzeros(f.columns[:0], q, f.few); few {
		entropy = logsAt(f.columns, f.logq, q)
		likelihoodAt(f.columns, f.like, q, f.logq, f.inv, f.temperature)
		return entropy, f.posteriorAt(f.columns)
	}
	entropy = logs(f.logq, q)
	likelihood(f.like, q, f.logq, f.inv, f.temperature)
	return entropy, f.posterior()
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
	now, then := f.advanceMarginal(q)
	delta := logarithm(now+f.Eps) - logarithm(then+f.Eps)
	if math.IsNaN(delta) || math.IsInf(delta, 0) { // only with eps = 0 and an excluded observation
		delta = math.Max(-maxRatio, math.Min(maxRatio, nanTo(delta, 0)))
	}
	switch {
	case f.across.fresh: // the prior knows nothing of order
	case f.gate == GateWindow:
		f.llr = f.ratios.push(delta)
	default:
		w := float64(f.Window)
		f.llr = (1-1/w)*f.llr + delta/w
	}
	return 1 / (1 + math.Exp(-(f.llr-f.Margin)/f.GateTau))
}

// advanceMarginal moves the running marginal towards q and returns what the prior and it give to q. The marginal sums to 1 without
// being summed anew: the norm is that of the sum that it should have, so that rounding decays and does not pile up.
func (f *paper) advanceMarginal(q []float64) (now, then float64) {
	norm := 1 / (1 - f.Eta + f.Eta*sum(q))
	keep, move := (1-f.Eta)*norm, f.Eta*norm
	marginal, prior := f.marginal[:len(q)], f.prior[:len(q)]
	for i, v := range q {
		m := keep*marginal[i] + move*v
		marginal[i] = m
		now += v * prior[i]
		then += v * m
	}
	return now, then
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
	if f.scale < leastScale {
		f.rescale()
	}
	add := g / f.scale
	if !f.learnSparse(add, q) {
		f.aim(add, sum(q))
		f.learnDense(add, q)
	}
}

// aim brings the row sums to this step, sets weight to p_i/C_i. and the prior to the part of p on rows that decayed to nothing.
func (f *paper) aim(add, total float64) {
	fill(f.prior, 0)
	spare, n := 0.0, len(f.p)
	add *= total
	before, rows, weight := f.q[:n], f.rows[:n], f.weight[:n]
	for i, p := range f.p {
		r := rows[i] + add*before[i]
		rows[i] = r
		switch {
		case r > tiny:
			weight[i] = p / r
			continue
		case f.Init == InitIdentity:
			f.prior[i] = p
		default:
			spare += p
		}
		weight[i] = 0
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
	norm := 1 / (lambda + (1-lambda)*sum(f.q)) // p sums to 1
	own, raw := lambda*norm, (1-lambda)*norm
	q, dst := f.q[:len(f.p)], dst[:len(f.p)]
	for i, v := range f.p {
		dst[i] = own*v + raw*q[i]
	}
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
