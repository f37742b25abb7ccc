// Package tent holds the predictor that minimises the entropy of its own predictions by gradient steps on normalisation parameters,
// on an ordinary ONNX graph that models/autodiff generates; its adapted weights belong to a stream.
//
// It holds no code yet: the filter's recursion and the base predictor came first.
package tent
