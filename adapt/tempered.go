package adapt

import "math"

// tempered is what the mixture keeps for one temperature. Evidences come first ([tempered.judge]), then, with the weights known,
// one pass over each hypothesis forms its posterior and adds it to the output ([tempered.advance]).
//
// The first edition differs from later ones in what sticky returns to and multiplies, in what an error is worth, and in what evidences are
// relative to:
//
//	                first edition      later
//	home            uniform            mu
//	reads           L                  M_a, lifts with <mu, M_a> = 1
//	level           1/K                1              what an error is worth beside an entry of reads; also <home, reads>
//	worth           1/K                <mu, L>        and as evidence
//	unit            1                  1/<mu, L>      of evidences
type tempered struct {
	m *mixture

	like, last []float64   // [K] L_t and L_{t-1}
	mass       []float64   // [K] decayed class masses behind mu
	mu, lift   []float64   // [K] mu, and L/mu; M in later editions
	chance     float64     // <mu, L>, the evidence of none
	home       []float64   // [K] see above; it is another vector by name
	reads      [][]float64 // [K] by a; see above: all the same vector, or lifts of their own
	beyond     []float64   // by a: pseudo-observations of its lift beyond LiftPseudo, for each class
	level      float64

	marginals []marginal
	statics   []static
	twins     []static    // of the population's matrix
	persist   [][]float64 // posteriors, one [K] per a
	sticky    [][]float64 // posteriors, one [K] per (a, e)
	overlap   []float64   // <p, reads> of each sticky posterior, kept from judge for advance
	fulls     []learned
	others    []follower // of the population's matrix

	columns []int32 // scratch: classes with L > 0, if they are few enough for sparse steps
	sparse  bool
}

// learned is a hypothesis with a matrix of its own.
type learned struct {
	c        float64   // its error rate
	p, prior []float64 // [K] posterior, and A'p
	pairs    pairs
}

func newTempered(classes int, m *mixture) *tempered {
	vec := func() []float64 { return make([]float64, classes) }
	t := &tempered{
		m: m, like: vec(), last: vec(), mass: vec(), mu: vec(), lift: vec(),
		overlap: make([]float64, len(m.sticky)), columns: make([]int32, 0, classes),
	}
	t.reads = make([][]float64, len(m.Grid))
	switch {
	case !m.later:
		t.home, t.level = m.start, 1/float64(classes)
		for i := range t.reads {
			t.reads[i] = t.like
		}
	case m.LiftMemory > 0:
		t.home, t.level = t.mu, 1
		for i, a := range m.Grid {
			t.reads[i] = vec()
			memory := a / (1 - a) / m.LiftMemory
			t.beyond = append(t.beyond, m.LiftPseudo*memory*memory/float64(classes))
		}
	default:
		t.home, t.level = t.mu, 1
		for i := range t.reads {
			t.reads[i] = t.lift
		}
	}
	for _, c := range m.statics {
		t.statics = append(t.statics, static{c, vec()})
	}
	if m.twinned() {
		for _, c := range m.populations {
			t.twins = append(t.twins, static{c, vec()})
		}
	}
	for _, g := range m.Marginals {
		t.marginals = append(t.marginals, marginal{Marginal: g, mass: vec()})
	}
	for range m.Grid {
		t.persist = append(t.persist, vec())
	}
	for range m.sticky {
		t.sticky = append(t.sticky, vec())
	}
	for _, c := range m.fulls {
		t.fulls = append(t.fulls, learned{c, vec(), vec(), newPairs(classes, m.Auto.Gamma, m.Auto.Beta)})
	}
	for _, c := range m.populations {
		t.others = append(t.others, follower{c, vec(), vec()})
	}
	return t
}

func (t *tempered) reset() {
	start := t.m.start
	copy(t.last, start)
	fill(t.mass, 0)
	for i := range t.marginals {
		fill(t.marginals[i].mass, 0)
	}
	for i := range t.statics {
		copy(t.statics[i].s, t.m.uniform)
	}
	for i := range t.twins {
		copy(t.twins[i].s, t.m.known.frequencies)
	}
	for _, p := range t.persist {
		copy(p, start)
	}
	for _, p := range t.sticky {
		copy(p, start)
	}
	for i := range t.fulls {
		f := &t.fulls[i]
		copy(f.p, start)
		f.pairs.reset(f.p)
	}
	for i := range t.others {
		copy(t.others[i].p, start)
	}
}

