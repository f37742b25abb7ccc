package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func smooth(t testing.TB, s Settings, q [][]float64) ([][]float64, Smoothed) {
	t.Helper()
	if len(q) == 0 {
		t.Fatal("smooth of nothing")
	}
	dst := rows(len(q), len(q[0]))
	info, err := Smooth(len(q[0]), s, dst, q)
	if err != nil {
		t.Fatal(err)
	}
	return dst, info
}

// paperLaw is the chain of the paper's modes, its matrices from the plain twin.
func paperLaw(s Settings, q [][]float64) (l law, gates []float64) {
	n := len(q[0])
	f := newPlainPaper(n, s)
	l.first = uniform(n)
	for _, row := range q {
		l.step = append(l.step, matrix(n, func(i, j int) float64 { return f.c[i][j] / sum(f.c[i]) }))
		l.seen = append(l.seen, plainLikelihood(row, s.Prior, s.Temperature))
		f.step(row)
		gates = append(gates, f.lambda)
	}
	return l, gates
}

func gated(posteriors, q [][]float64, gates []float64) [][]float64 {
	out := rows(len(q), len(q[0]))
	for t := range q {
		addScaled(out[t], gates[t], posteriors[t])
		addScaled(out[t], 1-gates[t], q[t])
		out[t] = normalised(out[t])
	}
	return out
}

func TestSmoothPaperAgainstEnumeration(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 31))
		n, steps := 2+r.IntN(2), 1+r.IntN(7)
		s, err := randomPaper(r, n).Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q := randomStream(r, n, steps)
		l, gates := paperLaw(s, q)
		posteriors, _ := l.posteriors()
		got, _ := smooth(t, s, q)
		closeRows(t, fmt.Sprintf("seed %d, gate %s", seed, s.Gate), got, gated(posteriors, q, gates), exact)
	}
}

// plainHindsight mixes the readings as the documentation of Smooth has it, each by enumeration. Without full and drift, whose
// parts are tested by themselves.
func plainHindsight(s Settings, q [][]float64) [][]float64 {
	return plainHindsightGaps(s, q, make([]int, len(q)))
}

func plainHindsightGaps(s Settings, q [][]float64, missed []int) [][]float64 {
	n, k := len(q[0]), float64(len(q[0]))
	a := *s.Auto
	if slices.Max(a.Errors) < 0.4 {
		a.Errors = append(slices.Clone(a.Errors), 0.4)
	}
	var weights []float64
	var posteriors [][][]float64
	b := newSharpness(s).whole(q)
	for _, factor := range a.Temperatures {
		rec := newRecording(n, len(q))
		rec.read(q, inverse(s.Prior), s.Temperature*factor/b)
		var likes [][]float64
		for _, row := range q {
			likes = append(likes, plainLikelihood(row, s.Prior, s.Temperature*factor/b))
		}
		mu := rec.marginal(erring(0, 0, n), a.Pseudo)
		add := func(prior float64, c *chain, evidence func(t int, p, seen []float64) float64) {
			l := c.written(rec).over(missed)
			w, p := prior, uniform(n)
			for t, seen := range l.seen {
				w *= evidence(t, p, seen)
				p = product(spreadOver(p, gaps(missed).at(t).plainKeep(c.stay)), seen)
			}
			post, _ := l.posteriors()
			weights, posteriors = append(weights, w), append(posteriors, post)
		}
		add(a.None, erring(0, 0, n), func(t int, _, _ []float64) float64 { return dot(mu, likes[t]) })
		for _, g := range a.Grid {
			add(a.Persist/float64(len(a.Grid)), doubtful(g/2, a.Flicker*k/(k-1), n), func(t int, _, _ []float64) float64 {
				last := uniform(n)
				if t > 0 {
					last = likes[t-1]
				}
				g := gaps(missed).at(t).plainKeep(g)
				return g*dot(last, likes[t]) + (1-g)*dot(mu, likes[t])
			})
			for _, e := range a.Errors {
				add(a.Sticky/float64(len(a.Grid)*len(a.Errors)), erring(g, e, n), func(t int, p, seen []float64) float64 {
					g := gaps(missed).at(t).plainKeep(g)
					return g*dot(p, seen) + (1-g)*dot(mu, likes[t])
				})
			}
		}
	}
	weights = normalised(weights)
	out := rows(len(q), n)
	for h, post := range posteriors {
		for t := range q {
			addScaled(out[t], weights[h], post[t])
		}
	}
	return out
}

