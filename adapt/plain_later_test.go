package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainLater is the second and the third edition of auto as testdata/auto2_reference.py and auto3_reference.py write them, with every
// matrix written out, and with gaps.
type plainLater struct {
	b     float64 // exponent of sharpened predictions
	t     int
	s     Settings
	start []float64
	w0, w []float64
	at    []*plainLaterAt
	least float64 // what a zero counts for
}

type plainLaterAt struct {
	temperature    float64
	last, mass     []float64
	masses         [][]float64 // by marginal
	statics, twins [][]float64
	nones, count   int
	old            [][]float64 // posteriors of persist, sticky, full and population
	c              [][][]float64
	started        bool
	evidence       []float64
	posteriors     [][]float64
	across         gap // before the next step
}

func newPlainLater(n int, f *Filter) *plainLater {
	m := f.mode.(*mixture)
	a := &plainLater{b: 1, s: f.Settings(), w0: m.initial, w: slices.Clone(m.initial), start: uniform(n), least: 1e-12}
	if a.s.Prior != nil {
		a.start = a.s.Prior
	}
	for _, t := range a.s.Auto.Temperatures {
		p := &plainLaterAt{temperature: t * a.s.Temperature, last: a.start, mass: make([]float64, n)}
		for range a.s.Auto.Marginals {
			p.masses = append(p.masses, make([]float64, n))
		}
		if a.s.Auto.Static > 0 {
			for range a.s.Auto.Errors {
				p.statics = append(p.statics, uniform(n))
			}
		}
		p.nones = 1 + len(p.masses) + len(p.statics)
		if pop := a.s.Population; pop != nil && a.s.Auto.Frequencies+a.s.Auto.StaticFrequencies > 0 {
			for range a.s.Auto.PopulationErrors {
				p.twins = append(p.twins, slices.Clone(pop.Frequencies))
			}
			p.nones += 1 + len(p.twins)
		}
		for range len(m.initial)/len(a.s.Auto.Temperatures) - p.nones {
			p.old = append(p.old, a.start)
		}
		if a.s.Population != nil && a.s.Auto.Edition == 3 {
			for i := range a.s.Auto.PopulationErrors {
				p.old[len(p.old)-1-i] = a.s.Population.Frequencies
			}
		}
		for range a.s.Auto.FullErrors {
			p.c = append(p.c, matrix(n, func(i, j int) float64 { return 0 }))
		}
		a.at = append(a.at, p)
	}
	return a
}

func (a *plainLater) gap(g gap) {
	for _, t := range a.at {
		t.across = g
	}
}

func (a *plainLater) step(q []float64) []float64 {
	q = slices.Clone(q)
	for i, v := range q {
		q[i] = max(v, a.least)
	}
	var w []float64
	var posteriors [][]float64
	for _, t := range a.at {
		t.step(plainLikelihood(q, nil, t.temperature/a.b), a.start, a.s)
		w = append(w, t.evidence...)
		posteriors = append(posteriors, t.posteriors...)
	}
	for i := range w {
		w[i] *= a.w[i]
	}
	w = normalised(w)
	out, none := make([]float64, len(q)), 0.0
	for h, p := range posteriors {
		if h%(len(w)/len(a.at)) < a.at[0].nones {
			none += w[h]
			if a.s.Auto.Edition == 3 {
				p = normalised(q)
			}
		}
		addScaled(out, w[h], p)
	}
	out = held(out, top(q), math.Pow(max(a.s.Auto.Margin, 1), none))
	for i := range w {
		a.w[i] = (1-a.s.Auto.Share)*w[i] + a.s.Auto.Share*a.w0[i]
	}
	if a.s.Auto.Confidence > 0 {
		sharp := plainLikelihood(q, nil, min(a.s.Temperature, 1)/a.b)
		a.b *= math.Exp((0.1 + 1/(1+float64(a.t)/20)) * (a.s.Auto.Confidence - slices.Max(sharp)))
		a.b = min(max(a.b, 1), 16)
		a.t++
	}
	return out
}

// held gives the label base as much as the label that would replace it, unless the odds of that one exceed the margin.
func held(out []float64, base int, margin float64) []float64 {
	best := slices.Max(out)
	if out[base] == best || best > out[base]*margin {
		return out
	}
	out[base] = best * (1 + heldBy)
	return normalised(out)
}

// memoryLift is the lift for a sticky hypothesis of a.
func (t *plainLaterAt) memoryLift(l, mu, start []float64, g float64, a *Auto) []float64 {
	more := 0.0
	if a.LiftMemory > 0 {
		more = a.LiftPseudo * math.Pow(g/(1-g)/a.LiftMemory, 2)
	}
	over := make([]float64, len(l))
	for i := range over {
		over[i] = (t.mass[i] + a.LiftPseudo*start[i] + more/float64(len(l))) / (sum(t.mass) + a.LiftPseudo + more)
	}
	return lifted(l, over, mu)
}

