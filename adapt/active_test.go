package adapt

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// plainActive is activePairs written out: the matrix over all classes, which is made what it lumps together before and after each step.
type plainActive struct {
	gamma, beta float64
	c           [][]float64
	p           []float64
	started     bool
	most        int
	active      map[int]bool
	order       []int // of those, first come first
}

// admit lets classes in one after another, each in place of the weakest.
func (s *plainActive) admit(p []float64) {
	weight := func(i int) float64 { return p[i] + sum(s.c[i]) }
	for j := range p {
		weakest, full := 0, len(s.order) == s.most
		for k, i := range s.order {
			if weight(i) < nearlyEqual*weight(s.order[weakest]) {
				weakest = k
			}
		}
		if s.active[j] || !(weight(j) > leastActive) || full && !(weight(j) > hysteresis*weight(s.order[weakest])) {
			continue
		}
		s.active[j] = true
		if !full {
			s.order = append(s.order, j)
			continue
		}
		delete(s.active, s.order[weakest])
		s.order[weakest] = j
		s.lump()
	}
}

// lump gives all that is not in active rows that are proportional to each other, and columns.
func (s *plainActive) lump() {
	n, active := len(s.c), s.active
	rows, columns := make([]float64, n), make([]float64, n)
	row, column := make([]float64, n), make([]float64, n) // C_Rj and C_iR
	ofRow, ofColumn, both := 0.0, 0.0, 0.0
	for i := range n {
		for j, v := range s.c[i] {
			rows[i] += v
			columns[j] += v
			if !active[i] {
				row[j] += v
				ofRow += v
			}
			if !active[j] {
				column[i] += v
				ofColumn += v
				if !active[i] {
					both += v
				}
			}
		}
	}
	over := func(x, y float64) float64 {
		if y == 0 {
			return 0
		}
		return x / y
	}
	for i := range n {
		for j := range n {
			switch {
			case active[i] && active[j]:
			case active[i]:
				s.c[i][j] = column[i] * over(columns[j], ofColumn)
			case active[j]:
				s.c[i][j] = rows[i] * over(row[j], ofRow)
			default:
				s.c[i][j] = rows[i] * over(both, ofRow) * over(columns[j], ofColumn)
			}
		}
	}
}

func (s *plainActive) transitions(mu []float64) [][]float64 {
	return matrix(len(s.c), func(i, j int) float64 { return (s.c[i][j] + s.beta*mu[j]) / (sum(s.c[i]) + s.beta) })
}

func (s *plainActive) prior(mu []float64) []float64 {
	out := make([]float64, len(s.p))
	for i, row := range s.transitions(mu) {
		addScaled(out, s.p[i], row)
	}
	return out
}

// step learns from what is told and sets p.
func (s *plainActive) step(told, mu []float64, gap bool) {
	prior := s.prior(mu)
	norm, p := 1/dot(prior, told), make([]float64, len(prior))
	for j, v := range prior {
		p[j] = v * told[j] * norm
	}
	s.admit(p)
	a := s.transitions(mu)
	if s.started && !gap {
		for i := range s.c {
			for j := range s.c {
				s.c[i][j] = (1-s.gamma)*s.c[i][j] + s.p[i]*a[i][j]*told[j]*norm
			}
		}
		s.lump()
	}
	s.p, s.started = p, true
}

// told draws what an item tells, with a mean of 1 under mu: about one class, some or all, which stay the same for a while.
func drawTold(r *rand.Rand, mu []float64, near int) []float64 {
	n := len(mu)
	told := make([]float64, n)
	for j := range told {
		told[j] = math.Exp(r.NormFloat64()) * []float64{1, 1e-3, 0}[r.IntN(3)]
	}
	told[near] += math.Exp(4 + 2*r.NormFloat64())
	scale(told, 1/dot(mu, told))
	return told
}

