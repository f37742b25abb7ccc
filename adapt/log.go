package adapt

import "math"

// The logarithms of K predictions are most of a small step. math.Log divides; the one here looks its reciprocal up, as libraries of C do:
// with x = 2^k z, and c the middle of the one of 128 intervals that z lies in, log x = k log 2 + log c + log(1 + r), where
// r = z/c - 1 is so small that seven terms of the series are enough.

const (
	logBits  = 7
	logStart = 0x3fe6 << 48 // z lies in [0.6875, 1.375): around 1, so that log x is k log 2 + something small only where x is not near 1
)

// logTable holds 1/c and log c, the latter of the former as it was rounded.
var logTable = makeLogTable()

func makeLogTable() (table [1 << logBits]struct{ inverse, log float64 }) {
	const width = 1 << (52 - logBits)
	for i := range table {
		c := math.Float64frombits(logStart + uint64(i)*width + width/2)
		if math.Abs(c-1) < 1.0/(1<<logBits) { // beside 1, r is exact and so is the sign of the result; log 1 is 0
			c = 1
		}
		table[i].inverse = 1 / c
		table[i].log = -math.Log(1 / c)
	}
	return table
}

// logarithm is math.Log for x >= 0, to within 4e-16 of the larger of 1 and the result.
func logarithm(x float64) float64 {
	const smallest = 0x1p-1022 // of the numbers with all their bits
	if !(x >= smallest) {
		return math.Log(x)
	}
	bits := math.Float64bits(x)
	offset := bits - logStart
	k := float64(int64(offset) >> 52)
	c := &logTable[offset>>(52-logBits)&(1<<logBits-1)]
	r := math.Float64frombits(bits-offset&(0xfff<<52))*c.inverse - 1
	s := r * r
	series := r - s*(1./2-r*(1./3)) - s*s*((1./4-r*(1./5))+s*(1./6-r*(1./7)))
	return k*math.Ln2 + (c.log + series)
}

// logs writes log q into dst and returns the entropy of q in nats. log 0 is -Inf and adds nothing. A q that sums to a little over 1
// could have a negative one, which would make an update stronger than certainty does. Equal neighbours, as where the rest of a few
// top classes is spread evenly, share one logarithm.
func logs(dst, q []float64) (entropy float64) {
	dst = dst[:len(q)]
	last, lg, product := 1.0, 0.0, 0.0
	for i, v := range q {
		if v != last {
			last, lg, product = v, logarithm(v), 0
			if v > 0 {
				product = v * lg
			}
		}
		dst[i] = lg
		entropy -= product
	}
	return max(entropy, 0)
}

// entropyOf is [logs] without the logarithms.
func entropyOf(q []float64) (entropy float64) {
	last, product := 1.0, 0.0
	for _, v := range q {
		if v != last {
			last, product = v, 0
			if v > 0 {
				product = v * logarithm(v)
			}
		}
		entropy -= product
	}
	return max(entropy, 0)
}
