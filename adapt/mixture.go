package adapt

import (
	"math"
	"slices"
)

// mixture is the auto gate: see type [Auto] for its hypotheses. Every hypothesis has weights, evidences and posteriors at every
// temperature; their order is that of the reference: none by marginal, static by e, none(f), static_f by e, persist by a, sticky by a and e,
// full by e, population by e.
type mixture struct {
	Auto
	later        bool      // an edition after the first
	inv          []float64 // 1/rho or nil; of the first edition
	uniform      []float64 // [K]
	start        []float64 // [K] what mu and all posteriors start from
	staticKeep   float64   // power of what static keeps after a block
	sinceForgot  int       // steps since static last forgot
	sticky       []stickiness
	statics      []float64 // c of static
	fulls        []float64 // c of full
	populations  []float64 // c of population
	known        *known    // nil without a population
	doubt        float64   // of persist's likelihood, flicker * K/(K-1)
	initial      []float64 // [temperatures * hypotheses] weights at the start, sum 1
	weights      []float64 // current ones
	at           []*tempered
	logq         []float64 // [K] scratch
	raised       []float64 // [K] scratch: q with its zeros raised; nil in the first edition
	out          []float64 // [K] the answer, as dst may alias q
	nones        int       // hypotheses without order, per temperature
	hypotheses   int       // per temperature
	temperatures []float64 // Settings.Temperature times each of Auto.Temperatures

	sharp   sharpness
	across  gap       // before the step in hand
	kept    []float64 // a of the Grid over that gap
	inertia []float64 // and b of persist
	columns []int32   // scratch: classes with q > 0, if they are few
	walk    walk
	told    []float64 // [K] scratch: what a matrix reads from L
	sure    bool      // the step in hand is of a label that is known
	base    []float64 // [K] scratch: mu times that
}

// stickiness is one pair (a, c) of a sticky hypothesis; c = e K/(K-1) is the error rate in the form in which it is used.
type stickiness struct {
	a, c float64
	at   int // of a, in the Grid
}

func newMixture(classes int, s Settings) *mixture {
	a := *s.Auto
	vec := func() []float64 { return make([]float64, classes) }
	m := &mixture{
		Auto: a, later: a.Edition > 1, doubt: spread(a.Flicker, classes), uniform: uniformOver(classes), staticKeep: math.Pow(1-a.Static, staticBlock),
		logq: vec(), out: vec(), told: vec(), base: vec(),
		kept: slices.Clone(a.Grid), inertia: make([]float64, len(a.Grid)), walk: newWalk(classes), columns: make([]int32, 0, classes),
		sharp: newSharpness(s),
	}
	m.start = m.uniform
	for at, g := range a.Grid {
		for _, e := range a.Errors {
			m.sticky = append(m.sticky, stickiness{g, spread(e, classes), at})
		}
	}
	if m.later {
		m.ofLater(classes, s)
	} else {
		m.fulls, m.inv = []float64{0}, inverse(s.Prior)
	}
	m.nones = 1 + len(a.Marginals) + len(m.statics)
	if m.twinned() {
		m.nones += 1 + len(m.populations)
	}
	m.hypotheses = m.nones + len(a.Grid) + len(m.sticky) + len(m.fulls) + len(m.populations)
	for _, t := range a.Temperatures {
		m.temperatures = append(m.temperatures, s.Temperature*t)
		m.at = append(m.at, newTempered(classes, m))
	}
	m.initial = m.initialWeights()
	m.weights = make([]float64, len(m.initial))
	m.skip(gap{})
	m.reset()
	return m
}

// newCounter makes what a learned matrix counts with.
func (m *mixture) newCounter(classes int) counter {
	if m.lumped(classes) {
		return newActivePairs(classes, m.Active, m.Gamma, m.Beta)
	}
	p := newPairs(classes, m.Gamma, m.Beta)
	return &p
}

// ofLater sets what the first edition does not have.
func (m *mixture) ofLater(classes int, s Settings) {
	m.raised = make([]float64, classes)
	m.start = s.start(classes)
	if m.Static > 0 {
		for _, e := range m.Errors {
			m.statics = append(m.statics, spread(e, classes))
		}
	}
	for _, e := range m.FullErrors {
		m.fulls = append(m.fulls, spread(e, classes))
	}
	if s.Population == nil {
		return
	}
	m.known = newKnown(s.Population)
	for _, e := range m.PopulationErrors {
		m.populations = append(m.populations, spread(e, classes))
	}
}

// spread turns an error rate e into the weight of the uniform that makes an error that likely: e K/(K-1). One class knows no
// errors; a rate that would exceed certainty is certainty.
func spread(e float64, classes int) float64 {
	if classes == 1 {
		return 0
	}
	return min(e*float64(classes)/float64(classes-1), 1)
}

// initialWeights shares the kinds' weights over their members and over the temperatures.
func (m *mixture) initialWeights() []float64 {
	var one []float64
	add := func(members int, weight float64) {
		for range members {
			one = append(one, weight/float64(members))
		}
	}
	add(1+len(m.Marginals)+len(m.statics), m.None-m.Population/3)
	if m.twinned() {
		add(1, m.Frequencies)
		add(len(m.populations), m.StaticFrequencies)
	}
	add(len(m.Grid), m.Persist-m.Population*2/3)
	add(len(m.sticky), m.Sticky)
	add(len(m.fulls), m.Full)
	add(len(m.populations), m.Population)
	var all []float64
	for range m.temperatures {
		all = append(all, one...)
	}
	scale(all, 1/sum(all))
	return all
}

