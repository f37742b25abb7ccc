// Package memo holds the predictor that makes the mean prediction over augmented views of one input certain by one gradient step,
// on an ordinary ONNX graph that models/autodiff generates, and forgets the step with the input.
//
// It holds no code yet: the filter's recursion and the base predictor came first.
package memo
