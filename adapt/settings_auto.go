package adapt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Auto holds the constants of the auto gate, a Bayesian mixture of hypotheses about a stream, all running side by side. For each
// temperature T, l is q^(b/T) normalised, with b the exponent of sharpened predictions (see Confidence), and mu the order-agnostic class
// marginal that explains the l so far best: online EM that forgets at the rate Delta, with Pseudo observations of the prior. L = l/<mu, l>
// makes evidences relative to chance.
//
// The third edition, the default:
//
//	hypothesis      evidence                           posterior ~
//	none(s, d)      <mu_sd, L>                         q                                no order: mu, and the Marginals beside it
//	static(e)       (1-c) <s, L> + c                   q                                no order: one class, the same for the whole stream
//	persist(a)      a <r, L> + (1-a)                   (b p + (1-b)/K) l_f              inertia of the predictions
//	sticky(a, e)    a ((1-c) <p, L> + c) + (1-a)       (a p + (1-a) mu) ((1-c) M_a + c) inertia of the labels
//	full(e)         (1-c) <A'p, L> + c                 A'p ((1-c) M + c)                a learned transition matrix
//	population(e)   (1-c) <P'p, L> + c                 P'p ((1-c) M_f + c)              the matrix of [Population], if there is one
//	none(f)         <f, L>                             q                                with a population: its class frequencies f
//	static_f(e)     (1-c) <s, L> + c                   q                                with a population: static that starts from f
//
// where p is the hypothesis' own last posterior, c = e K/(K-1) admits errors at the rate e, l_f doubts a single contrary step at the
// rate Flicker, b = Trust a (K-1)/K, and r is l_{t-1} to the power of Last. M = M(LiftPseudo) is the lift, l over mu' and scaled to <mu, M> = 1,
// with mu' the marginal under so many observations of the prior; M_a = M(n) with n = LiftPseudo (1 + (a/(LiftMemory (1-a)))^2), those beyond
// LiftPseudo being uniform: items that stay are worth fewer. M_f is l over f, scaled likewise. Static is what a sticky hypothesis can learn
// without order, the product of what all items say of one class: s ~ s ((1-c) M_A + c), with A the last of the Grid and, for static_f, M_f in
// place of M_A; every 16 steps s/s_0 is taken to the power of (1-Static)^16, with s_0 uniform or f.
//
// Order must beat every explanation without order: each ordered hypothesis has a twin without, so that a frequent class, or one that the
// predictor prefers, is not taken for one that stays; and a lift keeps it from being counted twice. A prior divides nothing: it is what mu and
// all posteriors start from, but for those of population, which start from f. In the answer, a label is changed only where the odds against the predictor's own exceed Margin^w, with w the
// weight of all hypotheses without order; else that label is made as probable as the one that
// would replace it.
//
// The second edition has no static, none(f) and static_f, answers l where the third answers q, M in place of M_a, r = l_{t-1}, b = a/3, no
// margin, and up to 24 classes a second full that admits errors; its constants are those of the third with the zeros of [SecondAuto].
//
// The first edition, which harms where classes are unequal and is kept for those who need its numbers (l is divided by the prior there,
// and mu starts from the uniform):
//
//	none            <mu, l>                                l
//	persist(a)      a <l_{t-1}, l> + (1-a) <mu, l>         (b p + (1-b)/K) l_f
//	sticky(a, e)    a <p, l_e> + (1-a) <mu, l>             (a p + (1-a)/K) l_e,  l_e = (1-c) l + c/K
//	full            <A'p, l>                               (A'p / mu) l
//
// The weights follow the evidence, with the share of the initial weights handed back at every step. In JSON a constant that is left out
// has the default of its edition.
type Auto struct {
	Edition      int       `json:"edition"`      // 1, 2 or 3; 0 means 3
	Grid         []float64 `json:"grid"`         // values of a, each in [0, 1)
	Errors       []float64 `json:"errors"`       // values of e of sticky, each in [0, 1]
	Flicker      float64   `json:"flicker"`      // doubt of persist, in [0, 1]
	Confidence   float64   `json:"confidence"`   // predictions whose greatest entry is less on average are sharpened to it, in [0, 1); 0: never
	Temperatures []float64 `json:"temperatures"` // factors on Settings.Temperature, each > 0
	None         float64   `json:"w_none"`       // initial weights of the kinds, >= 0; None > 0; their sum is normalised to 1
	Persist      float64   `json:"w_persist"`
	Sticky       float64   `json:"w_sticky"`
	Full         float64   `json:"w_full"`
	Share        float64   `json:"share"`  // handed back at every step, in [0, 1)
	Gamma        float64   `json:"gamma"`  // decay of the pair counts, in [0, 1)
	Beta         float64   `json:"beta"`   // strength of mu in the rows of A, in observations, > 0
	Delta        float64   `json:"delta"`  // decay of the class masses behind mu, in [0, 1)
	Pseudo       float64   `json:"pseudo"` // strength of the prior in mu, in observations, > 0

	// Of the second edition and the third.
	Marginals  []Marginal `json:"marginals"`             // of none, beside mu itself
	FullErrors []float64  `json:"full_errors"`           // values of e of full, each in [0, 1]; nil is 0 alone, and in the second edition 0 and 0.2 for few classes
	LiftPseudo float64    `json:"lift_pseudo,omitempty"` // Pseudo of the lift's marginal, > 0
	// Population is the weight of a population's matrix where there is one: a third of it is taken from None, the rest from Persist.
	Population       float64   `json:"w_population"`
	PopulationErrors []float64 `json:"population_errors"` // values of e of population, each in [0, 1]

	// Of the third edition; 0 is without.
	Static            float64 `json:"static"`               // rate at which static forgets, in [0, 1)
	LiftMemory        float64 `json:"lift_memory"`          // items of memory, in the measure a/(1-a), from which a lift has more pseudo-observations
	Last              float64 `json:"last"`                 // power of the last prediction in the evidence of persist, 1 to 4; 0 is 1
	Trust             float64 `json:"trust"`                // b of persist in a (K-1)/K, in [0, 1]; 0 is b = a/3
	Margin            float64 `json:"margin"`               // odds that a changed label must exceed where nothing speaks for order, from 1 on; 0 is 1
	Frequencies       float64 `json:"w_frequencies"`        // weight of none(f), beside the others
	StaticFrequencies float64 `json:"w_static_frequencies"` // weight of static_f, beside the others
	// Active is the number of classes that the learned matrix keeps apart, those that weigh most now; all others share one row and one column of it, which
	// each has its share of. A number of classes or more: all, and no approximation. 0 is 64, or all of up to 64 classes. Only what full answers depends on it.
	Active int `json:"active,omitempty"`
}

