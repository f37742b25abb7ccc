package adapt

// pairs counts transitions by online EM. With C the decayed counts and A_ij = (C_ij + beta mu_j)/(C_i. + beta), a step adds the
// pair posterior xi_ij = p_i A_ij/mu_j L_j, normalised, to (1-gamma) C.
//
// One pass over K x K a step: the pass that learns from step t also accumulates the sums that step t+1 needs for its prior, row by
// row while the row is in the nearest cache. The part of A that depends on mu has rank one and stays outside the pass.
type pairs struct {
	gamma, beta float64
	n           int
	c           []float64 // [K, K] row-major
	rows        []float64 // [K] row sums of c
	u           []float64 // [K] p_i/(C_i. + beta)
	carried     []float64 // [K] sum over i of u_i C_ij
	total       float64   // sum of u
	started     bool      // the first step of a stream has no pair
}

func newPairs(classes int, gamma, beta float64) pairs {
	vec := func() []float64 { return make([]float64, classes) }
	return pairs{
		gamma: gamma, beta: beta, n: classes,
		c: make([]float64, classes*classes), rows: vec(), u: vec(), carried: vec(),
	}
}

// reset forgets all counts; p [K] is the posterior that the stream starts from.
func (s *pairs) reset(p []float64) {
	fill(s.c, 0)
	fill(s.rows, 0)
	fill(s.carried, 0)
	s.started = false
	s.aim(p)
}

// aim sets u and its total for the posterior p.
func (s *pairs) aim(p []float64) {
	s.total = 0
	for i, v := range p {
		s.u[i] = v / (s.rows[i] + s.beta)
		s.total += s.u[i]
	}
}

// predict writes A'p, for the posterior given last, into prior.
func (s *pairs) predict(prior, mu []float64) {
	b := s.beta * s.total
	for j, v := range s.carried {
		prior[j] = v + b*mu[j]
	}
}

// learn adds the pair posteriors of the step, with lift = L/mu and norm the reciprocal of their sum, and prepares the prior for p.
func (s *pairs) learn(lift, like []float64, norm float64, p []float64) {
	if !s.started {
		s.skip(p)
		return
	}
	fill(s.carried, 0)
	s.total = 0
	for i := range s.n {
		row := s.c[i*s.n : (i+1)*s.n]
		s.rows[i] = learnRow(row, lift, like, 1-s.gamma, s.u[i]*norm, s.beta)
		s.u[i] = p[i] / (s.rows[i] + s.beta)
		s.total += s.u[i]
		addScaled(s.carried, s.u[i], row)
	}
}

// grain, added and taken away, rounds counts to multiples of 1e-306: a count that only decays would end among the denormal numbers,
// stay there for ever, and make each step slow. Counts of any meaning are untouched.
const grain = 1e-290

// learnRow turns row into keep row + k (row + beta mu) lift, where mu lift is like, and returns its sum, in four lanes.
func learnRow(row, lift, like []float64, keep, k, beta float64) float64 {
	lift, like = lift[:len(row)], like[:len(row)]
	bias := k * beta
	var a, b, c, d float64
	for len(row) >= 4 && len(lift) >= 4 && len(like) >= 4 {
		r0 := (keep+k*lift[0])*row[0] + bias*like[0] + grain - grain
		r1 := (keep+k*lift[1])*row[1] + bias*like[1] + grain - grain
		r2 := (keep+k*lift[2])*row[2] + bias*like[2] + grain - grain
		r3 := (keep+k*lift[3])*row[3] + bias*like[3] + grain - grain
		row[0], row[1], row[2], row[3] = r0, r1, r2, r3
		a, b, c, d = a+r0, b+r1, c+r2, d+r3
		row, lift, like = row[4:], lift[4:], like[4:]
	}
	for j, v := range row {
		v = (keep+k*lift[j])*v + bias*like[j] + grain - grain
		row[j] = v
		a += v
	}
	return (a + b) + (c + d)
}

// skip leaves the counts alone and prepares the prior for p.
func (s *pairs) skip(p []float64) {
	s.started = true
	s.aim(p)
	fill(s.carried, 0)
	for i, u := range s.u {
		addScaled(s.carried, u, s.c[i*s.n:(i+1)*s.n])
	}
}
