package adapt

import (
	"math"
	"slices"
)

// firstHindsight is that of the first edition: first the weights of all readings, then, one after another, the readings that
// weigh anything. Only one temperature's likelihoods and one chain's posteriors are in memory at a time.
type firstHindsight struct {
	m            *mixture
	q            [][]float64
	n            int
	r            *recording
	matrixErrors []float64 // error rates e of full and drift
	readings     []Hypothesis
	chains       []*chain // nil for none
}

const (
	largestError = 0.4   // what the grid of error rates reaches at least: in hindsight it can be afforded
	matrixOdds   = 1e-12 // on the initial weight of learned matrices
	weightless   = 1e-13 // readings below this weight are left out; all of them together weigh less than 1e-10
)

func newFirstHindsight(classes int, s Settings, q [][]float64, between gaps, known []bool) *firstHindsight {
	a := *s.Auto
	errors := a.Errors
	if slices.Max(errors) < largestError {
		a.Errors = append(slices.Clone(errors), largestError)
	}
	s.Auto = &a
	h := &firstHindsight{m: newMixture(classes, s), q: q, n: classes, r: newRecording(classes, len(q))}
	h.r.between, h.r.known = between, known
	sharp := h.m.sharp.whole(unknown(q, known))
	for i := range h.m.temperatures {
		h.m.temperatures[i] /= sharp
	}
	h.matrixErrors = append(h.matrixErrors, 0)
	for _, e := range errors {
		if e > 0 {
			h.matrixErrors = append(h.matrixErrors, e)
		}
	}
	for i, temperature := range h.m.temperatures {
		h.r.read(q, h.m.inv, temperature)
		h.weigh(i)
	}
	h.normaliseWeights()
	return h
}

// weigh appends the readings of a temperature, their weights still in logarithms. The evidences come without keeping any posterior; a
// reading that turns out to weigh something is run again.
func (h *firstHindsight) weigh(i int) {
	m, r := h.m, h.r
	add := func(kind string, a, e, logWeight float64, c *chain) {
		h.readings = append(h.readings, Hypothesis{Kind: kind, Stay: a, Error: e, Temperature: m.temperatures[i], Weight: logWeight})
		h.chains = append(h.chains, c)
	}
	prior := make([]float64, m.hypotheses)
	logarithms(prior, m.slot(i))
	chance, none := r.chance(r.marginal(erring(0, 0, h.n), m.Pseudo))
	add("none", 0, 0, prior[0]+none, nil)
	for g, e := range r.persistEvidence(m.Grid, chance) {
		a := m.Grid[g]
		add("persist", a, 0, prior[1+g]+e, doubtful(a/2, m.doubt, h.n))
	}
	for k, s := range m.sticky {
		e := m.Errors[k%len(m.Errors)]
		c := erring(s.a, e, h.n)
		add("sticky", s.a, e, prior[1+len(m.Grid)+k]+r.stickyEvidence(c, chance), c)
	}
	p := *m.at[i].fulls[0].pairs.(*pairs)
	each := prior[len(prior)-1] + math.Log(matrixOdds/float64(2*len(h.matrixErrors)))
	for _, e := range h.matrixErrors {
		c := r.matrixChain(e, m.Pseudo)
		p.gamma = 0
		add("full", 0, e, each+r.fullEvidence(&p, c), c)
		p.gamma = m.Gamma
		add("drift", 0, e, each+r.fullEvidence(&p, c), c)
	}
}

// normaliseWeights turns log weights into weights. That of none is finite, as mu is positive everywhere.
func (h *firstHindsight) normaliseWeights() {
	most, total := math.Inf(-1), 0.0
	for _, k := range h.readings {
		most = max(most, k.Weight)
	}
	for i, k := range h.readings {
		h.readings[i].Weight = math.Exp(k.Weight - most)
		total += h.readings[i].Weight
	}
	for i := range h.readings {
		h.readings[i].Weight /= total
	}
}

// mix writes the weighted mean of the smoothed posteriors.
func (h *firstHindsight) mix(dst [][]float64) {
	for _, row := range dst {
		fill(row, 0)
	}
	for i, temperature := range h.m.temperatures {
		h.r.read(h.q, h.m.inv, temperature)
		for k, hyp := range h.readings {
			if k/h.perTemperature() == i && hyp.Weight >= weightless {
				h.add(dst, k)
			}
		}
	}
	for _, row := range dst { // what was weightless is missing
		normalise(row)
	}
}

func (h *firstHindsight) perTemperature() int { return len(h.readings) / len(h.m.temperatures) }

// add adds the posteriors of reading k, times its weight.
func (h *firstHindsight) add(dst [][]float64, k int) {
	w, r := h.readings[k].Weight, h.r
	if h.readings[k].Kind == "none" {
		for t, row := range dst {
			addScaled(row, w, r.row(r.like, t))
		}
		return
	}
	c := h.chain(k)
	r.forward(c)
	r.backward(c, func(t int, post, _ []float64, _ float64) { addScaled(dst[t], w, post) })
}

// chain returns the chain of reading k, which for the learned matrices is a matter of many passes.
func (h *firstHindsight) chain(k int) *chain {
	switch h.readings[k].Kind {
	case "full":
		return h.r.baumWelch(h.chains[k], h.m.Beta, h.r.steps, 1)
	case "drift":
		block := max(driftBlock, h.n)
		return h.r.baumWelch(h.chains[k], h.m.Beta, block, math.Pow(1-h.m.Gamma, float64(block)))
	}
	return h.chains[k]
}

func (h *firstHindsight) summary() Smoothed {
	s := Smoothed{Steps: len(h.q), Hypotheses: slices.Clone(h.readings)}
	heaviestFirst(s.Hypotheses)
	return s
}

// chance returns <mu, L_t> for all items, and the log of their product.
func (r *recording) chance(mu []float64) (chance []float64, logEvidence float64) {
	chance = make([]float64, r.steps)
	for t := range chance {
		chance[t] = dot(mu, r.row(r.like, t))
		logEvidence += math.Log(chance[t])
	}
	return chance, logEvidence
}

// persistEvidence returns the log evidence of persist(a) for each a.
func (r *recording) persistEvidence(grid, chance []float64) []float64 {
	out := make([]float64, len(grid))
	last := uniformOver(r.n)
	for t := range r.steps {
		like := r.row(r.like, t)
		inertia := dot(last, like)
		for g, a := range grid {
			a = r.between.at(t).keep(a)
			out[g] += math.Log(a*inertia + (1-a)*chance[t])
		}
		last = like
	}
	return out
}

// stickyEvidence returns the log of the product of a <p, L_e> + (1-a) <mu, L>, with p the causal posteriors of the chain.
func (r *recording) stickyEvidence(c *chain, chance []float64) (out float64) {
	p, prior := slices.Clone(c.first), r.post
	for t := range r.steps {
		r.observe(c, r.seen, t)
		stay := r.between.at(t).keep(c.stay)
		out += math.Log(stay*dot(p, r.seen) + (1-stay)*chance[t])
		stepBack(prior, p, stay) // the matrix is its own transpose
		copy(p, prior)
		condition(p, r.seen)
	}
	return out
}
