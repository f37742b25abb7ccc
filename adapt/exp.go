package adapt

import "math"

// Powers of K predictions at two temperatures are a good part of a step over many classes. As [logarithm] does, the exponential here looks most of its
// result up: with x = (128 k + i) log 2/128 + r, exp x = 2^k 2^(i/128) exp r, where r is so small that five terms of the series are enough.

const (
	expBits = 7
	perLog2 = (1 << expBits) / math.Ln2
	// log 2/128 in two parts, the first so short that its product with an integer of 17 bits is exact.
	log2High   = 0x1.62e42fefp-8
	log2Low    = 0x1.473de6af278edp-41
	expRound   = 0x1.8p52 // added, it leaves the integer next to a number in the last bits
	leastWhole = -708     // from which the result has all its bits
	mostWhole  = 709
	allGone    = -746 // under which it is 0
)

var expTable = makeExpTable()

func makeExpTable() (table [1 << expBits]float64) {
	for i := range table {
		table[i] = math.Exp2(float64(i) / (1 << expBits))
	}
	return table
}

// exponential is math.Exp, to within two units of the last place.
func exponential(x float64) float64 {
	if !(x >= leastWhole && x <= mostWhole) {
		return math.Exp(x)
	}
	shifted := x*perLog2 + expRound
	n := int64(math.Float64bits(shifted)) << 13 >> 13
	k := shifted - expRound
	r := x - k*log2High - k*log2Low
	s := r * r
	series := r + s*(1./2+r*(1./6)) + s*s*(1./24+r*(1./120))
	scaled := math.Float64frombits(math.Float64bits(expTable[n&(1<<expBits-1)]) + uint64(n>>expBits)<<52)
	return scaled + scaled*series
}

// expLanes are the numbers of [powersWide], four times each.
type expLanes [11][4]uint64

var expSeries = expLanes(fourTimes([]uint64{
	math.Float64bits(perLog2), math.Float64bits(expRound), math.Float64bits(log2High), math.Float64bits(log2Low), math.Float64bits(1. / 6),
	math.Float64bits(1. / 2), math.Float64bits(1. / 120), math.Float64bits(1. / 24), math.Float64bits(leastWhole), math.Float64bits(allGone),
	1<<expBits - 1,
}))

func fourTimes(x []uint64) (out [][4]uint64) {
	for _, v := range x {
		out = append(out, [4]uint64{v, v, v, v})
	}
	return out
}

// powers writes q^(1/T) over that of its greatest entry into dst, where logq is log q.
func powers(dst, logq []float64, temperature float64) {
	logq = logq[:len(dst)]
	k := [2]float64{greatest(logq), temperature} // without the greatest a low temperature would underflow every class at once
	first := part(len(dst))
	if first > 0 && powersWide(first, &k[0], &dst[0], &logq[0], &expSeries, &expTable[0]) != 0 {
		for i, v := range dst[:first] {
			if !(v >= 0) {
				dst[i] = math.Exp(v)
			}
		}
	}
	for i := first; i < len(dst); i++ {
		dst[i] = exponential((logq[i] - k[0]) / temperature)
	}
}
