// Package autodiff is reverse mode over the graph: one table of rules, one walk.
//
// # Contract
//
// Gradient will extend a graph by the nodes that compute the derivative of a scalar loss with respect to chosen values, and return
// those. The table has one line per operator in one of three states: a rule, explicitly zero, or missing, which is an error that
// names node and operator. The walk, not the rules, accumulates adjoints, undoes broadcasting and checks the shape of each. The
// result is an ordinary ONNX graph that the stock ONNX Runtime runs; no gradient operator is needed. The package holds no code yet.
package autodiff
