package adapt

// What only the second edition of auto has: see type [Auto].

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

// rememberMarginals moves the marginals by one EM step.
func (t *tempered) rememberMarginals() {
	start, like := t.m.start, t.like
	for i := range t.marginals {
		g := &t.marginals[i]
		keep, norm := 1-g.Delta, 1/(g.total*g.evidence)
		mass := g.mass[:len(like)]
		if !t.sparse {
			for j, l := range like {
				v := mass[j]
				mass[j] = keep*v + (v+g.Pseudo*start[j])*l*norm
			}
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
	pseudo, more, total := t.m.Pseudo, t.m.LiftPseudo, 0.0
	start, mu, lift, like := t.m.start[:len(t.mass)], t.mu[:len(t.mass)], t.lift[:len(t.mass)], t.like[:len(t.mass)]
	for i, v := range t.mass {
		s := start[i]
		m := (v + pseudo*s) * norm
		mu[i] = m
		r := 0.0
		if l := like[i]; l != 0 {
			r = l / (v + more*s)
			total += m * r
		}
		lift[i] = r
	}
	scale(lift, 1/total)
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

// back writes P v into dst.
func (k *known) back(dst, v []float64) {
	for i, row := range k.rows {
		dst[i] = dot(row, v)
	}
}

// follower is a hypothesis that the stream goes by the population's matrix.
type follower struct {
	c        float64   // its error rate
	p, prior []float64 // [K] posterior, and P'p
}

// judgePopulation multiplies the weights by the evidences.
func (t *tempered) judgePopulation(w []float64, worth, unit float64) {
	for i := range t.others {
		f, k := &t.others[i], t.m.known
		switch g := t.m.across; {
		case g.fresh:
			copy(f.prior, t.mu)
		default:
			k.forward(f.prior, f.p)
			if g.missed > 0 {
				t.m.walk.far(f.prior, g.missed, k.forward)
			}
		}
		w[i] *= ((1-f.c)*t.seen(f.prior) + f.c*worth) * unit
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
		total := 0.0
		for j, v := range f.prior {
			v *= (1-f.c)*k.lift[j] + f.c
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
