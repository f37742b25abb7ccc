package adapt

import "math"

// walk forms powers of a transition matrix times a vector; it holds the scratch for that.
type walk struct{ next, mean []float64 } // [K]

func newWalk(classes int) walk { return walk{make([]float64, classes), make([]float64, classes)} }

const (
	still      = 1e-13   // movement of a distribution, in sum over the classes, at which it has arrived
	leastWalk  = 64      // steps that are taken one by one, at least
	walkWork   = 1 << 23 // multiplications that they may take, beyond those
	oneHeading = 0.9     // cosine from which a movement is in one direction
)

// steps is how many steps are taken one by one.
func (w *walk) steps() int {
	n := len(w.next)
	return max(leastWalk, walkWork/(n*n))
}

// far replaces p by B^n p, normalised, where once writes B p into dst: B is A' for a distribution, and A for looking back.
func (w *walk) far(p []float64, n int, once func(dst, p []float64)) {
	if n == 0 {
		return
	}
	exact := min(n, w.steps())
	normalise(p)
	fill(w.mean, 0)
	before, change := 0.0, 0.0
	late := exact / 2 // what decays fast would only blur the mean
	for i := range exact {
		once(w.next, p)
		normalise(w.next)
		before, change = change, distance(w.next, p)
		if i >= late {
			addScaled(w.mean, 1/float64(exact-late), p)
		}
		w.take(p)
		if change < still {
			return
		}
	}
	if n > exact {
		w.rest(p, n-exact, change/before)
	}
}

// take copies the next distribution into p and leaves the step between the two in next.
func (w *walk) take(p []float64) {
	for j, v := range w.next {
		w.next[j], p[j] = v-p[j], v
	}
}

// rest goes n more steps without taking them. The last one was shorter than that before by the ratio. If p moves away from where it
// has been on average, the slowest eigenvector alone is left to decay and each step is shorter by the same ratio. Else p moves in
// circles.
func (w *walk) rest(p []float64, n int, ratio float64) {
	along, way, step := 0.0, 0.0, 0.0
	for j, d := range w.next {
		r := p[j] - w.mean[j]
		along, way, step = along+r*d, way+r*r, step+d*d
	}
	if !(ratio < 1 && along > oneHeading*math.Sqrt(way*step)) {
		copy(p, w.mean)
		return
	}
	addScaled(p, ratio*(1-math.Pow(ratio, float64(n)))/(1-ratio), w.next)
	for j, v := range p {
		p[j] = max(v, 0)
	}
	normalise(p)
}

// distance is the sum of the absolute differences.
func distance(x, y []float64) (d float64) {
	y = y[:len(x)]
	for i, v := range x {
		d += math.Abs(v - y[i])
	}
	return d
}
