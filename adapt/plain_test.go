package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The plain twins: the recursions as the reference writes them, with full matrices and no carried sums. The fused filters must
// agree with them on random settings and streams, far beyond the goldens.

type plainPaper struct {
	s           Settings
	c           [][]float64
	p, q, pibar []float64
	llr         float64
	ratios      []float64
	lambda      float64
	across      gap // before the next step
}

func newPlainPaper(n int, s Settings) *plainPaper {
	f := &plainPaper{s: s, c: matrix(n, func(i, j int) float64 {
		if s.Paper.Init == InitIdentity && i != j {
			return 0
		}
		return s.Paper.Kappa
	})}
	f.p, f.q, f.pibar = uniform(n), uniform(n), uniform(n)
	return f
}

func matrix(n int, at func(i, j int) float64) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = at(i, j)
		}
	}
	return m
}

func uniform(n int) []float64 {
	u := make([]float64, n)
	fill(u, 1/float64(n))
	return u
}

func normalised(x []float64) []float64 {
	out := append([]float64(nil), x...)
	scale(out, 1/sum(x))
	return out
}

func plainLikelihood(q, rho []float64, temperature float64) []float64 {
	l := make([]float64, len(q))
	for i, v := range q {
		l[i] = math.Pow(v, 1/temperature)
		if rho != nil {
			l[i] /= rho[i]
		}
	}
	return normalised(l)
}

func (f *plainPaper) step(q []float64) []float64 {
	n, h := len(q), f.s.Paper
	pi, p := make([]float64, n), make([]float64, n)
	for i := range n {
		for j, c := range f.c[i] {
			pi[j] += f.p[i] * c / sum(f.c[i])
		}
	}
	pi = f.across.plainPrior(pi, f.matrix(), uniform(n))
	l := plainLikelihood(q, f.s.Prior, f.s.Temperature)
	for i := range p {
		p[i] = l[i] * pi[i]
	}
	p = normalised(p)
	out := p
	f.lambda = 1
	if f.s.Gate != GateOff {
		out = f.gated(q, pi, p)
	}
	entropy := 0.0
	for _, v := range q {
		if v > 0 {
			entropy -= v * math.Log(v)
		}
	}
	g := h.Gamma * math.Exp(-entropy/h.Tau) / float64(f.across.missed+1)
	if f.across.fresh {
		g = 0
	}
	f.across = gap{}
	for i := range n {
		for j := range n {
			f.c[i][j] = (1-g)*f.c[i][j] + g*f.q[i]*q[j]
		}
	}
	f.p, f.q = p, q
	return out
}

func (f *plainPaper) matrix() [][]float64 {
	return matrix(len(f.c), func(i, j int) float64 { return f.c[i][j] / sum(f.c[i]) })
}

// plainPrior takes a prior that is one step ahead over the rest of the gap.
func (g gap) plainPrior(prior []float64, a [][]float64, first []float64) []float64 {
	if g.fresh {
		return first
	}
	for range g.missed {
		next := make([]float64, len(prior))
		for i, v := range prior {
			addScaled(next, v, a[i])
		}
		prior = next
	}
	return prior
}

func (f *plainPaper) gated(q, pi, p []float64) []float64 {
	h := f.s.Paper
	for i, v := range q {
		f.pibar[i] = (1-h.Eta)*f.pibar[i] + h.Eta*v
	}
	f.pibar = normalised(f.pibar)
	delta := math.Log(dot(q, pi)+h.Eps) - math.Log(dot(q, f.pibar)+h.Eps)
	switch {
	case f.across.fresh: // no ratio comes in
	case f.s.Gate == GateEWMA:
		f.llr = (1-1/float64(h.Window))*f.llr + delta/float64(h.Window)
	default:
		f.ratios = append(f.ratios, delta)
		f.ratios = f.ratios[max(0, len(f.ratios)-h.Window):]
		f.llr = sum(f.ratios) / float64(len(f.ratios))
	}
	f.lambda = 1 / (1 + math.Exp(-(f.llr-h.Margin)/h.GateTau))
	out := make([]float64, len(q))
	for i := range out {
		out[i] = f.lambda*p[i] + (1-f.lambda)*q[i]
	}
	return normalised(out)
}

