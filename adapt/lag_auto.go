package adapt

// mixturePast keeps the steps of the auto gate.
type mixturePast struct {
	filter *Filter
	m      *mixture
	lag    int
	at     []*temperedPast

	gaps                  []gap     // [lag+1] before the steps
	beta, seen, post, out []float64 // [K] scratch
}

// temperedPast keeps them at one temperature: [lag+1] rows of K numbers each.
type temperedPast struct {
	t          *tempered
	like       [][]float64
	lift, home [][]float64   // see tempered
	reads      [][][]float64 // by a; only lifts of their own
	persist    [][][]float64 // by a
	sticky     [][][]float64 // by (a, e)
	full       [][][]float64 // by e
	population [][][]float64 // by e
}

// pastBytes returns what the past of a lag takes.
func (m *mixture) pastBytes(classes, lag int) float64 {
	rows := len(m.at) * (3 + 2*len(m.Grid) + len(m.sticky) + len(m.fulls) + len(m.populations))
	return 8 * float64(lag+1) * float64(rows) * float64(classes)
}

func newMixturePast(filter *Filter, m *mixture, lag int) *mixturePast {
	n := filter.classes
	vec := func() []float64 { return make([]float64, n) }
	p := &mixturePast{filter: filter, m: m, lag: lag, gaps: make([]gap, lag+1), beta: vec(), seen: vec(), post: vec(), out: vec()}
	if lag == 0 {
		return p
	}
	for _, t := range m.at {
		k := &temperedPast{t: t, like: rows(lag+1, n), lift: rows(lag+1, n), home: rows(lag+1, n)}
		for range t.beyond {
			k.reads = append(k.reads, rows(lag+1, n))
		}
		for range t.persist {
			k.persist = append(k.persist, rows(lag+1, n))
		}
		for range t.sticky {
			k.sticky = append(k.sticky, rows(lag+1, n))
		}
		for range t.fulls {
			k.full = append(k.full, rows(lag+1, n))
		}
		for range t.others {
			k.population = append(k.population, rows(lag+1, n))
		}
		p.at = append(p.at, k)
	}
	return p
}

func (p *mixturePast) step(dst, q []float64, t int) Diagnostics {
	if p.lag == 0 {
		return p.filter.Step(dst, q)
	}
	p.gaps[t%(p.lag+1)] = p.filter.gap
	d := p.filter.Step(p.out, q)
	for _, k := range p.at {
		k.keep(t % (p.lag + 1))
	}
	return d
}

func (k *temperedPast) keep(slot int) {
	copy(k.like[slot], k.t.like)
	copy(k.lift[slot], k.t.lift)
	copy(k.home[slot], k.t.home)
	for h, rows := range k.reads {
		copy(rows[slot], k.t.reads[h])
	}
	for h, rows := range k.full {
		copy(rows[slot], k.t.fulls[h].p)
	}
	for h, rows := range k.population {
		copy(rows[slot], k.t.others[h].p)
	}
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
		addScaled(p.out, sum(w.none), k.like[s%n])
		uniform := 1 / float64(len(dst))
		for h, a := range m.Grid {
			p.stay(k.persist[h], staying{m.trusted(a), 1 - m.doubt, m.doubt * uniform, k.like, nil}, w.persist[h], s, t)
		}
		for h, c := range m.sticky {
			chain := staying{c.a, 1 - c.c, c.c * k.t.level, k.like, nil}
			if m.later {
				chain.read, chain.home = k.lift, k.home
			}
			if len(k.reads) > 0 {
				chain.read = k.reads[h/len(m.Errors)]
			}
			p.stay(k.sticky[h], chain, w.sticky[h], s, t)
		}
		for h := range k.full {
			p.full(k, h, w.full[h], s, t)
		}
		for h := range k.population {
			p.population(k, h, w.population[h], s, t)
		}
	}
	copy(dst, p.out)
	normalise(dst)
}

// staying is a chain stay I + (1-stay) home, home being uniform if it is nil, that reads trust read + floor. Read and home are by item.
type staying struct {
	stay, trust, floor float64
	read, home         [][]float64
}

// stay adds, times the weight, the posterior of item s under the chain, where alpha holds its causal posteriors.
func (p *mixturePast) stay(alpha [][]float64, c staying, weight float64, s, t int) {
	n := p.lag + 1
	copy(p.post, alpha[t%n])
	fill(p.beta, 1)
	for u := t; u > s; u-- {
		for j, v := range c.read[u%n] {
			p.seen[j] = (c.trust*v + c.floor) * p.beta[j]
		}
		stay := p.gaps[u%n].keep(c.stay)
		if c.home == nil {
			stepBack(p.beta, p.seen, stay)
		} else {
			stepHome(p.beta, p.seen, c.home[u%n], stay)
		}
		combine(p.post, alpha[(u-1)%n], p.beta)
	}
	addScaled(p.out, weight, p.post)
}

// stepHome writes (stay I + (1-stay) 1 home') v.
func stepHome(dst, v, home []float64, stay float64) {
	jump := (1 - stay) * dot(home, v)
	for i, x := range v {
		dst[i] = stay*x + jump
	}
}

// full does the same for a learned matrix, as it is now.
func (p *mixturePast) full(k *temperedPast, h int, weight float64, s, t int) {
	n, c, alpha := p.lag+1, k.t.fulls[h].c, k.full[h]
	copy(p.post, alpha[t%n])
	fill(p.beta, 1)
	for u := t; u > s; u-- {
		for j, v := range k.lift[u%n] {
			p.seen[j] = ((1-c)*v + c) * p.beta[j]
		}
		g := p.gaps[u%n]
		if g.fresh {
			fill(p.beta, sum(p.seen))
		} else {
			once := func(dst, v []float64) { k.t.fulls[h].pairs.back(dst, v, k.t.mu) }
			once(p.beta, p.seen)
			p.m.walk.far(p.beta, g.missed, once)
		}
		combine(p.post, alpha[(u-1)%n], p.beta)
	}
	addScaled(p.out, weight, p.post)
}

// population does the same for the matrix of the population.
func (p *mixturePast) population(k *temperedPast, h int, weight float64, s, t int) {
	n, c, alpha, known := p.lag+1, k.t.others[h].c, k.population[h], p.m.known
	copy(p.post, alpha[t%n])
	fill(p.beta, 1)
	for u := t; u > s; u-- {
		known.see(k.like[u%n], k.home[u%n])
		for j, v := range known.lift {
			p.seen[j] = ((1-c)*v + c) * p.beta[j]
		}
		if g := p.gaps[u%n]; g.fresh {
			fill(p.beta, sum(p.seen))
		} else {
			known.back(p.beta, p.seen)
			p.m.walk.far(p.beta, g.missed, known.back)
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
