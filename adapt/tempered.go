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

	columns []int32 // scratch: classes with L > 0, if they are few enough for sparse steps
	sparse  bool
}

func newTempered(classes int, m *mixture) *tempered {
	vec := func() []float64 { return make([]float64, classes) }
	t := &tempered{
		m: m, like: vec(), last: vec(), mass: vec(), mu: vec(), lift: vec(), full: vec(), prior: vec(),
		overlap: make([]float64, len(m.sticky)), pairs: newPairs(classes, m.Auto.Gamma, m.Auto.Beta),
		columns: make([]int32, 0, classes),
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
	var few bool
	t.columns, few = nonzeros(t.columns[:0], t.like, t.pairs.few)
	t.sparse = few
	t.chance = t.seen(t.mu)
	w[0] *= t.chance
	inertia := t.seen(t.last)
	for h, a := range m.kept {
		w[1+h] *= a*inertia + (1-a)*t.chance
	}
	uniform := 1 / float64(len(t.like))
	for h, s := range m.sticky {
		t.overlap[h] = (1-s.c)*t.seen(t.sticky[h]) + s.c*uniform // <p, L_e>, as p sums to 1
		a := m.kept[h/len(m.Errors)]
		w[1+len(m.Grid)+h] *= a*t.overlap[h] + (1-a)*t.chance
	}
	t.pairs.predict(t.prior, t.mu)
	t.reach()
	w[len(w)-1] *= t.seen(t.prior)
}

// seen returns <x, L>.
func (t *tempered) seen(x []float64) float64 {
	if t.sparse {
		return dotAt(t.columns, x, t.like)
	}
	return dot(x, t.like)
}

// marginal sets mu to the masses with the uniform's pseudo-observations, and lift to L/mu.
func (t *tempered) marginal() {
	pseudo := t.m.Pseudo
	each := pseudo / float64(len(t.mu))
	norm := 1 / (sum(t.mass) + pseudo)
	for i, v := range t.mass {
		t.mu[i] = (v + each) * norm
		t.lift[i] = 0
		if l := t.like[i]; l != 0 {
			t.lift[i] = l / t.mu[i]
		}
	}
}

// advance forms all posteriors, adds each times its weight to out, and learns from the step.
func (t *tempered) advance(out, w []float64) {
	m := t.m
	addScaled(out, w[0], t.like)
	for h, b := range m.inertia {
		t.advancePersist(out, t.persist[h], b, w[1+h])
	}
	uniform := 1 / float64(len(t.like))
	for h, s := range m.sticky {
		a := m.kept[h/len(m.Errors)]
		total := a*t.overlap[h] + (1-a)*uniform // L_e sums to 1
		t.follow(out, t.sticky[h], update{a, (1 - a) * uniform, 1 - s.c, s.c * uniform, total, w[1+len(m.Grid)+h]})
	}
	t.advanceFull(out, w[len(w)-1])
	t.remember()
}

func (t *tempered) advancePersist(out, p []float64, b, w float64) {
	uniform := 1 / float64(len(t.like))
	doubt := t.m.doubt
	overlap := (1-doubt)*t.seen(p) + doubt*uniform // <p, L_f>
	total := b*overlap + (1-b)*uniform
	t.follow(out, p, update{b, (1 - b) * uniform, 1 - doubt, doubt * uniform, total, w})
}

// update holds the numbers of one posterior's step: p becomes (keep p + rest)(trust L + floor)/total, and weight times that is
// added to the output.
type update struct{ keep, rest, trust, floor, total, weight float64 }

func (t *tempered) follow(out, p []float64, u update) {
	if t.sparse && u.total > minEvidence {
		followAt(t.columns, out, p, t.like, u)
		return
	}
	follow(out, p, t.like, u)
}

// followAt is follow for a likelihood that is zero outside of the list: there the posterior is keep p + rest, times a number. What that
// would make of the classes in the list is put right after.
func followAt(list []int32, out, p, like []float64, u update) {
	norm := 1 / u.total
	keep, rest := u.keep*norm*u.floor, u.rest*norm*u.floor
	var old [maxListed]float64
	for k, j := range list {
		old[k] = p[j]
	}
	out = out[:len(p)]
	for j, v := range p {
		v = keep*v + rest
		p[j] = v
		out[j] += u.weight * v
	}
	for k, j := range list {
		v := (u.keep*old[k] + u.rest) * norm * (u.trust*like[j] + u.floor)
		out[j] += u.weight * (v - p[j])
		p[j] = v
	}
}

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
		if t.m.across.none() {
			t.pairs.learn(t.lift, t.like, norm, t.full)
		} else {
			t.pairs.skip(t.full)
		}
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