func randomPaper(r *rand.Rand, n int) Settings {
	p := Paper{
		Init: []Init{InitUniform, InitIdentity}[r.IntN(2)], Kappa: math.Exp(2 * r.NormFloat64()), Gamma: r.Float64() * 0.95,
		Tau: math.Exp(r.NormFloat64()), Eta: r.Float64(), Window: 1 + r.IntN(30), Margin: r.NormFloat64(),
		GateTau: math.Exp(r.NormFloat64()), Eps: 1e-8,
	}
	s := Settings{Gate: []Gate{GateOff, GateEWMA, GateWindow}[r.IntN(3)], Temperature: math.Exp(r.NormFloat64() / 2), Paper: &p}
	if r.IntN(2) == 0 {
		s.Prior = normalised(softmaxAround(r, n, 0))
	}
	return s
}

func TestPaperAgreesWithItsPlainTwin(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		n := 2 + r.IntN(9)
		f := newFilter(t, n, randomPaper(r, n))
		plain := newPlainPaper(n, f.Settings())
		dst := make([]float64, n)
		for i, q := range randomStream(r, n, 400) {
			d := f.Step(dst, q)
			compare(t, fmt.Sprintf("seed %d step %d", seed, i), append(dst, d.Gate), append(plain.step(q), plain.lambda))
		}
	}
}

// twinTolerance allows for the rounding of a few hundred steps of carried sums.
const twinTolerance = 1e-10

func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for k := range want {
		if !(math.Abs(got[k]-want[k]) <= twinTolerance) {
			t.Fatalf("%s, entry %d: fused %.15g, plain %.15g", what, k, got[k], want[k])
		}
	}
}

// plainAuto is the mixture with every matrix written out.
type plainAuto struct {
	b     float64 // exponent of sharpened predictions
	t     int
	s     Settings
	w0, w []float64
	at    []*plainTempered
}

type plainTempered struct {
	temperature     float64
	last, mass      []float64
	persist, sticky [][]float64
	full            []float64
	c               [][]float64
	evidence        []float64
	posteriors      [][]float64
	started         bool
	k, stretch      float64
	across          gap // before the next step
}

func newPlainAuto(n int, f *Filter) *plainAuto {
	m := f.mode.(*mixture)
	a := &plainAuto{b: 1, s: f.Settings(), w0: m.initial, w: append([]float64(nil), m.initial...)}
	for _, t := range a.s.Auto.Temperatures {
		p := &plainTempered{
			temperature: t * a.s.Temperature, last: uniform(n), mass: make([]float64, n), full: uniform(n),
			c: matrix(n, func(i, j int) float64 { return 0 }), k: float64(n), stretch: float64(n) / float64(n-1),
		}
		for range a.s.Auto.Grid {
			p.persist = append(p.persist, uniform(n))
			for range a.s.Auto.Errors {
				p.sticky = append(p.sticky, uniform(n))
			}
		}
		a.at = append(a.at, p)
	}
	return a
}

func (a *plainAuto) step(q []float64) []float64 {
	var w []float64
	var posteriors [][]float64
	for _, t := range a.at {
		t.step(plainLikelihood(q, a.s.Prior, t.temperature/a.b), *a.s.Auto)
		w = append(w, t.evidence...)
		posteriors = append(posteriors, t.posteriors...)
	}
	for i := range w {
		w[i] *= a.w[i]
	}
	w = normalised(w)
	out := make([]float64, len(q))
	for h, p := range posteriors {
		addScaled(out, w[h], p)
	}
	for i := range w {
		a.w[i] = (1-a.s.Auto.Share)*w[i] + a.s.Auto.Share*a.w0[i]
	}
	a.sharpen(q)
	return out
}

// sharpen moves the exponent towards one with which the greatest entry is on average as large as the settings ask for.
func (a *plainAuto) sharpen(q []float64) {
	if a.s.Auto.Confidence == 0 {
		return
	}
	sharp := plainLikelihood(q, nil, min(a.s.Temperature, 1)/a.b)
	a.b *= math.Exp((0.1 + 1/(1+float64(a.t)/20)) * (a.s.Auto.Confidence - slices.Max(sharp)))
	a.b = min(max(a.b, 1), 16)
	a.t++
}

// spreadOver returns trust*x + (1-trust)/K.
func spreadOver(x []float64, trust float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = trust*v + (1-trust)/float64(len(x))
	}
	return out
}

