package adapt

import (
	"fmt"
	"math"
)

// What each mode carries from one step to the next. Scratch is left out: like and logq of both modes, and what the next step
// forms anew (mu, lift, chance, overlap and all priors of tempered, out of mixture). What the settings determine is left out too.

func (f *paper) visit(v visitor) {
	v.numbers("counts", f.c, counted)
	v.numbers("row sums", f.rows, counted)
	v.number("scale", &f.scale, scales)
	v.numbers("p", f.p, simplex)
	v.numbers("q", f.q, observed)
	v.numbers("prior", f.prior, simplex)
	v.numbers("marginal", f.marginal, simplex)
	v.number("llr", &f.llr, ratios)
	if f.gate == GateWindow {
		f.ratios.visit(v)
	}
}

// visit takes the whole ring, so that the length of a snapshot follows from the settings alone; reset clears it.
func (w *window) visit(v visitor) {
	v.numbers("window", w.values, ratios)
	v.integer("window position", &w.next, len(w.values)-1)
	v.integer("window count", &w.count, len(w.values))
	v.number("window sum", &w.sum, ratioSums)
}

// settle has nothing to do: a snapshot holds everything.
func (f *paper) settle() {}

func (f *paper) consistent() error {
	if s := sum(f.q); !(math.Abs(s-1) <= 2*SumTolerance) {
		return fmt.Errorf("state: sum of q is %g: want 1", s)
	}
	if err := f.ratios.consistent(); err != nil {
		return err
	}
	return rowsAgree(f.c, f.rows, 1)
}

// consistent: until the ring is full, it fills from the start and holds nothing beyond.
func (w *window) consistent() error {
	if w.count == len(w.values) {
		return nil
	}
	if w.next != w.count {
		return fmt.Errorf("state: window position %d after %d ratios", w.next, w.count)
	}
	for i, v := range w.values[w.count:] {
		if v != 0 {
			return fmt.Errorf("state: window holds %g at %d after %d ratios", v, w.count+i, w.count)
		}
	}
	return nil
}

// rowsAgree compares the carried row sums with the rows of c [K, K] times the scale.
func rowsAgree(c, rows []float64, scale float64) error {
	n := len(rows)
	for i, r := range rows {
		if s := scale * sum(c[i*n:i*n+n]); !(math.Abs(r-s) <= unitTolerance*max(r, s)+2*tiny) {
			return fmt.Errorf("state: row sum %d is %g: want %g", i, r, s)
		}
	}
	return nil
}

func (m *mixture) visit(v visitor) {
	v.numbers("weights", m.weights, simplex)
	if v.since(3) {
		v.number("sharpness", &m.sharp.exponent, exponents)
		v.integer("steps of the sharpness", &m.sharp.age, sharpenAgeMax)
	}
	if m.Edition > 2 {
		v.integer("steps since static forgot", &m.sinceForgot, staticBlock-1)
	}
	for _, t := range m.at {
		t.visit(v)
	}
}

func (t *tempered) visit(v visitor) {
	v.numbers("last likelihood", t.last, simplex)
	v.numbers("class masses", t.mass, counted)
	for i := range t.marginals {
		v.numbers("masses of a marginal", t.marginals[i].mass, counted)
	}
	for i := range t.statics {
		v.numbers("static", t.statics[i].s, simplex)
	}
	for i := range t.twins {
		v.numbers("static of the population", t.twins[i].s, simplex)
	}
	for _, p := range t.persist {
		v.numbers("persist", p, simplex)
	}
	for _, p := range t.sticky {
		v.numbers("sticky", p, simplex)
	}
	for i := range t.fulls {
		v.numbers("full", t.fulls[i].p, simplex)
		t.fulls[i].pairs.visit(v)
	}
	for i := range t.others {
		v.numbers("population", t.others[i].p, simplex)
	}
}

// visit includes u, carried and total, although they follow from the counts and the posterior: formed anew they might differ in
// the last bit, and the filter would not continue as it began.
func (s *pairs) visit(v visitor) {
	v.numbers("counts", s.c, counted)
	if v.since(3) {
		v.number("scale", &s.scale, scales)
	} else {
		s.scale = 1
	}
	v.numbers("row sums", s.rows, counted)
	v.numbers("aim", s.u, counted)
	v.numbers("carried", s.carried, simplexOrLess)
	v.number("total", &s.total, counted)
	v.flag("started", &s.started)
}

// exponents are those of sharpened predictions.
var exponents = bounds{1, maxSharpness, false}

// simplexOrLess holds the part of a prior that the counts give; beta's part is added to it.
var simplexOrLess = bounds{0, 1 + unitTolerance, false}

func (m *mixture) consistent() error {
	for _, t := range m.at {
		for i := range t.fulls {
			if err := t.fulls[i].pairs.consistent(t.fulls[i].p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mixture) settle() {
	for _, t := range m.at {
		for i := range t.fulls {
			t.fulls[i].pairs.settle(t.fulls[i].p)
		}
	}
}

// consistent holds the carried sums to the counts and to p, the posterior they are aimed at: then A'p is a probability vector.
func (s *pairs) consistent(p []float64) error {
	if err := rowsAgree(s.c, s.rows, s.scale); err != nil {
		return err
	}
	for i, u := range s.u {
		if got := u * (s.rows[i] + s.beta); !(math.Abs(got-p[i]) <= unitTolerance*p[i]+2*tiny) {
			return fmt.Errorf("state: aim %d is %g with a row sum of %g: want the posterior %g", i, u, s.rows[i], p[i])
		}
	}
	if err := agree("total", s.total, sum(s.u)); err != nil {
		return err
	}
	return agree("sum of the carried prior", sum(s.carried)+s.beta*s.total, 1)
}
