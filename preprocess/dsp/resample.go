package dsp

import (
	"fmt"
	"math"
)

// maxRatio bounds both sides of the ratio of two rates. 44.1 kHz to 100 Hz is 1 to 441.
const maxRatio = 10000

// Resample returns x at up/down times its rate: up and down are reduced, zeros put between the values, a low-pass at the lower of the two
// Nyquist frequencies taken (a sinc of 10 periods to each side under a Kaiser window of beta 5), and every down-th value kept. The first value
// keeps its time; there are ceil(len(x) up / down). Beyond its ends x is taken for 0. As scipy.signal.resample_poly.
func Resample(x []float64, up, down int) []float64 {
	if up < 1 || down < 1 {
		panic(fmt.Sprintf("dsp: Resample: %d to %d", down, up))
	}
	g := gcd(up, down)
	up, down = up/g, down/g
	if up == down {
		return append([]float64(nil), x...)
	}
	phases, half := polyphase(up, down)
	out := make([]float64, (len(x)*up+down-1)/down)
	for m := range out {
		// y[m] = sum over k of h[half + m down - k up] x[k]; the phase is what is left of the index of h.
		at := half + m*down
		taps := phases[at%up]
		last := at / up // k for the first tap of the phase
		lo, hi := max(0, last-len(x)+1), min(len(taps)-1, last)
		sum := 0.0
		for j := lo; j <= hi; j++ {
			sum += taps[j] * x[last-j]
		}
		out[m] = sum
	}
	return out
}

// polyphase returns the taps of the low-pass, sorted by phase: phases[p][j] is h[p + j up]; half is the index of its middle.
func polyphase(up, down int) (phases [][]float64, half int) {
	slow := max(up, down)
	half = Periods * slow
	h := make([]float64, 2*half+1)
	sum := 0.0
	for i := range h {
		r := float64(i-half) / float64(half)
		h[i] = WindowedSinc(float64(i-half)/float64(slow), r)
		sum += h[i]
	}
	phases = make([][]float64, up)
	for i, v := range h {
		// The gain at 0 Hz is 1 after the zeros between the values have taken away a factor of up.
		phases[i%up] = append(phases[i%up], v/sum*float64(up))
	}
	return phases, half
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Ratio returns to/from as a fraction in lowest terms, by continued fractions.
func Ratio(from, to float64) (up, down int, err error) {
	r := to / from
	if !(r > 1.0/maxRatio && r < maxRatio) {
		return 0, 0, fmt.Errorf("resampling from %g Hz to %g Hz: want a ratio below %d", from, to, maxRatio)
	}
	p0, q0, p1, q1 := 0, 1, 1, 0
	for x := r; ; {
		a := int(math.Floor(x))
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if p1 > maxRatio || q1 > maxRatio {
			return 0, 0, fmt.Errorf("resampling from %g Hz to %g Hz: not a ratio of whole numbers up to %d", from, to, maxRatio)
		}
		if math.Abs(float64(p1)/float64(q1)-r) <= 1e-9*r {
			return p1, q1, nil
		}
		x = 1 / (x - float64(a))
	}
}
