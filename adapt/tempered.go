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
	met       []float64   // <p, L> of each sticky posterior
	overlap   []float64   // and <p, reads>, kept from judge for advance
	fulls     []learned
	others    []follower // of the population's matrix

	most    int     // classes that a step goes by the list of
	columns []int32 // scratch: classes with L > 0, if they are few enough for sparse steps
	sparse  bool
}

// learned is a hypothesis with a matrix of its own.
type learned struct {
	c        float64   // its error rate
	p, prior []float64 // [K] posterior, and A'p
	pairs    counter
}

func newTempered(classes int, m *mixture) *tempered {
	vec := func() []float64 { return make([]float64, classes) }
	t := &tempered{
		m: m, like: vec(), last: vec(), mass: vec(), mu: vec(), lift: vec(),
		met: make([]float64, len(m.sticky)), overlap: make([]float64, len(m.sticky)), columns: make([]int32, 0, classes),
		most: few(classes),
	}
	t.makeReads(classes)
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
		t.fulls = append(t.fulls, learned{c, vec(), vec(), m.newCounter(classes)})
	}
	for _, c := range m.populations {
		t.others = append(t.others, follower{c, vec(), vec()})
	}
	return t
}

// makeReads sets what sticky returns to and reads: see the table above.
func (t *tempered) makeReads(classes int) {
	m := t.m
	t.reads = make([][]float64, len(m.Grid))
	t.home, t.level = t.mu, 1
	if !m.later {
		t.home, t.level = m.start, 1/float64(classes)
	}
	for i, a := range m.Grid {
		switch {
		case !m.later:
			t.reads[i] = t.like
		case m.LiftMemory == 0:
			t.reads[i] = t.lift
		default:
			memory := a / (1 - a) / m.LiftMemory
			t.beyond = append(t.beyond, m.LiftPseudo*memory*memory/float64(classes))
			t.reads[i] = make([]float64, classes)
		}
	}
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
		copy(t.others[i].p, t.m.popStart())
	}
}

