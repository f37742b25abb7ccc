// Package interp is the slow float64 evaluator: the oracle for rules and for the engine.
//
// # Contract
//
// It will evaluate every operator that the graph IR knows, in float64, one plain loop per operator written from the ONNX operator
// documentation, and nothing faster. Derivative rules are tested against its central differences, and the engine against its
// results. A session over it will pass the conformance suite of runtime/runtimetest. The package holds no code yet.
package interp
