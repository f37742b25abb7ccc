package adapt

import (
	"math"
	"slices"
)

// Hindsight of the later editions of auto, over a recording ([Smooth], [Viterbi]) or the last items of a stream ([Lagged]), holds the exponent of
// sharpened predictions and the marginal mu fixed, and tries one list of readings at each temperature. What is in this file gives them
// their weights; see there for what they answer.

// The constants of hindsight, chosen on the streams of benchmarks/real, in their order and shuffled, and on controlled streams of CIFAR-10
// predictions.
const (
	// Initial weights. None has more of it than in the filter: one choice holds for all items, so that it costs nothing where there is order.
	hindNone, hindPersist, hindSticky, hindFull = 0.7, 0.245, 0.05, 0.005
	// The same with a population's matrix.
	knownNone, knownPersist, knownSticky, knownPopulation = 0.6, 0.2, 0.045, 0.15

	// Strength of mu in the rows of learned matrices, in multiples of Auto.Beta.
	fullStrength, driftStrength = 4, 2
	// persistStrength is the chance to stay in the chain of persist(a), over a, where there are many classes.
	persistStrength = 0.7
	// persistLift is the power of the class frequencies that persist returns to and divides by: the predictor's prior is in each item,
	// but the items of a run are nearly one and the same judgement, so that each further one repays only so much of it.
	persistLift = 0.2
)

// hindMatrices is the number of classes beyond which hindsight tries no learned matrices. They take K^2 numbers an item, at a thousand classes
// nine tenths of the time of a network for pictures, and a recording has hardly an item for each pair of so many classes.
const hindMatrices = 256

// leastTold is what an evidence of 0 counts for, and a posterior where its sharpening is undone.
const leastTold = 1e-300

// reading is one account of a stream.
type reading struct {
	kind     string
	a        float64
	marginal Marginal // of none beside mu, whose marginal is the zero
	e        float64
	confused bool // errors go where the recording's confusions have it, else anywhere
	form     int  // of e and confused in forms
	gamma    float64
	beta     float64
	weight   float64 // at the start, of one temperature's
}

// form is how errors come into what is read from x: (1-c) x + c, or (1-c) x + c E x.
type form struct {
	c        float64
	confused bool
}

// account lists the readings of one temperature, and the forms of error in them.
type account struct {
	readings []reading
	forms    []form
}

// newAccount lists what the settings, which are resolved, let hindsight try; without the learned matrices if those are too slow. A kind
// whose initial weight is 0 in the settings is left out.
func newAccount(classes int, s Settings, matrices bool) account {
	a, out := *s.Auto, account{}
	none, persist, sticky := hindNone, hindPersist, hindSticky
	if a.Population > 0 {
		none, persist, sticky = knownNone, knownPersist, knownSticky
	}
	add := func(members int, weight float64, r reading) {
		r.weight = weight / float64(members)
		r.form = out.formOf(r.e, r.confused, classes)
		out.readings = append(out.readings, r)
	}
	add(1+len(a.Marginals), none, reading{kind: "none"})
	for _, m := range a.Marginals {
		add(1+len(a.Marginals), none, reading{kind: "none", marginal: m})
	}
	for _, g := range a.Grid {
		if a.Persist > 0 {
			add(len(a.Grid), persist, reading{kind: "persist", a: g})
		}
	}
	errors := hindErrors(a.Errors)
	for _, g := range a.Grid {
		for k := range 2 * len(errors) {
			if a.Sticky > 0 {
				add(2*len(a.Grid)*len(errors), sticky, reading{kind: "sticky", a: g, e: errors[k%len(errors)], confused: k >= len(errors)})
			}
		}
	}
	if matrices && a.Full > 0 {
		errors := matrixErrors(a.Errors)
		for _, e := range errors {
			add(2*len(errors), hindFull*matrixOdds, reading{kind: "full", e: e, confused: true, beta: fullStrength * a.Beta})
		}
		for _, e := range errors {
			add(2*len(errors), hindFull*matrixOdds, reading{kind: "drift", e: e, confused: true, beta: driftStrength * a.Beta, gamma: a.Gamma})
		}
	}
	if a.Population > 0 {
		for _, e := range a.PopulationErrors {
			add(len(a.PopulationErrors), knownPopulation, reading{kind: "population", e: e})
		}
	}
	return out
}

// weightsAt returns the weights of a temperature's readings, of all weights by temperature and reading.
func (a *account) weightsAt(weights []float64, temperature int) []float64 {
	n := len(a.readings)
	return weights[temperature*n : (temperature+1)*n]
}

