package adapt

import "math"

// The logarithms of K predictions are most of a small step. math.Log divides; the one here looks its reciprocal up, as libraries of C do:
// with x = 2^k z, and c the middle of the one of 128 intervals that z lies in, log x = k log 2 + log c + log(1 + r), where
// r = z/c - 1 is so small that seven terms of the series are enough.

const (
	logBits  = 7
	logStart = 0x3fe6 << 48 // z lies in [0.6875, 1.375): around 1, so that log x is k log 2 + something small only where x is not near 1

	exponent    = 0xfff << 52 // the bits of sign and exponent
	leastNormal = 0x1p-1022   // of the numbers with all their bits
)

// logEntry is 1/c and log c, the latter of the former as it was rounded.
type logEntry struct{ inverse, log float64 }

var logTable = makeLogTable()

func makeLogTable() (table [1 << logBits]logEntry) {
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
	if !(x >= leastNormal) {
		return math.Log(x)
	}
	bits := math.Float64bits(x)
	offset := bits - logStart
	k := float64(int64(offset) >> 52)
	c := &logTable[offset>>(52-logBits)&(1<<logBits-1)]
	r := math.Float64frombits(bits-offset&exponent)*c.inverse - 1
	s := r * r
	series := r - s*(1./2-r*(1./3)) - s*s*((1./4-r*(1./5))+s*(1./6-r*(1./7)))
	return k*math.Ln2 + (c.log + series)
}

// logs writes log q into dst and returns the entropy of q in nats. log 0 is -Inf and adds nothing. A q that sums to a little over 1
// could have a negative one, which would make an update stronger than certainty does. Equal neighbours, as where the rest of a few
// top classes is spread evenly, share one logarithm.
func logs(dst, q []float64) (entropy float64) {
	dst = dst[:len(q)]
	done := firstLogs(dst, q)
	last, lg, product := 1.0, 0.0, 0.0
	for i, v := range q {
		if v != last {
			if lg = dst[i]; i >= done {
				lg = logarithm(v)
			}
			if last, product = v, 0; v > 0 {
				product = v * lg
			}
		}
		dst[i] = lg
		entropy -= product
	}
	return max(entropy, 0)
}

// firstLogs writes the logarithms of as many of q as the kernel takes, and tells how many those are.
func firstLogs(dst, q []float64) (n int) {
	n = part(len(q))
	if n > 0 && logsWide(n, &dst[0], &q[0], &logSeries, &logTable[0]) != 0 {
		for i, v := range q[:n] {
			if !(v >= leastNormal) {
				dst[i] = math.Log(v)
			}
		}
	}
	return n
}

// logLanes are the numbers of [logsWide], four times each.
type logLanes [15][4]uint64

// An integer k from -2048 on is brought into a float64 by its bits: 2^52 + 2048 + k has k + 2048 in the last ones.
var logSeries = logLanes(fourTimes([]uint64{
	logStart, exponent, 2048 << 52, math.Float64bits(1 << 52), math.Float64bits(1<<52 + 2048), 1<<(logBits+1) - 2, math.Float64bits(1),
	math.Float64bits(1. / 3), math.Float64bits(1. / 2), math.Float64bits(1. / 5), math.Float64bits(1. / 4), math.Float64bits(1. / 7),
	math.Float64bits(1. / 6), math.Float64bits(math.Ln2), math.Float64bits(leastNormal),
}))
