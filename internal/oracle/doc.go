// Package oracle is the slow float64 evaluator that tests hold derivative rules, rewritten networks and the engine against.
//
// # Contract
//
// [Compile] makes a [Program] of a graph, and [Program.Run] evaluates it, one plain loop per operator written from ONNX's operator
// documentation. [Run] does both at once. [Program.Eval] asks for any values of the graph, and lets the caller put tensors in the place
// of constants and results as well as of inputs, which is what central differences need.
//
// The arithmetic is its own: a kernel that it shared with what it judges would share its mistakes. What it shares, the geometry of windows
// and the reading of attributes, is package graph's, and is judged by ONNX's operator tests.
//
// It knows the operators that the calculus differentiates, that gradient graphs are made of and that the module's networks have; that one
// is missing is an error of Compile. All floating-point arithmetic is float64, whatever float type the graph declares: a [Tensor] of Float32
// holds float64s that nothing has rounded, by a cast neither. Integers and bools are exact and wrap as their type does.
//
// Dropout with training mode needs random numbers and is refused unless the ratio is 0, and so are the random operators: masks are
// inputs. Graphs must be in the normal form of package graph. What fails is an error that names node and operator. A Program never changes
// and may run in many goroutines at once. It reads the graph when it is compiled and whenever it runs: the graph must not be changed
// meanwhile. Tensors that are given are not changed, and those that are returned may share the elements of constants and inputs: do not
// change them.
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
