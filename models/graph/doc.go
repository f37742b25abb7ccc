// Package graph is the graph IR: values, nodes in topological order, shapes, Check.
//
// # Contract
//
// A Graph will own its nodes and name its values by small integers, not by strings; nodes are kept in topological order, and Check
// reports, with node and operator, the first thing that is not as it should be: an undefined value, two producers, a cycle, a shape
// that contradicts an attribute. Passes are a list with Check between them, and nothing that is emitted depends on the order of a
// map. Conversion from and to ONNX is in models/onnx; operators are normalised to one operator set on the way in. The package
// imports nothing of this module and holds no code yet: it is the ground that gradient graphs will stand on.
package graph
