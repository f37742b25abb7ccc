// Package forms chooses how convolutions and their derivatives are written: the same function has forms whose speed depends on shapes,
// batch and processor.
//
// # Contract
//
// A [Case] is a convolution of a graph with all that decides which form is fastest; [Case.Key] names it. A [Plan] has a [Choice] for each:
// [Fixed] by rules that were measured on the processors at hand, so that the same program writes the same graph everywhere; a [Tuner]'s,
// timed on the engine and the processor that there are, once, and kept in a file; or [Recorded], as a run's manifest has them. Plans keep
// what they chose, for manifests: a recorded plan makes the bytes of the graph that it was recorded from.
//
// A convolution of 3 x 3 taps at stride 1 may be written by minimal filtering ([Short]), as products of matrices alone. Its derivatives are
// then those of the products, and share their transforms: on many rows they take half the time of the operator's and less. It computes the
// same in another rounding, some six times that of the operator: 1e-6 of the largest result in single precision.
//
//	var plan *forms.Plan                       // nil is Fixed
//	err := plan.Apply(g, 0, "xw")              // a batch of known size; derived by inputs and weights
//	...
//	d, err := plan.Gradient(g, 0, "xw", loss, wrt)
package forms