// weighed is a marginal of masses under pseudo-observations of start.
func weighed(mass, start []float64, pseudo float64) []float64 {
	mu := make([]float64, len(mass))
	for i := range mu {
		mu[i] = (mass[i] + pseudo*start[i]) / (sum(mass) + pseudo)
	}
	return mu
}

// lifted is l over a marginal, scaled so that its mean under mu is 1.
func lifted(l, over, mu []float64) []float64 {
	m := make([]float64, len(l))
	for i := range m {
		m[i] = l[i] / over[i]
	}
	scale(m, 1/dot(mu, m))
	return m
}

func (t *plainLaterAt) step(l, start []float64, s Settings) {
	a, n := s.Auto, len(l)
	rate := func(e float64) float64 { return spread(e, n) }
	mu := weighed(t.mass, start, a.Pseudo)
	chance := dot(mu, l)
	rel := slices.Clone(l)
	scale(rel, 1/chance)
	m := lifted(l, weighed(t.mass, start, a.LiftPseudo), mu)
	t.evidence, t.posteriors = []float64{1}, [][]float64{l}
	add := func(evidence float64, posterior []float64) {
		t.evidence, t.posteriors = append(t.evidence, evidence), append(t.posteriors, normalised(posterior))
	}
	for i, g := range a.Marginals {
		nu := weighed(t.masses[i], start, g.Pseudo)
		z := dot(nu, l)
		add(z/chance, l)
		for j := range l {
			t.masses[i][j] = (1-g.Delta)*t.masses[i][j] + nu[j]*l[j]/z
		}
	}
	var popLift []float64
	if s.Population != nil {
		popLift = lifted(l, s.Population.Frequencies, mu)
	}
	learn := func(s []float64, c float64, read, from []float64) {
		for j, m := range read {
			s[j] *= (1-c)*m + c
		}
		copy(s, normalised(s))
		for j := range s {
			s[j] = max(s[j], 1e-300)
		}
		if t.count%16 == 15 {
			for j := range s {
				s[j] = from[j] * math.Pow(s[j]/from[j], math.Pow(1-a.Static, 16))
			}
			copy(s, normalised(s))
		}
	}
	for i, e := range a.Errors[:len(t.statics)] {
		add((1-rate(e))*dot(t.statics[i], rel)+rate(e), l)
		learn(t.statics[i], rate(e), t.memoryLift(l, mu, start, a.Grid[len(a.Grid)-1], a), uniform(n))
	}
	if len(t.twins) > 0 {
		add(dot(s.Population.Frequencies, rel), l)
	}
	for i, e := range a.PopulationErrors[:len(t.twins)] {
		add((1-rate(e))*dot(t.twins[i], rel)+rate(e), l)
		learn(t.twins[i], rate(e), popLift, s.Population.Frequencies)
	}
	old, h := t.old, 0
	next := func() []float64 { h++; return old[h-1] }
	plus := func(x []float64, c float64) []float64 { // (1-c) x + c
		out := make([]float64, n)
		for j, v := range x {
			out[j] = (1-c)*v + c
		}
		return out
	}
	times := func(x, y []float64) []float64 {
		out := make([]float64, n)
		for j, v := range x {
			out[j] = v * y[j]
		}
		return out
	}
	for _, g := range a.Grid {
		b := g / 3
		if a.Trust > 0 {
			b = a.Trust * g * float64(n-1) / float64(n)
		}
		b = t.across.plainKeep(b)
		g = t.across.plainKeep(g)
		add(g*dot(t.last, rel)+1-g, times(spreadOver(next(), b), spreadOver(l, 1-rate(a.Flicker))))
	}
	for _, g := range a.Grid {
		m := t.memoryLift(l, mu, start, g, a)
		g = t.across.plainKeep(g)
		for _, e := range a.Errors {
			p, home := next(), slices.Clone(mu)
			scale(home, 1-g)
			addScaled(home, g, p)
			c := rate(e)
			add(g*((1-c)*dot(p, rel)+c)+1-g, times(home, plus(m, c)))
		}
	}
	for i, e := range a.FullErrors {
		p, c := next(), rate(e)
		trans := matrix(n, func(r, j int) float64 { return (t.c[i][r][j] + a.Beta*mu[j]) / (sum(t.c[i][r]) + a.Beta) })
		one, told := make([]float64, n), plus(m, c)
		for r, v := range p {
			addScaled(one, v, trans[r])
		}
		forward := t.across.plainPrior(one, trans, mu)
		add((1-c)*dot(forward, rel)+c, times(forward, told))
		if !t.started || !t.across.none() {
			continue
		}
		norm := dot(forward, told)
		for r := range n {
			for j := range n {
				t.c[i][r][j] = (1-a.Gamma)*t.c[i][r][j] + p[r]*trans[r][j]*told[j]/norm
			}
		}
	}
	if s.Population != nil {
		for _, e := range a.PopulationErrors {
			p, c := next(), rate(e)
			one := make([]float64, n)
			for r, v := range p {
				addScaled(one, v, s.Population.Transitions[r])
			}
			forward := t.across.plainPrior(one, s.Population.Transitions, mu)
			add((1-c)*dot(forward, rel)+c, times(forward, plus(popLift, c)))
		}
	}
	for i := range mu {
		t.mass[i] = (1-a.Delta)*t.mass[i] + l[i]*mu[i]/chance
	}
	t.last = make([]float64, n)
	for i, v := range l {
		t.last[i] = math.Pow(v, max(a.Last, 1))
	}
	t.last = normalised(t.last)
	t.across, t.started = gap{}, true
	t.count++
	t.old = t.posteriors[t.nones:]
}

