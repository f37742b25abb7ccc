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
	Kind        string  `json:"kind"`               // none, static, frequencies, static_f: without order; persist, sticky, full or population; drift in recordings only
	Stay        float64 `json:"a,omitempty"`        // a of persist and sticky; else 0
	Error       float64 `json:"e,omitempty"`        // e of sticky, full, population and drift; else 0
	Confused    bool    `json:"confused,omitempty"` // in recordings under the later editions: errors go where the predictor hesitates, else anywhere
	Forgets     float64 `json:"forgets,omitempty"`  // rate at which the marginal of none forgets, if it is one beside mu; else 0
	Temperature float64 `json:"temperature"`        // divides log q
	Weight      float64 `json:"weight"`             // posterior probability of the hypothesis, 0 to 1
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
// Under auto readings of the whole recording are mixed by their weights. A reading's weight is its initial one times the product of its
// causal evidences, under a marginal mu that is held at its most probable value for the whole recording; nothing is shared back, as one
// choice holds for all items. What the readings are depends on the edition.
//
// In the second edition and the third, which have one hindsight, l is q^(b/T), normalised, where b sharpens the recording's predictions to
// Confidence on average; mu has Pseudo observations of the prior; L = l/<mu, l>; and M is l over the marginal under LiftPseudo observations,
// scaled to <mu, M> = 1. Errors are (1-c) x + c with c = e K/(K-1), anywhere, or (1-e) x + e E x, confused, where row y of E tells which classes
// y is mistaken for: as they share the predictor's own doubts over the recording, and a little for every class. The readings are
//
//	reading         evidence                      answer
//	none(s, d)      <m, L>                        l
//	persist(a)      a <l_{t-1}, L> + (1-a)        the chain bI + (1-b)u on l_f/u, l of the highest temperature
//	sticky(a, e)    a <p, L_e> + (1-a)            the chain aI + (1-a)mu on M_e
//	full(e)         <A'p, L_e>                    a matrix by Baum-Welch over the recording, on M_e
//	drift(e)        the same, forgetting          a matrix that changes over time, each moment's learned from its neighbourhood
//	population(e)   <P'p, L_e>                    the chain of the population's matrix, on what errors make of l over its frequencies
//
// where m is mu, or one of the Marginals learned as the recording goes, and p is the reading's causal posterior. The chain of persist returns to
// u ~ n^0.2 with n the frequencies of the recording's predictions, and has b = 0.7 a (1 - 1/(k-1)) with k = 1/sum n^2 classes in effect, or 0:
// with two classes an item's neighbours agree by necessity where it differs from both, and nothing is smoothed. Errors of sticky take the
// values of [Auto].Errors and, if those end below it, 0.4, both anywhere and confused; those of full and drift 0 and the values of Errors,
// confused; those of population PopulationErrors, anywhere. Matrices have 4 Beta (full) and 2 Beta (drift, forgetting at the rate Gamma)
// observations of mu in each row; their weights come from the online learner, as the likelihood of the matrix learned in
// the end would reward it for having seen the answers; beyond 256 classes none is tried. Initial weights are hindsight's own: none 0.7, persist 0.245, sticky 0.05,
// full and drift 0.005 times 1e-12, as a matrix also learns the runs in which errors come, and must win clearly; with a population 0.6, 0.2, 0.045,
// as before, and population 0.15. A kind whose weight in [Auto] is 0 is left out. In the answers of none and persist the sharpening is undone,
// p^(1/b); the margin of the third edition, which is for a filter that knows the past alone, is not in hindsight.
//
// In the first edition, where L is divided by the prior and mu starts from the uniform, weights are the initial ones of [Auto], and the readings
//
//	none           L_t
//	persist(a)     the chain bI + (1-b)/K with b = a/2 on L_f
//	sticky(a, e)   the chain aI + (1-a)/K on L_e = (1-e) L + e E L, e as above
//	full(e)        a matrix by Baum-Welch over the recording, on L_e/mu, with Beta pseudo-observations of mu in each row; e takes the
//	               values of [Auto].Errors and 0
//	drift(e)       the same with a matrix that changes over time, at the rate Gamma
//
// where full and drift share the initial weight of full, times 1e-12.
//
// Memory beyond q and dst: 24 T K + 16 T bytes under auto, plus twice 8 K^2 bytes for each max(25, K) steps, and 64 K^2 bytes of matrices that
// the causal readings learn; 16 T K plus 16 sqrt(T) K^2 bytes in the paper's modes. Time under auto is that of some hundreds of passes that cost K a step,
// and of some dozens that cost K^2; a learned matrix that weighs anything adds up to 60 of those.
//
// An error tells a setting out of range or the first item that does not pass [Check]. Smooth panics if the shape of dst is not that
// of q. dst and q must not share memory.
func Smooth(classes int, s Settings, dst, q [][]float64) (Smoothed, error) {
	return SmoothGaps(classes, s, dst, q, nil)
}

