package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The judge of everything that looks back is the enumeration of all K^T label sequences.

// law is a chain written out for that: first[y] seen[0][y] step[1][y][y'] seen[1][y'] ...
type law struct {
	first []float64
	step  [][][]float64 // [T][K][K]; step[0] is not used
	seen  [][]float64   // [T][K]
}

// each calls visit with every sequence and its weight.
func (l law) each(visit func(path []int, weight float64)) {
	path := make([]int, len(l.seen))
	var extend func(t int, w float64)
	extend = func(t int, w float64) {
		if t == len(path) {
			visit(path, w)
			return
		}
		for y, v := range l.seen[t] {
			path[t] = y
			if t == 0 {
				extend(1, l.first[y]*v)
			} else {
				extend(t+1, w*l.step[t][path[t-1]][y]*v)
			}
		}
	}
	extend(0, 1)
}

// posteriors returns P(y_t | everything), and the likelihood of everything.
func (l law) posteriors() (out [][]float64, total float64) {
	out = rows(len(l.seen), len(l.first))
	l.each(func(path []int, w float64) {
		total += w
		for t, y := range path {
			out[t][y] += w
		}
	})
	for _, row := range out {
		scale(row, 1/total)
	}
	return out, total
}

// best returns the largest weight of a sequence.
func (l law) best() (most float64) {
	l.each(func(_ []int, w float64) { most = max(most, w) })
	return most
}

func (l law) weight(path []int) (out float64) {
	l.each(func(p []int, w float64) {
		if slices.Equal(p, path) {
			out = w
		}
	})
	return out
}

// written returns a chain's law over a recording, from its definition.
func (c *chain) written(r *recording) law {
	l := law{first: c.first}
	for t := range r.steps {
		seen := make([]float64, r.n)
		if c.lift != nil {
			m, e := make([]float64, r.n), r.confusions()
			for j, v := range r.row(r.like, t) {
				m[j] = v * c.lift.inv[j] * c.lift.scale[t]
			}
			for j := range seen {
				seen[j] = c.trust*m[j] + c.floor + c.mixed*dot(e[j*r.n:(j+1)*r.n], m)
			}
		}
		for j := range seen {
			if c.lift != nil {
				break
			}
			seen[j] = c.trust*r.row(r.like, t)[j] + c.floor
			if c.mixed > 0 {
				seen[j] += c.mixed * dot(r.confusions()[j*r.n:(j+1)*r.n], r.row(r.like, t))
			}
			if c.inv != nil {
				seen[j] *= c.inv[j]
			}
		}
		l.seen = append(l.seen, seen)
		l.step = append(l.step, matrix(r.n, func(i, j int) float64 {
			home := 1 / float64(r.n)
			if c.home != nil {
				home = c.home[j]
			}
			switch {
			case c.matrices != nil:
				return c.matrices[t/c.block][i*r.n+j]
			case i == j:
				return c.stay + (1-c.stay)*home
			}
			return (1 - c.stay) * home
		}))
	}
	return l
}

// randomChain returns a chain of any form over the recording.
func randomChain(r *rand.Rand, rec *recording) *chain {
	n, steps := rec.n, rec.steps
	switch r.IntN(5) {
	case 3:
		u := normalised(softmaxAround(r, n, r.IntN(n)))
		return &chain{stay: r.Float64(), home: u, first: u, trust: 0.8, floor: r.Float64(), inv: inverse(u)}
	case 4:
		mu := normalised(softmaxAround(r, n, r.IntN(n)))
		c := erring(r.Float64(), r.Float64(), n)
		if r.IntN(2) == 0 {
			c.floor, c.mixed = c.mixed, 0
		}
		c.home, c.first, c.lift = mu, mu, newLift(n, steps)
		c.lift.over(rec, mu, normalised(softmaxAround(r, n, r.IntN(n))))
		c.lift.confuse(rec, rec.confusions())
		return c
	case 0:
		return doubtful(r.Float64(), r.Float64(), n)
	case 1:
		return erring(r.Float64(), r.Float64(), n)
	}
	c := erring(0, r.Float64()/2, n)
	c.first = normalised(softmaxAround(r, n, 0))
	c.inv = inverse(c.first)
	c.block = 1 + r.IntN(steps)
	for range (steps-1)/c.block + 1 {
		var a []float64
		for range n {
			a = append(a, softmaxAround(r, n, r.IntN(n))...)
		}
		c.matrices = append(c.matrices, a)
	}
	return c
}