func TestSmoothAutoAgainstEnumeration(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 32))
		n, steps := 2+r.IntN(2), 1+r.IntN(6)
		s := randomAuto(r, n)
		s.Auto.Full = 0
		s, err := s.Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q := randomStream(r, n, steps)
		got, _ := smooth(t, s, q)
		closeRows(t, fmt.Sprintf("seed %d", seed), got, plainHindsight(s, q), exact)
	}
}

// With nothing else to believe in, the answer is that of the learned matrix, and of the matrix that drifts.
func TestSmoothAutoMixesTheLearnedMatrices(t *testing.T) {
	a := FirstAuto()
	a.None, a.Persist, a.Sticky, a.Full = 1e-12, 0, 0, 1e12
	a.Temperatures, a.Errors = []float64{1}, []float64{0}
	s, q := Settings{Auto: &a}, cycle(rand.New(rand.NewPCG(4, 33)), 4, 300)
	got, info := smooth(t, s, q)
	rec := newRecording(4, len(q))
	rec.read(q, nil, 1)
	none := rec.matrixChain(0, a.Pseudo)
	want := rows(len(q), 4)
	for _, h := range info.Hypotheses {
		var c *chain
		switch h.Kind {
		case "full":
			c = rec.baumWelch(none, a.Beta, len(q), 1)
		case "drift":
			c = rec.baumWelch(none, a.Beta, 25, math.Pow(1-a.Gamma, 25))
		default:
			if h.Weight > weightless {
				t.Errorf("%+v weighs something", h)
			}
			continue
		}
		for t, row := range rec.smoothed(c) {
			addScaled(want[t], h.Weight, row)
		}
	}
	closeRows(t, "mixture", got, want, exact)
}

// full and drift share the initial weight of full and its odds; causal evidence, without and with decay, does the rest.
func TestWeightsOfTheLearnedMatrices(t *testing.T) {
	a := FirstAuto()
	a.Temperatures, a.Errors = []float64{1}, []float64{0.3}
	q := cycle(rand.New(rand.NewPCG(10, 40)), 4, 60)
	_, info := smooth(t, Settings{Auto: &a}, q)
	rec := newRecording(4, len(q))
	rec.read(q, nil, 1)
	mu := rec.marginal(erring(0, 0, 4), a.Pseudo)
	weights := map[string]float64{}
	for _, h := range info.Hypotheses {
		weights[fmt.Sprint(h.Kind, h.Error)] += h.Weight
	}
	none := math.Log(a.None)
	for i := range q {
		none += math.Log(dot(mu, rec.row(rec.like, i)))
	}
	for _, e := range []float64{0, 0.3} {
		c := rec.matrixChain(e, a.Pseudo)
		for kind, gamma := range map[string]float64{"full": 0, "drift": a.Gamma} {
			p := newPairs(4, gamma, a.Beta)
			want := math.Log(a.Full*1e-12/4) + rec.fullEvidence(&p, c) - none
			if got := math.Log(weights[fmt.Sprint(kind, e)] / weights["none0"]); !(math.Abs(got-want) < 1e-9) {
				t.Errorf("%s(%g): log odds against none %.12g, want %.12g", kind, e, got, want)
			}
		}
	}
}

// cycle draws predictions of labels that go round, four times in five.
func cycle(r *rand.Rand, n, steps int) [][]float64 {
	out, y := make([][]float64, steps), 0
	for t := range out {
		if y = (y + 1) % n; r.Float64() < 0.2 {
			y = r.IntN(n)
		}
		out[t] = softmaxAround(r, n, y)
	}
	return out
}

// The causal evidence of a matrix is the product of what the causal filter's full gives, marginal and decay apart.
func TestFullEvidenceAgainstThePlainTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 34))
	const n = 5
	q := randomStream(r, n, 200)
	rec := newRecording(n, len(q))
	rec.read(q, nil, 1)
	c := rec.matrixChain(0.1, 5)
	p := newPairs(n, 0.02, 1.5)
	got := rec.fullEvidence(&p, c)
	want, plain, a := 0.0, newPlainAuto(n, newFilter(t, n, Settings{})).at[0], Auto{Gamma: 0.02, Beta: 1.5}
	for i := range q {
		l := slices.Clone(c.written(rec).seen[i])
		for j := range l {
			l[j] *= c.first[j]
		}
		plain.evidence = nil
		plain.stepFull(l, c.first, a)
		want += math.Log(plain.evidence[0])
	}
	if !(math.Abs(got-want) < 1e-9) {
		t.Errorf("log evidence %.12g, plain %.12g", got, want)
	}
}

