package training

import "math/rand/v2"

// What a generator is for, so that no two purposes draw the same numbers from one seed.
const (
	forShuffle uint64 = iota + 1
	forChange
	forMixup
	forSplit
	forMasks
)

// seedOf brings numbers together: each of them changes all bits of the result.
func seedOf(seed uint64, parts ...uint64) uint64 {
	for _, p := range parts {
		seed = mix(seed ^ mix(p+0x9e3779b97f4a7c15))
	}
	return seed
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// generator returns the one of a seed.
func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, mix(seed))) }