func TestActivePairsAgreeWithTheirPlainTwin(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 140))
		n := 3 + r.IntN(12)
		most := 1 + r.IntN(n-1)
		mu := normalised(softmaxAround(r, n, 0))
		gamma, beta := []float64{0, 0.01, 0.3}[r.IntN(3)], 0.1+r.Float64()
		fast := newActivePairs(n, most, gamma, beta)
		plain := &plainActive{gamma: gamma, beta: beta, c: matrix(n, func(i, j int) float64 { return 0 }), p: uniform(n), most: most, active: map[int]bool{}}
		fast.reset(plain.p)
		prior, row, base, near := make([]float64, n), make([]float64, n), make([]float64, n), 0
		for step := range 200 {
			what := fmt.Sprintf("seed %d, %d of %d, step %d", seed, most, n, step)
			fast.predict(prior, mu)
			compare(t, what+": prior", prior, plain.prior(mu))
			fast.forward(row, plain.p, mu)
			compare(t, what+": forward", row, plain.prior(mu))
			if r.IntN(4) == 0 {
				near = r.IntN(1 + r.IntN(n))
			}
			told := drawTold(r, mu, near)
			norm, p, gap := 1/dot(prior, told), make([]float64, n), r.IntN(10) == 0
			for j, v := range prior {
				p[j], base[j] = v*told[j]*norm, mu[j]*told[j]
			}
			if gap {
				fast.skip(p)
			} else {
				fast.learn(told, base, norm, p)
			}
			plain.step(told, mu, gap)
			compare(t, what+": p", p, plain.p)
			for i := range n {
				fast.counts(row, i)
				compare(t, fmt.Sprintf("%s: row %d", what, i), row, plain.c[i])
				compare(t, what+": diagonal", []float64{fast.own(i), fast.sizes()[i]}, []float64{plain.c[i][i], sum(plain.c[i])})
			}
			if err := fast.consistent(p); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
}

// With room for every class, and all of them seen, nothing is lumped together.
func TestActivePairsOfAllClassesArePairs(t *testing.T) {
	const n = 9
	r := rand.New(rand.NewPCG(3, 141))
	mu := normalised(softmaxAround(r, n, 0))
	few, all := newActivePairs(n, n, 0.01, 1), newPairs(n, 0.01, 1)
	few.reset(uniform(n))
	all.reset(uniform(n))
	x, y, base := make([]float64, n), make([]float64, n), make([]float64, n)
	for step := range 300 {
		few.predict(x, mu)
		all.predict(y, mu)
		compare(t, fmt.Sprintf("prior of step %d", step), x, y)
		told := drawTold(r, mu, step%n)
		for j, v := range told {
			told[j] = v + 0.1
		}
		norm, p := 1/dot(y, told), make([]float64, n)
		for j, v := range y {
			p[j], base[j] = v*told[j]*norm, mu[j]*told[j]
		}
		few.learn(told, base, norm, p)
		all.learn(told, base, norm, p)
	}
	if few.used != n {
		t.Errorf("%d classes are active, want %d", few.used, n)
	}
}

// lumped are settings under which a matrix keeps so many classes apart.
func lumped(active int) Settings {
	a := DefaultAuto()
	a.Active = active
	return Settings{Auto: &a}
}

// Up to 64 classes nothing changed: the default is to the bit the matrix over all classes.
func TestUpTo64ClassesAllAreActive(t *testing.T) {
	for _, n := range []int{2, 10, 64} {
		f, all := newFilter(t, n, Settings{}), newFilter(t, n, lumped(MaxClasses))
		x, y := make([]float64, n), make([]float64, n)
		for i, q := range randomStream(rand.New(rand.NewPCG(2, 142)), n, 200) {
			if d, e := f.Step(x, q), all.Step(y, q); d != e || !slices.Equal(x, y) {
				t.Fatalf("K %d, step %d: %v, all apart %v", n, i, d, e)
			}
		}
	}
	for n, want := range map[int]int{64: 0, 65: 64, 1000: 64} {
		if got := newFilter(t, n, Settings{}).Settings().Auto.Active; got != want {
			t.Errorf("%d classes: %d active, want %d", n, got, want)
		}
	}
}

// returning is a stream that shows so many classes for long, others for a while, and comes back.
func returning(r *rand.Rand, classes, shown, steps int) [][]float64 {
	out, y := make([][]float64, steps), 0
	for t := range out {
		first := t / 100 % 2 * shown
		switch {
		case r.IntN(3) > 0:
			y = first + (y+1)%shown
		default:
			y = first + r.IntN(shown)
		}
		q := softmaxAround(r, classes, y%classes)
		if r.IntN(2) == 0 {
			for j := range q {
				q[j] *= q[j]
			}
			q = normalised(q)
		}
		out[t] = q
	}
	return out
}

