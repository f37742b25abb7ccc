package adapt

// activePairs counts transitions as [pairs] does, but keeps only some classes apart, the active ones S, and all others together: R, the
// rest. That is the one approximation of it: whoever wants none sets [Auto].Active to the number of classes.
//
// What is counted is the lumped matrix over S and R, one row and one column more than there are active classes, beside the row sums C_i. of
// every class and the column sums C_.j of those in R. Within R it takes rows for proportional to each other and columns, too:
//
//	C_ij = C_i. C_Rj / C_R.      i in R, any j;  C_Rj sums over the rest's rows
//	C_ij = C_iR C_.j / C_.R      j in R, any i
//
// and with that, everything is as in pairs: A_ij = (C_ij + beta mu_j)/(C_i. + beta) with the mu of each class, the prior A'p, and the pair posterior
// xi_ij = u_i (C_ij + beta mu_j) told_j norm with u_i = p_i/(C_i. + beta), whose sums over R need sums over the rest alone:
//
//	told_R = sum over R of C_.j told_j / C_.R     base_R = sum over R of mu_j told_j
//	u_R    = sum over R of u_i                    v_R    = sum over R of u_i C_i. / C_R.
//	xi_iR  = u_i (C_iR told_R + beta base_R) norm
//	xi_Rj  = (v_R C_Rj told_j + u_R beta base_j) norm
//
// The sums agree: the prior sums to 1, C_R. is the sum of its C_i., C_.R that of its C_.j. A class
// enters S when it weighs more than the weakest there, or than leastActive while there is room, weight being C_i. + p_i; it takes its share of the rest's
// row and column along, so that no prior changes. The weakest leaves its counts to the rest, which changes what hardly counts.
//
// A step costs some passes over K and one over the lumped matrix.
type activePairs struct {
	gamma, beta float64
	most        int       // classes that may be active
	used        int       // and are
	slots       int       // most+2: slot 0 is the rest, the last is for a class that takes another's place
	classes     []int32   // [slots]
	c           []float64 // [slots, slots] row-major, C = scale c
	scale       float64
	rows        []float64 // [K] C_i.
	columns     []float64 // [K] C_.j of the rest, 0 of active classes
	started     bool      // the first step of a stream has no pair

	// What aim forms.
	outside      []float64 // [K] 1 in the rest, 0 of active classes
	u            []float64 // [K] p_i/(C_i. + beta)
	total        float64   // sum of u
	uRest, vRest float64   // sums over the rest of u_i, and of u_i C_i.
	carried      []float64 // [slots] sum over i of u_i C_ij
	ofColumn     float64   // 1/C_.R, or 0

	told, base, weight []float64 // [slots] scratch
}

const (
	leastActive = 1e-4     // weight from which a class is active while there is room
	hysteresis  = 1.2      // by how much it must exceed the weakest after
	nearlyEqual = 1 - 1e-6 // rounding does not choose between equal ones
)

func newActivePairs(classes, most int, gamma, beta float64) *activePairs {
	vec := func() []float64 { return make([]float64, classes) }
	n := most + 2
	slots := func() []float64 { return make([]float64, n) }
	return &activePairs{
		gamma: gamma, beta: beta, most: most, scale: 1, slots: n, classes: make([]int32, n), c: make([]float64, n*n),
		rows: vec(), columns: vec(), outside: vec(), u: vec(), carried: slots(), told: slots(), base: slots(), weight: slots(),
	}
}

func (s *activePairs) reset(p []float64) {
	fill(s.c, 0)
	fill(s.rows, 0)
	fill(s.columns, 0)
	s.used, s.scale, s.started = 0, 1, false
	s.aim(p)
}

// row returns the row of a slot in c, as far as slots are in use.
func (s *activePairs) row(k int) []float64 {
	return s.c[k*s.slots : k*s.slots+s.used+1]
}

// apart are the active classes, from slot 1 on.
func (s *activePairs) apart() []int32 { return s.classes[1 : s.used+1] }

