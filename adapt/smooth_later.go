package adapt

import (
	"math"
	"slices"
)

// hindsight is the auto gate over a whole recording.
type hindsight interface {
	// mix writes the weighted mean of the smoothed posteriors.
	mix(dst [][]float64)
	// decode writes the best path under the heaviest reading.
	decode(path []int)
	summary() Smoothed
}

// newHindsight reads a recording whose rows of q are certain where known says that their label is known.
func newHindsight(classes int, s Settings, q [][]float64, between gaps, known []bool) hindsight {
	if s.Auto.Edition == 1 {
		return newFirstHindsight(classes, s, q, between, known)
	}
	return newLaterHindsight(classes, s, q, between, known)
}

// laterHindsight is that of the editions after the first: first the weights of all readings, then, one after another, the readings that weigh
// anything. Only one temperature's likelihoods and one chain's posteriors are in memory at a time.
type laterHindsight struct {
	account
	s            Settings
	q            [][]float64
	r            *recording
	sharp        float64   // b
	temperatures []float64 // of q, sharpening considered
	hot          int       // index of the highest
	fixed        []fixed   // by temperature
	inert        inert
	weights      []float64 // by temperature and reading: see account.weightsAt
	lift, freq   *lift     // M, and M_f with a population
	logq         []float64 // [T, K] log q, in the memory of the posteriors: until the first of those
	row          []float64 // [K] scratch
}

func newLaterHindsight(classes int, s Settings, q [][]float64, between gaps, known []bool) *laterHindsight {
	h := &laterHindsight{
		account: newAccount(classes, s, classes <= hindMatrices), s: s, q: q, r: newRecording(classes, len(q)),
		lift: newLift(classes, len(q)), row: make([]float64, classes),
	}
	h.r.between, h.r.known = between, known
	h.logq = h.r.alpha
	h.takeLogs()
	sharp := newSharpness(s)
	h.sharp = sharp.find(func(b float64) float64 { return h.confidence(b * sharp.claimed) })
	for _, factor := range s.Auto.Temperatures {
		h.temperatures = append(h.temperatures, s.Temperature*factor/h.sharp)
	}
	h.hot = top(s.Auto.Temperatures)
	trial := newTrial(classes, s, h.account)
	prior := s.start(classes)
	for i := range h.temperatures {
		h.read(i)
		k := newFixed(classes)
		k.set(h.r, prior, h.row, s.Auto.Pseudo, s.Auto.LiftPseudo)
		h.fixed = append(h.fixed, k)
		if i == h.hot {
			h.inert = newInert(classes, s)
			h.inert.set(h.r, prior, s.Auto.Pseudo)
		}
		trial.begin(k)
		for t := range h.r.steps {
			trial.step(h.r.row(h.r.like, t), between.at(t), h.r.sure(t))
		}
		for _, k := range trial.tried {
			h.weights = append(h.weights, k.log)
		}
	}
	exponentials(h.weights)
	h.logq = nil
	if s.Population != nil {
		h.freq = newLift(classes, len(q))
	}
	return h
}

// exponentials replaces logarithms by what they are of, scaled to the sum 1.
func exponentials(x []float64) {
	most := slices.Max(x)
	for i, v := range x {
		x[i] = math.Exp(v - most)
	}
	scale(x, 1/sum(x))
}

// takeLogs sets logq; no probability is under leastProbability.
func (h *laterHindsight) takeLogs() {
	for t, v := range h.q {
		logs(h.r.row(h.logq, t), raise(h.row, v))
	}
}

// read sets the likelihoods to those of a temperature.
func (h *laterHindsight) read(i int) {
	r := h.r
	for t, v := range h.q {
		if r.sure(t) {
			copy(r.row(r.like, t), v)
			continue
		}
		logq := r.seen
		if h.logq != nil {
			logq = r.row(h.logq, t)
		} else {
			logs(logq, raise(h.row, v))
		}
		temper(r.row(r.like, t), logq, h.temperatures[i])
	}
}

// confidence returns the mean greatest entry of q^power, by logq, over the items whose label is not known; 1 where there are none.
func (h *laterHindsight) confidence(power float64) (c float64) {
	items := 0
	for t := range h.r.steps {
		if !h.r.sure(t) {
			c += confidence(h.r.row(h.logq, t), power)
			items++
		}
	}
	if items == 0 {
		return 1
	}
	return c / float64(items)
}

// inert is what the chains of persist are made of. If an item differs from both of its neighbours, these agree by necessity where there are two
// classes, and with chance 1/(k-1) where there are k: agreement means as much as it exceeds that.
type inert struct {
	home, inv []float64 // [K] u, which chains begin with and return to, and its reciprocal
	share     float64   // 1 - 1/(k-1), k being the effective number of classes, or 0
	doubt     float64   // weight of the uniform in what is read
}

func newInert(classes int, s Settings) inert {
	return inert{make([]float64, classes), make([]float64, classes), 0, spread(s.Auto.Flicker, classes)}
}

// set takes the class frequencies from a recording at the highest temperature.
func (p *inert) set(r *recording, prior []float64, pseudo float64) {
	n := p.home
	setScaled(n, pseudo, prior)
	for t := range r.steps {
		addScaled(n, 1, r.row(r.like, t))
	}
	scale(n, 1/(float64(r.steps)+pseudo))
	p.share = 0
	if k := 1 / dot(n, n); k > 1 {
		p.share = max(0, 1-1/(k-1))
	}
	for j, v := range n {
		n[j] = math.Pow(v, persistLift)
	}
	scale(n, 1/sum(n))
	for j, v := range n {
		p.inv[j] = 1 / v
	}
}

