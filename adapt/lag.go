package adapt

import "fmt"

// Lagged is the filter of one stream with a fixed lag N: the answer for an item comes N steps late, and knows the N items after it.
// Make it with [NewLagged].
//
// With N = 0 it is the [Filter], bit for bit. With more, the causal filter runs as ever, and from its last N+1 steps a backward
// recursion forms the posterior of item t-N given q up to t:
//
//   - In the paper's modes through the matrices with which those steps were made, so that N >= T-1 gives what [Smooth] gives. A gate
//     mixes as it does there, with the weight of the item's own step.
//   - Under auto from the second edition on, hindsight judges the last 256 items (or N+1, if those are more) as [Smooth] judges a recording. The exponent of
//     sharpened predictions, mu (under LiftPseudo observations of the prior, and also for the lift), confusions and frequencies are
//     held, and all causal recursions run forward under them; at the first item, whenever the larger of 4 and an eighth of the window's items came since, and
//     when the stream ends, they are estimated anew, and the recursions run again over the window. So readings are always
//     judged under the marginal that is known by now. Those that weigh over 1e-4 are run back from item t to t-N by their own chains, full and drift
//     by what the matrix has learned by now, without Baum-Welch. With more than 24 classes there is no full and no drift.
//   - Under the first edition each hypothesis is run back by its own causal chain (the learned matrix in its present form: it has seen most) and
//     the hypotheses are mixed with the weights that step t left. [Smooth] is something else even where the lag spans the recording:
//     it takes marginal, weights, confusions and matrix from the whole, and a matrix that drifts.
//
// Memory: N+1 steps of all posteriors, 8 K bytes for each hypothesis, and in the paper's modes as many matrices of 8 K^2 bytes; from the second
// edition on besides some 290 steps of 24 K bytes (or 9/8 of N+1, if the lag is longer) and up to 26 matrices. Time
// per step: N times that of a step backward, which is some K operations for a hypothesis without a matrix and K^2 for one with; from the
// second edition on that is for the few that weigh, and the window makes nine steps forward of each hypothesis an item: 120 µs
// at K = 10 in all, some 50 ms at K = 1000. They come in bursts: one step of 4, later of 32, does the work of all.
//
// A Lagged is a pure state machine as the Filter is, not safe for concurrent use.
type Lagged struct {
	filter  *Filter
	lag     int
	past    past
	ring    []Diagnostics // [lag+1] of the last steps
	classes []int         // [lag+1] their known labels, or Unknown
	pending int           // items whose answers are due
	sure    []float64     // [K] scratch: what is certain
	flushed bool
}

// past keeps what a mode's last lag+1 steps leave for looking back.
type past interface {
	// step advances the filter by q, which is certain where known tells that the label is, and keeps the step as that of item t. The causal answer goes to dst.
	step(dst, q []float64, t int, known bool) Diagnostics
	// look writes the posterior of item s given all up to t, the last step.
	look(dst []float64, s, t int)
	// end says that no more items will come.
	end()
}

// MaxLag and MaxLagBytes bound a lagged filter: in steps, and in what they take.
const (
	MaxLag      = 1 << 16
	MaxLagBytes = 1 << 34
)

// NewLagged returns a lagged filter at the start of a stream: lag is N, from 0 to MaxLag. The error names what is out of range.
func NewLagged(classes int, s Settings, lag int) (*Lagged, error) {
	if lag < 0 || lag > MaxLag {
		return nil, fmt.Errorf("adapt: lag %d: want 0 to %d", lag, MaxLag)
	}
	f, err := New(classes, s)
	if err != nil {
		return nil, err
	}
	l := &Lagged{filter: f, lag: lag, ring: make([]Diagnostics, lag+1), classes: make([]int, lag+1), sure: make([]float64, classes)}
	switch m := f.mode.(type) {
	case *paper:
		if err := checkLag(lag, m.pastBytes(lag)); err != nil {
			return nil, err
		}
		l.past = newPaperPast(f, m, lag)
	case *mixture:
		if m.later && lag > 0 {
			if err := checkLag(lag, windowBytes(classes, lag, f.settings)); err != nil {
				return nil, err
			}
			l.past = newWindowPast(f, lag)
			break
		}
		if err := checkLag(lag, m.pastBytes(classes, lag)); err != nil {
			return nil, err
		}
		l.past = newMixturePast(f, m, lag)
	}
	return l, nil
}

