package adapt

import "math"

// Where most predictions are exactly zero, as of a classifier that tells its top few only, most of a dense step is adding zeros. A class
// with q = 0 has no likelihood and no posterior, so that of the K x K counts a step changes only the rows of q_{t-1} (in the paper's
// modes) or of p (under auto) in the columns of q_t, and reads only the rows of p; the decay is carried as a scale. The functions here go by
// lists of the classes that are not zero, and cost a few times K.
//
// There is no tolerance on the posterior, as nothing is left out that is not zero. It would buy little that could be proven. With q even as small as e
// outside of a list, the counts between two classes that were never listed are sums of e^2; they are what the prior of the second is made
// of when the first has come and the second follows, the evidence is then as small as they are, and leaving them out would change
// the posterior by as much as 2, however small e is. What could be left out safely is what is small beside the least entry of q.

// What a caller knows not to matter, [Settings].Floor, becomes zero before the step: floor writes q without the entries below least into dst,
// normalised, and returns it. Least is so small that most of q is left.
func floor(dst, q []float64, least float64) []float64 {
	total := 0.0
	for i, v := range q {
		if v < least {
			v = 0
		}
		dst[i] = v
		total += v
	}
	scale(dst, 1/total)
	return dst
}

// sparseShare is the share of the classes up to which a step goes by lists.
const sparseShare = 8

// maxListed bounds the list of a step under auto.
const maxListed = 64

// few is up to how many classes a step under auto goes by a list.
func few(classes int) int { return min(classes/sparseShare, maxListed) }

// nonzeros appends the indices of the entries of x >= 0 that are not 0 to list, unless they are more than most.
func nonzeros(list []int32, x []float64, most int) ([]int32, bool) {
	for i := 0; i < len(x); i++ {
		if rest := x[i:]; len(rest) >= 8 && rest[0]+rest[1]+(rest[2]+rest[3])+(rest[4]+rest[5]+(rest[6]+rest[7])) == 0 {
			i += 7
			continue
		}
		if x[i] != 0 {
			if len(list) >= most {
				return list, false
			}
			list = append(list, int32(i))
		}
	}
	return list, true
}

// dotAt is dot for an x or y that is zero outside of the list.
func dotAt(list []int32, x, y []float64) (s float64) {
	for _, i := range list {
		s += x[i] * y[i]
	}
	return s
}

// addScaledAt is addScaled for an x that is zero outside of the list.
func addScaledAt(list []int32, dst []float64, by float64, x []float64) {
	for _, i := range list {
		dst[i] += by * x[i]
	}
}

// logsAt is [logs] for a q that is zero outside of the list; dst is set there only.
func logsAt(list []int32, dst, q []float64) (entropy float64) {
	for _, i := range list {
		dst[i] = logarithm(q[i])
		entropy -= q[i] * dst[i]
	}
	return max(entropy, 0)
}

// likelihoodAt is [likelihood] for a q that is zero outside of the list.
func likelihoodAt(list []int32, dst, q, logq, inv []float64, temperature float64) {
	clear(dst)
	top, total := math.Inf(-1), 0.0
	for _, i := range list {
		top = max(top, logq[i])
	}
	for _, i := range list {
		v := q[i]
		if temperature != 1 {
			v = exponential((logq[i] - top) / temperature)
		}
		if inv != nil {
			v *= inv[i]
		}
		dst[i] = v
		total += v
	}
	for _, i := range list {
		dst[i] *= 1 / total
	}
}

// posteriorAt is posterior for a likelihood that is zero outside of the list.
func (f *paper) posteriorAt(list []int32) float64 {
	evidence := dotAt(list, f.like, f.prior)
	if !(evidence > minEvidence) {
		copy(f.p, f.like)
		return evidence
	}
	clear(f.p)
	for _, i := range list {
		f.p[i] = f.like[i] * f.prior[i] / evidence
	}
	return evidence
}

// learnSparse is learn where q_{t-1}, q_t and p are zero but for a few classes each; else it does nothing and returns false.
func (f *paper) learnSparse(add float64, q []float64) bool {
	var few bool
	if f.columns, few = nonzeros(f.columns[:0], q, f.few); !few {
		return false
	}
	if f.before, few = nonzeros(f.before[:0], f.q, f.few); !few {
		return false
	}
	if f.belief, few = nonzeros(f.belief[:0], f.p, f.few); !few {
		return false
	}
	n, total := len(q), sum(q)
	for _, i := range f.before {
		a := add * f.q[i]
		f.rows[i] += a * total
		addScaledAt(f.columns, f.c[int(i)*n:int(i)*n+n], a, q)
	}
	f.sumRows(f.belief)
	return true
}

// sumRows sets the prior to A'p, where p is zero outside of the list.
func (f *paper) sumRows(list []int32) {
	clear(f.prior)
	n, spare := len(f.p), 0.0
	row := func(i int32) []float64 { return f.c[int(i)*n : int(i)*n+n] }
	for k := 0; k < len(list); k += 2 {
		i, w := list[k], 0.0
		w, spare = f.share(i, spare)
		if k+1 == len(list) {
			addScaled(f.prior, w, row(i))
			break
		}
		j, v := list[k+1], 0.0
		v, spare = f.share(j, spare)
		addScaled2(f.prior, w, row(i), v, row(j))
	}
	if spare > 0 {
		for i := range f.prior {
			f.prior[i] += spare / float64(n)
		}
	}
	f.addForgotten(list)
}

// share returns p_i/C_i., or 0 for a row that decayed to nothing, whose p is then added to spare if it counts as uniform.
func (f *paper) share(i int32, spare float64) (weight, then float64) {
	switch {
	case f.rows[i] > tiny:
		return f.p[i] / f.rows[i], spare
	case f.Init == InitIdentity:
		return 0, spare
	}
	return 0, spare + f.p[i]
}

// addForgotten adds p_i for rows that decayed to nothing and count as those of the identity.
func (f *paper) addForgotten(list []int32) {
	if f.Init != InitIdentity {
		return
	}
	for _, i := range list {
		if !(f.rows[i] > tiny) {
			f.prior[i] += f.p[i]
		}
	}
}
