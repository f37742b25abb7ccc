package onnx

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// vetted makes a model of nodes over an input x [N, 3, 32, 32].
func vetted(nodes ...*onnxpb.NodeProto) *onnxpb.ModelProto {
	shape := &onnxpb.TensorShapeProto{Dim: []*onnxpb.TensorShapeProto_Dimension{{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: "N"}}}}
	for _, d := range []int64{3, 32, 32} {
		shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: d}})
	}
	typ := &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(1), Shape: shape}}}
	last := nodes[len(nodes)-1].GetOutput()[0]
	return &onnxpb.ModelProto{
		IrVersion: proto.Int64(8), OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(18)}},
		Graph: &onnxpb.GraphProto{
			Name: proto.String("g"), Node: nodes, Input: []*onnxpb.ValueInfoProto{{Name: proto.String("x"), Type: typ}},
			Output: []*onnxpb.ValueInfoProto{{Name: proto.String(last)}},
		},
	}
}

func op(name string, attrs map[string][]int64, out string, in ...string) *onnxpb.NodeProto {
	n := &onnxpb.NodeProto{OpType: proto.String(name), Input: in, Output: []string{out}}
	for key, v := range attrs {
		a := &onnxpb.AttributeProto{Name: proto.String(key), Type: onnxpb.AttributeProto_INTS.Enum(), Ints: v}
		if len(v) == 1 {
			a = &onnxpb.AttributeProto{Name: proto.String(key), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(v[0])}
		}
		n.Attribute = append(n.Attribute, a)
	}
	return n
}

func whole64(name string, values ...int64) *onnxpb.NodeProto {
	n := op("Constant", nil, name)
	n.Input = nil
	n.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: &onnxpb.TensorProto{
		DataType: proto.Int32(int32(onnxpb.TensorProto_INT64)), Dims: []int64{int64(len(values))}, Int64Data: values,
	}}}
	return n
}

func within(domain string, n *onnxpb.NodeProto) *onnxpb.NodeProto {
	n.Domain = proto.String(domain)
	return n
}

func TestVet(t *testing.T) {
	doubled := func(times int) (nodes []*onnxpb.NodeProto) {
		at := "x"
		for i := range times {
			to := fmt.Sprint("d", i)
			nodes = append(nodes, op("Concat", map[string][]int64{"axis": {1}}, to, at, at))
			at = to
		}
		return nodes
	}
	function := func(name string, calls ...string) *onnxpb.FunctionProto {
		f := &onnxpb.FunctionProto{Name: proto.String(name), Domain: proto.String("dom"), Input: []string{"a"}, Output: []string{"b"}}
		for i, c := range calls {
			f.Node = append(f.Node, within("dom", op(c, nil, fmt.Sprint("v", i), "a")))
		}
		return f
	}
	calling := func(functions ...*onnxpb.FunctionProto) *onnxpb.ModelProto {
		m := vetted(within("dom", op(functions[0].GetName(), nil, "y", "x")))
		m.Functions = functions
		return m
	}
	var bomb, chain []*onnxpb.FunctionProto
	for i := range 40 {
		bomb = append(bomb, function(fmt.Sprint("f", i), fmt.Sprint("f", i+1), fmt.Sprint("f", i+1)))
	}
	for i := range 300 {
		chain = append(chain, function(fmt.Sprint("f", i), fmt.Sprint("f", i+1)))
	}
	branch := op("If", nil, "y", "c")
	branch.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("then_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: &onnxpb.GraphProto{
		Node: []*onnxpb.NodeProto{op("Div", nil, "q", "whole", "zero")},
	}}}
	for _, c := range []struct {
		name, want string
		m          *onnxpb.ModelProto
	}{
		{"plain", "", vetted(op("Relu", nil, "y", "x"))},
		{"strides", "", vetted(op("MaxPool", map[string][]int64{"strides": {2, 2}, "kernel_shape": {2, 2}}, "y", "x"))},
		{"stride 0", "node 0 (MaxPool): strides [0 2]: want 1 or more", vetted(op("MaxPool", map[string][]int64{"strides": {0, 2}}, "y", "x"))},
		{"negative dilation", "dilations [1 -1]: want 1", vetted(op("Conv", map[string][]int64{"dilations": {1, -1}}, "y", "x", "x"))},
		{"group 0", "group [0]: want 1", vetted(op("Conv", map[string][]int64{"group": {0}}, "y", "x", "x"))},
		{"block 0", "blocksize [0]: want 1", vetted(op("DepthToSpace", map[string][]int64{"blocksize": {0}}, "y", "x"))},
		{"stride 0 of an engine's operator", "strides [0 0]", vetted(within("com.microsoft", op("FusedConv", map[string][]int64{"strides": {0, 0}}, "y", "x", "x")))},
		{"strides of a stranger's operator", "", vetted(within("my.own", op("Walk", map[string][]int64{"strides": {0, 0}}, "y", "x")))},
		{"trees", "", vetted(within("ai.onnx.ml", op("TreeEnsembleClassifier", map[string][]int64{"nodes_treeids": {0, 0}}, "y", "x")))},
		{"division by 0", "whole numbers divided by 0", vetted(whole64("zero", 1, 0), op("Div", nil, "y", "n", "zero"))},
		{"division in a branch", "node 0 (Div): whole numbers divided by 0", vetted(whole64("zero", 0), branch)},
		{"division by 2", "", vetted(whole64("two", 2), op("Mod", nil, "y", "n", "two"))},
		{"doubled 19 times", "", vetted(doubled(19)...)},
		{"doubled 20 times", "has more than 2147483648 elements", vetted(doubled(20)...)},
		{"doubled 100 times", "has more than 2147483648 elements", vetted(doubled(100)...)},
		{"expanded", "has more than", vetted(whole64("more", 1, 1<<20, 1<<10, 1), op("Tile", nil, "y", "x", "more"))},
		{"stride 0 in a function", "onnx: function f: node 0 (Conv): strides [0 0]", calling(&onnxpb.FunctionProto{
			Name: proto.String("f"), Domain: proto.String("dom"), Node: []*onnxpb.NodeProto{op("Conv", map[string][]int64{"strides": {0, 0}}, "b", "a", "a")},
		})},
		{"filled", "has more than", vetted(whole64("sizes", 1<<20, 1<<20), op("ConstantOfShape", nil, "y", "sizes"))},
		{"function", "", calling(function("f", "g", "g"), function("g", "Relu"))},
		{"recursive", "function f calls itself", calling(function("f", "g"), function("g", "f"))},
		{"bomb", "functions unfold to more than 1048576 nodes", calling(bomb...)},
		{"chain", "functions call each other more than 256 deep", calling(chain...)},
		{"recursive, never called", "function h calls itself", calling(function("f", "Relu"), function("h", "h"))},
	} {
		err := Vet(c.m)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "onnx: ")) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Files with which ONNX Runtime crashes or does not end.
func TestVetCases(t *testing.T) {
	for name, want := range map[string]string{
		"stride0.onnx":        "onnx: node 0 (Conv): strides [0 0]: want 1 or more",
		"func_recursive.onnx": "onnx: function F calls itself",
		"func_bomb.onnx":      "onnx: functions unfold to more than 1048576 nodes",
	} {
		data, err := os.ReadFile("testdata/cases/" + name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := Vet(p); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