func checkLag(lag int, bytes float64) error {
	if lag > 0 && bytes > MaxLagBytes {
		return fmt.Errorf("adapt: lag %d takes %.1f GiB with so many classes: want at most %d", lag, bytes/(1<<30), MaxLagBytes>>30)
	}
	return nil
}

// Lag returns N.
func (l *Lagged) Lag() int { return l.lag }

// Classes returns K.
func (l *Lagged) Classes() int { return l.filter.classes }

// Settings returns the settings in force, defaults filled in.
func (l *Lagged) Settings() Settings { return l.filter.settings }

// Pending returns how many items still await their answer.
func (l *Lagged) Pending() int { return l.pending }

// Step takes the prediction q [K] of item t, counted from 0, under the conditions of [Filter.Step]. From item N on it writes the
// posterior of item t-N into dst [K], which may be q, and returns true with that item's diagnostics, those of its own causal step;
// before, it leaves dst alone and returns false. It allocates nothing. Step after Flush panics: the stream has ended, and Reset
// begins another.
func (l *Lagged) Step(dst, q []float64) (Diagnostics, bool) {
	return l.advance(dst, q, Unknown)
}

// StepKnown is Step of an item whose label is known for certain: class, from 0 to K-1, as [Filter.StepKnown] has it. All answers that are still due
// are given it, and its own is the class.
func (l *Lagged) StepKnown(dst []float64, class int) (Diagnostics, bool) {
	if class < 0 || class >= l.filter.classes {
		panic(fmt.Sprintf("adapt: StepKnown of class %d: want one of %d", class, l.filter.classes))
	}
	certain(l.sure, class)
	return l.advance(dst, l.sure, class)
}

// advance takes an item, whose label is the class if that is known.
func (l *Lagged) advance(dst, q []float64, class int) (Diagnostics, bool) {
	if l.flushed {
		panic("adapt: Step of a Lagged after Flush: Reset first")
	}
	t := l.filter.Steps()
	if len(dst) != l.filter.classes { // the filter sees dst only when an answer is due
		panic(fmt.Sprintf("adapt: Step into %d classes: want %d", len(dst), l.filter.classes))
	}
	if class == Unknown {
		l.filter.check(l.sure, q)
	}
	l.classes[t%len(l.ring)] = class
	l.ring[t%len(l.ring)] = l.past.step(dst, q, t, class != Unknown)
	l.pending++
	if l.pending <= l.lag {
		return Diagnostics{}, false
	}
	return l.answer(dst, t), true
}

// Flush writes the posterior of the oldest pending item, given all, into dst [K] and returns true with the item's diagnostics, until
// none is pending; then it returns false. It allocates nothing. Each call looks back from the end of the stream.
func (l *Lagged) Flush(dst []float64) (Diagnostics, bool) {
	if !l.flushed && l.pending > 0 {
		l.past.end()
	}
	l.flushed = true
	if len(dst) != l.filter.classes {
		panic(fmt.Sprintf("adapt: Flush into %d classes: want %d", len(dst), l.filter.classes))
	}
	if l.pending == 0 {
		return Diagnostics{}, false
	}
	return l.answer(dst, l.filter.Steps()-1), true
}

// answer writes the posterior of the oldest pending item given all up to t.
func (l *Lagged) answer(dst []float64, t int) Diagnostics {
	s := t + 1 - l.pending
	switch class := l.classes[s%len(l.ring)]; {
	case class != Unknown:
		certain(dst, class)
	case l.lag > 0: // else the causal answer is in dst already
		l.past.look(dst, s, t)
	}
	l.pending--
	return l.ring[s%len(l.ring)]
}

// Skip says that missed steps passed without an item before the next: see [Filter.Skip]. Looking back goes over the same powers.
func (l *Lagged) Skip(missed int) { l.filter.Skip(missed) }

// Break says that the belief starts afresh with the next item: see [Filter.Break]. Nothing is handed back across it.
func (l *Lagged) Break() { l.filter.Break() }

// Reset returns to the start of a stream, without allocating. Pending items are forgotten.
func (l *Lagged) Reset() {
	l.filter.Reset()
	l.pending, l.flushed = 0, false
}