// stay is the chance to stay of persist(a).
func (p *inert) stay(a float64) float64 { return persistStrength * a * p.share }

// chain is that of persist(a), which reads L at the highest temperature.
func (p *inert) chain(a float64) *chain {
	return &chain{stay: p.stay(a), home: p.home, first: p.home, trust: 1 - p.doubt, floor: p.doubt / float64(len(p.home)), inv: p.inv}
}

func (h *laterHindsight) mix(dst [][]float64) {
	for _, row := range dst {
		fill(row, 0)
	}
	for i := range h.temperatures {
		h.look(i)
		h.addNone(dst, h.weightOf(i, "none"))
		for k, w := range h.weightsAt(h.weights, i) {
			r := &h.readings[k]
			switch r.kind {
			case "none":
			case "persist":
				if w := h.everywhere(h.weights, k); i == h.hot && w >= weightless {
					h.add(dst, h.inert.chain(r.a), w, h.sharp)
				}
			default:
				if w >= weightless {
					h.add(dst, h.chain(i, k), w, 1)
				}
			}
		}
	}
	for _, row := range dst { // what was weightless is missing
		normalise(row)
	}
}

// look prepares the recording for chains at a temperature.
func (h *laterHindsight) look(i int) {
	h.read(i)
	k := h.fixed[i]
	h.lift.over(h.r, k.mu, k.lifted)
	h.lift.confuse(h.r, k.e)
	if h.freq != nil {
		h.freq.over(h.r, k.mu, h.s.Population.Frequencies)
	}
}

// weightOf returns the weight of a kind at a temperature.
func (h *laterHindsight) weightOf(i int, kind string) (w float64) {
	for k, r := range h.readings {
		if r.kind == kind {
			w += h.weightsAt(h.weights, i)[k]
		}
	}
	return w
}

// addNone adds the likelihoods times a weight, their sharpening undone.
func (h *laterHindsight) addNone(dst [][]float64, w float64) {
	for t, row := range dst {
		copy(h.row, h.r.row(h.r.like, t))
		unsharpen(h.row, h.sharp)
		addScaled(row, w, h.row)
	}
}

// add adds the posteriors of a chain times a weight, each to the power of 1/sharp.
func (h *laterHindsight) add(dst [][]float64, c *chain, w, sharp float64) {
	h.r.forward(c)
	h.r.backward(c, func(t int, post, _ []float64, _ float64) {
		copy(h.row, post)
		unsharpen(h.row, sharp)
		addScaled(dst[t], w, h.row)
	})
}

// unsharpen replaces p by p^(1/b), normalised: the sharpened predictions are for weights and for what is likelier than what, but an answer that is
// the predictor's own claims what the predictor claims.
func unsharpen(p []float64, b float64) {
	if b == 1 {
		return
	}
	for j, v := range p {
		p[j] = math.Exp(logarithm(max(v, leastTold)) / b)
	}
	scale(p, 1/sum(p))
}

// chain returns that of reading k, which is not none or persist, at a temperature; for the learned matrices that is a matter of many passes.
func (h *laterHindsight) chain(i, k int) *chain {
	r, mu := h.readings[k], h.fixed[i].mu
	c := &chain{stay: r.a, home: mu, first: mu, lift: h.lift}
	if f := h.forms[r.form]; f.confused {
		c.trust, c.mixed = 1-f.c, f.c
	} else {
		c.trust, c.floor = 1-f.c, f.c
	}
	block := max(driftBlock, h.r.n)
	switch r.kind {
	case "full":
		return h.r.baumWelch(c, r.beta, h.r.steps, 1)
	case "drift":
		return h.r.baumWelch(c, r.beta, block, math.Pow(1-r.gamma, float64(block)))
	case "population":
		c.lift, c.block, c.matrices = h.freq, h.r.steps, [][]float64{flat(h.s.Population.Transitions)}
	}
	return c
}

// decode takes none, all of its members and temperatures together, persist(a) at all temperatures, and every other reading by itself.
func (h *laterHindsight) decode(path []int) {
	most, kind, at, best := 0.0, "none", 0, 0
	for i := range h.temperatures {
		most += h.weightOf(i, "none")
	}
	for i := range h.temperatures {
		for k, w := range h.weightsAt(h.weights, i) {
			switch h.readings[k].kind {
			case "none":
				continue
			case "persist":
				w = h.everywhere(h.weights, k)
			}
			if w > most {
				most, kind, at, best = w, h.readings[k].kind, i, k
			}
		}
	}
	if kind == "persist" {
		at = h.hot
	}
	if kind == "none" || kind == "persist" && h.inert.share == 0 {
		for t, q := range h.q {
			path[t] = top(q)
		}
		return
	}
	h.look(at)
	if kind == "persist" {
		h.r.path(h.inert.chain(h.readings[best].a), path)
		return
	}
	h.r.path(h.chain(at, best), path)
}

func (h *laterHindsight) summary() Smoothed {
	s := Smoothed{Steps: len(h.q)}
	for i := range h.temperatures {
		for k, w := range h.weightsAt(h.weights, i) {
			r := h.readings[k]
			s.Hypotheses = append(s.Hypotheses, Hypothesis{
				Kind: r.kind, Stay: r.a, Error: r.e, Confused: r.confused && r.e > 0, Forgets: r.marginal.Delta,
				Temperature: h.temperatures[i], Weight: w,
			})
		}
	}
	heaviestFirst(s.Hypotheses)
	return s
}
