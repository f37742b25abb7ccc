package adapt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// over replaces the steps of a law into items after a gap: powers of the same matrices, or a start.
func (l law) over(missed []int) law {
	n := len(l.first)
	for t := 1; t < len(l.seen); t++ {
		var flat []float64
		for _, row := range l.step[t] {
			flat = append(flat, row...)
		}
		if missed[t] == Broken {
			l.step[t] = matrix(n, func(_, j int) float64 { return l.first[j] })
			continue
		}
		flat = plainPower(flat, n, missed[t]+1)
		l.step[t] = matrix(n, func(i, j int) float64 { return flat[i*n+j] })
	}
	return l
}

func TestChainsWithGapsAgainstEnumeration(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 81))
		rec, _ := randomRecording(r)
		c := randomChain(r, rec)
		missed := randomGaps(r, rec.steps)
		rec.between = missed
		l := c.written(rec).over(missed)
		want, _ := l.posteriors()
		what := fmt.Sprintf("seed %d, missed %v", seed, missed)
		closeRows(t, what, rec.smoothed(c), want, exact)
		path := make([]int, rec.steps)
		rec.path(c, path)
		checkBest(t, what, l, path)
	}
}

// paperLawGaps is paperLaw over gaps: the chain of the causal pass that was told of them.
func paperLawGaps(s Settings, q [][]float64, missed []int) (l law, lambdas []float64) {
	n := len(q[0])
	f := newPlainPaper(n, s)
	l.first = uniform(n)
	for t, row := range q {
		l.step = append(l.step, f.matrix())
		l.seen = append(l.seen, plainLikelihood(row, s.Prior, s.Temperature))
		f.across = gaps(missed).at(t)
		f.step(row)
		lambdas = append(lambdas, f.lambda)
	}
	return l.over(missed), lambdas
}

func TestPaperWithGapsAgainstEnumeration(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 82))
		n, steps := 2+r.IntN(2), 1+r.IntN(7)
		s, err := randomPaper(r, n).Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q, missed := randomStream(r, n, steps), randomGaps(r, steps)
		what := fmt.Sprintf("seed %d, gate %s, missed %v", seed, s.Gate, missed)
		l, lambdas := paperLawGaps(s, q, missed)
		posteriors, _ := l.posteriors()
		dst, path := rows(steps, n), make([]int, steps)
		if _, err := SmoothGaps(n, s, dst, q, missed); err != nil {
			t.Fatal(err)
		}
		closeRows(t, what, dst, gated(posteriors, q, lambdas), exact)
		if _, err := ViterbiGaps(n, s, path, q, missed); err != nil {
			t.Fatal(err)
		}
		checkBest(t, what, l, path)
	}
}

// The readings of auto, mixed by the product of their causal evidences; without the learned matrices, whose chains are tested above.
func TestSmoothAutoWithGapsAgainstEnumeration(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 83))
		n, steps := 2+r.IntN(2), 1+r.IntN(6)
		s := randomAuto(r, n)
		s.Auto.Full = 0
		s, err := s.Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q, missed := randomStream(r, n, steps), randomGaps(r, steps)
		got := rows(steps, n)
		if _, err := SmoothGaps(n, s, got, q, missed); err != nil {
			t.Fatal(err)
		}
		closeRows(t, fmt.Sprintf("seed %d, missed %v", seed, missed), got, plainHindsightGaps(s, q, missed), exact)
	}
}

// laggedGaps returns the answers to all items of a stream with gaps.
func laggedGaps(t testing.TB, s Settings, lag int, q [][]float64, missed []int) (out [][]float64) {
	t.Helper()
	l := newLagged(t, len(q[0]), s, lag)
	dst := make([]float64, len(q[0]))
	for i, row := range q {
		tell(l, missed[i])
		if _, ok := l.Step(dst, row); ok {
			out = append(out, slices.Clone(dst))
		}
	}
	for {
		if _, ok := l.Flush(dst); !ok {
			return out
		}
		out = append(out, slices.Clone(dst))
	}
}

func TestLaggedPaperWithGapsIsSmoothingThePrefix(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 84))
		n, steps := 2+r.IntN(5), 1+r.IntN(20)
		s, q, missed := randomPaper(r, n), randomStream(r, n, steps), randomGaps(r, steps)
		lag := r.IntN(steps + 3)
		for i, got := range laggedGaps(t, s, lag, q, missed) {
			end := min(i+lag+1, steps)
			want := rows(end, n)
			if _, err := SmoothGaps(n, s, want, q[:end], missed[:end]); err != nil {
				t.Fatal(err)
			}
			closeRows(t, fmt.Sprintf("seed %d, gate %s, lag %d, item %d", seed, s.Gate, lag, i), [][]float64{got}, want[i:i+1], exact)
		}
	}
}

// With no gaps nothing differs to the bit, and a break in the middle separates what is before from what comes after.
func TestGapsAtTheirEnds(t *testing.T) {
	for _, gate := range Gates() {
		s := Settings{Gate: gate}
		q := randomStream(rand.New(rand.NewPCG(5, 85)), 4, 60)
		want, _ := smooth(t, s, q)
		got, missed := rows(60, 4), make([]int, 60)
		if _, err := SmoothGaps(4, s, got, q, missed); err != nil {
			t.Fatal(err)
		}
		for i := range q {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("gate %s, item %d: %v, want %v", gate, i, got[i], want[i])
			}
		}
	}
	s, q := Settings{Gate: GateOff}, randomStream(rand.New(rand.NewPCG(6, 86)), 3, 40)
	missed, whole := make([]int, 40), rows(40, 3)
	missed[25] = Broken
	if _, err := SmoothGaps(3, s, whole, q, missed); err != nil {
		t.Fatal(err)
	}
	first, _ := smooth(t, s, q[:25])
	closeRows(t, "before the break", whole[:25], first, exact)
}

func TestLaggedAutoWithGapsAgainstEnumeration(t *testing.T) {
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 87))
		n, steps := 2+r.IntN(2), 1+r.IntN(6)
		s, q, missed := randomAuto(r, n), randomStream(r, n, steps), randomGaps(r, steps)
		lag := 1 + r.IntN(steps+2)
		f := newFilter(t, n, s)
		for i, got := range laggedGaps(t, s, lag, q, missed) {
			end := min(i+lag+1, steps)
			want := plainLagged(f, q[:end], missed[:end], i)
			closeRows(t, fmt.Sprintf("seed %d, lag %d, item %d, missed %v", seed, lag, i, missed), [][]float64{got}, [][]float64{want}, 10*exact)
		}
	}
}
