// Package tent holds the predictor that minimises the entropy of its own predictions by gradient steps on normalisation parameters,
// on an ordinary ONNX graph that models/autodiff generates; its adapted weights belong to a stream.
//
// # Contract
//
// [Build] turns a network into one that learns, for stock ONNX Runtime: one run is a forward pass, the gradient of the entropy of what
// it predicts, a step of the optimiser, and a second forward pass that predicts anew. What moves are the scales and biases of its
// normalisation layers (package models/norms), theta, as Wang et al. (2021, https://arxiv.org/abs/2006.10726) propose:
//
//	p = softmax f(x; theta),  theta <- theta - rate grad H(p),  prediction f(x; theta)
//
// Parameters and the optimiser's state are inputs and outputs, so that a run remembers nothing: S streams advance together, one row of
// the batch and one row of theta each, and every row is what it would be alone. S is whatever is waiting: nothing is padded.
//
//	input   the network's own   [S, ...]
//	        theta               [S, P]    what the last run returned for the stream, or the source's
//	        rate                [1]       with Settings.RateInput
//	        step                [S, 1]    int64, of Adam: steps taken since the source; 0 to begin with
//	        optimizer_b, _m, _v [S, P]    of momentum, and of Adam; 0 to begin with
//	output  prediction          [S, K]    logits or probabilities, as the network's
//	        before              [S, K]    the same before the step, unless prediction is that
//	        entropy             [S]       before the step, in nats
//	        next_theta, next_step, next_optimizer_b, ...
//
// Names may have a number behind them where the network uses them itself; the file's metadata entry oatta.tent, JSON, has them under
// "ports", with the settings, the policy of resets, and name, shape and offset in a row of theta of every parameter. oatta.tent.source has
// the source's parameters as base64 of little-endian float32. So anyone can run the file, and [Open] takes one from elsewhere.
//
// A [Predictor] keeps the rows: each stream has a lane. [Predictor.Begin] gives a lane to a new stream, with the source's parameters;
// [Predictor.Step] advances some lanes by an item each; [Reset] says when a lane returns to the source in between. What a stream learned
// is in [Predictor.Snapshot], and reaches no other stream, but under [Never], which says so. The same items in runs of as many rows give
// the same bits; runs of other sizes agree within float rounding.
//
//	m, err := tent.Build(network, tent.Settings{})
//	...
//	session, err := engine.Open(bytes, runtime.Config{})
//	p, err := tent.New(session, tent.Options{})
//	p.Begin(0)
//	err = p.Step(ctx, dst, src, []int{0})   // dst [1, K], src [1, InputLen]
//
// BatchNormalization keeps the source's statistics by default: those of a single item are no estimate, and on streams whose neighbours
// are alike they hurt (Gong et al. 2022, NOTE: table 1). Settings.Batch blends. The official code's protocol, many items to a step under
// their own statistics and the prediction before it, is Settings{Batch: 1, Together: true, Before: true}.
package tent
