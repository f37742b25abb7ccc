package models

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
	"github.com/oatta/oatta/runtime"
)

// A network of two classes may have one output, of the second class: its probability, or its logit against the first. The graph is then
// given both, so that nothing behind it has to know, whatever the predictor is made of: [1-p, p], or [0, z].

// isOne tells an output that is one number an item: [N], [N, 1], [N, 1, 1, 1]. Without more sizes, one that is large is of something else
// than the batch.
func isOne(dims []int64) bool {
	if len(dims) == 0 || len(dims) == 1 && dims[0] > 1 {
		return false
	}
	return !slices.ContainsFunc(dims[1:], func(d int64) bool { return d != 1 })
}

// oneOutput returns the output of a name, if it is one number of a type that can be classes.
func oneOutput(s onnx.Summary, name string) (onnx.Value, bool) {
	for _, v := range s.Outputs {
		if v.Name == name {
			t := dtype(v.Type)
			return v, isOne(sizesOf(v)) && (t == runtime.Float32 || t == runtime.Float16)
		}
	}
	return onnx.Value{}, false
}

func sizesOf(v onnx.Value) []int64 {
	sizes := make([]int64, len(v.Dims))
	for i, d := range v.Dims {
		sizes[i] = d.Size
	}
	return sizes
}

// withBoth returns the file of a network whose output has two classes in place of one.
func withBoth(data []byte, out Output) ([]byte, error) {
	if out.Kind == LogProbabilities {
		return nil, fmt.Errorf("output.kind: %s, want %s or %s where the network has one output", out.Kind, Logits, Probabilities)
	}
	p, err := onnx.Decode(data)
	if err != nil {
		return nil, err
	}
	g := p.GetGraph()
	value, one, pair := out.Name, out.Name+"/second", out.Name+"/first"
	var port *onnxpb.ValueInfoProto
	for _, v := range g.GetOutput() {
		if v.GetName() == value {
			port = v
		}
	}
	if port == nil || !rename(g, value, one) {
		return nil, fmt.Errorf("no operator of the graph makes it")
	}
	tensor := port.GetType().GetTensorType()
	other, err := complement(out, one, pair, onnxpb.TensorProto_DataType(tensor.GetElemType()))
	if err != nil {
		return nil, err
	}
	column := value + "/column"
	g.Node = append(g.Node,
		constantNode(column+"/shape", &onnxpb.TensorProto{DataType: proto.Int32(int32(onnxpb.TensorProto_INT64)), Dims: []int64{2}, Int64Data: []int64{-1, 1}}),
		node("Reshape", column, one, column+"/shape"))
	g.Node = append(g.Node, other(column)...)
	join := node("Concat", value, pair, column)
	join.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("axis"), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(1)}}
	g.Node = append(g.Node, join)
	batch := &onnxpb.TensorShapeProto_Dimension{}
	if dims := tensor.GetShape().GetDim(); len(dims) > 0 {
		batch = dims[0]
	}
	tensor.Shape = &onnxpb.TensorShapeProto{Dim: []*onnxpb.TensorShapeProto_Dimension{batch, {Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: 2}}}}
	return onnx.Encode(p)
}

// complement makes the nodes of the first class's number.
func complement(out Output, one, pair string, elem onnxpb.TensorProto_DataType) (func(column string) []*onnxpb.NodeProto, error) {
	if out.Kind != Probabilities {
		return func(column string) []*onnxpb.NodeProto { return []*onnxpb.NodeProto{node("Sub", pair, column, column)} }, nil
	}
	unit := &onnxpb.TensorProto{DataType: proto.Int32(int32(elem)), Dims: []int64{1, 1}}
	switch elem {
	case onnxpb.TensorProto_FLOAT:
		unit.FloatData = []float32{1}
	case onnxpb.TensorProto_FLOAT16:
		unit.Int32Data = []int32{0x3c00}
	default:
		return nil, fmt.Errorf("want float32 or float16")
	}
	return func(column string) []*onnxpb.NodeProto {
		return []*onnxpb.NodeProto{constantNode(one+"/unit", unit), node("Sub", pair, one+"/unit", column)}
	}, nil
}

func node(op, output string, inputs ...string) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{Name: proto.String(output), OpType: proto.String(op), Input: inputs, Output: []string{output}}
}

func constantNode(name string, t *onnxpb.TensorProto) *onnxpb.NodeProto {
	n := node("Constant", name)
	n.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: t}}
	return n
}

// rename gives a value of a graph another name, wherever it is used, also in bodies; false if no node makes it.
func rename(g *onnxpb.GraphProto, from, to string) (made bool) {
	for _, n := range g.GetNode() {
		for i, name := range n.GetOutput() {
			if name == from {
				n.Output[i], made = to, true
			}
		}
		for i, name := range n.GetInput() {
			if name == from {
				n.Input[i] = to
			}
		}
		for _, a := range n.GetAttribute() {
			for _, body := range append(a.GetGraphs(), a.GetG()) {
				if body != nil {
					rename(body, from, to)
				}
			}
		}
	}
	return made
}
