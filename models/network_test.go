package models

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// network describes a tiny ONNX file for a test: one operator between one input and one output.
type network struct {
	in, out  []any // sizes: int, or string for one that is left open
	inType   onnxpb.TensorProto_DataType
	op       string
	metadata map[string]string
	external string // a file that is said to hold a weight
	edit     func(g *onnxpb.GraphProto)
}

// classifier is a network of 224 pixels and k classes.
func classifier(k any) network { return network{in: []any{"N", 3, 224, 224}, out: []any{"N", k}} }

func (n network) bytes(tb testing.TB) []byte {
	tb.Helper()
	if n.op == "" {
		n.op = "Gemm"
	}
	if n.inType == 0 {
		n.inType = onnxpb.TensorProto_FLOAT
	}
	g := &onnxpb.GraphProto{
		Name:   proto.String("test"),
		Node:   []*onnxpb.NodeProto{{OpType: proto.String(n.op), Input: []string{"x", "w"}, Output: []string{"y"}}},
		Input:  []*onnxpb.ValueInfoProto{port("x", n.inType, n.in)},
		Output: []*onnxpb.ValueInfoProto{port("y", onnxpb.TensorProto_FLOAT, n.out)},
	}
	if n.external != "" {
		g.Initializer = []*onnxpb.TensorProto{{
			Name: proto.String("w"), Dims: []int64{4}, DataType: proto.Int32(1), DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
			ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String(n.external)}},
		}}
	}
	if n.edit != nil {
		n.edit(g)
	}
	m := &onnxpb.ModelProto{IrVersion: proto.Int64(8), Graph: g, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}}}
	for k, v := range n.metadata {
		m.MetadataProps = append(m.MetadataProps, &onnxpb.StringStringEntryProto{Key: proto.String(k), Value: proto.String(v)})
	}
	data, err := onnx.Encode(m)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func port(name string, dataType onnxpb.TensorProto_DataType, dims []any) *onnxpb.ValueInfoProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, d := range dims {
		dim := &onnxpb.TensorShapeProto_Dimension{}
		switch d := d.(type) {
		case int:
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: int64(d)}
		case string:
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: d}
		}
		shape.Dim = append(shape.Dim, dim)
	}
	return &onnxpb.ValueInfoProto{Name: proto.String(name), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{
		TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(dataType)), Shape: shape},
	}}}
}

// write puts a file into a folder and returns its path.
func write(tb testing.TB, dir, name string, data []byte) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}
