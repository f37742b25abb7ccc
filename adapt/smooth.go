package adapt

import (
	"fmt"
	"slices"
)

// Smoothed tells how a recording was read when it was looked at as a whole.
type Smoothed struct {
	// Steps is the number of items.
	Steps int
	// ZeroEvidence counts the steps of the paper's modes at which the prior excluded all that the likelihood allowed. Nothing is
	// handed across such a step, in either direction.
	ZeroEvidence int
	// Hypotheses holds the readings that auto mixed, heaviest first, their weights summing to 1; nil in the paper's modes.
	Hypotheses []Hypothesis
}

// Hypothesis is one reading of a stream under the auto gate: of what came so far ([Filter.Hypotheses]) or of a whole recording.
type Hypothesis struct {
	Kind        string  `json:"kind"`              // none, static, frequencies, static_f: without order; persist, sticky, full or population; drift in recordings only
	Stay        float64 `json:"a,omitempty"`       // a of persist and sticky; else 0
	Error       float64 `json:"e,omitempty"`       // e of sticky, full, population and drift; else 0
	Forgets     float64 `json:"forgets,omitempty"` // rate at which the marginal of none forgets, if it is one beside mu; else 0
	Temperature float64 `json:"temperature"`       // divides log q
	Weight      float64 `json:"weight"`            // posterior probability of the hypothesis, 0 to 1
}

// Ordered tells whether the hypothesis has the order of the stream in its answer: none and its like have not.
func (h Hypothesis) Ordered() bool {
	switch h.Kind {
	case "none", "static", "frequencies", "static_f":
		return false
	}
	return true
}

// Smooth writes into dst[t] the probabilities of item t given the whole recording q, both [T][K]: not only what came before an item,
// as [Filter.Step] has it, but also what came after. It is for recordings that are complete, and what it returns is not causal.
//
// In the paper's modes the causal pass learns the matrices, and the forward-backward recursion runs over the chain whose step from
// t-1 to t has the matrix A_{t-1} of that moment. So the forward half is the causal filter itself, and the last item's answer is the
// filter's. (The final matrix would be no better choice: the counts decay, and it describes the recording's end alone.) With a gate
// the output is lambda_t times that plus (1 - lambda_t) q_t, with lambda_t the weight of the causal pass: whether order explains
// anything is judged as in the causal filter, and what is trusted is then the smoothed posterior.
//
// Under auto each hypothesis is smoothed over the whole recording and all are mixed by their weights. With mu at its most probable
// value for the whole recording (under the pseudo-observations of [Auto]), a hypothesis' weight is its initial one times the
// product of its causal evidences; nothing is shared back, as one choice holds for all items. The readings are
//
//	none           L_t
//	persist(a)     the chain bI + (1-b)/K with b = a/2 on L_f
//	sticky(a, e)   the chain aI + (1-a)/K on L_e; e takes the values of [Auto].Errors and, if those end below it, 0.4
//	full(e)        a matrix by Baum-Welch over the recording, on L_e/mu, with Beta pseudo-observations of mu in each row; e takes the
//	               values of [Auto].Errors and 0
//	drift(e)       the same with a matrix that changes over time: each moment's is learned from its neighbourhood, at the rate Gamma
//
// Here L_e = (1-e) L + e E L, where row y of E tells which classes y is mistaken for: as they share the predictor's own doubts over
// the recording, and a little for every class. (The causal filter, which cannot know, has the uniform in place of E.) Weights of full
// and drift, too, come from causal evidence (of the online learner without and with decay): the likelihood of the matrix learned in
// the end would reward it for having seen the answers. They share the initial weight of full, times 1e-12: a matrix also learns the
// runs in which errors come, and must win clearly.
//
// Memory beyond q and dst: 24 T K bytes under auto plus twice 8 K^2 bytes for each max(25, K) steps; 16 T K plus 16 sqrt(T) K^2
// bytes in the paper's modes. Time is that of some dozens of passes that cost K a step, and of some dozens more that cost K^2.
//
// An error tells a setting out of range or the first item that does not pass [Check]. Smooth panics if the shape of dst is not that
// of q. dst and q must not share memory.
func Smooth(classes int, s Settings, dst, q [][]float64) (Smoothed, error) {
	return SmoothGaps(classes, s, dst, q, nil)
}

// SmoothGaps is [Smooth] of a recording with gaps: missed[t] steps of its rhythm passed without an item before item t, or, where that is
// [Broken], so many that nothing of what came before says anything; missed[0] is ignored, and a nil missed is a recording without gaps.
// Over a gap the chains go by the powers that [Filter.Skip] has, with the same bound on the work, and learn as it does: the matrices of
// auto nothing, those of the paper's modes less. After a break they begin as at the start. SmoothGaps panics if the length of missed is not
// that of q, or if a count is below Broken.
func SmoothGaps(classes int, s Settings, dst, q [][]float64, missed []int) (Smoothed, error) {
	s, err := checkedRecording(classes, s, q)
	if err != nil {
		return Smoothed{}, err
	}
	checkShape(dst, q)
	between := checkedGaps(missed, len(q))
	if len(q) == 0 {
		return Smoothed{}, nil
	}
	if s.Gate == GateAuto {
		h := newHindsight(classes, s, q, between)
		h.mix(dst)
		return h.summary(), nil
	}
	return smoothPaper(newPaper(classes, s), dst, q, between), nil
}

// checkedRecording resolves the settings and checks every item.
func checkedRecording(classes int, s Settings, q [][]float64) (Settings, error) {
	s, err := s.resolved(classes)
	if err != nil {
		return s, err
	}
	for t, v := range q {
		if err := Check(v, classes); err != nil {
			return s, fmt.Errorf("item %d: %w", t, err)
		}
	}
	return s, nil
}

func checkShape(dst, q [][]float64) {
	if len(dst) != len(q) {
		panic(fmt.Sprintf("adapt: Smooth of %d items into %d", len(q), len(dst)))
	}
	for t := range q {
		if len(dst[t]) != len(q[t]) {
			panic(fmt.Sprintf("adapt: Smooth of item %d with %d classes into %d", t, len(q[t]), len(dst[t])))
		}
	}
}

// heaviestFirst orders hypotheses by weight; equal ones keep their order.
func heaviestFirst(h []Hypothesis) {
	slices.SortStableFunc(h, func(a, b Hypothesis) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return 0
	})
}