// everywhere returns the weight of reading k at all temperatures.
func (a *account) everywhere(weights []float64, k int) (w float64) {
	for ; k < len(weights); k += len(a.readings) {
		w += weights[k]
	}
	return w
}

// formOf returns the number of a form of error, which is new or in the list.
func (a *account) formOf(e float64, confused bool, classes int) int {
	f := form{c: spread(e, classes)}
	if confused && classes > 1 { // one class knows no errors
		f = form{e, true}
	}
	if i := slices.Index(a.forms, f); i >= 0 {
		return i
	}
	a.forms = append(a.forms, f)
	return len(a.forms) - 1
}

// hindErrors are the error rates of sticky.
func hindErrors(errors []float64) []float64 {
	if slices.Max(errors) < largestError {
		return append(slices.Clone(errors), largestError)
	}
	return errors
}

// matrixErrors are those of full and drift: 0, and all others.
func matrixErrors(errors []float64) []float64 {
	out := []float64{0}
	for _, e := range errors {
		if e > 0 {
			out = append(out, e)
		}
	}
	return out
}

// fixed is what the items at one temperature are read under.
type fixed struct {
	mu, lifted []float64 // [K] marginal, and that of the lift
	e          []float64 // [K, K] confusions
}

func newFixed(classes int) fixed {
	return fixed{make([]float64, classes), make([]float64, classes), make([]float64, classes*classes)}
}

// set takes mu and E from a recording; mass [K] is scratch.
func (h *fixed) set(r *recording, prior, mass []float64, pseudo, liftPseudo float64) {
	observe := func(t int) { copy(r.seen, r.row(r.like, t)) }
	r.setMarginal(h.mu, mass, prior, pseudo, observe)
	if liftPseudo == pseudo {
		copy(h.lifted, h.mu)
	} else {
		r.setMarginal(h.lifted, mass, prior, liftPseudo, observe)
	}
	r.setConfusions(h.e)
}

// trial runs the readings of one temperature over items, causally, for their evidence: products of
//
//	none            1, or with a marginal of its own <m, l>/<mu, l>
//	persist(a)      a <l_{t-1}, L> + 1-a,  the first l_{t-1} being mu
//	sticky(a, e)    a <p, L_e> + 1-a       p ~ (a p + (1-a) mu) M_e
//	full(e)         <A'p, L_e>             p ~ A'p M_e,  A learned online; drift the same with counts that decay
//	population(e)   <P'p, L_e>             p ~ P'p ((1-c) M_f + c)
//
// with L = l/<mu, l>, M the lift, and L_e and M_e what the reading's form of error makes of them.
type trial struct {
	account
	fixed
	n     int
	known *known
	sure  bool    // the label of the item in hand is known: no reading allows for errors in it
	tried []tried // by reading
	walk  walk

	last                    []float64   // [K] l_{t-1}
	lift, errs, prior, base []float64   // [K] scratch: M, E l, A'p, mu times M_e
	confused                []float64   // [K] scratch: E M
	told                    [][]float64 // [K] scratch: M_e, by form
}

// tried is what a trial keeps for one reading.
type tried struct {
	log   float64   // initial weight and evidence
	p     []float64 // [K] posterior; nil of none and persist
	mass  []float64 // [K] of none beside mu: decayed class masses
	pairs *pairs    // of full and drift
}

func newTrial(classes int, s Settings, a account) *trial {
	vec := func() []float64 { return make([]float64, classes) }
	t := &trial{
		account: a, n: classes, walk: newWalk(classes), tried: make([]tried, len(a.readings)),
		last: vec(), lift: vec(), errs: vec(), prior: vec(), base: vec(), confused: vec(), told: rows(len(a.forms), classes),
	}
	if s.Population != nil {
		t.known = newKnown(s.Population)
	}
	for i, r := range a.readings {
		switch r.kind {
		case "none":
			t.tried[i].mass = vec()
		case "full", "drift":
			p := newPairs(classes, r.gamma, r.beta)
			t.tried[i].p, t.tried[i].pairs = vec(), &p
		case "sticky", "population":
			t.tried[i].p = vec()
		}
	}
	return t
}

// begin starts a trial under what is held fixed, and keeps it.
func (t *trial) begin(h fixed) {
	t.fixed = h
	copy(t.last, h.mu)
	for i, r := range t.readings {
		k := &t.tried[i]
		k.log = math.Log(r.weight)
		clear(k.mass)
		copy(k.p, h.mu)
		if k.pairs != nil {
			k.pairs.reset(k.p)
		}
	}
}

