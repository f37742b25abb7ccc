package dropout

import (
	"math"
	"math/rand/v2"
)

// FillMask fills the mask of one item, one pass and one dropout: 0 with the probability p, 1/(1-p) otherwise. It depends on nothing but
// its arguments, so that the mask of a pass is the same however passes and items are batched, and thirty passes begin with the masks of
// ten. p is rounded to a multiple of 2^-16, and the scale is that of the rounded p, so that the mean is exactly 1: four elements cost
// one random number.
func FillMask(dst []float32, p float64, seed uint64, dropout, pass int) {
	state := mix(seed ^ mix(uint64(dropout)<<32|uint64(pass)))
	source := rand.NewPCG(state, mix(state))
	drop := min(max(uint32(math.Round(p*(1<<16))), 1), 1<<16-1)
	values := [2]float32{float32((1 << 16) / (1<<16 - float64(drop))), 0}
	for len(dst) > 0 {
		bits := source.Uint64()
		four := dst[:min(4, len(dst))]
		for i := range four {
			four[i] = values[(uint32(bits&0xffff)-drop)>>31] // below drop the difference wraps: no branch to mispredict
			bits >>= 16
		}
		dst = dst[len(four):]
	}
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014): neighbouring seeds give unrelated numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
