package adapt

import "math"

// chain is a Markov chain over the classes, with what its hypothesis reads from an observation L. The matrix A is either
// stay I + (1-stay) home, in every row, which costs K a step, or one of the matrices, which costs K^2.
type chain struct {
	stay     float64
	home     []float64   // [K]; nil is uniform
	matrices [][]float64 // each [K, K]; the step into item t has matrices[t/block]
	block    int

	// The likelihood of the classes is trust L + floor + mixed E L, with E the recording's confusions, times inv, which is 1/mu, unless
	// that is nil.
	trust, floor, mixed float64
	inv                 []float64
	lift                *lift // in place of L and its E L, if not nil; inv is nil then

	first []float64 // [K] distribution of the first class
}

// doubtful is a chain that stays or jumps anywhere; doubt is the weight of the uniform in what it reads from L.
func doubtful(stay, doubt float64, classes int) *chain {
	return &chain{stay: stay, trust: 1 - doubt, floor: doubt / float64(classes), first: uniformOver(classes)}
}

// erring is one whose observations are wrong at the rate e, as the recording's confusions have it.
func erring(stay, e float64, classes int) *chain {
	if classes == 1 { // knows no errors
		e = 0
	}
	return &chain{stay: stay, trust: 1 - e, mixed: e, first: uniformOver(classes)}
}

func uniformOver(classes int) []float64 {
	u := make([]float64, classes)
	fill(u, 1/float64(classes))
	return u
}

// forward writes A'p for the step into item t.
func (c *chain) forward(dst, p []float64, t int) {
	if c.matrices == nil {
		c.ahead(dst, p, c.stay)
		return
	}
	a, n := c.matrices[t/c.block], len(p)
	fill(dst, 0)
	for i, v := range p {
		addScaled(dst, v, a[i*n:(i+1)*n])
	}
}

// backward writes A v for the step into item t.
func (c *chain) backward(dst, v []float64, t int) {
	if c.matrices == nil {
		c.behind(dst, v, c.stay)
		return
	}
	times(dst, c.matrices[t/c.block], v)
}

// ahead writes A'p of a chain without matrices, for any chance to stay.
func (c *chain) ahead(dst, p []float64, stay float64) {
	if c.home == nil {
		stepBack(dst, p, stay) // the matrix is its own transpose
		return
	}
	jump := (1 - stay) * sum(p)
	for j, v := range p {
		dst[j] = stay*v + jump*c.home[j]
	}
}

// behind writes A v of one.
func (c *chain) behind(dst, v []float64, stay float64) {
	if c.home == nil {
		stepBack(dst, v, stay)
		return
	}
	stepHome(dst, v, c.home, stay)
}

// stepBack writes (stay I + (1-stay)/K) v.
func stepBack(dst, v []float64, stay float64) {
	jump := (1 - stay) / float64(len(v)) * sum(v)
	for i, x := range v {
		dst[i] = stay*x + jump
	}
}

// stepHome writes (stay I + (1-stay) 1 home') v.
func stepHome(dst, v, home []float64, stay float64) {
	jump := (1 - stay) * dot(home, v)
	for i, x := range v {
		dst[i] = stay*x + jump
	}
}

// times writes A v for a dense A.
func times(dst, a, v []float64) {
	n := len(v)
	for i := range dst {
		dst[i] = dot(a[i*n:(i+1)*n], v)
	}
}

// recording is a stream in hand as a whole, at one temperature, with the memory of one chain's recursion.
type recording struct {
	n, steps   int
	like       []float64 // [steps, n] L_t
	confused   []float64 // [steps, n] E L_t; nil in the paper's modes
	alpha      []float64 // [steps, n] posteriors of the forward half
	seen, beta []float64 // [n] scratch
	post       []float64 // [n] scratch
	between    gaps
	known      []bool // [steps] items whose label is known: no chain allows for errors there; nil: none
	walk       walk
}