// Marginal is a class marginal of the stream, learned by online EM, that none is tried with.
type Marginal struct {
	Pseudo float64 `json:"pseudo"` // strength of the prior, in observations, > 0
	Delta  float64 `json:"delta"`  // decay of the class masses, in [0, 1)
}

// DefaultAuto returns the constants of the third edition.
func DefaultAuto() Auto {
	a := SecondAuto()
	a.Edition = 3
	a.Temperatures = []float64{1, 1.8}
	a.Static, a.LiftMemory, a.Last, a.Trust, a.Margin = 0.002, 6, 1.5, 0.35, 3
	a.Frequencies, a.StaticFrequencies = 0.05, 0.3
	return a
}

// SecondAuto returns the constants of the second edition.
func SecondAuto() Auto {
	a := FirstAuto()
	a.Edition = 2
	a.Sticky, a.Full = 0.095, 0.005
	a.Marginals, a.LiftPseudo = []Marginal{{1, 0.002}, {1, 0.02}}, 20
	a.Population, a.PopulationErrors = 0.15, []float64{0, 0.05, 0.2, 0.4}
	return a
}

// FirstAuto returns the constants of the first edition, and a Confidence that was found after it: the gate as it was published is that
// of Confidence 0.
func FirstAuto() Auto {
	return Auto{
		Edition: 1,
		Grid:    []float64{0.2, 0.4, 0.6, 0.75, 0.87, 0.94, 0.98}, Errors: []float64{0.05, 0.2}, Flicker: 0.1,
		Confidence: 0.8, Temperatures: []float64{1, 5. / 3},
		None: 0.45, Persist: 0.45, Sticky: 0.05, Full: 0.05,
		Share: 0.001, Gamma: 0.01, Beta: 1, Delta: 0.002, Pseudo: 5,
	}
}