// Whatever the stream shows, answers are probabilities, states are sound and restored ones go on to the bit, over gaps and known labels.
func TestActiveStreams(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 143))
		n, active := 66+r.IntN(60), []int{0, 1, 5, 64}[seed%4]
		s := lumped(active)
		if seed%3 == 0 {
			s.Auto.FullErrors = []float64{0, 0.2}
			s.Auto.Gamma = 0.2
		}
		f := newFilter(t, n, s)
		dst, want, missed := make([]float64, n), make([]float64, n), randomGaps(r, 400)
		for i, q := range returning(r, n, 1+r.IntN(n/2), 400) {
			if r.IntN(7) == 0 {
				q = sparseItem(r, n)
			}
			tell(f, missed[i])
			g := f
			if i%20 == 0 {
				g = restored(t, f)
			}
			step := func(f *Filter, dst []float64) Diagnostics { return f.Step(dst, q) }
			if i%11 == 0 {
				step = func(f *Filter, dst []float64) Diagnostics { return f.StepKnown(dst, i%n) }
			}
			d := step(f, dst)
			if err := Check(dst, n); err != nil || !(d.Gate >= 0 && d.Gate <= 1+exact) {
				t.Fatalf("seed %d, step %d: gate %g: %v", seed, i, d.Gate, err)
			}
			if g == f {
				continue
			}
			if e := step(g, want); d != e || !slices.Equal(dst, want) {
				t.Fatalf("seed %d, step %d: %v, restored %v", seed, i, d, e)
			}
			f = g
		}
		a := f.Transitions(nil)
		trace, m := 0.0, f.mode.(*mixture)
		for i := range n {
			trace += a[i*n+i]
			if v := sum(a[i*n : i*n+n]); math.Abs(v-1) > exact {
				t.Errorf("seed %d: row %d sums to %g", seed, i, v)
			}
		}
		if got := f.Gain(); math.Abs(got-(trace-1)/float64(n)) > 1e-9 {
			t.Errorf("seed %d: gain %g, of the diagonal %g", seed, got, (trace-1)/float64(n))
		}
		at, full := m.likeliest()
		at.marginal()
		full.pairs.predict(want, at.mu)
		clear(dst)
		for i, v := range full.p {
			addScaled(dst, v, a[i*n:i*n+n])
		}
		compare(t, fmt.Sprintf("seed %d: prior", seed), dst, want)
		if _, l := m.likeliest(); !slices.Equal(f.SampleSizes(nil), l.pairs.sizes()) {
			t.Errorf("seed %d: sample sizes", seed)
		}
	}
}

// Counts decay for a hundred thousand steps without a class that was seen once, and neither sums nor speed suffer.
func TestActiveOverALongTime(t *testing.T) {
	const n = 80
	f := newFilter(t, n, lumped(8))
	dst, r := make([]float64, n), rand.New(rand.NewPCG(1, 144))
	for i := range 100_000 {
		q := make([]float64, n)
		switch {
		case i < 100 || i%20_000 < 50:
			q = softmaxAround(r, n, r.IntN(n))
		default:
			q[i/7%3] = 1
		}
		f.Step(dst, q)
		if i%9_973 == 0 {
			f = restored(t, f)
		}
	}
	for _, at := range f.mode.(*mixture).at {
		s := at.fulls[0].pairs.(*activePairs)
		for _, x := range [][]float64{s.c, s.rows, s.columns} {
			for i, v := range x {
				if v > 0 && v < 0x1p-1022 {
					t.Fatalf("entry %d is %g", i, v)
				}
			}
		}
	}
}

func TestActiveStepsAllocateNothing(t *testing.T) {
	f, stream := newFilter(t, 200, Settings{}), returning(rand.New(rand.NewPCG(3, 4)), 200, 90, 256)
	dst, i := make([]float64, 200), 0
	if n := testing.AllocsPerRun(500, func() {
		if i%50 == 49 {
			f.Skip(2)
		}
		f.Step(dst, stream[i%256])
		i++
	}); n != 0 {
		t.Errorf("%g allocations a step, want 0", n)
	}
}

