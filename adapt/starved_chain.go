package adapt

import "math"

// followed is one stream that the watch follows.
type followed struct {
	stream []byte // its name, in a buffer of its own
	used   int    // the watch's clock at its last item; 0 is never
	steps  int
	before [2]int // certain classes of the last two items, the latter last; -1 for none
	at     []starvedChain
}

func newFollowed(classes, temperatures int) followed {
	f := followed{at: make([]starvedChain, temperatures)}
	for i := range f.at {
		f.at[i] = newStarvedChain(classes)
	}
	return f
}

func (f *followed) begin(stream string) {
	f.stream, f.steps, f.before = append(f.stream[:0], stream...), 0, [2]int{-1, -1}
	for i := range f.at {
		f.at[i].reset()
	}
}

// starvedChain is the sticky chains at one temperature of one stream, and the marginal that they are judged against.
type starvedChain struct {
	like    []float64   // [K] L of the step
	mean    []float64   // [K] sum of the L so far
	mass    []float64   // [K] decayed class masses behind mu
	mu      []float64   // [K]
	chains  [][]float64 // [K] posterior by a
	weights []float64   // of the chains, and last of the marginal alone
}

// The marginal's constants are those of [Auto]. starvedMean is the strength of the uniform in the mean of L, in items: what a few items have in
// common may be order, what hundreds have is bias.
const (
	starvedPseudo = 5
	starvedDelta  = 0.002
	starvedShare  = 0.001
	starvedMean   = 20
)

func newStarvedChain(classes int) starvedChain {
	vec := func() []float64 { return make([]float64, classes) }
	c := starvedChain{like: vec(), mean: vec(), mass: vec(), mu: vec(), weights: make([]float64, len(starvedChains)+1)}
	for range starvedChains {
		c.chains = append(c.chains, vec())
	}
	return c
}

func (c *starvedChain) reset() {
	fill(c.mean, 0)
	fill(c.mass, 0)
	for i, p := range c.chains {
		fill(p, 1/float64(len(p)))
		c.weights[i] = c.initial(i)
	}
	c.weights[len(c.chains)] = c.initial(len(c.chains))
}

// initial is the weight that a member starts from and returns to: half for the marginal alone, the rest shared by the chains.
func (c *starvedChain) initial(member int) float64 {
	if member == len(c.chains) {
		return 0.5
	}
	return 0.5 / float64(len(c.chains))
}

// step takes in c.like, of the item with the given number from 0, and returns the log of the mixture's evidence over the marginal's.
func (c *starvedChain) step(number int) float64 {
	c.unbias(float64(number))
	c.marginal()
	chance := dot(c.mu, c.like)
	for i, a := range starvedChains {
		c.weights[i] *= a*dot(c.chains[i], c.like)/chance + 1 - a
		c.advance(c.chains[i], a)
	}
	evidence := sum(c.weights)
	for i := range c.weights {
		c.weights[i] = (1-starvedShare)*c.weights[i]/evidence + starvedShare*c.initial(i)
	}
	for j, v := range c.mass {
		c.mass[j] = (1-starvedDelta)*v + c.like[j]*c.mu[j]/chance
	}
	return math.Log(evidence)
}

// unbias divides L by its mean so far: a class that is likely at every step is likely for no reason of order.
func (c *starvedChain) unbias(items float64) {
	each := starvedMean / float64(len(c.like))
	for j, v := range c.like {
		c.like[j] = v * (items + starvedMean) / (c.mean[j] + each)
		c.mean[j] += v
	}
	scale(c.like, 1/sum(c.like))
}

// marginal sets mu to the masses with the uniform's pseudo-observations.
func (c *starvedChain) marginal() {
	each := starvedPseudo / float64(len(c.mu))
	norm := 1 / (sum(c.mass) + starvedPseudo)
	for j, v := range c.mass {
		c.mu[j] = (v + each) * norm
	}
}

// advance makes p the posterior (a p + (1-a) mu) L, normalised. mu is over 0 in every class, and so is some L.
func (c *starvedChain) advance(p []float64, a float64) {
	total := 0.0
	for j, v := range p {
		v = (a*v + (1-a)*c.mu[j]) * c.like[j]
		p[j] = v
		total += v
	}
	scale(p, 1/total)
}
