package benchmarks

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/results"
)

// Method names what is done with the predictions of a stream: Label writes a class for every row of q [steps][classes] into dst. It
// must not change q, and must not keep anything from one call to the next.
type Method struct {
	Name  string
	Label func(dst []int, q [][]float64)
}

// Base takes each prediction as it is.
func Base() Method {
	return Method{"base", func(dst []int, q [][]float64) {
		for t, row := range q {
			dst[t], _ = results.Top(row)
		}
	}}
}

// Filter runs adapt's filter with settings that must be valid for the number of classes.
func Filter(name string, s adapt.Settings) Method {
	return Method{name, func(dst []int, q [][]float64) {
		if len(q) == 0 {
			return
		}
		f, err := adapt.New(len(q[0]), s)
		if err != nil {
			panic(fmt.Sprintf("benchmarks: %s: %v", name, err))
		}
		out := make([]float64, len(q[0]))
		for t, row := range q {
			f.Step(out, row)
			dst[t], _ = results.Top(out)
		}
	}}
}

// Filters are the gates of the paper and auto, each with its defaults.
func Filters(prior []float64) []Method {
	var out []Method
	for _, gate := range adapt.Gates() {
		out = append(out, Filter(string(gate), adapt.Settings{Gate: gate, Prior: prior}))
	}
	return out
}

// chain is a law of transitions with the length of the stream filled in.
type chain func(dst []float64, from, t int)

// knowing is the Bayes filter that is told the law of the stream. No causal filter that takes the likelihoods for true can do
// better; the likelihoods are tempered since the predictor is over-confident. The first label is uniform.
func knowing(dst []int, like [][]float64, law chain) {
	if len(like) == 0 {
		return
	}
	k := len(like[0])
	p, row, prior := uniform(k), make([]float64, k), make([]float64, k)
	for t, l := range like {
		if t == 0 {
			copy(prior, p)
		} else {
			predict(prior, p, row, law, t)
		}
		posterior(p, prior, l)
		dst[t], _ = results.Top(p)
	}
}

// predict writes A_t' p into prior.
func predict(prior, p, row []float64, law chain, t int) {
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

// hindsight is the same with the whole stream in view, by forward-backward: beta_t(i) = sum_j A_{t+1}(i, j) L_{t+1}(j) beta_{t+1}(j).
func hindsight(dst []int, like [][]float64, law chain) {
	if len(like) == 0 {
		return
	}
	k, steps := len(like[0]), len(like)
	forward := make([][]float64, steps)
	p, row, prior := uniform(k), make([]float64, k), make([]float64, k)
	for t, l := range like {
		copy(prior, p)
		if t > 0 {
			predict(prior, p, row, law, t)
		}
		posterior(p, prior, l)
		forward[t] = append([]float64(nil), p...)
	}
	beta, next, both := uniform(k), make([]float64, k), make([]float64, k)
	for t := steps - 1; t >= 0; t-- {
		for i, v := range forward[t] {
			both[i] = v * beta[i]
		}
		dst[t], _ = results.Top(both)
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
