package adapt

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Gate chooses how much the filter trusts the order of a stream.
type Gate string

// The gates. The empty string is GateAuto.
const (
	GateOff    Gate = "off"    // the paper's filter without a gate: order is always trusted
	GateEWMA   Gate = "ewma"   // the paper's log-likelihood-ratio gate with an exponential mean (its appendix)
	GateWindow Gate = "window" // the same with a plain mean over a window (its text)
	GateAuto   Gate = "auto"   // hypotheses weighed by evidence
)

// Gates lists the gates by name, for messages and help texts.
func Gates() []Gate { return []Gate{GateOff, GateEWMA, GateWindow, GateAuto} }

// Init is the pseudocount matrix C_0 that a stream starts from in the paper's modes.
type Init string

// The paper's algorithms say kappa I, its text says uniform pseudocounts; uniform fits its published table best.
const (
	InitUniform  Init = "uniform"  // kappa everywhere
	InitIdentity Init = "identity" // kappa on the diagonal
)

// Settings configures a filter. The zero value is the auto gate with its defaults, a uniform source prior and temperature 1.
type Settings struct {
	Gate        Gate      `json:"gate"`
	Temperature float64   `json:"temperature,omitempty"` // > 0, divides log q; 0 means 1. Undoes over-confidence of the predictor.
	Prior       []float64 `json:"prior,omitempty"`       // rho, the class prior of the training set; nil is uniform. Positive, sums to 1.
	// Floor, 0 to MaxFloor, is the probability below which an entry of q counts as 0: what is left out of a q is at most K Floor of its mass, and
	// the step is then that of the rest, exactly. Predictions of many classes that are sure of a few are so stepped in microseconds. 0
	// leaves nothing out. It is of [Filter.Step] and of what is built on it; recordings are smoothed as they are.
	Floor float64 `json:"floor,omitempty"`
	Paper *Paper  `json:"paper,omitempty"` // for off, ewma and window; nil is DefaultPaper
	Auto  *Auto   `json:"auto,omitempty"`  // for auto; nil is DefaultAuto
	// Population is what labelled streams of others taught of the order, for the later editions of auto; nil is nothing.
	Population *Population `json:"population,omitempty"`
}

// Paper holds the hyperparameters of the paper's modes. The paper prints none: the defaults were fitted to its thirteen
// controlled rows.
type Paper struct {
	Init    Init    `json:"init"`     // default uniform
	Kappa   float64 `json:"kappa"`    // pseudocount, > 0; default 0.1
	Gamma   float64 `json:"gamma"`    // learning rate of the counts, in [0, 1); default 0.1
	Tau     float64 `json:"tau"`      // scale of the entropy in nats that silences an update, > 0; default 0.35
	Eta     float64 `json:"eta"`      // rate of the running marginal, in [0, 1]; default 0.05
	Window  int     `json:"window"`   // steps over which the ratio is averaged, 1 to 1e6; default 50
	Margin  float64 `json:"margin"`   // ratio in nats at which the gate is half open; default 0.2
	GateTau float64 `json:"gate_tau"` // softness of the gate in nats, > 0; default 0.8
	Eps     float64 `json:"eps"`      // floor inside the logarithms, >= 0; default 1e-8
}

// DefaultPaper returns the values fitted to the paper's controlled table.
func DefaultPaper() Paper {
	return Paper{
		Init: InitUniform, Kappa: 0.1, Gamma: 0.1, Tau: 0.35,
		Eta: 0.05, Window: 50, Margin: 0.2, GateTau: 0.8, Eps: 1e-8,
	}
}

// MaxFloor bounds Settings.Floor: with MaxClasses no more than a sixty-thousandth of a prediction is left out.
const MaxFloor = 1e-9

// MaxClasses bounds K, and MaxStateBytes what the K x K matrices of one stream take: one of float64 in the paper's modes, one for
// each temperature under auto.
const (
	MaxClasses    = 1 << 14
	MaxStateBytes = 1 << 32
)