// UnmarshalJSON reads constants over the defaults of their edition. A name that is none is an error.
func (a *Auto) UnmarshalJSON(data []byte) error {
	out, err := readAuto(data, 0)
	if err == nil {
		*a = *out
	}
	return err
}

// readAuto is UnmarshalJSON for constants that are of the given edition where they name none.
func readAuto(data []byte, edition int) (*Auto, error) {
	head := struct{ Edition int }{edition}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	type plain Auto // without the method
	var out plain
	switch head.Edition {
	case 0, 3:
		out = plain(DefaultAuto())
	case 2:
		out = plain(SecondAuto())
	case 1:
		out = plain(FirstAuto())
	default:
		return nil, fmt.Errorf("adapt: edition %d of auto: want 1, 2 or 3", head.Edition)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	return (*Auto)(&out), nil
}

// fullErrors returns those of full where the constants name none. A matrix that admits errors calls what leaves the learned order an error:
// behind a predictor that is right nearly always it undoes what was right (3 points on cycles behind MEMO), and elsewhere it gains
// next to nothing. The second edition, which keeps its numbers, has it up to 24 classes.
func fullErrors(edition, classes int) []float64 {
	if edition == 2 && classes <= 24 {
		return []float64{0, 0.2}
	}
	return []float64{0}
}

// mostActive is the number of classes that a learned matrix keeps apart if nothing else is said.
const mostActive = 64

// lumped tells that a learned matrix does not keep all classes apart.
func (a *Auto) lumped(classes int) bool { return a.Active > 0 && a.Active < classes }

// counted is the number of pairs that a learned matrix counts.
func (a *Auto) counted(classes int) int {
	if a.lumped(classes) {
		return (a.Active + 2) * (a.Active + 2)
	}
	return classes * classes
}

func (s Settings) withAuto(classes int) (Settings, error) {
	a := DefaultAuto()
	if s.Auto != nil {
		a = *s.Auto
	}
	a.Grid, a.Errors, a.Temperatures = slices.Clone(a.Grid), slices.Clone(a.Errors), slices.Clone(a.Temperatures)
	a.FullErrors, a.Marginals, a.PopulationErrors = slices.Clone(a.FullErrors), slices.Clone(a.Marginals), slices.Clone(a.PopulationErrors)
	if a.Edition == 0 {
		a.Edition = 3
	}
	s.Auto = &a
	if a.Edition < 1 || a.Edition > 3 {
		return s, fmt.Errorf("adapt: edition %d of auto: want 1, 2 or 3", a.Edition)
	}
	if a.Edition > 1 && a.FullErrors == nil {
		a.FullErrors = fullErrors(a.Edition, classes)
	}
	if a.Active < 0 || a.Active > MaxClasses {
		return s, fmt.Errorf("adapt: active %d: want 0 to %d classes", a.Active, MaxClasses)
	}
	if a.Edition == 3 && a.Active == 0 && classes > mostActive {
		a.Active = mostActive
	}
	matrices := len(a.Temperatures) * max(len(a.FullErrors), 1)
	if bytes := 8 * a.counted(classes) * matrices; bytes > MaxStateBytes {
		return s, fmt.Errorf("adapt: %d classes with %d matrices take %d bytes a stream: want at most %d", classes, matrices, bytes, int64(MaxStateBytes))
	}
	err := errors.Join(
		each("grid", a.Grid, 0, below1),
		each("errors", a.Errors, 0, 1),
		each("temperatures", a.Temperatures, 1e-3, 1e3),
		within("confidence", a.Confidence, 0, below1),
		within("flicker", a.Flicker, 0, 1),
		within("w_none", a.None, 1e-12, 1e12),
		within("w_persist", a.Persist, 0, 1e12),
		within("w_sticky", a.Sticky, 0, 1e12),
		within("w_full", a.Full, 0, 1e12),
		within("share", a.Share, 0, below1),
		within("gamma", a.Gamma, 0, below1),
		within("beta", a.Beta, 1e-9, 1e9),
		within("delta", a.Delta, 0, below1),
		within("pseudo", a.Pseudo, 1e-9, 1e9),
	)
	if err != nil {
		return s, err
	}
	if err := a.onlyOfLater(s.Population); err != nil || a.Edition == 1 {
		return s, err
	}
	return s.withLater(classes, &a)
}

// start is what marginals start from in the later editions of auto: the prior, or the uniform.
func (s Settings) start(classes int) []float64 {
	if s.Prior == nil {
		return uniformOver(classes)
	}
	return s.Prior
}

// divided is the prior that the likelihood is divided by, nil if it is by none: from the second edition of auto on, a prior is what mu starts from.
func (s Settings) divided() []float64 {
	if s.Auto != nil && s.Auto.Edition > 1 {
		return nil
	}
	return s.Prior
}

// onlyOfLater refuses what the edition would not read.
func (a Auto) onlyOfLater(p *Population) error {
	third := a.Static != 0 || a.LiftMemory != 0 || a.Last != 0 || a.Trust != 0 || a.Margin != 0 || a.Frequencies != 0 || a.StaticFrequencies != 0 || a.Active != 0
	if third && a.Edition < 3 {
		return errors.New("adapt: static, lift_memory, last, trust, margin, w_frequencies, w_static_frequencies and active are of the third edition of auto")
	}
	if a.Edition > 1 {
		return nil
	}
	if p != nil {
		return errors.New("adapt: a population's transitions are of the second edition of auto: the first has none")
	}
	if len(a.FullErrors) > 0 || len(a.Marginals) > 0 || a.LiftPseudo != 0 || a.Population != 0 || len(a.PopulationErrors) > 0 {
		return errors.New("adapt: marginals, full_errors, lift_pseudo, w_population and population_errors are of the second edition of auto")
	}
	return nil
}

// withLater checks what only the later editions have. What is for a population that is not there is left out of the settings in force.
func (s Settings) withLater(classes int, a *Auto) (Settings, error) {
	errs := []error{
		each("full_errors", a.FullErrors, 0, 1), within("lift_pseudo", a.LiftPseudo, 1e-9, 1e9),
		within("static", a.Static, 0, below1), within("lift_memory", a.LiftMemory, 0, 1e9), within("trust", a.Trust, 0, 1),
		unless0("last", a.Last, 1, 4), unless0("margin", a.Margin, 1, 1e9),
		within("w_frequencies", a.Frequencies, 0, 1e12), within("w_static_frequencies", a.StaticFrequencies, 0, 1e12),
	}
	if len(a.Marginals) > 16 {
		errs = append(errs, fmt.Errorf("adapt: %d marginals: want at most 16", len(a.Marginals)))
	}
	for i, m := range a.Marginals {
		errs = append(errs, within(fmt.Sprintf("marginals[%d].pseudo", i), m.Pseudo, 1e-9, 1e9), within(fmt.Sprintf("marginals[%d].delta", i), m.Delta, 0, below1))
	}
	if s.Population == nil {
		a.Population, a.PopulationErrors, a.Frequencies, a.StaticFrequencies = 0, nil, 0, 0
		return s, errors.Join(errs...)
	}
	errs = append(errs, each("population_errors", a.PopulationErrors, 0, 1),
		within("w_population", a.Population, 0, min(3*a.None-3e-12, 1.5*a.Persist)))
	p, err := s.Population.checked(classes)
	s.Population = p
	return s, errors.Join(append(errs, err)...)
}