// temperature returns the one that divides log q now, sharpened predictions considered.
func (m *mixture) temperature(i int) float64 { return m.temperatures[i] / m.sharp.exponent }

func (m *mixture) reset() {
	m.sharp.reset()
	m.sinceForgot = 0
	copy(m.weights, m.initial)
	for _, t := range m.at {
		t.reset()
	}
}

func (m *mixture) step(dst, q []float64, known bool) Diagnostics {
	m.sure = known
	var d Diagnostics
	list, few := nonzeros(m.columns[:0], q, m.at[0].most)
	if few {
		d.Entropy = logsAt(list, m.logq, q)
	} else {
		if m.raised != nil && !known {
			q = raise(m.raised, q)
		}
		d.Entropy = logs(m.logq, q)
	}
	for i, t := range m.at {
		switch {
		case known:
			copy(t.like, q)
		case few:
			likelihoodAt(list, t.like, q, m.logq, m.inv, m.temperature(i))
		default:
			likelihood(t.like, q, m.logq, m.inv, m.temperature(i))
		}
		t.judge(m.slot(i))
	}
	d.Evidence = sum(m.weights) // the weights summed to 1 before the evidences came in
	scale(m.weights, 1/d.Evidence)
	none := 0.0
	for i := range m.at {
		w := m.slot(i)
		none += sum(w[:m.nones])
		d.Gate += sum(w[m.nones:])
	}
	if m.Edition < 3 {
		fill(m.out, 0)
	} else { // without order the answer is what the predictor said
		setScaled(m.out, none/sum(q), q)
	}
	for i, t := range m.at {
		t.advance(m.out, m.slot(i))
	}
	if !known {
		m.sharpen(list, few, q)
	}
	m.sinceForgot = (m.sinceForgot + 1) % staticBlock
	if m.Margin > 1 && !known {
		m.hold(top(q), none)
	}
	if !known { // else dst is q, which is the answer
		copy(dst, m.out)
	}
	for i, w := range m.weights {
		m.weights[i] = (1-m.Share)*w + m.Share*m.initial[i]
	}
	if !m.across.none() {
		m.skip(gap{})
	}
	return d
}

// erring returns the rate at which errors are allowed for in the step in hand, where it would be c: a label that is known has none.
func (m *mixture) erring(c float64) float64 {
	if m.sure {
		return 0
	}
	return c
}

// hold changes the answer's label only where the odds against the predictor's own, base, are over Margin^none, with none the weight of
// what is without order: half of such changes at nearly equal odds are wrong. Where they are not, the own label's probability becomes the other's.
func (m *mixture) hold(base int, none float64) {
	adapted := top(m.out)
	v, own := m.out[adapted], m.out[base]
	if adapted == base || v > own*math.Pow(m.Margin, none) {
		return
	}
	m.out[base] = v * (1 + heldBy)
	scale(m.out, 1/(1-own+m.out[base]))
}

// heldBy is by how much a held label's probability exceeds that of the other: enough to be seen, too little to mean anything.
const heldBy = 1e-6

// leastProbability is what a probability of zero counts for in later editions: a predictor that excludes a class is hardly ever that
// sure. Where most classes are zero they stay so, and steps go by lists of the others.
const leastProbability = 1e-12

// raise returns q, or a copy in dst in which no entry is under leastProbability.
func raise(dst, q []float64) []float64 {
	if smallest(q) >= leastProbability {
		return q
	}
	for i, v := range q {
		dst[i] = max(v, leastProbability)
	}
	return dst
}

// sharpen moves the exponent by the confidence of q; with few, q is zero outside of the list.
func (m *mixture) sharpen(list []int32, few bool, q []float64) {
	s := &m.sharp
	power := s.exponent * s.claimed
	switch {
	case s.target == 0:
	case power == 1:
		s.follow(greatest(q) / sum(q))
	case few:
		s.follow(confidenceAt(list, m.logq, power))
	case m.temperatures[0] == 1 && s.claimed == 1: // the first likelihood is q^power
		s.follow(greatest(m.at[0].like))
	default:
		s.follow(confidence(m.logq, power))
	}
}

// slot returns the weights of temperature i.
func (m *mixture) slot(i int) []float64 {
	return m.weights[i*m.hypotheses : (i+1)*m.hypotheses]
}

// twinned tells that the population's matrix has twins without order.
func (m *mixture) twinned() bool { return m.known != nil && m.Frequencies+m.StaticFrequencies > 0 }

// kinds are the weights of one temperature by kind of hypothesis.
type kinds struct{ none, persist, sticky, full, population []float64 }

// kinds parts the weights of one temperature; the slices belong to w.
func (m *mixture) kinds(w []float64) (k kinds) {
	take := func(n int) []float64 {
		part := w[:n:n]
		w = w[n:]
		return part
	}
	return kinds{take(m.nones), take(len(m.Grid)), take(len(m.sticky)), take(len(m.fulls)), take(len(m.populations))}
}
