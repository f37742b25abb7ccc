package draw

import "math/rand/v2"

// Source is a generator that is set to one view after another. Make it with [New].
type Source struct {
	*rand.Rand
	pcg *rand.PCG
}

// New returns a source that is set to no view yet.
func New() *Source {
	pcg := rand.NewPCG(0, 0)
	return &Source{rand.New(pcg), pcg}
}

// View sets the source to the beginning of one view of the item that seed stands for.
func (s *Source) View(seed uint64, view int) {
	// Seeds and views count upwards, and PCG turns neighbouring states into correlated first numbers: hence the hash.
	a := mix(seed + 0x9e3779b97f4a7c15)
	b := mix(a ^ mix(uint64(view)+0xbf58476d1ce4e5b9))
	s.pcg.Seed(a, b)
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Coin returns true half of the time.
func (s *Source) Coin() bool { return s.Uint64()>>63 == 1 }

// Chance returns true with probability p.
func (s *Source) Chance(p float64) bool { return s.Float64() < p }

// Between returns a number from lo up to hi, evenly.
func (s *Source) Between(lo, hi float64) float64 { return lo + float64((hi-lo)*s.Float64()) }

// Simplex fills w with positive weights that sum to 1, evenly over all such weights: Dirichlet's distribution with every
// parameter 1, which is that of exponential variates divided by their sum.
func (s *Source) Simplex(w []float64) {
	sum := 0.0
	for i := range w {
		w[i] = s.ExpFloat64()
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
}