// few is up to how many classes a step goes by lists.
func (t *tempered) few() int { return t.fulls[0].pairs.few }

// judge multiplies each hypothesis' weight in w by its evidence for t.like.
func (t *tempered) judge(w []float64) {
	m, k := t.m, t.m.kinds(w)
	t.columns, t.sparse = nonzeros(t.columns[:0], t.like, t.few())
	t.marginal()
	t.chance = t.seen(t.mu)
	unit, worth := 1.0, t.level
	if m.later {
		unit, worth = 1/t.chance, t.chance
	}
	k.none[0] *= t.chance * unit
	if m.later {
		t.judgeNone(k.none[1:], worth, unit)
	}
	inertia := t.seen(t.last)
	for h, a := range m.kept {
		k.persist[h] *= (a*inertia + (1-a)*t.chance) * unit
	}
	for h, s := range m.sticky {
		seen := t.seenAndRead(h, t.reads[h/len(m.Errors)])
		a := m.kept[h/len(m.Errors)]
		k.sticky[h] *= (a*((1-s.c)*seen+s.c*worth) + (1-a)*t.chance) * unit
	}
	for i := range t.fulls {
		f := &t.fulls[i]
		f.pairs.predict(f.prior, t.mu)
		t.reach(f)
		k.full[i] *= ((1-f.c)*t.seen(f.prior) + f.c*worth) * unit
	}
	t.judgePopulation(k.population, worth, unit)
}

// seen returns <x, L>.
func (t *tempered) seen(x []float64) float64 {
	if t.sparse {
		return dotAt(t.columns, x, t.like)
	}
	return dot(x, t.like)
}

// seenAndRead returns <p, L> of a sticky posterior and keeps <p, read> for advance.
func (t *tempered) seenAndRead(h int, read []float64) float64 {
	p := t.sticky[h]
	switch {
	case !t.m.later:
		t.overlap[h] = t.seen(p)
		return t.overlap[h]
	case t.sparse:
		t.overlap[h] = dotAt(t.columns, p, read)
		return dotAt(t.columns, p, t.like)
	}
	var seen float64
	seen, t.overlap[h] = dot2(p, t.like, read)
	return seen
}

// marginal sets mu to the masses with the pseudo-observations, and lift to L/mu or M.
func (t *tempered) marginal() {
	pseudo, start := t.m.Pseudo, t.m.start
	norm := 1 / (sum(t.mass) + pseudo)
	if t.m.later {
		t.liftedMarginal(norm)
		return
	}
	for i, v := range t.mass {
		t.mu[i] = (v + pseudo*start[i]) * norm
		t.lift[i] = 0
		if l := t.like[i]; l != 0 {
			t.lift[i] = l / t.mu[i]
		}
	}
}

// advance forms all posteriors, adds each times its weight to out, and learns from the step.
func (t *tempered) advance(out, w []float64) {
	m, k := t.m, t.m.kinds(w)
	if m.Edition < 3 { // else the answer without order is q: see step
		t.addLike(out, sum(k.none))
	}
	for h, b := range m.inertia {
		t.advancePersist(out, t.persist[h], b, k.persist[h])
	}
	for h, s := range m.sticky {
		a := m.kept[h/len(m.Errors)]
		total := a*((1-s.c)*t.overlap[h]+s.c*t.level) + (1-a)*t.level
		t.follow(out, t.sticky[h], update{a, 1 - a, 1 - s.c, s.c * t.level, total, k.sticky[h]}, t.home, t.reads[h/len(m.Errors)])
	}
	for i := range t.fulls {
		t.advanceFull(out, &t.fulls[i], k.full[i])
	}
	t.advancePopulation(out, k.population)
	t.remember()
}

func (t *tempered) addLike(out []float64, w float64) {
	if t.sparse {
		addScaledAt(t.columns, out, w, t.like)
		return
	}
	addScaled(out, w, t.like)
}

func (t *tempered) advancePersist(out, p []float64, b, w float64) {
	uniform := 1 / float64(len(t.like))
	doubt := t.m.doubt
	overlap := (1-doubt)*t.seen(p) + doubt*uniform // <p, L_f>
	total := b*overlap + (1-b)*uniform
	t.follow(out, p, update{b, (1 - b) * uniform, 1 - doubt, doubt * uniform, total, w}, nil, t.like)
}