// randomLater draws settings of the second and the third edition, half of them with a population.
func randomLater(r *rand.Rand, n int) Settings {
	first := randomAuto(r, n)
	a := SecondAuto()
	if r.IntN(3) > 0 {
		a = DefaultAuto()
		a.Static, a.LiftMemory = []float64{0, 0.002, 0.1}[r.IntN(3)], []float64{0, 6, 0.5}[r.IntN(3)]
		a.Last, a.Trust, a.Margin = []float64{0, 1.5, 2}[r.IntN(3)], []float64{0, 0.35, 1}[r.IntN(3)], []float64{0, 3, 20}[r.IntN(3)]
		a.Frequencies, a.StaticFrequencies = float64(r.IntN(2)), float64(r.IntN(2))
	}
	f := first.Auto
	a.Grid, a.Errors, a.Temperatures, a.Confidence = f.Grid, f.Errors, f.Temperatures, f.Confidence
	a.Flicker, a.Share, a.Gamma, a.Beta, a.Pseudo, a.Delta = f.Flicker, f.Share, f.Gamma, f.Beta, f.Pseudo, f.Delta
	a.LiftPseudo = 20 * r.Float64()
	a.Full = 0.3
	a.FullErrors = [][]float64{{0}, {0, 0.2}, {0.3}}[r.IntN(3)]
	a.Marginals = []Marginal{{r.ExpFloat64(), r.Float64() * 0.1}, {1, 0.02}}[:r.IntN(3)]
	s := Settings{Temperature: first.Temperature, Prior: first.Prior, Auto: &a}
	if r.IntN(2) == 0 {
		s.Population = randomPopulation(r, n)
	}
	return s
}

func randomPopulation(r *rand.Rand, n int) *Population {
	p := &Population{Frequencies: normalised(softmaxAround(r, n, 0))}
	for i := range n {
		p.Transitions = append(p.Transitions, normalised(softmaxAround(r, n, i)))
	}
	return p
}

func TestLaterEditionsAgreeWithTheirPlainTwin(t *testing.T) {
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 13))
		n := 2 + r.IntN(9)
		f := newFilter(t, n, randomLater(r, n))
		plain := newPlainLater(n, f)
		dst, missed := make([]float64, n), make([]int, 300)
		if seed%2 == 0 {
			missed = randomGaps(r, len(missed))
		}
		for i, q := range randomStream(r, n, len(missed)) {
			if r.IntN(50) == 0 && n < 8 { // from 8 classes on one alone is a list
				clear(q)
				q[r.IntN(n)] = 1
			}
			tell(f, missed[i])
			plain.gap(gaps(missed).at(i))
			f.Step(dst, q)
			compare(t, fmt.Sprintf("seed %d step %d", seed, i), dst, plain.step(q))
		}
		compare(t, fmt.Sprintf("seed %d: weights", seed), f.mode.(*mixture).weights, plain.w)
	}
}

// One class, and populations and priors at their edges.
func TestLaterEditionsAtTheirEdges(t *testing.T) {
	sure := &Population{[][]float64{{0, 1}, {1, 0}}, []float64{1 - 1e-9, 1e-9}}
	for what, c := range map[string]struct {
		n int
		s Settings
	}{
		"one class":                             {1, Settings{}},
		"one class's population":                {1, Settings{Population: &Population{[][]float64{{1}}, []float64{1}}}},
		"a population that excludes what comes": {2, Settings{Population: sure}},
		"a prior of next to nothing":            {2, Settings{Prior: []float64{1 - 1e-12, 1e-12}}},
	} {
		f, dst := newFilter(t, c.n, c.s), make([]float64, c.n)
		for i := range 2000 {
			q := make([]float64, c.n)
			q[i/100%c.n] = 1
			d := f.Step(dst, q)
			if err := Check(dst, c.n); err != nil || !(d.Gate >= 0 && d.Gate <= 1+exact) {
				t.Fatalf("%s, step %d: %v, gate %g: %v", what, i, dst, d.Gate, err)
			}
		}
		restored(t, f)
	}
}
