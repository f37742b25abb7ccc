package adapt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkBest reports a path that is not as probable as the best of all.
func checkBest(t *testing.T, what string, l law, path []int) {
	t.Helper()
	if got, want := l.weight(path), l.best(); !(got >= want*(1-exact)) {
		t.Fatalf("%s: path %v has weight %g, the best %g", what, path, got, want)
	}
}

func TestPathAgainstEnumeration(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 51))
		rec, _ := randomRecording(r)
		c := randomChain(r, rec)
		path := make([]int, rec.steps)
		rec.path(c, path)
		checkBest(t, fmt.Sprintf("seed %d", seed), c.written(rec), path)
	}
}

func TestViterbiPaperAgainstEnumeration(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 52))
		n, steps := 2+r.IntN(2), 1+r.IntN(7)
		s, err := randomPaper(r, n).Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q := randomStream(r, n, steps)
		path := make([]int, steps)
		if _, err := Viterbi(n, s, path, q); err != nil {
			t.Fatal(err)
		}
		l, _ := paperLaw(s, q)
		checkBest(t, fmt.Sprintf("seed %d, gate %s", seed, s.Gate), l, path)
	}
}

// Under auto the path is that of the heaviest hypothesis.
func TestViterbiAutoFollowsTheHeaviest(t *testing.T) {
	kinds := map[string]bool{}
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 53))
		n, steps := 2+r.IntN(2), 2+r.IntN(5)
		s := randomAuto(r, n)
		s.Auto.None, s.Auto.Persist, s.Auto.Sticky, s.Auto.Full = r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64(), 0
		if seed%4 == 0 {
			s.Auto.Full, s.Auto.None, s.Auto.Persist, s.Auto.Sticky = 1e12, 1e-12, 0, 0
		}
		q := randomStream(r, n, steps)
		path := make([]int, steps)
		info, err := Viterbi(n, s, path, q)
		if err != nil {
			t.Fatal(err)
		}
		h := info.Hypotheses[0]
		kinds[h.Kind] = true
		rec := newRecording(n, steps)
		rec.read(q, inverse(s.Prior), h.Temperature)
		a := s.Auto
		var c *chain
		switch h.Kind {
		case "none":
			c = erring(0, 0, n)
		case "persist":
			c = doubtful(h.Stay/2, spread(a.Flicker, n), n)
		case "sticky":
			c = erring(h.Stay, h.Error, n)
		case "full":
			c = rec.baumWelch(rec.matrixChain(h.Error, a.Pseudo), a.Beta, steps, 1)
		case "drift":
			c = rec.baumWelch(rec.matrixChain(h.Error, a.Pseudo), a.Beta, 25, 0) // one block: no decay
		}
		checkBest(t, fmt.Sprintf("seed %d, %s", seed, h.Kind), c.written(rec), path)
	}
	for _, kind := range []string{"none", "persist", "sticky"} {
		if !kinds[kind] {
			t.Errorf("no case of %s among %v", kind, kinds)
		}
	}
	if !kinds["full"] && !kinds["drift"] {
		t.Errorf("no case of a learned matrix among %v", kinds)
	}
}

// Where no path leads on, the next begins anew; before that the past is what it was.
func TestViterbiAcrossZeroEvidence(t *testing.T) {
	s := Settings{Gate: GateOff, Paper: &Paper{Init: InitIdentity, Kappa: 1, Tau: 1, Window: 1, GateTau: 1}}
	q := [][]float64{{0.4, 0.6, 0}, {1, 0, 0}, {0, 0.3, 0.7}, {0, 0.6, 0.4}}
	path := make([]int, len(q))
	info, err := Viterbi(3, s, path, q)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 0, 2, 2}; !slices.Equal(path, want) || info.ZeroEvidence != 1 {
		t.Errorf("path %v with %d steps of zero evidence, want %v with 1", path, info.ZeroEvidence, want)
	}
}

func TestViterbiAtTheEdges(t *testing.T) {
	for _, gate := range Gates() {
		for _, q := range [][][]float64{{{1}}, {{1}, {1}}, {{0, 1, 0}}, {{0, 1}, {1, 0}, {0, 1}}} {
			path := make([]int, len(q))
			if _, err := Viterbi(len(q[0]), Settings{Gate: gate}, path, q); err != nil {
				t.Fatal(err)
			}
			for i, y := range path {
				if y < 0 || y >= len(q[0]) || q[i][y] == 0 {
					t.Errorf("gate %s: path %v of %v", gate, path, q)
				}
			}
		}
	}
}

// Scores stay in range over a long recording: a long run of the label of one class is found whole.
func TestViterbiOfALongRecording(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 54))
	const n, steps = 3, 100_000
	rec := newRecording(n, steps)
	for t := range steps {
		copy(rec.row(rec.like, t), softmaxAround(r, n, t*n/steps))
	}
	path := make([]int, steps)
	rec.path(doubtful(0.999, 0.1, n), path)
	wrong := 0
	for t, y := range path {
		if y != t*n/steps {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("%d of %d labels wrong", wrong, steps)
	}
}
