package adapt

// mixturePast keeps the steps of the auto gate's first edition; with a lag of 0, where there is nothing to keep, of any.
type mixturePast struct {
	filter *Filter
	m      *mixture
	lag    int
	at     []*temperedPast

	gaps                  []gap     // [lag+1] before the steps
	known                 []bool    // [lag+1] of a label that is known
	beta, seen, post, out []float64 // [K] scratch
}

// temperedPast keeps them at one temperature: [lag+1] rows of K numbers each.
type temperedPast struct {
	t          *tempered
	like, lift [][]float64
	persist    [][][]float64 // by a
	sticky     [][][]float64 // by (a, e)
	full       [][]float64
}

// pastBytes returns what the past of a lag takes.
func (m *mixture) pastBytes(classes, lag int) float64 {
	rows := len(m.at) * (3 + len(m.Grid) + len(m.sticky))
	return 8 * float64(lag+1) * float64(rows) * float64(classes)
}

func newMixturePast(filter *Filter, m *mixture, lag int) *mixturePast {
	n := filter.classes
	vec := func() []float64 { return make([]float64, n) }
	p := &mixturePast{filter: filter, m: m, lag: lag, gaps: make([]gap, lag+1), known: make([]bool, lag+1), beta: vec(), seen: vec(), post: vec(), out: vec()}
	if lag == 0 {
		return p
	}
	for _, t := range m.at {
		k := &temperedPast{t: t, like: rows(lag+1, n), lift: rows(lag+1, n), full: rows(lag+1, n)}
		for range t.persist {
			k.persist = append(k.persist, rows(lag+1, n))
		}
		for range t.sticky {
			k.sticky = append(k.sticky, rows(lag+1, n))
		}
		p.at = append(p.at, k)
	}
	return p
}

func (p *mixturePast) step(dst, q []float64, t int, known bool) Diagnostics {
	if p.lag == 0 {
		return p.filter.advance(dst, q, known)
	}
	p.gaps[t%(p.lag+1)], p.known[t%(p.lag+1)] = p.filter.gap, known
	d := p.filter.advance(p.out, q, known)
	for _, k := range p.at {
		k.keep(t % (p.lag + 1))
	}
	return d
}

func (p *mixturePast) end() {}

func (k *temperedPast) keep(slot int) {
	copy(k.like[slot], k.t.like)
	copy(k.lift[slot], k.t.lift)
	copy(k.full[slot], k.t.fulls[0].p)
	for h, rows := range k.persist {
		copy(rows[slot], k.t.persist[h])
	}
	for h, rows := range k.sticky {
		copy(rows[slot], k.t.sticky[h])
	}
}

func (p *mixturePast) look(dst []float64, s, t int) {
	m, n := p.m, p.lag+1
	fill(p.out, 0)
	for i, k := range p.at {
		w := m.kinds(m.slot(i))
		addScaled(p.out, w.none[0], k.like[s%n])
		uniform := 1 / float64(len(dst))
		for h, a := range m.Grid {
			p.stay(k, k.persist[h], staying{m.trusted(a), 1 - m.doubt, m.doubt * uniform}, w.persist[h], s, t)
		}
		for h, c := range m.sticky {
			p.stay(k, k.sticky[h], staying{c.a, 1 - c.c, c.c * uniform}, w.sticky[h], s, t)
		}
		p.full(k, w.full[0], s, t)
	}
	copy(dst, p.out)
	normalise(dst)
}

// staying is a chain stay I + (1-stay)/K that reads trust L + floor.
type staying struct{ stay, trust, floor float64 }

// stay adds, times the weight, the posterior of item s under the chain, where alpha holds its causal posteriors.
func (p *mixturePast) stay(k *temperedPast, alpha [][]float64, c staying, weight float64, s, t int) {
	n := p.lag + 1
	copy(p.post, alpha[t%n])
	fill(p.beta, 1)
	for u := t; u > s; u-- {
		trust, floor := c.trust, c.floor
		if p.known[u%n] {
			trust, floor = 1, 0
		}
		for j, v := range k.like[u%n] {
			p.seen[j] = (trust*v + floor) * p.beta[j]
		}
		stepBack(p.beta, p.seen, p.gaps[u%n].keep(c.stay))
		combine(p.post, alpha[(u-1)%n], p.beta)
	}
	addScaled(p.out, weight, p.post)
}

// full does the same for a learned matrix, as it is now.
func (p *mixturePast) full(k *temperedPast, weight float64, s, t int) {
	n, alpha, pairs := p.lag+1, k.full, k.t.fulls[0].pairs.(*pairs) // the first edition counts over all classes
	copy(p.post, alpha[t%n])
	fill(p.beta, 1)
	for u := t; u > s; u-- {
		for j, v := range k.lift[u%n] {
			p.seen[j] = v * p.beta[j]
		}
		g := p.gaps[u%n]
		if g.fresh {
			fill(p.beta, sum(p.seen))
		} else {
			once := func(dst, v []float64) { pairs.back(dst, v, k.t.mu) }
			once(p.beta, p.seen)
			p.m.walk.far(p.beta, g.missed, once)
		}
		combine(p.post, alpha[(u-1)%n], p.beta)
	}
	addScaled(p.out, weight, p.post)
}

// back writes A v, for the counts as they are.
func (s *pairs) back(dst, v, mu []float64) {
	times(dst, s.c, v)
	jump := s.beta * dot(mu, v)
	for i, x := range dst {
		dst[i] = (s.scale*x + jump) / (s.rows[i] + s.beta)
	}
}