// aim prepares the prior for the posterior p. All of it follows from the counts and p.
func (s *activePairs) aim(p []float64) {
	fill(s.outside, 1)
	for _, i := range s.apart() {
		s.outside[i] = 0
	}
	s.total, s.uRest, s.vRest = aimed(s.u, p, s.rows, s.outside, s.beta)
	s.ofColumn = reciprocal(sum(s.columns))
	s.carry(s.carried, s.u, s.vRest)
}

// carry writes the sums over i of u_i C_ij into dst, for as many slots as dst has, where v is the rest's sum of u_i C_i..
func (s *activePairs) carry(dst, u []float64, v float64) {
	fill(dst, 0)
	dst = dst[:min(len(dst), s.used+1)]
	n := len(dst)
	addScaled(dst, v*reciprocal(sum(s.row(0))), s.row(0)[:n])
	last := 0
	for k, i := range s.apart() {
		switch {
		case u[i] == 0:
		case last == 0:
			last = k + 1
		default:
			addScaled2(dst, u[s.classes[last]]*s.scale, s.row(last)[:n], u[i]*s.scale, s.row(k + 1)[:n])
			last = 0
		}
	}
	if last > 0 {
		addScaled(dst, u[s.classes[last]]*s.scale, s.row(last)[:n])
	}
}

// reciprocal is 1/x, or 0 for what holds nothing.
func reciprocal(x float64) float64 {
	if x > tiny {
		return 1 / x
	}
	return 0
}

// predict writes A'p, for the posterior given last, into prior.
func (s *activePairs) predict(prior, mu []float64) { s.ahead(prior, mu, s.carried, s.total) }

// ahead writes the prior for what is carried by slot, and the sum of u.
func (s *activePairs) ahead(prior, mu, carried []float64, total float64) {
	b, rest := s.beta*total, carried[0]*s.ofColumn
	columns, mu := s.columns[:len(prior)], mu[:len(prior)]
	for j, v := range columns {
		prior[j] = b*mu[j] + rest*v
	}
	for k, j := range s.apart() {
		prior[j] += carried[k+1]
	}
}

// forward writes A'p into dst.
func (s *activePairs) forward(dst, p, mu []float64) {
	total, rest := 0.0, 0.0
	for i, v := range p {
		v /= s.rows[i] + s.beta
		dst[i] = v
		total += v
		rest += s.outside[i] * v * s.rows[i]
	}
	s.carry(s.told, dst, rest)
	s.ahead(dst, mu, s.told, total)
}

// skip leaves the counts alone and prepares the prior for p.
func (s *activePairs) skip(p []float64) {
	s.started = true
	s.admit(p)
	s.aim(p)
}

// learn adds the pair posteriors of the step: see [pairs.learn].
func (s *activePairs) learn(lift, like []float64, norm float64, p []float64) {
	if !s.started {
		s.skip(p)
		return
	}
	s.admit(p)
	all := s.gather(lift, like)
	rest := s.row(0)
	of := reciprocal(sum(rest))
	grown, v := dot(rest, s.told[:len(rest)])*of, s.vRest*of/s.scale
	keep := 1 - s.gamma
	s.scale *= keep
	if s.scale < leastScale {
		s.rescale()
	}
	s.learnSlot(0, v, s.uRest, norm)
	for k, i := range s.apart() {
		if s.weight[k+1] = keep * s.rows[i]; s.u[i] != 0 {
			s.weight[k+1] = s.scale * s.learnSlot(k+1, s.u[i], s.u[i], norm)
		}
	}
	s.learnSums(lift, like, keep, norm, grown, all)
	for k, i := range s.apart() {
		s.rows[i] = s.weight[k+1]
	}
	s.aim(p)
}

// gather sets told and base by slot, and returns the sum of base.
func (s *activePairs) gather(lift, like []float64) (all float64) {
	s.told[0], s.base[0] = dot(s.columns, lift)*s.ofColumn, dot(s.outside, like)
	all = s.base[0]
	for k, j := range s.apart() {
		s.told[k+1], s.base[k+1] = lift[j], like[j]
		all += like[j]
	}
	return all
}

