package adapt

import (
	"fmt"
	"strings"
)

// What a step costs nothing to tell is in [Diagnostics]. The rest is asked for, between steps; nothing here changes the filter.

// Gain returns the structural gain of the learned matrix A, the mean of its diagonal in excess of chance:
//
//	G_t = 1/K sum_i A_ii - 1/K
//
// It is from -1/K (no class follows itself) to 1 - 1/K (nothing changes), and 0 for a matrix without structure and for one class. A is
// that of [Filter.Transitions], of which only the diagonal is read: K steps through memory.
func (f *Filter) Gain() float64 {
	trace := 0.0
	switch m := f.mode.(type) {
	case *paper:
		for i := range f.classes {
			trace += m.diagonal(i)
		}
	case *mixture:
		t, l := m.likeliest()
		norm := 1 / (sum(t.mass) + t.m.Pseudo)
		for i := range f.classes {
			trace += t.diagonal(l, i, norm)
		}
	}
	return (trace - 1) / float64(f.classes)
}

// diagonal returns A_ii; see transitions.
func (f *paper) diagonal(i int) float64 {
	n := len(f.p)
	switch {
	case f.rows[i] > tiny:
		return f.c[i*n+i] / f.rows[i]
	case f.Init == InitIdentity:
		return 1
	}
	return 1 / float64(n)
}

// diagonal returns A_ii; see transitions. norm is the reciprocal of the masses behind mu.
func (t *tempered) diagonal(l *learned, i int, norm float64) float64 {
	mu := (t.mass[i] + t.m.Pseudo*t.m.start[i]) * norm
	return (l.pairs.own(i) + t.m.Beta*mu) / (l.pairs.sizes()[i] + t.m.Beta)
}

// SampleSizes writes the effective sample size of each row of the learned matrix into dst [K] and returns it; a nil dst is allocated,
// any other wrong length panics. N_i says how many fresh and certain observations of what follows class i weigh as much as all that
// row i remembers: the next one moves the row by about one part in N_i + 1.
//
//	paper's modes   N_i = C_i. / gamma     a certain observation adds gamma; what is left of the pseudo-counts is in it
//	auto            N_i = C_i.             an observation adds 1; the beta observations of mu that A has besides are not in it
//
// with C_i. the decayed row sum, for auto of the matrix that [Filter.Transitions] returns. So an observation counts for
// what it is worth now, by its age and by how sure it was of its class, and K numbers that are carried anyway suffice. (Kish's size
// (sum w)^2 / sum w^2 would be the wrong measure here: it does not see a weight common to all, so that a row visited long ago would
// keep its size while the filter forgets it, and a thousand observations that are each one percent sure would count as a thousand.)
// With a gamma of 0 the paper's modes learn nothing, and N_i is +Inf.
func (f *Filter) SampleSizes(dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, f.classes)
	}
	if len(dst) != f.classes {
		panic(fmt.Sprintf("adapt: SampleSizes with length %d: want %d", len(dst), f.classes))
	}
	switch m := f.mode.(type) {
	case *paper:
		for i, r := range m.rows {
			dst[i] = m.scale * r / m.Gamma
		}
	case *mixture:
		_, l := m.likeliest()
		copy(dst, l.pairs.sizes())
	}
	return dst
}

// ZeroEvidence returns the number of steps since the start of the stream at which the prior excluded all that the likelihood allowed;
// see [Diagnostics]. Under auto there is none, as the hypothesis `none` allows everything.
func (f *Filter) ZeroEvidence() int { return f.excluded }

// Hypotheses appends the hypotheses of the auto gate to dst, each with the weight that it enters the next step with, and returns the
// extended slice; the weights sum to 1. For each temperature in turn the order is none (of mu, then of the Marginals), static by e, with a population its frequencies and static_f by e, persist by a, sticky
// by a and e, full by e, population by e. In the paper's modes there are none.
func (f *Filter) Hypotheses(dst []Hypothesis) []Hypothesis {
	m, ok := f.mode.(*mixture)
	if !ok {
		return dst
	}
	for i := range m.temperatures {
		w := m.slot(i)
		m.named(m.temperature(i), func(h Hypothesis) {
			h.Weight, w = w[0], w[1:]
			dst = append(dst, h)
		})
	}
	return dst
}

// named lists the hypotheses of one temperature in the order of their weights.
func (m *mixture) named(temperature float64, add func(Hypothesis)) {
	add(Hypothesis{Kind: "none", Temperature: temperature})
	for _, g := range m.Marginals {
		add(Hypothesis{Kind: "none", Forgets: g.Delta, Temperature: temperature})
	}
	if m.Static > 0 {
		for _, e := range m.Errors {
			add(Hypothesis{Kind: "static", Error: e, Temperature: temperature})
		}
	}
	if m.twinned() {
		add(Hypothesis{Kind: "frequencies", Temperature: temperature})
		for _, e := range m.PopulationErrors {
			add(Hypothesis{Kind: "static_f", Error: e, Temperature: temperature})
		}
	}
	for _, a := range m.Grid {
		add(Hypothesis{Kind: "persist", Stay: a, Temperature: temperature})
	}
	for _, a := range m.Grid {
		for _, e := range m.Errors {
			add(Hypothesis{Kind: "sticky", Stay: a, Error: e, Temperature: temperature})
		}
	}
	if !m.later {
		add(Hypothesis{Kind: "full", Temperature: temperature})
		return
	}
	for _, e := range m.FullErrors {
		add(Hypothesis{Kind: "full", Error: e, Temperature: temperature})
	}
	for _, e := range m.PopulationErrors {
		add(Hypothesis{Kind: "population", Error: e, Temperature: temperature})
	}
}

// String names the hypothesis as the documentation does, as in "sticky(0.87, 0.05) at T = 1.67".
func (h Hypothesis) String() string {
	var args []string
	if h.Kind == "persist" || h.Kind == "sticky" {
		args = append(args, fmt.Sprintf("%.3g", h.Stay))
	}
	if h.Forgets > 0 {
		args = append(args, fmt.Sprintf("%.3g", h.Forgets))
	}
	if h.Kind == "sticky" || h.Error > 0 {
		args = append(args, fmt.Sprintf("%.3g", h.Error))
	}
	if h.Confused {
		args[len(args)-1] += " confused"
	}
	name := h.Kind
	if len(args) > 0 {
		name += "(" + strings.Join(args, ", ") + ")"
	}
	return fmt.Sprintf("%s at T = %.3g", name, h.Temperature)
}
