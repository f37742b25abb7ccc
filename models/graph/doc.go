// Package graph is the graph IR: values, nodes in topological order, shapes, Check.
//
// # Contract
//
// A [Graph] owns its nodes and names its values by small integers, [Value], not by strings: inputs, constants (of which some are
// parameters), results of nodes, and in the body of a control-flow operator values of the graph around it. A handle stays valid and
// means the same in every clone and extract. Names are unique in a graph and its bodies; [Graph.Fresh] makes new ones.
//
// Operators are ONNX's, in the forms into which package onnx brings every file: whatever once was an attribute and became an input is an
// input (the axes of Squeeze, Unsqueeze and reductions, the bounds of Clip, the sizes of Split, Pad and Slice), Constant nodes are
// constants, and nothing depends on the operator set that a file was written for. Operators and domains that this package does not
// know are kept, and so is whatever a file says beyond the graph, in the Keep fields, which nobody else touches.
//
// Building: [Graph.Op] appends a node and infers the type of its output at once; the first thing that goes wrong is remembered for
// [Graph.Err], and building goes on, so that an expression needs no error check per node. Changing: [Graph.Replace], [Graph.SetInput],
// [Graph.Rename], [Graph.AddOutput], [Graph.Remove], [Graph.Prune], [Graph.ToInput], [Graph.ToConstant]; a change that puts a late node
// before an early one needs [Graph.Sort]. Copying: [Graph.Clone], [Graph.Extract] (a part between chosen values) and [Graph.Import]
// (another pass through the same nodes, with other parameters).
//
// [Graph.Check] reports, with node and operator, the first thing that is not as it should be: an undefined value, two producers, a value
// used before it is computed, a name taken twice, a wrong number of inputs. [Graph.Infer] finds element types and shapes, in which sizes
// may be names and products of names ("N", "4*N"), follows the integers with which exporters compute shapes, and reports, with node and
// operator, what contradicts; an operator that it does not know leaves its results unknown. [Graph.Fold] turns what is known into
// constants. Nothing that is emitted depends on the order of a map.
//
// Reading: who differentiates or evaluates nodes reads them as inference does, through [Node.Window], [Node.Kernel], [Node.Equation],
// [Node.Order], [Node.Reduced], [Node.ShapeSpan], [Resampling], [Axis], [Cut] and [Parts], which know ONNX's defaults.
//
// A Graph is not safe for concurrent change. [Tensor] values never change and are shared by all copies. A handle of no value of the
// graph is a bug of the caller, and panics.
//
//	g := graph.New("net", 18)
//	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(4)}})
//	w := g.Param("w", graph.NewTensor(weights, 3, 4))
//	y := g.Op("Gemm", []graph.Value{x, w}, graph.A("transB", true))
//	g.Output("y", g.Op("Softmax", []graph.Value{y}, graph.A("axis", -1)))
//	if err := g.Check(); err != nil {
//		return err
//	}
//	fmt.Print(g) // y float32[N,3] = Softmax(Gemm) axis=-1, and the other lines
//
// The package imports nothing of this module; conversion from and to ONNX files is in models/onnx. Operators are described at
// https://onnx.ai/onnx/operators/.
package graph