// The last item has no future: in the paper's modes its answer is the causal one to the bit.
func TestSmoothEndsWhereTheFilterDoes(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 35))
		n := 2 + r.IntN(8)
		s, q := randomPaper(r, n), randomStream(r, n, 1+r.IntN(200))
		f, want := newFilter(t, n, s), make([]float64, n)
		for _, row := range q {
			f.Step(want, row)
		}
		if got, _ := smooth(t, s, q); !slices.Equal(got[len(q)-1], want) {
			t.Fatalf("seed %d, gate %s: smoothed %v, filtered %v", seed, s.Gate, got[len(q)-1], want)
		}
	}
}

// A step that the prior excluded parts the recording in two.
func TestSmoothAcrossZeroEvidence(t *testing.T) {
	s := Settings{Gate: GateOff, Paper: &Paper{Init: InitIdentity, Kappa: 1, Tau: 1, Window: 1, GateTau: 1}}
	q := [][]float64{{0.6, 0.4, 0}, {1, 0, 0}, {0, 0.3, 0.7}, {0, 0.5, 0.5}}
	got, info := smooth(t, s, q)
	if info.ZeroEvidence != 1 {
		t.Errorf("%d steps of zero evidence, want 1", info.ZeroEvidence)
	}
	closeRows(t, "parts", got, [][]float64{{1, 0, 0}, {1, 0, 0}, {0, 0.3, 0.7}, {0, 0.3, 0.7}}, exact)
}

func TestSmoothGivesProbabilities(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 36))
	hot := rows(40, 4)
	for t := range hot {
		hot[t][r.IntN(4)] = 1
	}
	tinyOnes := rows(30, 3)
	for t := range tinyOnes {
		fill(tinyOnes[t], 5e-324)
		tinyOnes[t][t/10] = 1
	}
	for name, q := range map[string][][]float64{
		"one-hot": hot, "smallest numbers": tinyOnes, "one item": {{0, 1, 0}}, "one class": {{1}, {1}, {1}}, "constant": {{0, 1}, {0, 1}},
		"one item of one class": {{1}}, "uniform": {{0.5, 0.5}, {0.5, 0.5}}, "usual": randomStream(r, 6, 300),
	} {
		for _, gate := range Gates() {
			got, info := smooth(t, Settings{Gate: gate}, q)
			for i, row := range got {
				if err := Check(row, len(q[0])); err != nil || math.Abs(sum(row)-1) > exact {
					t.Errorf("%s, gate %s, item %d: %v (%v)", name, gate, i, row, err)
				}
			}
			total := 0.0
			for _, h := range info.Hypotheses {
				total += h.Weight
			}
			if gate == GateAuto && math.Abs(total-1) > exact {
				t.Errorf("%s: weights sum to %g", name, total)
			}
		}
	}
}

func TestSmoothDoesNotCareHowClassesAreNumbered(t *testing.T) {
	for _, gate := range Gates() {
		r := rand.New(rand.NewPCG(7, 37))
		const n = 6
		q, perm := randomStream(r, n, 200), r.Perm(n)
		renumber := func(x [][]float64) [][]float64 {
			out := rows(len(x), n)
			for t := range x {
				for j, v := range x[t] {
					out[t][perm[j]] = v
				}
			}
			return out
		}
		want, _ := smooth(t, Settings{Gate: gate}, q)
		got, _ := smooth(t, Settings{Gate: gate}, renumber(q))
		closeRows(t, string(gate), got, renumber(want), 1e-9)
	}
}

// A million items neither underflow nor take memory that grows faster than they do.
func TestSmoothALongRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	base := randomStream(rand.New(rand.NewPCG(8, 38)), 2, 1000)
	for gate, steps := range map[Gate]int{GateOff: 1_000_000, GateEWMA: 100_000, GateAuto: 100_000} {
		q := make([][]float64, steps)
		for t := range q {
			q[t] = base[t%1000]
		}
		got, _ := smooth(t, Settings{Gate: gate}, q)
		for i, row := range got {
			if !(math.Abs(row[0]+row[1]-1) < 1e-9) {
				t.Fatalf("gate %s, item %d of %d: %v", gate, i, steps, row)
			}
		}
	}
}

// What hindsight is for: it knows more than the filter, on streams with and without a known direction.
func TestHindsightBeatsTheFilter(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 39))
	const n, steps = 6, 2000
	for name, next := range map[string]func(y int) int{
		"sticky": func(y int) int { return y },
		"cycle":  func(y int) int { return (y + 1) % n },
	} {
		q, y, truth := make([][]float64, steps), 0, make([]int, steps)
		for t := range q {
			if y = next(y); r.Float64() < 0.1 {
				y = r.IntN(n)
			}
			q[t] = make([]float64, n)
			for k := range q[t] {
				q[t][k] = math.Exp(r.NormFloat64())
			}
			q[t][y] *= math.E * math.E
			scale(q[t], 1/sum(q[t]))
			truth[t] = y
		}
		smoothed, _ := smooth(t, Settings{}, q)
		f, dst, before, after := newFilter(t, n, Settings{}), make([]float64, n), 0.0, 0.0
		for t := range q {
			f.Step(dst, q[t])
			before += hit(dst, truth[t]) / steps
			after += hit(smoothed[t], truth[t]) / steps
		}
		if after < before+0.02 {
			t.Errorf("%s: accuracy %.3f filtered, %.3f smoothed", name, before, after)
		}
	}
}

