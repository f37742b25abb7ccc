package adapt

// What the first edition of auto does not have: see type [Auto].

// marginal is a class marginal that none is tried with beside mu.
type marginal struct {
	Marginal
	mass     []float64 // [K] decayed class masses
	total    float64   // of the step in hand: their sum with the pseudo-observations
	evidence float64   // and <marginal, L>
}

// judgeMarginal returns <marginal, L> and keeps it for rememberMarginals.
func (t *tempered) judgeMarginal(g *marginal) float64 {
	g.total = sum(g.mass) + g.Pseudo
	g.evidence = (t.seen(g.mass) + g.Pseudo*t.seen(t.m.start)) / g.total
	return g.evidence
}

// judgeNone multiplies the weights of what is without order, beside mu, by the evidences.
func (t *tempered) judgeNone(w []float64, worth, unit float64) {
	for i := range t.marginals {
		w[0] *= t.judgeMarginal(&t.marginals[i]) * unit
		w = w[1:]
	}
	t.judgeStatics(t.statics, w, worth, unit)
	if t.m.twinned() {
		w = w[len(t.statics):]
		w[0] *= t.seen(t.m.known.frequencies) * unit
		t.judgeStatics(t.twins, w[1:], worth, unit)
	}
}

func (t *tempered) judgeStatics(list []static, w []float64, worth, unit float64) {
	for i := range list {
		c := list[i].c
		w[i] *= ((1-c)*t.seen(list[i].s) + c*worth) * unit
	}
}

// rememberNone learns from the step what is without order, beside mu.
func (t *tempered) rememberNone() {
	t.rememberMarginals()
	t.m.learnStatics(t.statics, t.reads[len(t.reads)-1], t.m.uniform)
	if len(t.twins) > 0 {
		t.m.learnStatics(t.twins, t.m.known.lift, t.m.known.frequencies)
	}
}

// learnStatics takes in a step as it is read, of statics that began at start.
func (m *mixture) learnStatics(list []static, read, start []float64) {
	for i := range list {
		list[i].learn(read, start)
		if m.sinceForgot == staticBlock-1 {
			list[i].forget(start, m.staticKeep)
		}
	}
}

// static is the hypothesis of one class for the whole stream, as far as it does not forget.
type static struct {
	c float64   // its error rate
	s []float64 // [K] what it says of the next class
}

const (
	leastStatic = 1e-300 // of s: what would become less could never return
	staticBlock = 16     // steps after which static forgets what is due: a power for each class, too dear for every step
)

// learn takes in what a step tells, (1-c) read + c.
func (h *static) learn(read, start []float64) {
	total := multiplyRead(h.s, read, 1-h.c, h.c)
	if !(total > minEvidence) { // an error rate of 0, and a step that excludes what all others told
		copy(h.s, start)
		return
	}
	scaleFrom(h.s, 1/total, leastStatic)
}

// forget takes s to the power of keep, as seen from its start.
func (h *static) forget(start []float64, keep float64) {
	last, power := 1.0, 1.0
	for k, v := range h.s {
		r := v / start[k]
		if r != last {
			last, power = r, r*exponential((keep-1)*logarithm(r))
		}
		h.s[k] = start[k] * power
	}
	scale(h.s, 1/sum(h.s))
}

// rememberMarginals moves the marginals by one EM step.
func (t *tempered) rememberMarginals() {
	start, like := t.m.start, t.like
	for i := range t.marginals {
		g := &t.marginals[i]
		keep, norm := 1-g.Delta, 1/(g.total*g.evidence)
		mass := g.mass[:len(like)]
		if !t.sparse {
			gather(mass, start, like, keep, g.Pseudo, norm)
			continue
		}
		var gained [maxListed]float64
		for k, j := range t.columns {
			gained[k] = (mass[j] + g.Pseudo*start[j]) * like[j] * norm
		}
		scale(mass, keep)
		for k, j := range t.columns {
			mass[j] += gained[k]
		}
	}
}

