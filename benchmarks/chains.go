package benchmarks

// chain is a law of transitions with the length of the stream filled in.
type chain func(dst []float64, from, t int)

// knowing is the Bayes filter that is told the law of the stream. No causal filter that takes the likelihoods for true can do
// better; the likelihoods are tempered since the predictor is over-confident. The first label is uniform.
func knowing(dst []int, like [][]float64, law chain) {
	labelsOf(dst, like, func(p, like [][]float64) { forward(p, like, uniform(len(like[0])), law) })
}

// hindsight is the same with the whole stream in view.
func hindsight(dst []int, like [][]float64, law chain) {
	labelsOf(dst, like, func(p, like [][]float64) { forwardBackward(p, like, uniform(len(like[0])), law) })
}

// forward writes the posterior of each step given all likelihoods up to it. first is the law of the first label.
func forward(dst, like [][]float64, first []float64, law chain) {
	row, prior := make([]float64, len(first)), make([]float64, len(first))
	copy(prior, first)
	for t, l := range like {
		if t > 0 {
			propagate(prior, dst[t-1], row, law, t)
		}
		posterior(dst[t], prior, l)
	}
}

// propagate writes A_t' p into prior.
func propagate(prior, p, row []float64, law chain, t int) {
	clear(prior)
	for i, v := range p {
		law(row, i, t)
		for j, a := range row {
			prior[j] += v * a
		}
	}
}

// posterior is the normalised product; where it is zero everywhere, only the likelihood speaks.
func posterior(p, prior, like []float64) {
	s := 0.0
	for j, v := range prior {
		p[j] = v * like[j]
		s += p[j]
	}
	if !(s > 0) {
		copy(p, like)
		return
	}
	for j := range p {
		p[j] /= s
	}
}

// forwardBackward writes the posterior of each step given all likelihoods: beta_t(i) = sum_j A_{t+1}(i, j) L_{t+1}(j) beta_{t+1}(j).
func forwardBackward(dst, like [][]float64, first []float64, law chain) {
	forward(dst, like, first, law)
	k := len(first)
	beta, next, row := uniform(k), make([]float64, k), make([]float64, k)
	for t := len(like) - 1; t >= 0; t-- {
		posterior(dst[t], dst[t], beta)
		if t == 0 {
			break
		}
		for i := range next {
			law(row, i, t)
			next[i] = 0
			for j, a := range row {
				next[i] += a * like[t][j] * beta[j]
			}
		}
		copy(beta, next)
		normalise(beta)
	}
}

func uniform(k int) []float64 {
	p := make([]float64, k)
	for i := range p {
		p[i] = 1 / float64(k)
	}
	return p
}