func randomRecording(r *rand.Rand) (*recording, [][]float64) {
	n, steps := 2+r.IntN(2), 1+r.IntN(7)
	q := randomStream(r, n, steps)
	if r.IntN(3) == 0 { // certain predictions, exact zeros
		fill(q[r.IntN(steps)], 0)
		for _, row := range q {
			if sum(row) == 0 {
				row[r.IntN(n)] = 1
			}
		}
	}
	rec := newRecording(n, steps)
	rec.read(q, nil, 1+r.Float64())
	return rec, q
}

// exact is the rounding of some hundred products.
const exact = 1e-12

func closeRows(t *testing.T, what string, got, want [][]float64, tolerance float64) {
	t.Helper()
	for i, row := range want {
		for k, v := range row {
			if !(math.Abs(got[i][k]-v) <= tolerance) {
				t.Fatalf("%s: item %d class %d: %.15g, want %.15g", what, i, k, got[i][k], v)
			}
		}
	}
}

func (r *recording) smoothed(c *chain) [][]float64 {
	out := rows(r.steps, r.n)
	r.forward(c)
	r.backward(c, func(t int, post, _ []float64, _ float64) { copy(out[t], post) })
	return out
}

func TestForwardBackwardAgainstEnumeration(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 21))
		rec, _ := randomRecording(r)
		c := randomChain(r, rec)
		want, total := c.written(rec).posteriors()
		what := fmt.Sprintf("seed %d", seed)
		closeRows(t, what, rec.smoothed(c), want, exact)
		if got := rec.forward(c); !(math.Abs(got-math.Log(total)) <= exact*10) {
			t.Fatalf("%s: log evidence %.15g, want %.15g", what, got, math.Log(total))
		}
	}
}

// Under a chain that is its own reverse the future is as good as the past.
func TestReversalSymmetry(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 22))
		n := 2 + r.IntN(6)
		q := randomStream(r, n, 50)
		there, back := newRecording(n, 50), newRecording(n, 50)
		there.read(q, nil, 1.3)
		slices.Reverse(q)
		back.read(q, nil, 1.3)
		c := erring(r.Float64(), 0.3*r.Float64(), n)
		got := back.smoothed(c)
		slices.Reverse(got)
		closeRows(t, fmt.Sprintf("seed %d", seed), got, there.smoothed(c), exact)
	}
}

// The expected pairs of Baum-Welch are those of all sequences.
func TestCountAgainstEnumeration(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 23))
		rec, _ := randomRecording(r)
		c := randomChain(r, rec)
		if c.matrices == nil {
			continue
		}
		got := rows(len(c.matrices), rec.n*rec.n)
		rec.forward(c)
		rec.count(c, got)
		want, l := rows(len(c.matrices), rec.n*rec.n), c.written(rec)
		_, total := l.posteriors()
		l.each(func(path []int, w float64) {
			for t := 1; t < len(path); t++ {
				want[t/c.block][path[t-1]*rec.n+path[t]] += w / total
			}
		})
		closeRows(t, fmt.Sprintf("seed %d, blocks", seed), got, want, exact)
	}
}

