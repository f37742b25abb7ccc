// Package norms finds the normalisation layers of a network and makes what is adapted in them an input of the graph.
//
// # Contract
//
// [Find] returns the layers with an affine part: the operators BatchNormalization, LayerNormalization, GroupNormalization and
// InstanceNormalization, and the plain nodes in which older exporters write them (ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div for
// LayerNorm; an InstanceNormalization of ones and zeros between two Reshapes for GroupNorm; then Mul and Add). [Explain] says why a
// network has none: mostly because its exporter multiplied BatchNormalization into the convolutions.
//
// Three rewrites, of which each takes layers of the same graph, as Find returned them. The first two leave layers that a later rewrite
// can take; all leave the graph sorted and inferred:
//
//   - [Restate] writes each BatchNormalization on the statistics weight*batch + (1-weight)*source. The batch's are over all rows,
//     biased, and results of the graph, so that gradients flow through them; no training mode is needed, which CUDA refuses.
//   - [Expose] makes any constants (scales and biases, or every weight) slices of one flat input theta [P], in the order given.
//   - [ExposeRows] makes the layers' scales and biases slices of an input theta [S, P] of which row s belongs to row s of the batch: S
//     independent copies of the network's affine part in one run. Statistics of a batch are then each row's own.
//
// [Flat] tells where each parameter lies in theta, and the numbers of the source network. Parameters that one constant serves, in
// several layers, are one.
//
// The losses of adaptation are [Entropy], of each prediction, and [MarginalEntropy], of their mean, computed from the logits wherever
// the graph shows them: if it ends in Softmax or LogSoftmax, from what goes in.
//
//	layers := norms.Find(g)                                             // g is inferred
//	if len(layers) == 0 {
//		return norms.Explain(g, m.Producer)
//	}
//	theta, flat, err := norms.Expose(g, norms.Params(layers), "theta")
//	entropy, _, err := norms.Entropy(g, g.Outputs()[0], "logits")       // [N]
//	loss := g.Op("ReduceMean", []graph.Value{entropy}, graph.A("keepdims", 0))
//	grads, err := autodiff.Gradient(g, loss, []graph.Value{theta})      // [P], at flat.Initial to begin with
package norms