// learnSlot adds (v c told + u beta base) norm to the row of a slot, v and u being those of before the decay, and returns its sum.
func (s *activePairs) learnSlot(k int, v, u, norm float64) float64 {
	row := s.row(k)
	return learnRow(row, s.told[:len(row)], s.base[:len(row)], v*norm/(1-s.gamma), u*norm*s.beta/s.scale)
}

// learnSums moves the sums of rows and columns as those of the rest move, where grown is <C_R/C_R., told> and all the sum of base; those of
// active classes are set after.
func (s *activePairs) learnSums(lift, like []float64, keep, norm, grown, all float64) {
	g := growth{keep, norm * grown, norm * s.beta * all, norm * s.carried[0] * s.ofColumn, norm * s.beta * s.total}
	g.learn(s.rows, s.columns, s.u, s.outside, lift, like)
}

// rescale multiplies the scale into the counts: see grain.
func (s *activePairs) rescale() {
	for i, v := range s.c {
		s.c[i] = v*s.scale + grain - grain
	}
	s.scale = 1
	for i, v := range s.rows {
		s.rows[i] = v + grain - grain
		s.columns[i] = s.columns[i] + grain - grain
	}
}

// admit makes the classes active that weigh enough with the posterior p. What is carried is right for the rest after, and for all slots after aim.
func (s *activePairs) admit(p []float64) {
	for k, i := range s.apart() {
		s.weight[k+1] = s.rows[i] + p[i]
	}
	least, weakest := s.entry()
	changed := false
	outside := s.outside[:len(p)]
	for j, v := range p {
		if v += s.rows[j]; !(v*outside[j] > least) {
			continue
		}
		changed = true
		s.take(j)
		s.weight[s.used] = v
		if s.used > s.most {
			s.drop(weakest)
		}
		least, weakest = s.entry()
	}
	if changed {
		s.sumRest()
		s.carry(s.carried[:1], s.u, s.vRest)
	}
}

// entry returns the weight that a class must exceed to become active, and the slot of the weakest, which it would replace.
func (s *activePairs) entry() (least float64, weakest int) {
	if s.used < s.most {
		return leastActive, 0
	}
	weakest = 1
	for k := 2; k <= s.used; k++ {
		if s.weight[k] < nearlyEqual*s.weight[weakest] {
			weakest = k
		}
	}
	return max(leastActive, hysteresis*s.weight[weakest]), weakest
}

// sumRest forms the sums over the rest anew, for another rest.
func (s *activePairs) sumRest() {
	s.uRest, s.vRest = 0, 0
	for i, o := range s.outside {
		v := o * s.u[i]
		s.uRest += v
		s.vRest += v * s.rows[i]
	}
	s.ofColumn = reciprocal(sum(s.columns))
}

// take gives the next slot to a class of the rest, with its shares of the rest's column and row.
func (s *activePairs) take(class int) {
	s.used++
	k := s.used
	share := min(s.columns[class]*s.ofColumn, 1)
	for r := range k {
		row := s.row(r)
		row[k] = share * row[0]
		row[0] -= row[k]
	}
	rest, row := s.row(0), s.row(k)
	share = min(s.rows[class]*reciprocal(s.scale*sum(rest)), 1)
	for j, v := range rest {
		row[j] = share * v
		rest[j] -= row[j]
	}
	s.columns[class], s.outside[class] = 0, 0
	s.ofColumn = reciprocal(sum(s.columns))
	s.classes[k] = int32(class)
}

// drop leaves the counts of a slot to the rest, and gives the slot to what is in the last one.
func (s *activePairs) drop(k int) {
	last, class, column := s.used, s.classes[k], 0.0
	rest := s.row(0)
	for j, v := range s.row(k) {
		rest[j] += v
	}
	copy(s.row(k), s.row(last))
	clear(s.row(last))
	for r := range last {
		row := s.row(r)
		row[0] += row[k]
		column += row[k]
		row[k] = row[last]
		row[last] = 0
	}
	s.weight[k], s.classes[k] = s.weight[last], s.classes[last]
	s.columns[class], s.outside[class] = s.scale*column, 1
	s.ofColumn = reciprocal(sum(s.columns))
	s.used--
}
