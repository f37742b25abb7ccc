// Package onnx reads and writes ONNX protobuf: it decodes a file into the types of package onnxpb, encodes it again with stable
// bytes, tells what a network expects and returns, and halves the size of its weights.
//
// # Contract
//
// [Decode] takes any bytes. What is no ONNX model is an error that says what it looks like instead; no input makes it panic, and
// the memory it takes is bounded by a multiple of the input's length, because no size that a file merely claims is ever allocated.
// Fields unknown to onnxpb are kept and written back. [Encode] gives equal bytes for equal models.
//
// Tensors in external files stay there: [Summary.External] names the files, and nothing here opens them.
//
// A function that changes a model returns a changed copy; its argument is left as it was.
//
//	m, err := onnx.Decode(data)
//	if err != nil {
//		return err
//	}
//	s := onnx.Inspect(m)
//	fmt.Println(s.Inputs[0], s.Outputs[0], s.Parameters)   // input float32[N,3,224,224] logits float32[N,1000] 4694024
//	half, stats := onnx.Halve(m)
//
// The file format is described at https://onnx.ai/onnx/repo-docs/IR.html.
package onnx