// resolved returns s with every default filled in and the prior normalised, or an error that names the setting.
func (s Settings) resolved(classes int) (Settings, error) {
	if classes < 1 || classes > MaxClasses {
		return s, fmt.Errorf("adapt: %d classes: want 1 to %d", classes, MaxClasses)
	}
	if s.Gate == "" {
		s.Gate = GateAuto
	}
	if !slices.Contains(Gates(), s.Gate) {
		return s, fmt.Errorf("adapt: gate %q: want one of %v", s.Gate, Gates())
	}
	if s.Temperature == 0 {
		s.Temperature = 1
	}
	if err := within("temperature", s.Temperature, 1e-3, 1e3); err != nil {
		return s, err
	}
	if err := within("floor", s.Floor, 0, MaxFloor); err != nil {
		return s, err
	}
	prior, err := checkedPrior(s.Prior, classes)
	if err != nil {
		return s, err
	}
	s.Prior = prior
	if s.Gate == GateAuto {
		s.Paper = nil
		return s.withAuto(classes)
	}
	if s.Population != nil {
		return s, fmt.Errorf("adapt: a population's transitions are of the gate auto: gate %s learns its own alone", s.Gate)
	}
	s.Auto = nil
	return s.withPaper()
}

// Validate reports the first setting out of range for a filter over the given number of classes.
func (s Settings) Validate(classes int) error {
	_, err := s.resolved(classes)
	return err
}

// Resolved returns the settings with every default filled in, as a run's manifest should record them.
func (s Settings) Resolved(classes int) (Settings, error) { return s.resolved(classes) }

func (s Settings) withPaper() (Settings, error) {
	p := DefaultPaper()
	if s.Paper != nil {
		p = *s.Paper
	}
	s.Paper = &p
	if p.Init != InitUniform && p.Init != InitIdentity {
		return s, fmt.Errorf("adapt: init %q: want uniform or identity", p.Init)
	}
	if p.Window < 1 || p.Window > 1e6 {
		return s, fmt.Errorf("adapt: window %d: want 1 to 1000000", p.Window)
	}
	return s, errors.Join(
		within("kappa", p.Kappa, 1e-12, 1e12),
		within("gamma", p.Gamma, 0, below1),
		within("tau", p.Tau, 1e-9, 1e9),
		within("eta", p.Eta, 0, 1),
		within("margin", p.Margin, -1e6, 1e6),
		within("gate-tau", p.GateTau, 1e-9, 1e9),
		within("eps", p.Eps, 0, 1),
	)
}

// below1 is the upper end of the half-open ranges: a rate of 1 would forget everything at once and divide by zero.
const below1 = 1 - 1e-9

// within reports v outside [lo, hi]; the negation also refuses NaN.
func within(name string, v, lo, hi float64) error {
	if !(v >= lo && v <= hi) {
		return fmt.Errorf("adapt: %s %g: want %g to %g", name, v, lo, hi)
	}
	return nil
}

// unless0 is within for a setting whose 0 is another word for the default.
func unless0(name string, v, lo, hi float64) error {
	if v == 0 {
		return nil
	}
	return within(name, v, lo, hi)
}

func each(name string, values []float64, lo, hi float64) error {
	if len(values) == 0 || len(values) > 64 {
		return fmt.Errorf("adapt: %s has %d values: want 1 to 64", name, len(values))
	}
	for i, v := range values {
		if err := within(fmt.Sprintf("%s[%d]", name, i), v, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// minPrior keeps the reciprocal of a prior, and its product with a likelihood, far from overflow.
const minPrior = 1e-12

// checkedPrior returns a normalised copy of rho, or nil for the uniform prior. A zero would divide by zero.
func checkedPrior(rho []float64, classes int) ([]float64, error) {
	if rho == nil {
		return nil, nil
	}
	return distribution("prior", rho, classes, minPrior)
}

// distribution returns a copy of x [classes] that sums to 1, or an error that names the first entry outside of [least, 1] or a sum far
// from 1. What sums to 1 but for the rounding stays as it is, so that settings which were resolved once do not change when they are
// resolved again.
func distribution(name string, x []float64, classes int, least float64) ([]float64, error) {
	if len(x) != classes {
		return nil, fmt.Errorf("adapt: %s has %d entries: want one per class, %d", name, len(x), classes)
	}
	total := 0.0
	for i, v := range x {
		if !(v >= least && v <= 1) {
			return nil, fmt.Errorf("adapt: %s[%d] is %g: want %g to 1", name, i, v, least)
		}
		total += v
	}
	if !(math.Abs(total-1) <= 1e-3) {
		return nil, fmt.Errorf("adapt: %s sums to %g: want 1", name, total)
	}
	out := slices.Clone(x)
	if math.Abs(total-1) > 1e-14*float64(classes) {
		scale(out, 1/total)
	}
	return out, nil
}
