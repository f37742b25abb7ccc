package adapt

// tempered is what the mixture keeps for one temperature. Evidences come first ([tempered.judge]), then, with the weights known,
// one pass over each hypothesis forms its posterior and adds it to the output ([tempered.advance]).
type tempered struct {
	m *mixture

	like, last []float64 // [K] L_t and L_{t-1}
	mass       []float64 // [K] decayed class masses behind mu
	mu, lift   []float64 // [K] mu, and L/mu
	chance     float64   // <mu, L>, the evidence of none

	persist [][]float64 // posteriors, one [K] per a
	sticky  [][]float64 // posteriors, one [K] per (a, e)
	overlap []float64   // <p, L> of each sticky posterior, kept from judge for advance

	full  []float64 // [K] posterior of the learned matrix
	prior []float64 // [K] A'p of the learned matrix
	pairs pairs
}

func newTempered(classes int, m *mixture) *tempered {
	vec := func() []float64 { return make([]float64, classes) }
	t := &tempered{
		m: m, like: vec(), last: vec(), mass: vec(), mu: vec(), lift: vec(), full: vec(), prior: vec(),
		overlap: make([]float64, len(m.sticky)), pairs: newPairs(classes, m.Auto.Gamma, m.Auto.Beta),
	}
	for range m.Grid {
		t.persist = append(t.persist, vec())
	}
	for range m.sticky {
		t.sticky = append(t.sticky, vec())
	}
	return t
}

func (t *tempered) reset() {
	uniform := 1 / float64(len(t.like))
	fill(t.last, uniform)
	fill(t.mass, 0)
	for _, p := range t.persist {
		fill(p, uniform)
	}
	for _, p := range t.sticky {
		fill(p, uniform)
	}
	fill(t.full, uniform)
	t.pairs.reset(t.full)
}

// judge multiplies each hypothesis' weight in w by its evidence for t.like.
func (t *tempered) judge(w []float64) {
	m := t.m
	t.marginal()
	t.chance = dot(t.mu, t.like)
	w[0] *= t.chance
	inertia := dot(t.last, t.like)
	for h, a := range m.Grid {
		w[1+h] *= a*inertia + (1-a)*t.chance
	}
	uniform := 1 / float64(len(t.like))
	for h, s := range m.sticky {
		t.overlap[h] = (1-s.c)*dot(t.sticky[h], t.like) + s.c*uniform // <p, L_e>, as p sums to 1
		w[1+len(m.Grid)+h] *= s.a*t.overlap[h] + (1-s.a)*t.chance
	}
	t.pairs.predict(t.prior, t.mu)
	w[len(w)-1] *= dot(t.prior, t.like)
}

// marginal sets mu to the masses with the uniform's pseudo-observations, and lift to L/mu.
func (t *tempered) marginal() {
	pseudo := t.m.Pseudo
	each := pseudo / float64(len(t.mu))
	norm := 1 / (sum(t.mass) + pseudo)
	for i, v := range t.mass {
		t.mu[i] = (v + each) * norm
		t.lift[i] = t.like[i] / t.mu[i]
	}
}

// advance forms all posteriors, adds each times its weight to out, and learns from the step.
func (t *tempered) advance(out, w []float64) {
	m := t.m
	addScaled(out, w[0], t.like)
	for h, a := range m.Grid {
		t.advancePersist(out, t.persist[h], a/3, w[1+h])
	}
	uniform := 1 / float64(len(t.like))
	for h, s := range m.sticky {
		total := s.a*t.overlap[h] + (1-s.a)*uniform // L_e sums to 1
		follow(out, t.sticky[h], t.like, update{s.a, (1 - s.a) * uniform, 1 - s.c, s.c * uniform, total, w[1+len(m.Grid)+h]})
	}
	t.advanceFull(out, w[len(w)-1])
	t.remember()
}

func (t *tempered) advancePersist(out, p []float64, b, w float64) {
	uniform := 1 / float64(len(t.like))
	doubt := t.m.doubt
	overlap := (1-doubt)*dot(p, t.like) + doubt*uniform // <p, L_f>
	total := b*overlap + (1-b)*uniform
	follow(out, p, t.like, update{b, (1 - b) * uniform, 1 - doubt, doubt * uniform, total, w})
}

// update holds the numbers of one posterior's step: p becomes (keep p + rest)(trust L + floor)/total, and weight times that is
// added to the output.
type update struct{ keep, rest, trust, floor, total, weight float64 }

func follow(out, p, like []float64, u update) {
	if !(u.total > minEvidence) { // the hypothesis excluded what came: only the likelihood speaks
		copy(p, like)
		addScaled(out, u.weight, p)
		return
	}
	out, like = out[:len(p)], like[:len(p)]
	norm := 1 / u.total
	keep, rest := u.keep*norm, u.rest*norm
	for j, v := range p {
		v = (keep*v + rest) * (u.trust*like[j] + u.floor)
		p[j] = v
		out[j] += u.weight * v
	}
}

// advanceFull forms the posterior (A'p/mu) L and lets the pair counts learn xi_ij ~ p_i A_ij/mu_j L_j, whose sum is the same
// number that normalises the posterior.
func (t *tempered) advanceFull(out []float64, w float64) {
	total := dot(t.prior, t.lift)
	if !(total > minEvidence) {
		copy(t.full, t.like)
		t.pairs.skip(t.full)
	} else {
		norm := 1 / total
		for j, v := range t.prior {
			t.full[j] = v * t.lift[j] * norm
		}
		t.pairs.learn(t.lift, t.like, norm, t.full)
	}
	addScaled(out, w, t.full)
}

// remember moves the masses behind mu by one EM step and keeps L.
func (t *tempered) remember() {
	keep, norm := 1-t.m.Delta, 1/t.chance
	for j, v := range t.mass {
		t.mass[j] = keep*v + t.like[j]*t.mu[j]*norm
	}
	copy(t.last, t.like)
}