func TestSmoothErrors(t *testing.T) {
	for _, tc := range []struct {
		s    Settings
		q    [][]float64
		want string
	}{
		{Settings{Gate: "no"}, nil, "gate"},
		{Settings{}, [][]float64{{0.5, 0.5}, {0.5, 0.4}}, "item 1: adapt: probabilities sum to 0.9"},
		{Settings{Gate: GateOff}, [][]float64{{1}}, "item 0: adapt: probability vector has 1 entries"},
		{Settings{}, nil, ""},
		{Settings{Gate: GateOff}, nil, ""},
	} {
		_, err := Smooth(2, tc.s, rows(len(tc.q), 2), tc.q)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("Smooth(%v): %v, want %q", tc.q, err, tc.want)
		}
		_, verr := Viterbi(2, tc.s, make([]int, len(tc.q)), tc.q)
		if (verr == nil) != (tc.want == "") {
			t.Errorf("Viterbi(%v): %v, want %q", tc.q, verr, tc.want)
		}
	}
}

func TestSmoothPanicsOnTheCallersBug(t *testing.T) {
	q := [][]float64{{0.5, 0.5}}
	for name, bug := range map[string]func(){
		"items":   func() { _, _ = Smooth(2, Settings{}, nil, q) },
		"classes": func() { _, _ = Smooth(2, Settings{}, [][]float64{{0}}, q) },
		"path":    func() { _, _ = Viterbi(2, Settings{}, nil, q) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "adapt: ") {
					t.Errorf("%s: panic %q", name, got)
				}
			}()
			bug()
		}()
	}
}

// FuzzLookingBack feeds arbitrary bytes as a recording: smoothed and lagged answers must be probability vectors, paths classes.
func FuzzLookingBack(f *testing.F) {
	f.Add(uint8(0), uint8(2), []byte{1, 2, 3, 4, 5, 6})
	f.Add(uint8(3), uint8(0), []byte{0, 0, 255, 0, 255, 0, 255, 255, 255})
	f.Add(uint8(128+11), uint8(2), []byte{255, 0, 0, 0, 0, 255, 0, 255, 0, 255, 255, 255})
	f.Fuzz(func(t *testing.T, gate, lag uint8, data []byte) {
		const n = 3
		s := Settings{Gate: Gates()[int(gate)%4]}
		if s.Gate == GateAuto {
			a := []Auto{FirstAuto(), SecondAuto(), DefaultAuto()}[int(gate)/4%3]
			if s.Auto = &a; gate >= 128 && a.Edition > 1 {
				s.Population = &Population{[][]float64{{0.5, 0.5, 0}, {0, 1, 0}, {0.1, 0.1, 0.8}}, []float64{0.8, 0.1, 0.1}}
			}
		}
		var q [][]float64
		for ; len(data) >= n && len(q) < 64; data = data[n:] {
			row := make([]float64, n)
			for j := range row {
				row[j] = math.Exp(-3 * float64(255-int(data[j]))) // down to e^-765, which is 0
			}
			if !(sum(row) > 0) {
				row[0] = 1
			}
			scale(row, 1/sum(row))
			if Check(row, n) == nil {
				q = append(q, row)
			}
		}
		if len(q) == 0 {
			return
		}
		dst, _ := smooth(t, s, q)
		path := make([]int, len(q))
		if _, err := Viterbi(n, s, path, q); err != nil {
			t.Fatal(err)
		}
		over, missed := rows(len(q), n), make([]int, len(q))
		for i := range missed {
			missed[i] = int(lag)*i%5 - 1
		}
		if _, err := SmoothGaps(n, s, over, q, missed); err != nil {
			t.Fatal(err)
		}
		for i, row := range slices.Concat(dst, over, laggedAll(t, s, int(lag%8), q), laggedGaps(t, s, int(lag%8), q, missed)) {
			if err := Check(row, n); err != nil {
				t.Fatalf("row %d of %v: %v", i, q, err)
			}
		}
		for _, y := range path {
			if y < 0 || y >= n {
				t.Fatalf("path %v", path)
			}
		}
	})
}
