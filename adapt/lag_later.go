package adapt

// windowPast is the fixed lag of the later editions of auto: hindsight over the last items, as [Smooth] has it over all. Recursions run forward
// under an exponent, a marginal, confusions and frequencies that are held, and from time to time these are estimated anew and all recursions
// run again over the window. So readings are always judged under the marginal that is known by now.
type windowPast struct {
	account
	filter *Filter
	lag    int
	size   int // of the window, in items
	prior  []float64
	sharp  sharpness
	b      float64 // exponent of sharpened predictions

	items  int       // in memory: up to the window's and those that came since it was read
	since  int       // items since then
	logq   []float64 // [items, K] log q
	missed []int     // [items] gaps before them
	known  []bool    // [items] of a label that is known
	at     []*windowAt

	inert   inert
	hot     int           // the highest temperature, which persist reads
	flicked [][]float64   // [lag+1] what persist reads from the last items
	persist [][][]float64 // [lag+1] causal posteriors of each persist, by reading; nil of others
	chains  []*chain      // of each persist, by reading

	weights []float64

	q, floored, beta, seen, post, out []float64 // [K] scratch
}

// windowAt is what a window has at one temperature. What is of the last lag+1 items lies in row number item % (lag+1).
type windowAt struct {
	fixed
	factor         float64 // of Settings.Temperature and Auto.Temperatures
	r              *recording
	trial          *trial
	lift, confused [][]float64   // [lag+1] M and E M
	freq           [][]float64   // [lag+1] M_f with a population
	alpha          [][][]float64 // [lag+1] causal posteriors, by reading; nil of none and persist
	chains         []*chain      // by reading
}

// The window's constants.
const (
	lagWindow   = 256  // items, or as many as the lag spans
	lagLeast    = 4    // items from one estimate to the next, at least,
	lagShare    = 8    // and the window's over this
	lagLiveness = 1e-4 // readings under this weight are left out
	lagMatrices = 24   // classes up to which the window learns matrices of its own
)

// windowOf returns the length of the window of a lag, and how many items can be in memory.
func windowOf(lag int) (size, most int) {
	size = max(lagWindow, lag+1)
	return size, size + max(lagLeast, size/lagShare)
}

// windowAccount is what a lag tries. Matrices are K^2 at each of some nine passes an item, and change next to nothing.
func windowAccount(classes int, s Settings) account {
	return newAccount(classes, s, classes <= lagMatrices)
}

// windowBytes returns what the past of a lag takes.
func windowBytes(classes, lag int, s Settings) float64 {
	_, most := windowOf(lag)
	temperatures, rows, learned := len(s.Auto.Temperatures), 0, 0
	for _, r := range windowAccount(classes, s).readings {
		switch r.kind {
		case "none", "persist":
		case "full", "drift":
			learned++
			fallthrough
		default:
			rows++
		}
	}
	k := float64(classes)
	ring := float64(lag+1) * k * float64(temperatures*(rows+3)+len(s.Auto.Grid)+1)
	return 8 * (float64(most)*k*float64(temperatures+1) + ring + k*k*float64(temperatures*(1+2*learned)))
}

func newWindowPast(filter *Filter, lag int) *windowPast {
	n, s := filter.classes, filter.settings
	vec := func() []float64 { return make([]float64, n) }
	size, most := windowOf(lag)
	p := &windowPast{
		account: windowAccount(n, s), filter: filter, lag: lag, size: size, prior: s.start(n), hot: top(s.Auto.Temperatures), sharp: newSharpness(s), b: 1,
		logq: make([]float64, most*n), missed: make([]int, most), known: make([]bool, most), inert: newInert(n, s), flicked: rows(lag+1, n),
		q: vec(), floored: vec(), beta: vec(), seen: vec(), post: vec(), out: vec(),
	}
	for _, factor := range s.Auto.Temperatures {
		p.at = append(p.at, p.newAt(s, s.Temperature*factor, most))
	}
	for _, r := range p.readings {
		p.persist, p.chains = append(p.persist, nil), append(p.chains, nil)
		if r.kind == "persist" {
			p.persist[len(p.persist)-1], p.chains[len(p.chains)-1] = rows(lag+1, n), p.inert.chain(r.a)
		}
	}
	p.weights = make([]float64, len(p.at)*len(p.readings))
	return p
}

