// Package adapt is the order-aware filter: it turns the probability vectors of any classifier on one stream into adapted ones,
// learning the stream's class transitions as it goes, without labels and without gradients.
//
// # The recursion
//
// With q_t the predictor's probabilities, rho the class prior that it was trained under, A the row-stochastic matrix learned so
// far and p the carried posterior, each step of the paper's modes is (Algorithms 1 and 2 of the paper)
//
//	pi_t = A' p_{t-1}                              prior from the order
//	p_t  ~ q_t^(1/T) / rho * pi_t                  posterior
//	g_t  = gamma exp(-H(q_t) / tau)                confidence of this observation
//	C    = (1 - g_t) C + g_t q_{t-1} q_t'          decayed pair counts; A is C with its rows normalised
//
// and with a gate the output is lambda p_t + (1 - lambda) q_t, where lambda is the logistic of a running log-likelihood ratio
// between pi_t and a running marginal of the q: without evidence that order explains anything, q_t is returned nearly unchanged.
// The carried posterior is always the ungated one.
//
// The third gate, [GateAuto], needs no settings: it runs hypotheses about the stream side by side (no order, inertia of the
// predictions, stickiness of the labels, a learned matrix, the matrix of a [Population] where there is one; each at two temperatures),
// weighs them by their evidence and returns the weighted mean of their posteriors. Where nothing speaks for order, that is q. See type
// [Auto], which has three editions.
//
// # Contract
//
//   - One stream, one [Filter]. A Filter is a pure state machine: no clock, no goroutine, no randomness, no I/O. The same steps
//     give the same bits on the same kind of machine. It is not safe for concurrent use.
//   - [Filter.Step] reads q and writes dst; both belong to the caller, may be the same slice, and are not retained. It allocates
//     nothing.
//   - q must pass [Check]. A wrong length, a negative or non-finite entry is a caller's bug and panics; check what comes from
//     outside first.
//   - The filter counts items and knows no time. Whoever does may say, before a step, how many steps of the stream's rhythm were missed
//     ([Filter.Skip]) or that the gap was a long one ([Filter.Break]); package timeline works that out from timestamps.
//   - An item whose label somebody knows is taken by [Filter.StepKnown] in place of Step: the belief, the weights of hypotheses and the transitions
//     are conditioned on it. [Lagged.StepKnown], [SmoothKnown] and [ViterbiKnown] hand it back, too.
//   - [Filter.Reset] forgets everything: after it the filter is as new.
//   - What a step did is in its [Diagnostics], at no cost. What the filter has become is asked for between steps: [Filter.Gain],
//     [Filter.Hypotheses], [Filter.SampleSizes], [Filter.ZeroEvidence] and [Filter.Transitions] change nothing.
//   - [Filter.MarshalBinary] and [Restore] continue a stream bit for bit.
//
// The filter is causal. For recordings, [Lagged] answers a few items late and [Smooth] with the whole recording in view; [Viterbi]
// gives the most probable sequence of labels.
//
// A short example:
//
//	f, err := adapt.New(10, adapt.Settings{}) // ten classes, the auto gate
//	if err != nil { ... }
//	for _, q := range predictions {
//		d := f.Step(posterior, q)
//		fmt.Println(posterior, d.Gate)
//	}
//
// The package depends on the standard library alone: a program that imports it needs no engine, no cgo and no other module.
package adapt
