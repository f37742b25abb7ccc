package adapt

// paperPast keeps the steps of the paper's modes.
type paperPast struct {
	filter *Filter
	f      *paper
	lag    int

	like, alpha, raw [][]float64 // [lag+1][K] L_t, the carried posterior and q_t
	links            []link      // [lag+1] from the step before
	gate             []float64
	beta, seen, out  []float64 // [K] scratch
}

// pastBytes returns what the past of a lag takes.
func (f *paper) pastBytes(lag int) float64 {
	n := float64(len(f.p))
	return 8 * float64(lag+1) * n * (n + 3)
}

func newPaperPast(filter *Filter, f *paper, lag int) *paperPast {
	n := filter.classes
	p := &paperPast{
		filter: filter, f: f, lag: lag, like: rows(lag+1, n), alpha: rows(lag+1, n), raw: rows(lag+1, n),
		links: make([]link, lag+1), gate: make([]float64, lag+1), beta: make([]float64, n), seen: make([]float64, n), out: make([]float64, n),
	}
	if lag > 0 {
		for i, a := range rows(lag+1, n*n) {
			p.links[i].matrix = a
		}
	}
	return p
}

// rows returns count slices of n numbers, in one piece of memory.
func rows(count, n int) [][]float64 {
	out, all := make([][]float64, count), make([]float64, count*n)
	for i := range out {
		out[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return out
}

func (p *paperPast) step(dst, q []float64, t int, known bool) Diagnostics {
	if p.lag == 0 {
		return p.filter.advance(dst, q, known)
	}
	slot := t % (p.lag + 1)
	p.f.matrix(p.links[slot].matrix)
	gap := p.filter.gap
	d := p.filter.advance(p.out, q, known)
	p.links[slot].set(gap, d)
	copy(p.raw[slot], q)
	copy(p.like[slot], p.f.like)
	copy(p.alpha[slot], p.f.p)
	p.gate[slot] = d.Gate
	return d
}

func (p *paperPast) end() {}

func (p *paperPast) look(dst []float64, s, t int) {
	n := p.lag + 1
	copy(p.out, p.alpha[t%n])
	fill(p.beta, 1)
	for u := t; u > s; u-- {
		p.f.walk.into(p.out, p.beta, p.seen, p.alpha[(u-1)%n], p.like[u%n], p.links[u%n])
	}
	blend(dst, p.out, p.raw[s%n], p.gate[s%n])
}

// blend writes gate p + (1-gate) q, normalised.
func blend(dst, p, q []float64, gate float64) {
	for i, v := range p {
		dst[i] = gate*v + (1-gate)*q[i]
	}
	normalise(dst)
}
