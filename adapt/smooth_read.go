package adapt

import "math"

// read sets all L_t to those of q at a temperature, and all E L_t.
func (r *recording) read(q [][]float64, inv []float64, temperature float64) {
	for t, v := range q {
		if r.sure(t) {
			copy(r.row(r.like, t), v)
			continue
		}
		logs(r.seen, v)
		likelihood(r.row(r.like, t), v, r.seen, inv, temperature)
	}
	e := r.confusions()
	if r.confused == nil {
		r.confused = make([]float64, len(r.like))
	}
	for t := range r.steps {
		times(r.row(r.confused, t), e, r.row(r.like, t))
	}
}

// How much of a class' errors may go anywhere, beside where the predictor hesitates: this share of them, and this many per class.
const (
	strayShare = 0.1
	strayCount = 1e-3
)

// confusions returns E [K, K]: row y is the distribution of the class that is seen in place of y. Classes between which the predictor
// hesitates, both likely for the same item, are those that it takes for each other. No labels are needed for that, and no order: E
// is the same for any order of the items, so that a hypothesis about order gains nothing from having it.
func (r *recording) confusions() []float64 {
	e := make([]float64, r.n*r.n)
	r.setConfusions(e)
	return e
}

// setConfusions sets e to E.
func (r *recording) setConfusions(e []float64) {
	n := r.n
	clear(e)
	for t := range r.steps {
		like := r.row(r.like, t)
		for i, v := range like {
			addScaled(e[i*n:(i+1)*n], v, like)
		}
	}
	for i := range n {
		row := e[i*n : (i+1)*n]
		row[i] = 0
		stray := strayShare*sum(row)/float64(n) + strayCount
		for j := range row {
			if j != i {
				row[j] += stray
			}
		}
		normalise(row) // but for a single class, which is never mistaken
	}
}

// marginal returns the most probable class frequencies mu, given what a chain reads from the items and pseudo observations of the
// uniform, by EM. The objective is concave: there is one answer, and it is positive everywhere.
func (r *recording) marginal(c *chain, pseudo float64) []float64 {
	mu := make([]float64, r.n)
	r.setMarginal(mu, make([]float64, r.n), uniformOver(r.n), pseudo, func(t int) { r.observe(c, r.seen, t) })
	return mu
}

// setMarginal sets mu to the same under pseudo observations of prior, where observe sets seen to what is read from item t. The mass [K] is
// scratch.
func (r *recording) setMarginal(mu, mass, prior []float64, pseudo float64, observe func(t int)) {
	copy(mu, prior)
	for range marginalPasses {
		setScaled(mass, pseudo, prior)
		for t := range r.steps {
			observe(t)
			norm := 1 / dot(mu, r.seen)
			for j, v := range r.seen {
				mass[j] += v * mu[j] * norm
			}
		}
		scale(mass, 1/(float64(r.steps)+pseudo))
		moved := 0.0
		for j, v := range mass {
			moved += math.Abs(v - mu[j])
		}
		copy(mu, mass)
		if moved < marginalStill {
			break
		}
	}
}

const (
	marginalPasses = 200
	marginalStill  = 1e-6 // total movement of mu at which EM ends
)