func (p *windowPast) newAt(s Settings, factor float64, most int) *windowAt {
	n := len(p.q)
	k := &windowAt{
		fixed: newFixed(n), factor: factor, trial: newTrial(n, s, p.account), lift: rows(p.lag+1, n), confused: rows(p.lag+1, n),
		r:     &recording{n: n, like: make([]float64, most*n), seen: make([]float64, n)},
		alpha: make([][][]float64, len(p.readings)), chains: make([]*chain, len(p.readings)),
	}
	if s.Population != nil {
		k.freq = rows(p.lag+1, n)
	}
	for i, r := range p.readings {
		c := &chain{stay: r.a, home: k.mu, first: k.mu, block: 1}
		switch r.kind {
		case "none", "persist":
			continue
		case "full", "drift":
			c.matrices = [][]float64{make([]float64, n*n)}
		case "population":
			c.matrices = [][]float64{flat(s.Population.Transitions)}
		}
		k.alpha[i], k.chains[i] = rows(p.lag+1, n), c
	}
	return k
}

func (p *windowPast) step(_, q []float64, t int, known bool) Diagnostics {
	if t == 0 {
		p.items, p.since = 0, 0
	}
	g := p.filter.gap
	d := p.filter.advance(p.out, q, known)
	p.take(q, g, known)
	if n := min(p.items, p.size); t == 0 || p.since >= max(lagLeast, n/lagShare) {
		p.estimate()
	} else {
		for _, k := range p.at {
			k.read(p, p.items-1)
		}
		p.extend(p.items - 1)
	}
	return d
}

// end estimates anew, for the items that are still due.
func (p *windowPast) end() {
	if p.since > 0 {
		p.estimate()
	}
}

// take appends an item.
func (p *windowPast) take(q []float64, g gap, known bool) {
	if least := p.filter.settings.Floor; least > 0 && !known {
		q = floor(p.floored, q, least)
	}
	logs(p.row(p.items), raise(p.q, q))
	p.missed[p.items], p.known[p.items] = g.missed, known
	if g.fresh {
		p.missed[p.items] = Broken
	}
	p.items++
	p.since++
}

func (p *windowPast) row(item int) []float64 {
	n := len(p.q)
	return p.logq[item*n : (item+1)*n]
}

// estimate drops what is beyond the window, and reads the window anew.
func (p *windowPast) estimate() {
	if drop := p.items - p.size; drop > 0 {
		copy(p.logq, p.logq[drop*len(p.q):])
		copy(p.missed, p.missed[drop:])
		copy(p.known, p.known[drop:])
		p.items = p.size
	}
	p.since = 0
	p.b = p.sharp.find(func(b float64) float64 { return p.confidence(b * p.sharp.claimed) })
	a := p.filter.settings.Auto
	for i, k := range p.at {
		k.r.steps = p.items
		for item := range p.items {
			k.read(p, item)
		}
		k.set(k.r, p.prior, p.post, a.LiftPseudo, a.LiftPseudo)
		k.trial.begin(k.fixed)
		if i == p.hot {
			p.inert.set(k.r, p.prior, a.Pseudo)
		}
	}
	for k, r := range p.readings {
		if r.kind == "persist" {
			p.chains[k].stay = p.inert.stay(r.a)
		}
	}
	for item := range p.items {
		p.extend(item)
	}
}

// confidence returns the mean greatest entry of q^power over the items of the window whose label is not known; 1 where there are none.
func (p *windowPast) confidence(power float64) (c float64) {
	items := 0
	for item := range p.items {
		if !p.known[item] {
			c += confidence(p.row(item), power)
			items++
		}
	}
	if items == 0 {
		return 1
	}
	return c / float64(items)
}

// read sets the likelihood of an item.
func (k *windowAt) read(p *windowPast, item int) {
	like := k.r.row(k.r.like, item)
	if p.known[item] {
		certain(like, top(p.row(item)))
		return
	}
	temper(like, p.row(item), k.factor/p.b)
}