// liftedMarginal sets mu, where norm is the reciprocal of the masses and the pseudo-observations, and M: L over the marginal under
// LiftPseudo observations, scaled to <mu, M> = 1.
func (t *tempered) liftedMarginal(norm float64) {
	pseudo, start, mu := t.m.Pseudo, t.m.start[:len(t.mass)], t.mu[:len(t.mass)]
	for i, v := range t.mass {
		mu[i] = (v + pseudo*start[i]) * norm
	}
	t.liftBeyond(t.lift, 0)
	for i, beyond := range t.beyond {
		t.liftBeyond(t.reads[i], beyond)
	}
}

// liftBeyond sets a lift whose marginal has that many pseudo-observations more for each class.
func (t *tempered) liftBeyond(lift []float64, beyond float64) {
	if t.sparse {
		clear(lift)
		total := 0.0
		for _, j := range t.columns {
			lift[j] = t.like[j] / (t.mass[j] + t.m.LiftPseudo*t.m.start[j] + beyond)
			total += t.mu[j] * lift[j]
		}
		for _, j := range t.columns {
			lift[j] *= 1 / total
		}
		return
	}
	scale(lift, 1/over(lift, t.like, t.mass, t.m.start, t.mu, t.m.LiftPseudo, beyond))
}

// toldBy returns (1-c) M + c, and mu times that in base; until the next call.
func (t *tempered) toldBy(c float64) []float64 {
	told, base := t.lift, t.m.base
	if c > 0 {
		told = t.m.told
		for j, v := range t.lift {
			told[j] = (1-c)*v + c
		}
	}
	mu := t.mu
	for j, v := range told {
		base[j] = mu[j] * v
	}
	return told
}

// known is the matrix of a population.
type known struct {
	rows        [][]float64 // [K][K] transitions
	frequencies []float64   // [K]
	lift        []float64   // [K] scratch: L over the frequencies, scaled to <mu, lift> = 1
}

func newKnown(p *Population) *known {
	return &known{p.Transitions, p.Frequencies, make([]float64, len(p.Frequencies))}
}

// popStart is what the hypotheses of the population start from: in the third edition its frequencies, as their twins do.
func (m *mixture) popStart() []float64 {
	if m.Edition < 3 {
		return m.start
	}
	return m.known.frequencies
}

// see sets lift to M_f.
func (k *known) see(like, mu []float64) {
	for j, l := range like {
		k.lift[j] = l / k.frequencies[j]
	}
	scale(k.lift, 1/dot(mu, k.lift))
}

// forward writes P'p into dst.
func (k *known) forward(dst, p []float64) {
	fill(dst, 0)
	for i, v := range p {
		if v != 0 {
			addScaled(dst, v, k.rows[i])
		}
	}
}

// ahead writes into dst the prior that follows p over a gap; after a break it is mu.
func (k *known) ahead(dst, p, mu []float64, w *walk, g gap) {
	if g.fresh {
		copy(dst, mu)
		return
	}
	k.forward(dst, p)
	w.far(dst, g.missed, k.forward)
}

// follower is a hypothesis that the stream goes by the population's matrix.
type follower struct {
	c        float64   // its error rate
	p, prior []float64 // [K] posterior, and P'p
}

// judgePopulation multiplies the weights by the evidences.
func (t *tempered) judgePopulation(w []float64, worth, unit float64) {
	for i := range t.others {
		f := &t.others[i]
		t.m.known.ahead(f.prior, f.p, t.mu, &t.m.walk, t.m.across)
		c := t.m.erring(f.c)
		w[i] *= ((1-c)*t.seen(f.prior) + c*worth) * unit
	}
}

// advancePopulation forms the posteriors P'p ((1-c) M_f + c), and adds each times its weight to out.
func (t *tempered) advancePopulation(out, w []float64) {
	if len(t.others) == 0 {
		return
	}
	k := t.m.known
	k.see(t.like, t.mu)
	for i := range t.others {
		f := &t.others[i]
		c, total := t.m.erring(f.c), 0.0
		for j, v := range f.prior {
			v *= (1-c)*k.lift[j] + c
			f.p[j] = v
			total += v
		}
		if total > minEvidence {
			scale(f.p, 1/total)
		} else { // the matrix excludes what came
			copy(f.p, t.like)
		}
		addScaled(out, w[i], f.p)
	}
}
