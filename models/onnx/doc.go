// Package onnx reads and writes ONNX protobuf: it decodes a file into the types of package onnxpb, turns those into a graph and back,
// encodes with stable bytes, tells what a network expects and returns, and halves the size of its weights.
//
// # Contract
//
// [Decode] takes any bytes. What is no ONNX model is an error that says what it looks like instead; no input makes it panic, and
// the memory it takes is bounded by a multiple of the input's length, because no size that a file merely claims is ever allocated.
// Fields unknown to onnxpb are kept and written back. [Encode] gives equal bytes for equal models.
//
// [Read], [Parse] and [FromProto] make a [Model]: a [graph.Graph] with what the file says about it. The graph is in the normal form, into
// which [Upgrade] brings every file of operator set 6 or later:
//
//   - Operators have the forms of set 18, or of 21 in a model that uses GroupNormalization, DFT or GridSample, which changed after 18; a
//     newer file keeps its set. Axes, pads, bounds, ratios, scales and sizes are inputs; Softmax works along one axis; Upsample is Resize,
//     Scatter is ScatterElements; Split says into how many parts. What older defaults meant is spelled out.
//   - Constant nodes are constants, like initialisers, and are written as initialisers. Elements are raw little-endian bytes.
//   - Initialisers that a file of IR version 3 had to list as inputs are no inputs; in later files they are inputs with a default.
//   - Nodes are in topological order, operator sets in the order of their domains, and "ai.onnx" is written "".
//
// Everything else comes back as it was: names, attributes, bodies, metadata, descriptions, denotations, annotations, sparse
// initialisers, the model's own functions, fields of later versions. A second round changes no byte. The operator set that is written
// is the graph's. Results are the same before and after; an engine that rewrites graphs may fuse others than before.
//
// Tensors in external files stay there until they are needed, and are looked for inside the model's folder and nowhere else.
// [Model.Save] writes tensors that are too many for one file, or any on demand, into a file beside it.
//
// A function that changes a message returns a changed copy; its argument is left as it was. Tensors share the bytes that they came from.
//
//	m, err := onnx.Read("net.onnx")
//	if err != nil {
//		return err
//	}
//	if err := m.Graph.Infer(); err != nil {
//		return err
//	}
//	m.Graph.Fold()
//	fmt.Print(m.Graph)
//	return m.Save("out.onnx", onnx.SaveSettings{})
//
// What needs no graph works on the message:
//
//	p, err := onnx.Decode(data)
//	if err != nil {
//		return err
//	}
//	s := onnx.Inspect(p)
//	fmt.Println(s.Inputs[0], s.Outputs[0], s.Parameters)   // input float32[N,3,224,224] logits float32[N,1000] 4694024
//	half, stats := onnx.Halve(p)
//
// The file format is described at https://onnx.ai/onnx/repo-docs/IR.html.
package onnx
