package adapt

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Transitions writes the learned transition matrix into dst [K, K], row-major, and returns it: entry i*K+j is the probability
// that class j follows class i; every row sums to 1. A nil dst is allocated; any other wrong length panics. Under the paper's
// modes it is A of the counts so far, under auto the matrix of the hypothesis `full` at the temperature that is most probable now.
//
// The matrix can reveal a routine: which state of a person follows which, and how long each lasts. It leaves the filter here, in
// snapshots, and nowhere else.
func (f *Filter) Transitions(dst []float64) []float64 {
	n := f.classes
	if dst == nil {
		dst = make([]float64, n*n)
	}
	if len(dst) != n*n {
		panic(fmt.Sprintf("adapt: Transitions with length %d: want %d", len(dst), n*n))
	}
	switch m := f.mode.(type) {
	case *paper:
		m.transitions(dst)
	case *mixture:
		t, l := m.likeliest()
		t.transitions(dst, l)
	}
	return dst
}

func (f *paper) transitions(dst []float64) {
	n := len(f.p)
	for i, total := range f.rows {
		row := dst[i*n : i*n+n]
		switch {
		case total > tiny:
			copy(row, f.c[i*n:i*n+n])
		case f.Init == InitIdentity: // a row that decayed to nothing counts as its initial one, as in learn
			fill(row, 0)
			row[i] = 1
		default:
			fill(row, 1)
		}
		scale(row, 1/sum(row))
	}
}

// likeliest returns the temperature whose hypotheses together weigh most, and the heaviest of its learned matrices.
func (m *mixture) likeliest() (*tempered, *learned) {
	i := m.likeliestTemperature()
	return m.at[i], &m.at[i].fulls[top(m.kinds(m.slot(i)).full)]
}

func (m *mixture) likeliestTemperature() int {
	best, most := 0, -1.0
	for i := range m.at {
		if w := sum(m.slot(i)); w > most {
			best, most = i, w
		}
	}
	return best
}

// transitions forms A_ij = (C_ij + beta mu_j)/(C_i. + beta), with the mu that the next step would use.
func (t *tempered) transitions(dst []float64, l *learned) {
	n := len(t.mass)
	norm := 1 / (sum(t.mass) + t.m.Pseudo)
	for i := range n {
		row := dst[i*n : i*n+n]
		l.pairs.counts(row, i)
		for j := range row {
			row[j] += t.m.Beta * (t.mass[j] + t.m.Pseudo*t.m.start[j]) * norm
		}
		scale(row, 1/sum(row))
	}
}

// exported is what [Filter.ExportJSON] writes.
type exported struct {
	Format      string       `json:"format"`
	Version     int          `json:"version"`
	Classes     int          `json:"classes"`
	Steps       int          `json:"steps"`
	Settings    Settings     `json:"settings"`             // the population's numbers with the transitions only
	Population  bool         `json:"population,omitempty"` // that there is one
	Gate        float64      `json:"gate"`
	LLR         *float64     `json:"llr,omitempty"`
	Gain        float64      `json:"gain"`
	Excluded    int          `json:"zero_evidence"`
	Sharpness   float64      `json:"sharpness,omitempty"` // power to which q is taken now
	Hypotheses  []Hypothesis `json:"hypotheses,omitempty"`
	Transitions [][]float64  `json:"transitions,omitempty"`
}

// ExportJSON writes the filter for people, as indented JSON: settings, steps and how many of them had zero evidence, the gate's weight,
// the structural gain and, under auto, the weight of each hypothesis by name. The transition matrix, as a list of its rows, is
// written if withTransitions says so; without it the text tells how much the stream's order explains and nothing about its classes, nor those of a population.
// It cannot be read back: see [Filter.MarshalBinary]. The error is that of w.
func (f *Filter) ExportJSON(w io.Writer, withTransitions bool) error {
	e := exported{
		Format: "oatta filter", Version: 1, Classes: f.classes, Steps: f.steps, Settings: f.settings,
		Gain: f.Gain(), Excluded: f.excluded, Hypotheses: f.Hypotheses(nil),
	}
	switch m := f.mode.(type) {
	case *paper:
		e.Gate, e.LLR = m.openness()
	case *mixture:
		e.Sharpness = m.sharp.exponent
	}
	for _, h := range e.Hypotheses {
		if h.Ordered() {
			e.Gate += h.Weight
		}
	}
	e.Population = e.Settings.Population != nil
	if !withTransitions {
		e.Settings.Population = nil
	}
	if withTransitions {
		flat := f.Transitions(nil)
		for i := range f.classes {
			e.Transitions = append(e.Transitions, flat[i*f.classes:(i+1)*f.classes])
		}
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return fmt.Errorf("adapt: export: %w", err)
	}
	if _, err := w.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("adapt: export: %w", err)
	}
	return nil
}

// openness returns the weight that the gate has for the log ratio so far, and that ratio: 1 and nil without a gate.
func (f *paper) openness() (float64, *float64) {
	if f.gate == GateOff {
		return 1, nil
	}
	llr := f.llr
	return 1 / (1 + math.Exp(-(llr-f.Margin)/f.GateTau)), &llr
}
