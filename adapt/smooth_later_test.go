package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The judge of the later editions' hindsight without gaps is testdata/hindsight_reference.py. Here each reading is enumerated as the
// documentation of Smooth has it, over gaps.

// plainReading is a reading's law over a recording, and its log evidence.
func (h *laterHindsight) plainReading(i, k int, missed []int) (l law, log float64) {
	r, fix, n, rec := h.readings[k], h.fixed[i], h.r.n, h.r
	log = math.Log(r.weight)
	like := func(t int) []float64 { return rec.row(rec.like, t) }
	relative := func(x []float64, t int) []float64 { // L from l
		out := slices.Clone(x)
		scale(out, 1/dot(fix.mu, like(t)))
		return out
	}
	erred := func(x []float64) []float64 { // O(e) x
		out := make([]float64, n)
		for j, v := range x {
			if r.confused {
				out[j] = (1-r.e)*v + r.e*dot(fix.e[j*n:(j+1)*n], x)
			} else {
				out[j] = (1-spread(r.e, n))*v + spread(r.e, n)
			}
		}
		return out
	}
	switch r.kind {
	case "none":
		l = erring(0, 0, n).written(rec)
		mass := make([]float64, n)
		for t := range rec.steps {
			if r.marginal.Pseudo == 0 {
				break
			}
			m := slices.Clone(mass)
			addScaled(m, r.marginal.Pseudo, fix.mu)
			m = normalised(m)
			log += math.Log(dot(m, like(t)) / dot(fix.mu, like(t)))
			scale(mass, 1-r.marginal.Delta)
			addScaled(mass, 1, product(m, like(t)))
		}
		return l, log
	case "persist":
		before := fix.mu
		for t := range rec.steps {
			a := gaps(missed).at(t).plainKeep(r.a)
			log += math.Log(a*dot(before, relative(like(t), t)) + 1 - a)
			before = like(t)
		}
		return h.inert.chain(r.a).written(rec).over(missed), log
	}
	c := h.chain(i, k)
	l = c.written(rec).over(missed)
	for t := range rec.steps { // under the confusions that are held
		if r.kind == "population" {
			break
		}
		m := slices.Clone(like(t))
		for j := range m {
			m[j] /= fix.lifted[j]
		}
		scale(m, 1/dot(fix.mu, m))
		l.seen[t] = erred(m)
	}
	counts := rows(n, n)
	p := fix.mu
	for t := range rec.steps {
		g, seen := gaps(missed).at(t), erred(relative(like(t), t))
		var a []float64
		for row := range n {
			for j := range n {
				switch r.kind {
				case "sticky":
					v := (1 - r.a) * fix.mu[j]
					if row == j {
						v += r.a
					}
					a = append(a, v)
				case "population":
					a = append(a, h.s.Population.Transitions[row][j])
				default:
					a = append(a, (counts[row][j]+r.beta*fix.mu[j])/(sum(counts[row])+r.beta))
				}
			}
		}
		a = plainPower(a, n, g.missed+1)
		prior := make([]float64, n)
		for row := range n {
			addScaled(prior, p[row], a[row*n:(row+1)*n])
		}
		switch {
		case g.fresh:
			prior = fix.mu // and judged as none is
		case r.kind == "sticky":
			stay := g.plainKeep(r.a)
			log += math.Log(stay*dot(p, seen) + 1 - stay)
		default:
			log += math.Log(dot(prior, seen))
		}
		post := product(prior, l.seen[t])
		if g.none() && t > 0 && (r.kind == "full" || r.kind == "drift") {
			pair := matrix(n, func(i, j int) float64 { return p[i] * a[i*n+j] * l.seen[t][j] })
			total := 0.0
			for _, row := range pair {
				total += sum(row)
			}
			for i, row := range pair {
				scale(counts[i], 1-r.gamma)
				addScaled(counts[i], 1/total, row)
			}
		}
		p = post
	}
	return l, log
}

func TestLaterHindsightWithGapsAgainstEnumeration(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 91))
		n, steps := 2+r.IntN(2), 1+r.IntN(6)
		s := randomLater(r, n)
		if seed%3 == 0 {
			s.Auto.Persist, s.Population = 0, nil // left out: the others are seen
		}
		s, err := s.Resolved(n)
		if err != nil {
			t.Fatal(err)
		}
		q, missed := randomStream(r, n, steps), randomGaps(r, steps)
		h := newLaterHindsight(n, s, q, missed, nil)
		what := fmt.Sprintf("seed %d, missed %v", seed, missed)
		var logs []float64
		var laws []law
		for i := range h.temperatures {
			h.look(i)
			for k := range h.readings {
				l, log := h.plainReading(i, k, missed)
				if h.readings[k].kind == "persist" && i != h.hot { // reads the highest temperature at each
					h.look(h.hot)
					l, _ = h.plainReading(i, k, missed)
					h.look(i)
				}
				laws, logs = append(laws, l), append(logs, log)
			}
		}
		exponentials(logs)
		closeRows(t, what+": weights", [][]float64{h.weights}, [][]float64{logs}, 1e-11)
		want := rows(steps, n)
		for k, l := range laws {
			post, _ := l.posteriors()
			for t, row := range post {
				if kind := h.readings[k%len(h.readings)].kind; kind == "none" || kind == "persist" {
					unsharpen(row, h.sharp)
				}
				addScaled(want[t], logs[k], row)
			}
		}
		got, path := rows(steps, n), make([]int, steps)
		if _, err := SmoothGaps(n, s, got, q, missed); err != nil {
			t.Fatal(err)
		}
		closeRows(t, what, got, want, 1e-11)
		info, err := ViterbiGaps(n, s, path, q, missed)
		if err != nil {
			t.Fatal(err)
		}
		h.checkPath(t, what, laws, logs, path, info)
	}
}

// checkPath reports a path that is not the best of the heaviest account, those that answer alike being one.
func (h *laterHindsight) checkPath(t *testing.T, what string, laws []law, weights []float64, path []int, info Smoothed) {
	t.Helper()
	total, first := map[string]float64{}, map[string]int{}
	heaviest := ""
	for k, w := range weights {
		r := h.readings[k%len(h.readings)]
		name := fmt.Sprint(k)
		switch r.kind {
		case "none":
			name = "none"
		case "persist":
			name = fmt.Sprint("persist", r.a)
		}
		total[name] += w
		if _, ok := first[name]; !ok {
			first[name] = k
		}
	}
	for name, w := range total {
		if heaviest == "" || w > total[heaviest] {
			heaviest = name
		}
	}
	k := first[heaviest]
	if h.readings[k%len(h.readings)].kind == "persist" {
		if h.inert.share == 0 {
			k = 0 // none, whatever the temperature
		}
	}
	checkBest(t, what+" "+heaviest, laws[k], path)
}