// Streams that began before matrices were lumped go on as they began.
func TestSnapshotsFromBeforeActive(t *testing.T) {
	const n = 70
	f := newFilter(t, n, lumped(n))
	dst, want := make([]float64, n), make([]float64, n)
	stream := randomStream(rand.New(rand.NewPCG(3, 145)), n, 60)
	for _, q := range stream[:30] {
		f.Step(dst, q)
	}
	data := marshalled(t, f)
	text := string(data)
	old := []byte(strings.Replace(text, fmt.Sprintf(`,"active":%d`, n), "", 1))
	binary.LittleEndian.PutUint32(old[8:], 4)
	binary.LittleEndian.PutUint32(old[24:], binary.LittleEndian.Uint32(old[24:])-uint32(len(data)-len(old)))
	g, err := Restore(resum(old))
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range stream[30:] {
		if d, e := g.Step(dst, q), f.Step(want, q); d != e || !slices.Equal(dst, want) {
			t.Fatalf("step %d: %v, undisturbed %v", i, d, e)
		}
	}
	if small, all := len(marshalled(t, newFilter(t, 1000, Settings{}))), len(marshalled(t, newFilter(t, 1000, lumped(1000)))); small > all/25 {
		t.Errorf("a snapshot of a thousand classes takes %d bytes, all apart %d", small, all)
	}
}

func TestForgedActiveStates(t *testing.T) {
	for want, change := range map[string]func(s *activePairs){
		"active twice":         func(s *activePairs) { s.classes[1] = s.classes[2] },
		"of an active class":   func(s *activePairs) { s.columns[s.classes[1]] = 1 },
		"row sums of the rest": func(s *activePairs) { s.row(0)[0] += 1 },
		"column sums of":       func(s *activePairs) { s.row(1)[0], s.row(1)[1] = s.row(1)[1], s.row(1)[0] },
		"row sum":              func(s *activePairs) { s.rows[s.classes[1]] *= 2 },
		"active class is out":  func(s *activePairs) { s.classes[1] = 70 },
		"active classes is":    func(s *activePairs) { s.used = 9 },
	} {
		f := newFilter(t, 70, lumped(8))
		dst := make([]float64, 70)
		for _, q := range returning(rand.New(rand.NewPCG(6, 146)), 70, 30, 60) {
			f.Step(dst, q)
		}
		s := f.mode.(*mixture).at[0].fulls[0].pairs.(*activePairs)
		change(s)
		if _, err := f.MarshalBinary(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Hindsight has matrices of its own, over all classes, whatever the filter keeps apart.
func TestHindsightKeepsAllApart(t *testing.T) {
	const n = 70
	q := returning(rand.New(rand.NewPCG(7, 147)), n, 20, 60)
	few, all := rows(len(q), n), rows(len(q), n)
	path, want := make([]int, len(q)), make([]int, len(q))
	for i, s := range []Settings{lumped(8), lumped(n)} {
		if _, err := Smooth(n, s, [][][]float64{few, all}[i], q); err != nil {
			t.Fatal(err)
		}
		if _, err := Viterbi(n, s, [][]int{path, want}[i], q); err != nil {
			t.Fatal(err)
		}
	}
	for i := range q {
		if !slices.Equal(few[i], all[i]) {
			t.Fatalf("item %d: %v, all apart %v", i, few[i], all[i])
		}
	}
	if !slices.Equal(path, want) {
		t.Errorf("path %v, all apart %v", path, want)
	}
}

// A lag of 0 is the filter, to the bit, and one of a few items is sound.
func TestLagOfManyClasses(t *testing.T) {
	const n = 70
	f := newFilter(t, n, lumped(8))
	none, err := NewLagged(n, lumped(8), 0)
	if err != nil {
		t.Fatal(err)
	}
	some, err := NewLagged(n, lumped(8), 3)
	if err != nil {
		t.Fatal(err)
	}
	want, got, late := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, q := range returning(rand.New(rand.NewPCG(8, 148)), n, 20, 60) {
		f.Step(want, q)
		if none.Step(got, q); !slices.Equal(got, want) {
			t.Fatalf("step %d: %v, want %v", i, got, want)
		}
		if _, ok := some.Step(late, q); ok {
			if err := Check(late, n); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
	}
}