// extend moves all recursions by an item.
func (p *windowPast) extend(item int) {
	g, slot := gaps(p.missed).at(item), item%(p.lag+1)
	for _, k := range p.at {
		t := k.trial
		t.step(k.r.row(k.r.like, item), g, p.known[item])
		if p.items-item > p.lag+1 {
			continue // will not be looked at
		}
		copy(k.lift[slot], t.lift)
		copy(k.confused[slot], t.confused)
		if k.freq != nil {
			copy(k.freq[slot], t.known.lift)
		}
		for i, alpha := range k.alpha {
			if alpha != nil {
				copy(alpha[slot], t.tried[i].p)
			}
		}
	}
	like, seen, doubt := p.at[p.hot].r, p.flicked[slot], p.inert.doubt
	if p.known[item] {
		doubt = 0
	}
	for j, l := range like.row(like.like, item) {
		seen[j] = ((1-doubt)*l + doubt/float64(len(seen))) * p.inert.inv[j]
	}
	for i, alpha := range p.persist {
		if alpha == nil {
			continue
		}
		c, post := p.chains[i], alpha[slot]
		switch {
		case item == 0 || g.fresh:
			copy(post, c.first)
		default:
			c.ahead(post, alpha[(item-1)%(p.lag+1)], g.keep(c.stay))
		}
		condition(post, seen)
	}
}

func (p *windowPast) look(dst []float64, s, t int) {
	last := p.items - 1
	first, n := last-(t-s), p.lag+1
	p.weigh()
	fill(p.out, 0)
	for i, k := range p.at {
		none := 0.0
		for h, w := range p.weightsAt(p.weights, i) {
			r := &p.readings[h]
			switch r.kind {
			case "none":
				none += w
				continue
			case "persist":
				if w = p.everywhere(p.weights, h); i == p.hot && w >= lagLiveness {
					p.back(p.chains[h], p.persist[h], func(item int) { copy(p.seen, p.flicked[item%n]) }, first, last)
					unsharpen(p.post, p.b)
					addScaled(p.out, w, p.post)
				}
				continue
			}
			if w < lagLiveness {
				continue
			}
			if pairs := k.trial.tried[h].pairs; pairs != nil {
				pairs.matrix(k.chains[h].matrices[0], k.mu)
			}
			f, x := p.forms[r.form], k.lift
			if r.kind == "population" {
				x = k.freq
			}
			p.back(k.chains[h], k.alpha[h], func(item int) { p.formAt(item, f).tell(p.seen, x[item%n], k.confused[item%n]) }, first, last)
			addScaled(p.out, w, p.post)
		}
		copy(p.post, k.r.row(k.r.like, first))
		unsharpen(p.post, p.b)
		addScaled(p.out, none, p.post)
	}
	copy(dst, p.out)
	normalise(dst) // what was left out is missing
}

// formAt returns a form of error as it is for an item.
func (p *windowPast) formAt(item int, f form) form {
	if p.known[item] {
		return form{}
	}
	return f
}

// weigh sets the weights of all readings.
func (p *windowPast) weigh() {
	for i, k := range p.at {
		for h := range p.readings {
			p.weightsAt(p.weights, i)[h] = k.trial.tried[h].log
		}
	}
	exponentials(p.weights)
}

// back sets post to the posterior of the item first given all up to last, where alpha holds a chain's causal posteriors and observe sets seen to
// what it reads from an item.
func (p *windowPast) back(c *chain, alpha [][]float64, observe func(item int), first, last int) {
	n := p.lag + 1
	copy(p.post, alpha[last%n])
	fill(p.beta, 1)
	for item := last; item > first; item-- {
		observe(item)
		for j, v := range p.beta {
			p.seen[j] *= v
		}
		c.back(&p.at[0].trial.walk, p.beta, p.seen, 0, gaps(p.missed).at(item))
		combine(p.post, alpha[(item-1)%n], p.beta)
	}
}

// matrix sets a [K, K] to A, for the counts as they are.
func (s *pairs) matrix(a, mu []float64) {
	for i := range s.n {
		norm := 1 / (s.rows[i] + s.beta)
		row := a[i*s.n : (i+1)*s.n]
		for j, v := range s.row(i) {
			row[j] = (s.scale*v + s.beta*mu[j]) * norm
		}
	}
}