func product(x, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] * y[i]
	}
	return normalised(out)
}

func (t *plainTempered) step(l []float64, a Auto) {
	n := len(l)
	mu := make([]float64, n)
	for i := range mu {
		mu[i] = (t.mass[i] + a.Pseudo/t.k) / (sum(t.mass) + a.Pseudo)
	}
	chance := dot(mu, l)
	t.evidence, t.posteriors = []float64{chance}, [][]float64{l}
	for h, g := range a.Grid {
		b := t.across.plainKeep(g / 3)
		g = t.across.plainKeep(g)
		t.evidence = append(t.evidence, g*dot(t.last, l)+(1-g)*chance)
		t.persist[h] = product(spreadOver(t.persist[h], b), spreadOver(l, 1-a.Flicker*t.stretch))
		t.posteriors = append(t.posteriors, t.persist[h])
	}
	h := 0
	for _, g := range a.Grid {
		g = t.across.plainKeep(g)
		for _, e := range a.Errors {
			le := spreadOver(l, 1-e*t.stretch)
			t.evidence = append(t.evidence, g*dot(t.sticky[h], le)+(1-g)*chance)
			t.sticky[h] = product(spreadOver(t.sticky[h], g), le)
			t.posteriors = append(t.posteriors, t.sticky[h])
			h++
		}
	}
	t.stepFull(l, mu, a)
	for i := range mu {
		t.mass[i] = (1-a.Delta)*t.mass[i] + l[i]*mu[i]/chance
	}
	t.last = l
	t.across = gap{}
}

func (g gap) plainKeep(a float64) float64 {
	if g.fresh {
		return 0
	}
	kept := a
	for range g.missed {
		kept *= a
	}
	return kept
}

func (t *plainTempered) stepFull(l, mu []float64, a Auto) {
	n := len(l)
	lift, prior := make([]float64, n), make([]float64, n)
	trans := matrix(n, func(i, j int) float64 { return (t.c[i][j] + a.Beta*mu[j]) / (sum(t.c[i]) + a.Beta) })
	xi, total := matrix(n, func(i, j int) float64 { return 0 }), 0.0
	for i := range n {
		lift[i] = l[i] / mu[i]
		for j := range n {
			prior[j] += t.full[i] * trans[i][j]
			xi[i][j] = t.full[i] * trans[i][j] / mu[j] * l[j]
			total += xi[i][j]
		}
	}
	for i := range n {
		for j := range n {
			if t.started && t.across.none() {
				t.c[i][j] = (1-a.Gamma)*t.c[i][j] + xi[i][j]/total
			}
		}
	}
	t.started = true
	prior = t.across.plainPrior(prior, trans, mu)
	t.evidence = append(t.evidence, dot(prior, l))
	t.full = product(prior, lift)
	t.posteriors = append(t.posteriors, t.full)
}

// randomAuto draws settings of the first edition.
func randomAuto(r *rand.Rand, n int) Settings {
	a := FirstAuto()
	a.Grid = []float64{r.Float64() * 0.99, 0.9}
	a.Errors = []float64{r.Float64() * 0.4}
	a.Temperatures = []float64{1, 0.5 + r.Float64()}
	a.Confidence = []float64{0, 0.5, 0.8, 0.99}[r.IntN(4)]
	a.Flicker, a.Share, a.Gamma = r.Float64()*0.5, r.Float64()*0.1, r.Float64()*0.5
	a.Beta, a.Pseudo, a.Delta = math.Exp(r.NormFloat64()), math.Exp(r.NormFloat64()), r.Float64()*0.1
	s := Settings{Temperature: math.Exp(r.NormFloat64() / 2), Auto: &a}
	if r.IntN(2) == 0 {
		s.Prior = normalised(softmaxAround(r, n, 0))
	}
	return s
}

func TestAutoAgreesWithItsPlainTwin(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		n := 2 + r.IntN(9)
		f := newFilter(t, n, randomAuto(r, n))
		plain := newPlainAuto(n, f)
		dst := make([]float64, n)
		for i, q := range randomStream(r, n, 400) {
			f.Step(dst, q)
			compare(t, fmt.Sprintf("seed %d step %d", seed, i), dst, plain.step(q))
		}
	}
}
