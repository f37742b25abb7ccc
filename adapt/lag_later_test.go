package adapt

import (
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"testing"
)

// enumerated is the answer to item s as the documentation of Lagged has it, each reading by enumeration, under what the window holds now.
func (p *windowPast) enumerated(s Settings, q [][]float64, item int) []float64 {
	n := len(p.q)
	h := &laterHindsight{
		account: p.account, s: s, q: q, r: newRecording(n, len(q)), sharp: p.b, hot: p.hot, inert: p.inert, lift: newLift(n, len(q)), row: make([]float64, n),
	}
	if s.Population != nil {
		h.freq = newLift(n, len(q))
	}
	missed := p.missed[:p.items]
	h.r.between = missed
	for _, k := range p.at {
		h.temperatures, h.fixed = append(h.temperatures, k.factor/p.b), append(h.fixed, k.fixed)
	}
	var logs []float64
	var answers [][]float64
	for i := range p.at {
		for k, r := range h.readings {
			h.look(i)
			l, log := h.plainReading(i, k, missed)
			switch r.kind {
			case "persist":
				h.look(h.hot)
				l, _ = h.plainReading(i, k, missed)
			case "population": // goes a step to the first item, too
				l.first = product(l.first, uniform(n))
				first := make([]float64, n)
				for j, v := range l.first {
					addScaled(first, v, s.Population.Transitions[j])
				}
				l.first = first
			}
			post, _ := l.posteriors()
			answer := post[item]
			if r.kind == "none" || r.kind == "persist" {
				unsharpen(answer, p.b)
			}
			logs, answers = append(logs, log), append(answers, answer)
		}
	}
	exponentials(logs)
	out, each := make([]float64, n), len(h.readings)
	for k, w := range logs {
		r, all := h.readings[k%each], w
		if r.kind == "persist" {
			all = 0
			for other := k % each; other < len(logs); other += each {
				all += logs[other]
			}
		}
		if r.kind == "none" || all >= lagLiveness {
			addScaled(out, w, answers[k])
		}
	}
	return normalised(out)
}

func TestLaggedLaterAgainstEnumeration(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 92))
		n, steps := 2+r.IntN(2), 1+r.IntN(6)
		s := randomLater(r, n)
		s.Auto.Full = 0 // the learned matrices change as the stream goes; their chains are the golden's
		s, err := s.Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q, missed := randomStream(r, n, steps), randomGaps(r, steps)
		lag := 1 + r.IntN(steps+2)
		l, dst := newLagged(t, n, s, lag), make([]float64, n)
		what := fmt.Sprintf("seed %d, lag %d, missed %v", seed, lag, missed)
		done := 0
		check := func(end int) {
			want := l.past.(*windowPast).enumerated(s, q[:end], done)
			closeRows(t, fmt.Sprintf("%s, item %d", what, done), [][]float64{dst}, [][]float64{want}, 1e-11)
			done++
		}
		for i, row := range q {
			tell(l, missed[i])
			if _, ok := l.Step(dst, row); ok {
				check(i + 1)
			}
		}
		for {
			if _, ok := l.Flush(dst); !ok {
				break
			}
			check(steps)
		}
		if done != steps {
			t.Fatalf("%s: %d answers", what, done)
		}
	}
}

// A lag longer than the usual window has one that spans it; and what came before the window does not matter.
func TestLaggedLaterForgetsWhatIsBeforeTheWindow(t *testing.T) {
	const n = 3
	r := rand.New(rand.NewPCG(7, 93))
	q := randomStream(r, n, 900)
	for _, lag := range []int{1, 20, 255, 300} {
		size, most := windowOf(lag)
		whole := laggedAll(t, Settings{}, lag, q)
		if got, want := len(whole), len(q); got != want {
			t.Fatalf("lag %d: %d answers, want %d", lag, got, want)
		}
		late := laggedAll(t, Settings{}, lag, q[len(q)-size:]) // at the end the window is read anew
		closeRows(t, fmt.Sprintf("lag %d", lag), whole[len(q)-lag:], late[size-lag:], exact)
		if most <= size || size <= lag {
			t.Errorf("lag %d: a window of %d, at most %d", lag, size, most)
		}
	}
}

// Many classes have no learned matrices in the window, and zeros, certain and floored predictions are taken.
func TestLaggedLaterAtTheExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 94))
	const n = 40
	var q [][]float64
	for i := range 60 {
		row := make([]float64, n)
		row[r.IntN(n)] = 1
		if i%3 == 0 {
			row[i%n] += 1
			row = normalised(row)
		}
		q = append(q, row)
	}
	for _, s := range []Settings{{}, {Floor: 1e-10}, {Temperature: 0.01}, {Population: randomPopulation(r, n)}} {
		for i, row := range laggedAll(t, s, 4, q) {
			if err := Check(row, n); err != nil {
				t.Fatalf("%+v, item %d: %v", s, i, err)
			}
		}
	}
	l := newLagged(t, n, Settings{}, 4)
	for _, r := range l.past.(*windowPast).readings {
		if r.kind == "full" || r.kind == "drift" {
			t.Fatalf("%s with %d classes", r.kind, n)
		}
	}
}

// What a lag is said to take is what it takes, but for scratch of its readings and the headers of its rows.
func TestLaggedLaterBytes(t *testing.T) {
	for _, classes := range []int{20, 200} {
		s, err := Settings{}.Resolved(classes)
		if err != nil {
			t.Fatal(err)
		}
		f := newFilter(t, classes, s)
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		newWindowPast(f, 30)
		goruntime.ReadMemStats(&after)
		got, want := float64(after.TotalAlloc-before.TotalAlloc), windowBytes(classes, 30, s)
		if !(got > want && got < 1.35*want) {
			t.Errorf("%d classes: %.0f bytes, said to be %.0f", classes, got, want)
		}
	}
}

// Gaps allocate nothing either.
func TestLaggedLaterAllocatesNothingOverGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 95))
	l := newLagged(t, 5, Settings{Population: randomPopulation(r, 5)}, 6)
	q, missed := randomStream(r, 5, 400), randomGaps(r, 400)
	dst, i := make([]float64, 5), 0
	if allocs := testing.AllocsPerRun(300, func() {
		tell(l, missed[i])
		l.Step(dst, q[i])
		i++
	}); allocs != 0 {
		t.Errorf("%g allocations a step, want 0", allocs)
	}
}

func TestLaggedLaterIsBetweenTheFilterAndHindsight(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 96))
	const n, steps, lag = 6, 1500, 10
	q, truth, y := make([][]float64, steps), make([]int, steps), 0
	for i := range q {
		if r.Float64() < 0.1 {
			y = r.IntN(n)
		}
		q[i], truth[i] = make([]float64, n), y
		for k := range q[i] {
			q[i][k] = r.ExpFloat64()
		}
		q[i][y] *= 3
		q[i] = normalised(q[i])
	}
	share := func(answers [][]float64) (right float64) {
		for i, row := range answers {
			right += hit(row, truth[i]) / steps
		}
		return right
	}
	smoothed, _ := smooth(t, Settings{}, q)
	causal, late, whole := share(laggedAll(t, Settings{}, 0, q)), share(laggedAll(t, Settings{}, lag, q)), share(smoothed)
	if !(causal+0.02 < late && late < whole+0.01) {
		t.Errorf("accuracy %.3f causal, %.3f with a lag of %d, %.3f in hindsight", causal, late, lag, whole)
	}
}
