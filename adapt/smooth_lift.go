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

// observe writes into dst trust M + floor of item t, where like is L_t.
func (l *lift) observe(dst, like []float64, t int, trust, floor float64) {
	by := trust * l.scale[t]
	inv := l.inv[:len(like)]
	for j, v := range like {
		dst[j] = by*v*inv[j] + floor
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