// update holds the numbers of one posterior's step: p becomes (keep p + rest home)(trust read + floor)/total, and weight times that is
// added to the output. A home of nil is 1 everywhere.
type update struct{ keep, rest, trust, floor, total, weight float64 }

func (t *tempered) follow(out, p []float64, u update, home, read []float64) {
	switch {
	case !(u.total > minEvidence): // the hypothesis excluded what came: only the likelihood speaks
		copy(p, t.like)
		addScaled(out, u.weight, p)
	case t.sparse:
		followAt(t.columns, out, p, home, read, u)
	case home == nil:
		follow(out, p, read, u)
	default:
		followHome(out, p, home, read, u)
	}
}

// followAt is follow for a read that is zero outside of the list: there the posterior is keep p + rest home, times a number. What that
// would make of the classes in the list is put right after.
func followAt(list []int32, out, p, home, read []float64, u update) {
	norm := 1 / u.total
	keep, rest := u.keep*norm*u.floor, u.rest*norm*u.floor
	var old [maxListed]float64
	for k, j := range list {
		old[k] = p[j]
	}
	out = out[:len(p)]
	if home == nil {
		for j, v := range p {
			v = keep*v + rest
			p[j] = v
			out[j] += u.weight * v
		}
	} else {
		home = home[:len(p)]
		for j, v := range p {
			v = keep*v + rest*home[j]
			p[j] = v
			out[j] += u.weight * v
		}
	}
	for k, j := range list {
		from := u.rest
		if home != nil {
			from *= home[j]
		}
		v := (u.keep*old[k] + from) * norm * (u.trust*read[j] + u.floor)
		out[j] += u.weight * (v - p[j])
		p[j] = v
	}
}

func follow(out, p, read []float64, u update) {
	out, read = out[:len(p)], read[:len(p)]
	norm := 1 / u.total
	keep, rest := u.keep*norm, u.rest*norm
	for j, v := range p {
		v = (keep*v + rest) * (u.trust*read[j] + u.floor)
		p[j] = v
		out[j] += u.weight * v
	}
}

func followHome(out, p, home, read []float64, u update) {
	out, home, read = out[:len(p)], home[:len(p)], read[:len(p)]
	norm := 1 / u.total
	keep, rest := u.keep*norm, u.rest*norm
	for j, v := range p {
		v = (keep*v + rest*home[j]) * (u.trust*read[j] + u.floor)
		p[j] = v
		out[j] += u.weight * v
	}
}

// advanceFull forms the posterior A'p times what the matrix reads, (1-c) lift + c, and lets the pair counts learn
// xi_ij ~ p_i A_ij read_j, whose sum is the same number that normalises the posterior.
func (t *tempered) advanceFull(out []float64, f *learned, w float64) {
	told, base := t.lift, t.like // L is mu times its lift over mu
	if t.m.later {
		told, base = t.toldBy(f.c), t.m.base
	}
	total := dot(f.prior, told)
	if !(total > minEvidence) {
		copy(f.p, t.like)
		f.pairs.skip(f.p)
	} else {
		norm := 1 / total
		for j, v := range f.prior {
			f.p[j] = v * told[j] * norm
		}
		if t.m.across.none() {
			f.pairs.learn(told, base, norm, f.p)
		} else {
			f.pairs.skip(f.p)
		}
	}
	addScaled(out, w, f.p)
}

// remember moves the masses behind mu by one EM step and keeps L.
func (t *tempered) remember() {
	keep, norm := 1-t.m.Delta, 1/t.chance
	for j, v := range t.mass {
		t.mass[j] = keep*v + t.like[j]*t.mu[j]*norm
	}
	t.rememberNone()
	t.rememberLast()
}

// rememberLast keeps L for persist.
func (t *tempered) rememberLast() {
	switch power := t.m.Last; power {
	case 0, 1:
		copy(t.last, t.like)
		return
	case 1.5:
		for j, l := range t.like {
			t.last[j] = l * math.Sqrt(l)
		}
	default:
		for j, l := range t.like {
			t.last[j] = math.Pow(l, power)
		}
	}
	scale(t.last, 1/sum(t.last)) // the largest entry is well above 0
}
