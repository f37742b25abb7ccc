// Package autodiff is reverse mode over the graph: one table of rules, one walk.
//
// # Contract
//
// [Gradient] extends a graph by the nodes that compute the derivative of a single number, the loss, with respect to chosen values, and
// returns those; [Pullback] starts from any results and what is known of the derivative with respect to them. What comes out is an
// ordinary ONNX graph that the stock ONNX Runtime runs: no gradient operator is needed. Only what lies between the chosen values and the
// loss is walked. The graph must have been inferred ([graph.Graph.Infer]), or built by [graph.Graph.Op], which infers; sizes may stay
// open where a rule does not need them, as the batch everywhere.
//
// The table has one line per operator, in one of three states ([StatusOf]): a rule; zero, as for comparisons and the arithmetic of shapes,
// through which no path goes; or missing, which is a [MissingError] that names node and operator, if and only if a path goes through it.
// Rules return one adjoint per input. The walk adds what comes from several uses, sums what broadcasting had stretched (where sizes leave
// open whether it had, at run time), and refuses an adjoint of another type or shape than its value.
//
// Where a function has no derivative, the choice is PyTorch's: 0 for Relu at 0, the whole for Clip at its bounds, equal shares among equal
// maxima of Max and ReduceMax; MaxPool takes the first.
//
// The forms were chosen by measurement. A Conv of stride 1 with a constant weight is undone by a Conv with the weight turned around
// beforehand, and so is one on a batch with a weight that is turned at run time; where a batch has few places, one matrix product and a
// shift per tap do it; any other is undone by a ConvTranspose. Its weight's derivative is a matrix product per tap of the kernel, or one
// for all taps where there are few channels or many; kernels of three on batches go by minimal filtering, which takes no longer than the
// forward pass. The forms have names ([FormsOf]), and others may be asked for ([GradientBy]). Masks of Relu are a steep HardSigmoid;
// LayerNormalization is standardised by the operator itself with scale 1.
//
//	probability := g.Op("Softmax", []graph.Value{logits})
//	...
//	grads, err := autodiff.Gradient(g, entropy, []graph.Value{gamma, beta})
//	if err != nil {
//		return err // autodiff: node 7 "scan" (Loop): no derivative rule for operator Loop; ...
//	}
//	g.Output("d_gamma", grads[0])
//	g.Prune()
package autodiff
