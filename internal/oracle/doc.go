// Package oracle is the slow float64 evaluator: the oracle for rules and for the engine.
//
// # Contract
//
// [Compile] makes a [Program] of a graph, and [Program.Run] evaluates it, one plain loop per operator written from ONNX's operator
// documentation. [Run] does both at once. [Program.Eval] asks for any values of the graph, and lets the caller put tensors in the place
// of constants and results as well as of inputs, which is what central differences need.
//
// All floating-point arithmetic is float64, whatever float type the graph declares: a [Tensor] of Float32 holds float64s that nothing
// has rounded. With [Settings].Round the results of every node, and what is given, are rounded to their declared type, which predicts an
// engine more closely. Integers and bools are exact and wrap as their type does. A cast between floats rounds only with Round.
//
// Dropout with training mode needs random numbers and is refused unless the ratio is 0, and so are the random operators: masks are
// inputs. Graphs must be in the normal form of package graph. What fails is an error that names node and operator; a graph from an
// untrusted file cannot make the evaluator panic, nor take more memory and time than [Settings] allow. A Program never changes and may
// run in many goroutines at once. It reads the graph when it is compiled and whenever it runs: the graph must not be changed meanwhile.
// Tensors that are given are not changed, and those that are returned may share the elements of constants and inputs: do not change them.
//
//	x := oracle.Float64s([]float64{1, 2, 3, 4}, 1, 4)
//	p, err := oracle.Compile(g, oracle.Settings{})
//	if err != nil {
//		return err
//	}
//	out, err := p.Run(x)                                                  // outputs of the graph, in order
//	mid, err := p.Eval(map[graph.Value]oracle.Tensor{in: x, w: moved}, h) // any values, any replaced
//
// Operators are described at https://onnx.ai/onnx/operators/.
package oracle