// step takes in l of the next item, which comes after a gap; sure tells that its label is known.
func (t *trial) step(like []float64, g gap, sure bool) {
	t.sure = sure
	chance := dot(t.mu, like)
	t.see(like)
	inertia := dot(t.last, like) / chance
	for i := range t.readings {
		r, k := &t.readings[i], &t.tried[i]
		switch r.kind {
		case "none":
			if r.marginal != (Marginal{}) {
				k.log += logarithm(t.none(r, k, like) / chance)
			}
		case "persist":
			a := g.keep(r.a)
			k.log += logarithm(a*inertia + 1 - a)
		case "sticky":
			a := g.keep(r.a)
			k.log += logarithm(a*t.seen(r, k.p, like, chance) + 1 - a)
			t.follow(k.p, a, t.told[r.form])
		default:
			t.ahead(r, k, g)
			if !g.fresh {
				k.log += logarithm(max(t.seen(r, t.prior, like, chance), leastTold))
			}
			t.condition(r, k, g)
		}
	}
	copy(t.last, like)
}

// see sets what is read from an item.
func (t *trial) see(like []float64) {
	total := 0.0
	for j, v := range like {
		v /= t.lifted[j]
		t.lift[j] = v
		total += t.mu[j] * v
	}
	scale(t.lift, 1/total)
	times(t.errs, t.e, like)
	times(t.confused, t.e, t.lift)
	for i := range t.forms {
		t.form(i).tell(t.told[i], t.lift, t.confused)
	}
	if t.known != nil {
		t.known.see(like, t.mu)
	}
}

// form returns a form of error as it is for the item in hand.
func (t *trial) form(i int) form {
	if t.sure {
		return form{}
	}
	return t.forms[i]
}

// tell writes what the form makes of x, where confused is E x.
func (f form) tell(dst, x, confused []float64) {
	if !f.confused {
		for j, v := range x {
			dst[j] = (1-f.c)*v + f.c
		}
		return
	}
	for j, v := range x {
		dst[j] = (1-f.c)*v + f.c*confused[j]
	}
}

// seen returns <p, L_e>.
func (t *trial) seen(r *reading, p, like []float64, chance float64) float64 {
	f := t.form(r.form)
	seen := (1 - f.c) * dot(p, like) / chance
	switch {
	case !f.confused:
		seen += f.c
	case f.c > 0:
		seen += f.c * dot(p, t.errs) / chance
	}
	return seen
}

// none returns <m, l>, and moves the marginal m by one EM step.
func (t *trial) none(r *reading, k *tried, like []float64) float64 {
	pseudo := r.marginal.Pseudo
	total := sum(k.mass) + pseudo
	seen := (dot(k.mass, like) + pseudo*dot(t.mu, like)) / total
	keep, norm := 1-r.marginal.Delta, 1/(total*seen)
	for j, v := range k.mass {
		k.mass[j] = keep*v + (v+pseudo*t.mu[j])*like[j]*norm
	}
	return seen
}

// follow turns p into the posterior (a p + (1-a) mu) told.
func (t *trial) follow(p []float64, a float64, told []float64) {
	total := 0.0
	for j, v := range p {
		v = (a*v + (1-a)*t.mu[j]) * told[j]
		p[j] = v
		total += v
	}
	if !(total > minEvidence) {
		copy(p, told)
		total = sum(p)
	}
	scale(p, 1/total)
}

// ahead sets prior to that of a reading with a matrix.
func (t *trial) ahead(r *reading, k *tried, g gap) {
	if k.pairs == nil {
		t.known.ahead(t.prior, k.p, t.mu, &t.walk, g)
		return
	}
	k.pairs.predict(t.prior, t.mu)
	t.walk.reach(k.pairs, t.prior, t.mu, g)
}

// condition turns the prior of a reading with a matrix into its posterior, and lets a matrix of its own learn.
func (t *trial) condition(r *reading, k *tried, g gap) {
	told, other := t.told[r.form], t.lift
	if k.pairs == nil {
		told, other = t.base, t.known.lift
		t.form(r.form).tell(told, t.known.lift, nil)
	}
	total := 0.0
	for j, v := range t.prior {
		v *= told[j]
		k.p[j] = v
		total += v
	}
	excluded := !(total > minEvidence)
	if excluded {
		copy(k.p, other)
		total = sum(k.p)
	}
	scale(k.p, 1/total)
	switch {
	case k.pairs == nil:
	case excluded || !g.none():
		k.pairs.skip(k.p)
	default:
		for j, v := range told {
			t.base[j] = t.mu[j] * v
		}
		k.pairs.learn(told, t.base, 1/total, k.p)
	}
}
