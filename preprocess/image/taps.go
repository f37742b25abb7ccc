package image

import "math"

// precision is the number of fractional bits of a coefficient: Pillow's PRECISION_BITS, 32 minus 8 for the result minus 2
// for filters whose sums leave the range of a byte.
const precision = 32 - 8 - 2

// taps says, for every output position along one axis, which source positions it sums and with which weights.
type taps struct {
	spans   []span
	coeff   []int32   // in units of 2^-precision
	weights []float64 // of the position that is being set
}

// span is the sum of one output position: coeff[at:at+n] weigh the source positions first to first+n-1.
type span struct{ first, n, at int }

// shift moves the origin of the source positions to lo.
func (t *taps) shift(lo int) {
	for i := range t.spans {
		t.spans[i].first -= lo
	}
}

// extent returns the half-open range of source positions that any output position needs. Spans never run backwards.
func (t *taps) extent() (lo, hi int) {
	last := t.spans[len(t.spans)-1]
	return t.spans[0].first, last.first + last.n
}

// set makes the taps those of output positions first to first+count-1 when src positions are resized to dst. It reuses their
// memory.
func (t *taps) set(src, dst, first, count int, by Interpolation) {
	t.spans, t.coeff = resize(t.spans, count), t.coeff[:0]
	if by == Nearest {
		t.nearest(src, dst, first, count)
		return
	}
	f := filters[by]
	scale := float64(src) / float64(dst)
	stretch := max(scale, 1) // a reduction widens the filter, an enlargement does not
	// Here and below, products are converted to float64 to keep the compiler from fusing them with a sum, as it would on some
	// processors: the coefficients would then depend on the machine.
	support := float64(f.support * stretch)
	for i := range t.spans {
		center := float64((float64(first+i) + 0.5) * scale)
		lo := max(int(center-support+0.5), 0)
		hi := min(int(center+support+0.5), src)
		t.weights = t.weights[:0]
		for x := lo; x < hi; x++ {
			t.weights = append(t.weights, f.at(float64((float64(x)-center+0.5)*(1/stretch))))
		}
		t.spans[i] = span{first: lo, n: hi - lo, at: len(t.coeff)}
		t.coeff = appendFixed(t.coeff, t.weights)
		if len(t.coeff)%2 == 1 {
			t.coeff = append(t.coeff, 0) // kernels take two at a time
		}
	}
}

// appendFixed normalises the weights to sum 1 in double precision, then rounds each to fixed point, halves away from zero:
// the order in which Pillow does it, so that the rounded coefficients need not sum to exactly one.
func appendFixed(coeff []int32, weights []float64) []int32 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for _, w := range weights {
		if sum != 0 {
			w /= sum
		}
		w = float64(w * (1 << precision))
		coeff = append(coeff, int32(w+math.Copysign(0.5, w)))
	}
	return coeff
}

// nearest takes the source pixel under the centre of each output pixel. Pillow finds it by adding up the scale, and
// rounding errors of that sum decide ties; hence the loop from zero.
func (t *taps) nearest(src, dst, first, count int) {
	t.coeff = append(t.coeff, 1<<precision, 0)
	scale := float64(src) / float64(dst)
	x := float64(scale * 0.5)
	for i := range first + count {
		if i >= first {
			t.spans[i-first] = span{first: min(int(x), src-1), n: 1}
		}
		x += scale
	}
}

// filter is a kernel and the distance, in output pixels, at which it ends.
type filter struct {
	support float64
	at      func(float64) float64
}

// The kernels of Pillow's src/libImaging/Resample.c, by Interpolation; Nearest is none.
var filters = [...]filter{
	Bilinear: {1, triangle},
	Bicubic:  {2, cubic},
	Box:      {0.5, box},
	Hamming:  {1, hamming},
	Lanczos:  {3, lanczos},
}

func triangle(x float64) float64 { return max(1-math.Abs(x), 0) }

// cubic is Keys' cubic convolution with a = -0.5.
func cubic(x float64) float64 {
	const a = -0.5
	x = math.Abs(x)
	switch {
	case x < 1:
		return float64(float64((float64((a+2)*x)-(a+3))*x)*x) + 1
	case x < 2:
		return (float64((float64((x-5)*x)+8)*x) - 4) * a
	}
	return 0
}

func box(x float64) float64 {
	if -0.5 < x && x <= 0.5 {
		return 1
	}
	return 0
}

func hamming(x float64) float64 {
	x = math.Abs(x)
	if x >= 1 {
		return 0
	}
	return sinc(x) * (0.54 + float64(0.46*math.Cos(x*math.Pi)))
}

func lanczos(x float64) float64 {
	if -3 <= x && x < 3 {
		return sinc(x) * sinc(x/3)
	}
	return 0
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x *= math.Pi
	return math.Sin(x) / x
}
