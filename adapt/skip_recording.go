package adapt

import (
	"fmt"
	"slices"
)

// Broken, in place of a count of missed steps, says that the belief starts afresh: see [Filter.Break].
const Broken = -1

// gaps are the missed steps before each item of a recording, or Broken; nil if there are none.
type gaps []int

// checkedGaps refuses what is the caller's bug.
func checkedGaps(missed []int, items int) gaps {
	if missed != nil && len(missed) != items {
		panic(fmt.Sprintf("adapt: %d counts of missed steps for %d items", len(missed), items))
	}
	for t, m := range missed {
		if m < Broken {
			panic(fmt.Sprintf("adapt: %d missed steps before item %d", m, t))
		}
	}
	return missed
}

// at returns the gap before item t.
func (s gaps) at(t int) gap {
	if s == nil || t == 0 {
		return gap{}
	}
	if s[t] == Broken {
		return gap{fresh: true}
	}
	return gap{missed: min(s[t], mostMissed)}
}

// before prepares the causal filter for item t.
func (s gaps) before(t int, f *paper) {
	if g := s.at(t); !g.none() {
		f.skip(g)
	}
}

// ahead writes the prior of item t into dst, where p is the posterior of the item before.
func (r *recording) ahead(c *chain, dst, p []float64, t int) {
	switch g := r.between.at(t); {
	case g.fresh:
		copy(dst, c.first)
	case c.matrices == nil:
		c.ahead(dst, p, g.keep(c.stay))
	default:
		c.forward(dst, p, t)
		r.walk.far(dst, g.missed, func(dst, p []float64) { c.forward(dst, p, t) })
	}
}

// back writes into dst what v, said of item t, says of the item before, up to a factor.
func (r *recording) back(c *chain, dst, v []float64, t int) {
	c.back(&r.walk, dst, v, t, r.between.at(t))
}

// back is the same over any gap before item t.
func (c *chain) back(w *walk, dst, v []float64, t int, g gap) {
	switch {
	case g.fresh:
		fill(dst, dot(c.first, v))
	case c.matrices == nil:
		c.behind(dst, v, g.keep(c.stay))
	default:
		c.backward(dst, v, t)
		w.far(dst, g.missed, func(dst, v []float64) { c.backward(dst, v, t) })
	}
}

// reach turns the prior of a matrix that is learned online, one step ahead, into that over a gap.
func (w *walk) reach(s counter, prior, mu []float64, g gap) {
	if g.fresh {
		copy(prior, mu)
		return
	}
	w.far(prior, g.missed, func(dst, p []float64) { s.forward(dst, p, mu) })
}

// logPowers are the logarithms of powers of a matrix, kept from one step to the next as long as they are the same.
type logPowers struct {
	of1    *float64 // first entry of the matrix, which tells matrices apart
	missed int
	log    []float64
}

// of returns the logarithm of the matrix [K, K] to the power over the gap, until the next call.
func (l *logPowers) of(a []float64, n int, g gap) []float64 {
	if l.of1 != &a[0] || l.missed != g.missed {
		l.of1, l.missed, l.log = &a[0], g.missed, append(l.log[:0], a...)
		power(l.log, n, g.missed+1)
		logarithms(l.log, l.log)
	}
	return l.log
}

// power replaces the stochastic matrix a [n, n] by its m-th power, m >= 1, by squaring. Once a square is no other than its root, the
// chain has arrived.
func power(a []float64, n, m int) {
	if m == 1 {
		return
	}
	square, spare, out := slices.Clone(a), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		out[i*n+i] = 1
	}
	raise := func(x []float64) { // out times x
		multiply(spare, out, x, n)
		out, spare = spare, out
	}
	for {
		if m&1 == 1 {
			raise(square)
		}
		if m >>= 1; m == 0 {
			break
		}
		multiply(spare, square, square, n)
		arrived := distance(spare, square) < still*float64(n)
		square, spare = spare, square
		if arrived {
			raise(square)
			break
		}
	}
	copy(a, out)
}

// multiply writes x y into dst and makes the rows sum to 1; all are [n, n].
func multiply(dst, x, y []float64, n int) {
	for i := range n {
		row := dst[i*n : (i+1)*n]
		fill(row, 0)
		for k, v := range x[i*n : (i+1)*n] {
			addScaled(row, v, y[k*n:(k+1)*n])
		}
		normalise(row)
	}
}
