package adapt

import "slices"

// mixture is the auto gate: see type [Auto] for its hypotheses. Every hypothesis has weights, evidences and posteriors at every
// temperature; order below is that of the reference: none, persist by a, sticky by a and e, full.
type mixture struct {
	Auto
	inv          []float64 // 1/rho or nil
	sticky       []stickiness
	doubt        float64   // of persist's likelihood, flicker * K/(K-1)
	initial      []float64 // [temperatures * hypotheses] weights at the start, sum 1
	weights      []float64 // current ones
	at           []*tempered
	logq         []float64 // [K] scratch
	out          []float64 // [K] the answer, as dst may alias q
	hypotheses   int       // per temperature
	temperatures []float64 // Settings.Temperature times each of Auto.Temperatures

	sharp   sharpness
	across  gap       // before the step in hand
	kept    []float64 // a of the Grid over that gap
	inertia []float64 // and b of persist
	columns []int32   // scratch: classes with q > 0, if they are few
	walk    walk
}

// stickiness is one pair (a, c) of a sticky hypothesis; c = e K/(K-1) is the error rate in the form in which it is used.
type stickiness struct{ a, c float64 }

func newMixture(classes int, s Settings) *mixture {
	a := *s.Auto
	m := &mixture{
		Auto: a, inv: inverse(s.Prior), doubt: spread(a.Flicker, classes),
		logq: make([]float64, classes), out: make([]float64, classes),
		kept: slices.Clone(a.Grid), inertia: make([]float64, len(a.Grid)), walk: newWalk(classes), columns: make([]int32, 0, classes),
		sharp: newSharpness(s),
	}
	for _, g := range a.Grid {
		for _, e := range a.Errors {
			m.sticky = append(m.sticky, stickiness{g, spread(e, classes)})
		}
	}
	m.hypotheses = 2 + len(a.Grid) + len(m.sticky)
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

// spread turns an error rate e into the weight of the uniform that makes an error that likely: e K/(K-1). One class knows no
// errors; a rate that would exceed certainty is certainty.
func spread(e float64, classes int) float64 {
	if classes == 1 {
		return 0
	}
	return min(e*float64(classes)/float64(classes-1), 1)
}

// initialWeights shares the four kinds' weights over their members and over the temperatures.
func (m *mixture) initialWeights() []float64 {
	var one []float64
	one = append(one, m.None)
	for range m.Grid {
		one = append(one, m.Persist/float64(len(m.Grid)))
	}
	for range m.sticky {
		one = append(one, m.Sticky/float64(len(m.sticky)))
	}
	one = append(one, m.Full)
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
	copy(m.weights, m.initial)
	for _, t := range m.at {
		t.reset()
	}
}

func (m *mixture) step(dst, q []float64) Diagnostics {
	var d Diagnostics
	list, few := nonzeros(m.columns[:0], q, m.at[0].pairs.few)
	if few {
		d.Entropy = logsAt(list, m.logq, q)
	} else {
		d.Entropy = logs(m.logq, q)
	}
	for i, t := range m.at {
		if few {
			likelihoodAt(list, t.like, q, m.logq, m.inv, m.temperature(i))
		} else {
			likelihood(t.like, q, m.logq, m.inv, m.temperature(i))
		}
		t.judge(m.slot(i))
	}
	d.Evidence = sum(m.weights) // the weights summed to 1 before the evidences came in
	scale(m.weights, 1/d.Evidence)
	fill(m.out, 0)
	for i, t := range m.at {
		w := m.slot(i)
		d.Gate += sum(w[1:])
		t.advance(m.out, w)
	}
	m.sharpen(list, few, q)
	copy(dst, m.out)
	for i, w := range m.weights {
		m.weights[i] = (1-m.Share)*w + m.Share*m.initial[i]
	}
	if !m.across.none() {
		m.skip(gap{})
	}
	return d
}

// sharpen moves the exponent by the confidence of q; with few, q is zero outside of the list.
func (m *mixture) sharpen(list []int32, few bool, q []float64) {
	s := &m.sharp
	power := s.exponent * s.claimed
	switch {
	case s.target == 0:
	case power == 1:
		s.follow(slices.Max(q) / sum(q))
	case few:
		s.follow(confidenceAt(list, m.logq, power))
	default:
		s.follow(confidence(m.logq, power))
	}
}

// slot returns the weights of temperature i.
func (m *mixture) slot(i int) []float64 {
	return m.weights[i*m.hypotheses : (i+1)*m.hypotheses]
}
