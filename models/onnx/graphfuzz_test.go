package onnx

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// aged returns models of old operator sets, so that the fuzzer knows the attributes that became inputs.
func aged() []*onnxpb.ModelProto {
	var out []*onnxpb.ModelProto
	for _, n := range []*onnxpb.NodeProto{
		node("Softmax", []string{"x"}, []string{"y"}, intAttr("axis", 1)),
		node("ReduceMean", []string{"x"}, []string{"y"}, intsAttr("axes", 1)),
		node("Upsample", []string{"x"}, []string{"y"}, &onnxpb.AttributeProto{Name: proto.String("scales"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{1, 2}}),
		node("Slice", []string{"x"}, []string{"y"}, intsAttr("starts", 0), intsAttr("ends", 1)),
		node("Reshape", []string{"x", "shape"}, []string{"y"}),
	} {
		out = append(out, &onnxpb.ModelProto{
			IrVersion: proto.Int64(3), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(8)}},
			Graph: &onnxpb.GraphProto{
				Node: []*onnxpb.NodeProto{n}, Input: []*onnxpb.ValueInfoProto{tensorInfo("x", onnxpb.TensorProto_FLOAT, "N", 6)},
				Initializer: []*onnxpb.TensorProto{{Name: proto.String("shape"), DataType: proto.Int32(7), Dims: []int64{2}, Int64Data: []int64{0, -1}}},
				Output:      []*onnxpb.ValueInfoProto{{Name: proto.String("y")}},
			},
		})
	}
	return out
}

// FuzzGraph takes what the decoder takes through the graph: it is refused, or comes back the same a second time, and neither
// inference nor folding nor printing panics on it or leaves a graph that does not hold together.
func FuzzGraph(f *testing.F) {
	for _, m := range append(aged(), rich(), small("Softmax"), wide()) {
		f.Add(encoded(f, m))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data, "")
		if err != nil {
			return
		}
		first, err := m.Bytes()
		if err != nil {
			return // external data, or an operator set that lacks an operator
		}
		again, err := Parse(first, "")
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		second, err := again.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, second) {
			t.Fatal("the bytes changed between the first round and the second")
		}
		_ = m.Graph.String()
		if m.Graph.Infer() != nil {
			return
		}
		m.Graph.Fold()
		if err := m.Graph.Check(); err != nil {
			t.Fatalf("after Fold: %v", err)
		}
		if err := m.Graph.Clone().Check(); err != nil {
			t.Fatalf("the clone: %v", err)
		}
	})
}