// Matrices learn from the counts of all blocks, each weighing decay for every block in between.
func TestMaximise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 24))
	const n, blocks, beta, decay = 3, 5, 0.7, 0.6
	mu := normalised(softmaxAround(r, n, 1))
	counts := rows(blocks, n*n)
	for _, c := range counts {
		for i := range c {
			c[i] = r.Float64()
		}
	}
	want := rows(blocks, n*n)
	for b, a := range want {
		for i := range n {
			row := a[i*n : (i+1)*n]
			for other, c := range counts {
				addScaled(row, math.Pow(decay, math.Abs(float64(b-other))), c[i*n:(i+1)*n])
			}
			addScaled(row, beta, mu)
			scale(row, 1/sum(row))
		}
	}
	c := &chain{matrices: rows(blocks, n*n)}
	c.maximise(counts, mu, beta, decay)
	closeRows(t, "matrices", c.matrices, want, exact)
}

// From no order at all, Baum-Welch finds the cycle that the labels follow.
func TestBaumWelchFindsTheMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 25))
	const n, steps = 5, 3000
	q, y := make([][]float64, steps), 0
	for t := range q {
		if y = (y + 1) % n; r.Float64() < 0.2 {
			y = r.IntN(n)
		}
		q[t] = softmaxAround(r, n, y)
	}
	rec := newRecording(n, steps)
	rec.read(q, nil, 1)
	none := rec.matrixChain(0, 5)
	c := rec.baumWelch(none, 1, steps, 1)
	for i := range n {
		if got := c.matrices[0][i*n+(i+1)%n]; math.Abs(got-0.84) > 0.05 {
			t.Errorf("P(%d to %d) = %.3f, want 0.84", i, (i+1)%n, got)
		}
		if row := sum(c.matrices[0][i*n : (i+1)*n]); math.Abs(row-1) > exact {
			t.Errorf("row %d sums to %.15g", i, row)
		}
	}
}

func TestNormalise(t *testing.T) {
	for _, tc := range []struct{ x, want []float64 }{
		{[]float64{1, 3}, []float64{0.25, 0.75}},
		{[]float64{0, 0}, []float64{0, 0}},
		{[]float64{5e-324, 0}, []float64{1, 0}}, // the smallest: its reciprocal is infinite
		{[]float64{1e-310, 3e-310}, []float64{0.25, 0.75}},
	} {
		x := slices.Clone(tc.x)
		normalise(x)
		closeRows(t, fmt.Sprint(tc.x), [][]float64{x}, [][]float64{tc.want}, 1e-10)
	}
}

// The most probable marginal cannot be improved: its EM step stands still.
func TestMarginal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 26))
	rec := newRecording(4, 500)
	rec.read(randomStream(r, 4, 500), nil, 1)
	c := erring(0, 0.1, 4)
	mu := rec.marginal(c, 5)
	mass := []float64{1.25, 1.25, 1.25, 1.25}
	seen := make([]float64, 4)
	for t := range rec.steps {
		rec.observe(c, seen, t)
		addScaled(mass, 1, product(mu, seen))
	}
	closeRows(t, "mu", [][]float64{mu}, [][]float64{normalised(mass)}, 1e-5)
}

// Worked by hand: class 0 is taken for 1 alone, 1 for 0 and 2; 2 for 1. Each row gets strays of a tenth of its mass and of 0.001.
func TestConfusions(t *testing.T) {
	rec := newRecording(3, 2)
	rec.read([][]float64{{0.5, 0.5, 0}, {0, 0.8, 0.2}}, nil, 1)
	stray0, stray1, stray2 := 0.1*0.25/3+1e-3, 0.1*(0.25+0.16)/3+1e-3, 0.1*0.16/3+1e-3
	want := [][]float64{
		normalised([]float64{0, 0.25 + stray0, stray0}),
		normalised([]float64{0.25 + stray1, 0, 0.16 + stray1}),
		normalised([]float64{stray2, 0.16 + stray2, 0}),
	}
	e := rec.confusions()
	closeRows(t, "E", [][]float64{e[0:3], e[3:6], e[6:9]}, want, exact)
	closeRows(t, "E L", [][]float64{rec.row(rec.confused, 1)}, [][]float64{{
		dot(want[0], []float64{0, 0.8, 0.2}), dot(want[1], []float64{0, 0.8, 0.2}), dot(want[2], []float64{0, 0.8, 0.2}),
	}}, exact)
}
