package adapt

import (
	"fmt"
	"strings"
)

// Filter is the state of one stream. Make it with [New].
type Filter struct {
	classes  int
	settings Settings
	mode     mode
	steps    int
	excluded int // steps of zero evidence among them
	gap      gap // before the next item

	floored []float64 // [K] scratch of Settings.Floor; nil without it
}

// mode is one of the two recursions, the paper's or the mixture of hypotheses.
type mode interface {
	skip(g gap)                                    // before the next step, if there is a gap
	step(dst, q []float64, known bool) Diagnostics // known: q is 1 at the label that is known for certain
	reset()
}

// Diagnostics tells what one step did. All entropies and log ratios are in nats.
type Diagnostics struct {
	// Gate is the share of the output that owes itself to order, 0 to 1: lambda of the paper's gates (1 without a gate), and
	// the weight of all hypotheses but `none` under auto.
	Gate float64
	// LLR is the paper's averaged log-likelihood ratio; 0 without its gates.
	LLR float64
	// Entropy is that of q.
	Entropy float64
	// Evidence is the probability that the filter gave to what it saw, <prior, likelihood>.
	Evidence float64
	// ZeroEvidence tells that the prior excluded all that the likelihood allowed: the posterior is the likelihood.
	ZeroEvidence bool
}

// New returns a filter at the start of a stream with the given number of classes.
func New(classes int, s Settings) (*Filter, error) {
	s, err := s.resolved(classes)
	if err != nil {
		return nil, err
	}
	return newResolved(classes, s), nil
}

// newResolved makes a filter of resolved settings.
func newResolved(classes int, s Settings) *Filter {
	f := &Filter{classes: classes, settings: s}
	if s.Floor > 0 {
		f.floored = make([]float64, classes)
	}
	if s.Gate == GateAuto {
		f.mode = newMixture(classes, s)
	} else {
		f.mode = newPaper(classes, s)
	}
	return f
}

// Classes returns K, the length of every probability vector.
func (f *Filter) Classes() int { return f.classes }

// Settings returns the settings in force, defaults filled in.
func (f *Filter) Settings() Settings { return f.settings }

// Steps returns the number of steps since the start of the stream.
func (f *Filter) Steps() int { return f.steps }

// Step takes the predictor's probabilities q [K] and writes the adapted ones into dst [K]; the two may be the same slice. It
// panics if a length is not K or q does not pass [Check]: check what comes from outside first.
func (f *Filter) Step(dst, q []float64) Diagnostics {
	f.check(dst, q)
	return f.advance(dst, q, false)
}

// StepKnown is [Filter.Step] of an item whose label is known for certain, as one that a person corrected is: class, from 0 to K-1. The
// answer in dst [K] is that class with probability 1.
//
//   - In the paper's modes it is Step of a prediction that is 1 at the class and 0 elsewhere.
//   - Under auto the likelihood is that, at every temperature, and no hypothesis with order allows for an error of the predictor: its posterior is the
//     class, and transitions to and from it are learned in full. How probable each hypothesis had the label is evidence for it, the
//     best there is. The one constant class of `static` keeps its error rate, which also is the share of items that are of another class. Nothing is
//     learned of how confident the predictor is, and [Auto].Margin has no say.
//
// What the predictor said of the item does not count: whoever knows the label knows more. It panics if the length of dst is not K or class is out of range, and allocates
// nothing.
func (f *Filter) StepKnown(dst []float64, class int) Diagnostics {
	if len(dst) != f.classes || class < 0 || class >= f.classes {
		panic(fmt.Sprintf("adapt: StepKnown of class %d with length %d: want a class of %d", class, len(dst), f.classes))
	}
	certain(dst, class)
	d := f.advance(dst, dst, true)
	certain(dst, class) // a gate's mixture rounds
	return d
}

// certain makes q 1 at a class and 0 elsewhere.
func certain(q []float64, class int) {
	clear(q)
	q[class] = 1
}

// check panics on what Step does not take.
func (f *Filter) check(dst, q []float64) {
	if len(dst) != f.classes || len(q) != f.classes {
		panic(fmt.Sprintf("adapt: Step with lengths %d and %d: want %d", len(dst), len(q), f.classes))
	}
	if err := Check(q, f.classes); err != nil {
		panic("adapt: Step with " + strings.TrimPrefix(err.Error(), "adapt: "))
	}
}

// advance is Step for what has been checked.
func (f *Filter) advance(dst, q []float64, known bool) Diagnostics {
	f.steps++
	if !f.gap.none() {
		f.mode.skip(f.gap)
		f.gap = gap{}
	}
	if f.floored != nil && !known {
		q = floor(f.floored, q, f.settings.Floor)
	}
	d := f.mode.step(dst, q, known)
	if d.ZeroEvidence {
		f.excluded++
	}
	return d
}

// Reset returns the filter to the start of a stream, without allocating.
func (f *Filter) Reset() {
	f.steps, f.excluded, f.gap = 0, 0, gap{}
	f.mode.reset()
}