func newRecording(classes, steps int) *recording {
	return &recording{
		n: classes, steps: steps, like: make([]float64, steps*classes), alpha: make([]float64, steps*classes),
		seen: make([]float64, classes), beta: make([]float64, classes), post: make([]float64, classes),
		walk: newWalk(classes),
	}
}

// sure tells whether the label of an item is known.
func (r *recording) sure(t int) bool { return r.known != nil && r.known[t] }

func (r *recording) row(x []float64, t int) []float64 { return x[t*r.n : (t+1)*r.n] }

// observe writes into dst the likelihood that a chain reads from item t.
func (r *recording) observe(c *chain, dst []float64, t int) {
	trust, floor, mixed := c.trust, c.floor, c.mixed
	if r.sure(t) {
		trust, floor, mixed = 1, 0, 0
	}
	if c.lift != nil {
		c.lift.observe(dst, r.row(r.like, t), t, trust, floor)
	} else {
		for j, v := range r.row(r.like, t) {
			dst[j] = trust*v + floor
		}
	}
	if mixed > 0 {
		addScaled(dst, mixed, r.row(r.confused, t))
	}
	for j, v := range c.inv {
		dst[j] *= v
	}
}

// forward fills alpha and returns the log of the chain's likelihood of the recording.
func (r *recording) forward(c *chain) (logEvidence float64) {
	for t := range r.steps {
		p := r.row(r.alpha, t)
		if t == 0 {
			copy(p, c.first)
		} else {
			r.ahead(c, p, r.row(r.alpha, t-1), t)
		}
		r.observe(c, r.seen, t)
		logEvidence += math.Log(condition(p, r.seen))
	}
	return logEvidence
}

// condition turns the prior p into the posterior, in place, and returns the evidence. Where the prior excludes all that was seen,
// only what was seen speaks.
func condition(p, seen []float64) (evidence float64) {
	for j, v := range seen {
		p[j] *= v
	}
	if evidence = normalise(p); !(evidence > 0) {
		copy(p, seen)
		normalise(p)
	}
	return evidence
}

// backward runs the other half: it hands every item's posterior, last item first, to use, together with what came later says about
// the class of item t+1, ahead = likelihood times beta, and the sum of alpha_i A_ij ahead_j, which is 0 for the last item and where
// nothing is handed back. The slices belong to the recording.
func (r *recording) backward(c *chain, use func(t int, post, ahead []float64, total float64)) {
	use(r.steps-1, r.row(r.alpha, r.steps-1), nil, 0)
	fill(r.beta, 1)
	for t := r.steps - 2; t >= 0; t-- {
		r.observe(c, r.seen, t+1)
		for j, v := range r.beta {
			r.seen[j] *= v
		}
		r.back(c, r.beta, r.seen, t+1)
		use(t, r.post, r.seen, combine(r.post, r.row(r.alpha, t), r.beta))
	}
}

// combine writes alpha times beta, normalised, into post, rescales beta to the sum 1, and returns the sum of alpha times beta as it
// came. Where what came later excludes all that came before (zero evidence in the forward half), nothing is handed back across the
// step: beta is 1 again, post is alpha, and the sum is 0.
func combine(post, alpha, beta []float64) float64 {
	total := normalise(beta)
	for i, v := range beta {
		post[i] = alpha[i] * v
	}
	if total *= normalise(post); !(total > 0) {
		fill(beta, 1)
		copy(post, alpha)
		return 0
	}
	return total
}

// normalise makes x sum to 1 and returns what it summed to; a zero sum leaves x alone. A sum so small that its reciprocal overflows
// is brought up first.
func normalise(x []float64) float64 {
	s := sum(x)
	if s < small {
		scale(x, 1/small)
		s = sum(x)
		if s > 0 {
			scale(x, 1/s)
		}
		return s * small
	}
	scale(x, 1/s)
	return s
}

// small is far above the smallest float64 whose reciprocal is finite, 5.6e-309.
const small = 1e-290
