package adapt

import (
	"errors"
	"fmt"
	"math"
)

// gap is what lies between the last item of a stream and the next.
type gap struct {
	missed int  // steps of the stream's rhythm that passed without an item
	fresh  bool // so many that nothing is known of where the stream is now
}

// mostMissed is where counts of missed steps are cut off: every chain but one that hardly ever moves is at its stationary
// distribution long before.
const mostMissed = 1 << 30

// Skip says that missed steps of the stream's rhythm passed without an item between the last item and the next. The next Step then
// goes missed+1 steps ahead at once:
//
//   - In the paper's modes its prior is (A')^(missed+1) p, on its way to the stationary distribution of A.
//   - Under auto each hypothesis goes as far along its own chain: persist and sticky have a^(missed+1) in their evidence, and
//     b^(missed+1) and a^(missed+1) in their posterior; full has (A')^(missed+1) p for its prior; none is as ever.
//
// Two items with missed steps between them are no pair of successive steps. In the paper's modes they still tell something of A, and
// where half of the items are missing there is little else to learn from: the pair is learned at 1/(missed+1) of the rate. Auto
// learns no transition from it: whether it does made no difference where it was measured. What does not depend on order (class
// frequencies) is learned as ever.
//
// Calls add up until the next Step. Before the first item of a stream there is nothing to skip, and Skip(0) does nothing: the filter
// then continues to the bit as without the call. A negative count panics.
//
// The powers are formed by steps until the distribution moves by less than 1e-13 (in sum over the classes) or the count is reached,
// so that huge counts are cheap. Within max(64, 2^23/K^2) steps, more than 1000 up to K = 91, that is exact but for the rounding; a
// chain that still moves then is taken to approach its end by a geometric series, or, if it turns in circles, to be where it was
// on average.
func (f *Filter) Skip(missed int) {
	if missed < 0 {
		panic(fmt.Sprintf("adapt: Skip of %d steps", missed))
	}
	if f.steps > 0 && !f.gap.fresh {
		f.gap.missed = min(f.gap.missed+min(missed, mostMissed), mostMissed)
	}
}

// Break says that the gap before the next item is so long that the belief starts afresh: the next Step has the prior of the first item
// of a stream, uniform or, for the learned matrix of auto, the class frequencies. It is judged by none of the gates: the paper's ratio
// stays, and under auto every hypothesis has the evidence of none at its temperature. No transition is learned across the gap. What
// was learned before stays: counts, frequencies, weights. For a wholly new stream there is [Filter.Reset].
func (f *Filter) Break() {
	if f.steps > 0 {
		f.gap = gap{fresh: true}
	}
}

// none tells that the next item follows the last one directly.
func (g gap) none() bool { return g == gap{} }

// keep returns what a chance a to stay for one step is over the gap: a^(missed+1).
func (g gap) keep(a float64) float64 {
	switch {
	case g.fresh:
		return 0
	case g.missed == 0:
		return a
	}
	return math.Pow(a, float64(g.missed+1))
}

// encode returns the gap as a snapshot has it.
func (g gap) encode() uint64 {
	if g.fresh {
		return math.MaxUint64
	}
	return uint64(g.missed)
}

// decodeGap reads what encode wrote, of a filter after so many steps.
func decodeGap(v, steps uint64) (gap, error) {
	switch {
	case v != 0 && steps == 0:
		return gap{}, errors.New("a gap before the first item")
	case v == math.MaxUint64:
		return gap{fresh: true}, nil
	case v > mostMissed:
		return gap{}, fmt.Errorf("%d missed steps: want 0 to %d", v, mostMissed)
	}
	return gap{missed: int(v)}, nil
}

// skip prepares the next step of the paper's modes, whose prior is already one step ahead.
func (f *paper) skip(g gap) {
	f.across = g
	if g.fresh {
		fill(f.prior, 1/float64(len(f.prior)))
		return
	}
	f.walk.far(f.prior, g.missed, f.forward)
}

// rate is the learning rate of a step.
func (f *paper) rate(entropy float64) float64 {
	if f.across.fresh {
		return 0
	}
	return f.Gamma * math.Exp(-entropy/f.Tau) / float64(f.across.missed+1)
}

// forward writes A'p into dst.
func (f *paper) forward(dst, p []float64) {
	n := len(p)
	fill(dst, 0)
	spare := 0.0 // on rows that decayed to nothing: see learn
	for i, v := range p {
		switch {
		case f.rows[i] > tiny:
			addScaled(dst, v/f.rows[i], f.c[i*n:i*n+n])
		case f.Init == InitIdentity:
			dst[i] += v
		default:
			spare += v
		}
	}
	if spare > 0 {
		for i := range dst {
			dst[i] += spare / float64(n)
		}
	}
}

// skip prepares the next step of the mixture; with no gap, any step that follows the last one directly.
func (m *mixture) skip(g gap) {
	m.across = g
	for i, a := range m.Grid {
		m.kept[i], m.inertia[i] = g.keep(a), g.keep(m.trusted(a))
	}
}

// trusted is b of persist(a).
func (m *mixture) trusted(a float64) float64 {
	if m.Trust == 0 {
		return a / 3
	}
	return m.Trust * a * float64(len(m.out)-1) / float64(len(m.out))
}

// forward writes A'p into dst.
func (s *pairs) forward(dst, p, mu []float64) {
	fill(dst, 0)
	total := 0.0
	for i, v := range p {
		u := v / (s.rows[i] + s.beta)
		total += u
		if u != 0 {
			addScaled(dst, u*s.scale, s.row(i))
		}
	}
	addScaled(dst, s.beta*total, mu)
}
