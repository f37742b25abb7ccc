package adapt

import "math"

const (
	driftBlock   = 25   // steps for which the matrix of drift is held constant, at least
	maxPasses    = 30   // of Baum-Welch
	enoughPasses = 1e-5 // gain of log likelihood per step, in nats, at which it ends
)

// matrixChain returns a chain whose matrix is still to be learned, of a hypothesis that admits errors at the rate e. Its mu is the
// most probable marginal of what it reads.
func (r *recording) matrixChain(e, pseudo float64) *chain {
	c := erring(0, e, r.n)
	c.first = r.marginal(c, pseudo)
	c.inv = inverse(c.first)
	return c
}

// fullEvidence returns the log of the product of the causal evidences <A'p, L_e> of a matrix learned online.
func (r *recording) fullEvidence(s *pairs, c *chain) (out float64) {
	mu, lift, prior := c.first, r.seen, r.post
	p, like := uniformOver(r.n), make([]float64, r.n)
	s.reset(p)
	for t := range r.steps {
		r.observe(c, lift, t)
		s.predict(prior, mu)
		g := r.between.at(t)
		r.walk.reach(s, prior, mu, g)
		total, evidence := 0.0, 0.0
		for j, v := range lift {
			like[j] = v * mu[j]
			evidence += prior[j] * like[j]
			p[j] = prior[j] * v
			total += p[j]
		}
		out += math.Log(evidence)
		if !(total >= small) {
			copy(p, like)
			s.skip(p)
			continue
		}
		scale(p, 1/total)
		if g.none() {
			s.learn(lift, like, 1/total, p)
		} else {
			s.skip(p)
		}
	}
	return out
}

// baumWelch learns a chain of dense matrices, one for each block of steps, with C the expected pair counts:
//
//	A_ij = (C_ij + beta mu_j) / (C_i. + beta)
//
// where the counts of another block weigh decay for each block in between. With one block this is Baum-Welch as it is known. It
// begins with A_ij = mu_j, no order at all, from which the first pass counts L_{t-1} x L_t.
func (r *recording) baumWelch(hypothesis *chain, beta float64, block int, decay float64) *chain {
	c := *hypothesis
	c.block = block
	var counts [][]float64
	for start := 0; start < r.steps; start += block {
		counts = append(counts, make([]float64, r.n*r.n))
		c.matrices = append(c.matrices, make([]float64, r.n*r.n))
	}
	for _, a := range c.matrices {
		for i := range r.n {
			copy(a[i*r.n:], c.first)
		}
	}
	last := math.Inf(-1)
	for range maxPasses {
		likelihood := r.forward(&c)
		r.count(&c, counts)
		c.maximise(counts, c.first, beta, decay)
		if !(likelihood-last > enoughPasses*float64(r.steps)) {
			break
		}
		last = likelihood
	}
	return &c
}

// count sets counts to the expected pairs of each block: xi_ij ~ alpha_i A_ij ahead_j. A is constant within a block, so that the
// outer products of alpha and ahead are summed and multiplied by it once.
func (r *recording) count(c *chain, counts [][]float64) {
	for _, s := range counts {
		fill(s, 0)
	}
	r.backward(c, func(t int, _, ahead []float64, total float64) {
		if !(total >= small && r.between.at(t+1).none()) {
			return
		}
		counted := counts[(t+1)/c.block]
		for i, v := range r.row(r.alpha, t) {
			addScaled(counted[i*r.n:(i+1)*r.n], v/total, ahead)
		}
	})
	for b, s := range counts {
		for i, v := range c.matrices[b] {
			s[i] *= v
		}
	}
}

// maximise sets the matrices from the counts of their own block and, decayed, of all others. It destroys the counts.
func (c *chain) maximise(counts [][]float64, mu []float64, beta, decay float64) {
	for b, a := range c.matrices { // what came before, decayed, into the matrices
		fill(a, 0)
		if b > 0 {
			addScaled(a, decay, c.matrices[b-1])
			addScaled(a, decay, counts[b-1])
		}
	}
	for b := len(counts) - 2; b >= 0; b-- { // the block itself and what came after, into the counts
		addScaled(counts[b], decay, counts[b+1])
	}
	n := len(mu)
	for b, a := range c.matrices {
		addScaled(a, 1, counts[b])
		for i := range n {
			row := a[i*n : (i+1)*n]
			addScaled(row, beta, mu)
			scale(row, 1/sum(row))
		}
	}
}