// SmoothGaps is [Smooth] of a recording with gaps: missed[t] steps of its rhythm passed without an item before item t, or, where that is
// [Broken], so many that nothing of what came before says anything; missed[0] is ignored, and a nil missed is a recording without gaps.
// Over a gap the chains go by the powers that [Filter.Skip] has, with the same bound on the work, and learn as it does: the matrices of
// auto nothing, those of the paper's modes less. After a break they begin as at the start. Evidence is that of the causal filter: over a gap
// as after so many steps, after a break that of none for every reading. SmoothGaps panics if the length of missed is not
// that of q, or if a count is below Broken.
func SmoothGaps(classes int, s Settings, dst, q [][]float64, missed []int) (Smoothed, error) {
	return SmoothKnown(classes, s, dst, q, missed, nil)
}

// SmoothKnown is [SmoothGaps] of a recording some of whose labels are known for certain: labels[t] is the class of item t, from 0 to K-1, or
// [Unknown]; nil: none is known. The answer of such an item is its class, with probability 1, and those of all others are given it. q[t] is
// then not read, but must have K entries.
//
// In the paper's modes that is the recursion over predictions that are 1 at the class and 0 elsewhere. Under auto no reading allows for errors in a
// known label; what each predicted of it is evidence; marginal, frequencies and matrices count it as one item that is certain; the
// sharpness of predictions is that of the others, and confusions are theirs alone. SmoothKnown panics if the length of labels is not that of q, or if one is
// neither a class nor Unknown.
func SmoothKnown(classes int, s Settings, dst, q [][]float64, missed, labels []int) (Smoothed, error) {
	q, known := withKnown(classes, q, labels)
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
		h := newHindsight(classes, s, q, between, known)
		h.mix(dst)
		settle(dst, q, known)
		return h.summary(), nil
	}
	out := smoothPaper(newPaper(classes, s), dst, q, between)
	settle(dst, q, known)
	return out, nil
}

// Unknown is the label of an item that is not known, for [SmoothKnown] and [ViterbiKnown].
const Unknown = -1

// withKnown returns the predictions of a recording with certain ones where labels are known, and where that is; both as they are without known labels.
func withKnown(classes int, q [][]float64, labels []int) (predictions [][]float64, known []bool) {
	if labels == nil {
		return q, nil
	}
	if len(labels) != len(q) {
		panic(fmt.Sprintf("adapt: %d labels of %d items", len(labels), len(q)))
	}
	predictions, known = slices.Clone(q), make([]bool, len(q))
	sure := map[int][]float64{}
	for t, class := range labels {
		switch {
		case class == Unknown:
			continue
		case class < 0 || class >= classes:
			panic(fmt.Sprintf("adapt: item %d has the label %d: want a class of %d, or Unknown", t, class, classes))
		case sure[class] == nil:
			sure[class] = make([]float64, classes)
			certain(sure[class], class)
		}
		predictions[t], known[t] = sure[class], true
	}
	return predictions, known
}

// unknown returns the predictions of the items whose label is not known.
func unknown(q [][]float64, known []bool) [][]float64 {
	if known == nil {
		return q
	}
	var out [][]float64
	for t, v := range q {
		if !known[t] {
			out = append(out, v)
		}
	}
	return out
}

// settle writes the answers of the items whose labels are known: what rounding left beside them is not theirs.
func settle(dst, q [][]float64, known []bool) {
	for t, sure := range known {
		if sure {
			copy(dst[t], q[t])
		}
	}
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
