package adapt

// counter learns the transitions of a stream, as [pairs] does over all classes.
type counter interface {
	reset(p []float64)
	predict(prior, mu []float64)  // A'p for the posterior given last
	forward(dst, p, mu []float64) // A'p for any p
	learn(told, base []float64, norm float64, p []float64)
	skip(p []float64)
	sizes() []float64            // [K] C_i., not to be written
	counts(dst []float64, i int) // C_ij of a row
	own(i int) float64           // C_ii
	visit(v visitor)
	consistent(p []float64) error
	settle(p []float64) // forms what a snapshot leaves out
}

var (
	_ counter = (*pairs)(nil)
	_ counter = (*activePairs)(nil)
)

// pairs counts transitions by online EM. With C the decayed counts and A_ij = (C_ij + beta mu_j)/(C_i. + beta), a step adds the
// pair posterior xi_ij = p_i A_ij/mu_j L_j, normalised, to (1-gamma) C.
//
// One pass over K x K a step, or a few rows of it: the pass that learns from step t also accumulates the sums that step t+1 needs for
// its prior, row by row while the row is in the nearest cache. The decay is carried as a scale, C = scale c, so that a row whose class
// has no belief is neither changed nor read. The part of A that depends on mu has rank one and stays outside the pass.
type pairs struct {
	gamma, beta float64
	n           int
	c           []float64 // [K, K] row-major
	scale       float64
	rows        []float64 // [K] row sums of C
	u           []float64 // [K] p_i/(C_i. + beta)
	carried     []float64 // [K] sum over i of u_i C_ij
	total       float64   // sum of u
	few         int       // up to how many columns a step goes by a list
	started     bool      // the first step of a stream has no pair
	columns     []int32   // scratch: classes with L > 0, if they are few
}

func newPairs(classes int, gamma, beta float64) pairs {
	vec := func() []float64 { return make([]float64, classes) }
	return pairs{
		gamma: gamma, beta: beta, n: classes, scale: 1, few: few(classes),
		c: make([]float64, classes*classes), rows: vec(), u: vec(), carried: vec(), columns: make([]int32, 0, classes),
	}
}

// reset forgets all counts; p [K] is the posterior that the stream starts from.
func (s *pairs) reset(p []float64) {
	fill(s.c, 0)
	fill(s.rows, 0)
	fill(s.carried, 0)
	s.scale, s.started = 1, false
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
	s.scale *= 1 - s.gamma
	if s.scale < leastScale {
		s.rescale()
	}
	columns, few := nonzeros(s.columns[:0], like, s.few)
	fill(s.carried, 0)
	s.total = 0
	norm /= 1 - s.gamma // of what has decayed already
	for i := 0; i < s.n; i += 2 {
		end := min(i+2, s.n)
		for r := i; r < end; r++ {
			s.rows[r] *= 1 - s.gamma
			switch k := s.u[r] * norm; {
			case k == 0:
			case few:
				s.learnColumns(r, columns, lift, like, k)
			default:
				s.rows[r] = s.scale * learnRow(s.row(r), lift, like, k, s.spread(k))
			}
			s.u[r] = 0
			if p[r] != 0 {
				s.u[r] = p[r] / (s.rows[r] + s.beta)
				s.total += s.u[r]
			}
		}
		s.carry(i, end)
	}
}

// sizes returns the row sums.
func (s *pairs) sizes() []float64 { return s.rows }

// counts writes row i of C.
func (s *pairs) counts(dst []float64, i int) { setScaled(dst, s.scale, s.row(i)) }

// own returns C_ii.
func (s *pairs) own(i int) float64 { return s.scale * s.c[i*s.n+i] }

// settle has nothing to do: a snapshot holds everything.
func (s *pairs) settle([]float64) {}

func (s *pairs) row(i int) []float64 { return s.c[i*s.n : (i+1)*s.n] }

// spread is what L_j is multiplied by where a row learns: beta's part of A, in the units of c, with the decay taken back that k has in it.
func (s *pairs) spread(k float64) float64 { return k * (1 - s.gamma) * s.beta / s.scale }

// learnColumns is learnRow for a likelihood that is zero in all columns but a few.
func (s *pairs) learnColumns(i int, columns []int32, lift, like []float64, k float64) {
	row, bias, added := s.row(i), s.spread(k), 0.0
	for _, j := range columns {
		more := k*lift[j]*row[j] + bias*like[j]
		row[j] += more
		added += more
	}
	s.rows[i] += s.scale * added
}

// carry adds rows i to end, one or two, times their u, to carried.
func (s *pairs) carry(i, end int) {
	v := s.u[i] * s.scale
	switch {
	case end == i+2 && s.u[i+1] != 0:
		addScaled2(s.carried, v, s.row(i), s.u[i+1]*s.scale, s.row(i+1))
	case v != 0:
		addScaled(s.carried, v, s.row(i))
	}
}

// leastScale is where the scale of decayed counts is multiplied into them: rarely, and long before anything underflows.
const leastScale = 1e-100

// grain, added and taken away, rounds counts to multiples of 1e-306: a count that only decays would end among the denormal numbers,
// stay there for ever, and make each step slow. Counts of any meaning are untouched.
const grain = 1e-290

// rescale multiplies the scale into the counts.
func (s *pairs) rescale() {
	for i, v := range s.c {
		s.c[i] = v*s.scale + grain - grain
	}
	s.scale = 1
}

// skip leaves the counts alone and prepares the prior for p.
func (s *pairs) skip(p []float64) {
	s.started = true
	s.aim(p)
	fill(s.carried, 0)
	for i := 0; i < s.n; i += 2 {
		s.carry(i, min(i+2, s.n))
	}
}
