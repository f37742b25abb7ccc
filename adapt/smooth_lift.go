package adapt

// lift is what the chains of later editions read from a recording in place of L: L over a marginal, M_t = L_t inv scaled to <mu, M_t> = 1, and
// of a recording's confusions E M_t. The second is in recording.confused.
type lift struct {
	inv   []float64 // [K] reciprocal of the marginal
	scale []float64 // [T]
}

func newLift(classes, steps int) *lift {
	return &lift{inv: make([]float64, classes), scale: make([]float64, steps)}
}

// observeLift writes into dst trust M + floor + mixed E M of item t, where like is L_t and confused is E M_t.
func (c *chain) observeLift(dst, like, confused []float64, t int) {
	by := c.trust * c.lift.scale[t]
	inv := c.lift.inv[:len(like)]
	for j, v := range like {
		dst[j] = by*v*inv[j] + c.floor
	}
	if c.mixed > 0 {
		addScaled(dst, c.mixed, confused)
	}
}

// over sets the lift of all items to that over a marginal.
func (l *lift) over(r *recording, mu, marginal []float64) {
	for j, v := range marginal {
		l.inv[j] = 1 / v
	}
	for t := range r.steps {
		total := 0.0
		for j, v := range r.row(r.like, t) {
			total += mu[j] * v * l.inv[j]
		}
		l.scale[t] = 1 / total
	}
}

// confuse sets all E M_t.
func (l *lift) confuse(r *recording, e []float64) {
	if r.confused == nil {
		r.confused = make([]float64, len(r.like))
	}
	for t := range r.steps {
		for j, v := range r.row(r.like, t) {
			r.seen[j] = v * l.inv[j] * l.scale[t]
		}
		times(r.row(r.confused, t), e, r.seen)
	}
}