// judge multiplies each hypothesis' weight in w by its evidence for t.like.
func (t *tempered) judge(w []float64) {
	m, k := t.m, t.m.kinds(w)
	t.columns, t.sparse = nonzeros(t.columns[:0], t.like, t.most)
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
	t.look()
	for h, s := range m.sticky {
		a, c := m.kept[s.at], m.erring(s.c)
		k.sticky[h] *= (a*((1-c)*t.met[h]+c*worth) + (1-a)*t.chance) * unit
	}
	for i := range t.fulls {
		f := &t.fulls[i]
		f.pairs.predict(f.prior, t.mu)
		m.walk.reach(f.pairs, f.prior, t.mu, m.across)
		c := m.erring(f.c)
		k.full[i] *= ((1-c)*t.seen(f.prior) + c*worth) * unit
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

// look sets met and overlap of all sticky posteriors. Two that differ in their error rate alone share what they look at.
func (t *tempered) look() {
	like := t.like
	for h := 0; h < len(t.sticky); h++ {
		p, at := t.sticky[h], t.m.sticky[h].at
		read := t.reads[at]
		switch {
		case !t.m.later:
			t.met[h] = t.seen(p)
			t.overlap[h] = t.met[h]
		case t.sparse:
			t.met[h], t.overlap[h] = dotAt(t.columns, p, like), dotAt(t.columns, p, read)
		case h+1 < len(t.sticky) && t.m.sticky[h+1].at == at:
			t.met[h], t.overlap[h], t.met[h+1], t.overlap[h+1] = dot4(p, t.sticky[h+1], like, read)
			h++
		default:
			t.met[h], t.overlap[h] = dot2(p, like, read)
		}
	}
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
	t.advancePersist(out, k.persist)
	t.advanceSticky(out, k.sticky)
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

// advancePersist forms the posteriors (b p + (1-b)/K) L_f.
func (t *tempered) advancePersist(out, w []float64) {
	n := len(t.like)
	uniform, doubt := 1/float64(n), t.m.erring(t.m.doubt)
	if t.sparse {
		for h, b := range t.m.inertia {
			overlap := (1-doubt)*t.seen(t.persist[h]) + doubt*uniform // <p, L_f>
			u := update{b, (1 - b) * uniform, 1 - doubt, doubt * uniform, b*overlap + (1-b)*uniform, w[h]}
			t.follow(out, t.persist[h], u, nil, t.like)
		}
		return
	}
	doubted := t.m.told[:n] // L_f
	for j, l := range t.like {
		doubted[j] = (1-doubt)*l + doubt*uniform
	}
	out = out[:n]
	for h, b := range t.m.inertia {
		p := t.persist[h]
		total := b*dot(p, doubted) + (1-b)*uniform // L_f sums to 1
		if !(total > minEvidence) {
			t.exclude(out, p, w[h])
			continue
		}
		followUniform(out, p, doubted, b/total, (1-b)*uniform/total, w[h])
	}
}

// exclude is the step of a hypothesis that excluded what came: only the likelihood speaks.
func (t *tempered) exclude(out, p []float64, w float64) {
	copy(p, t.like)
	addScaled(out, w, p)
}

// advanceSticky forms the posteriors (a p + (1-a) home) ((1-c) read + c level). Two that differ in their error rate alone share a pass.
func (t *tempered) advanceSticky(out, w []float64) {
	n := len(t.like)
	out, home := out[:n], t.home[:n]
	for h := 0; h < len(w); h++ {
		s := t.m.sticky[h]
		a, c := t.m.kept[s.at], t.m.erring(s.c)
		p, read := t.sticky[h][:n], t.reads[s.at][:n]
		total := a*((1-c)*t.overlap[h]+c*t.level) + (1-a)*t.level
		if t.sparse || !(total > minEvidence) {
			t.follow(out, p, update{a, 1 - a, 1 - c, c * t.level, total, w[h]}, home, read)
			continue
		}
		keep, rest, trust, floor, weight := a/total, (1-a)/total, 1-c, c*t.level, w[h]
		if h+1 < len(w) && t.m.sticky[h+1].at == s.at {
			c := t.m.erring(t.m.sticky[h+1].c)
			if total := a*((1-c)*t.overlap[h+1]+c*t.level) + (1-a)*t.level; total > minEvidence {
				follow2(out, p, t.sticky[h+1], home, read, &[2]factors{{keep, rest, trust, floor, weight}, {a / total, (1 - a) / total, 1 - c, c * t.level, w[h+1]}})
				h++
				continue
			}
		}
		for j, x := range p {
			x = (keep*x + rest*home[j]) * (trust*read[j] + floor)
			p[j] = x
			out[j] += weight * x
		}
	}
}

// update holds the numbers of one posterior's step: p becomes (keep p + rest home)(trust read + floor)/total, and weight times that is
// added to the output. A home of nil is 1 everywhere.
type update struct{ keep, rest, trust, floor, total, weight float64 }

// follow is a step by a list, and one that excludes.
func (t *tempered) follow(out, p []float64, u update, home, read []float64) {
	if !(u.total > minEvidence) {
		t.exclude(out, p, u.weight)
		return
	}
	followAt(t.columns, out, p, home, read, u)
}

// followAt is the step for a read that is zero outside of the list: there the posterior is keep p + rest home, times a number. What that
// would make of the classes in the list is put right after.
func followAt(list []int32, out, p, home, read []float64, u update) {
	norm := 1 / u.total
	keep, rest := u.keep*norm*u.floor, u.rest*norm*u.floor
	var old [maxListed]float64
	for k, j := range list {
		old[k] = p[j]
	}
	drift(out, p, home, keep, rest, u.weight)
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

// advanceFull forms the posterior A'p times what the matrix reads, (1-c) lift + c, and lets the pair counts learn
// xi_ij ~ p_i A_ij read_j, whose sum is the same number that normalises the posterior.
func (t *tempered) advanceFull(out []float64, f *learned, w float64) {
	told, base := t.lift, t.like // L is mu times its lift over mu
	if t.m.later {
		told, base = t.toldBy(t.m.erring(f.c)), t.m.base
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
		timesRoot(t.last, t.like)
	default:
		for j, l := range t.like {
			t.last[j] = math.Pow(l, power)
		}
	}
	scale(t.last, 1/sum(t.last)) // the largest entry is well above 0
}
