package onnx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func ints(name string, values ...int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INTS.Enum(), Ints: values}
}

func integer(name string, value int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(value)}
}

func float(name string, value float32) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_FLOAT.Enum(), F: proto.Float32(value)}
}

func text(name, value string) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_STRING.Enum(), S: []byte(value)}
}

func port(name string, elem int32, dims ...int64) *onnxpb.ValueInfoProto {
	shape := &onnxpb.TensorShapeProto{}
	for _, d := range dims {
		shape.Dim = append(shape.Dim, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: d}})
	}
	return &onnxpb.ValueInfoProto{Name: proto.String(name), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{
		TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(elem), Shape: shape},
	}}}
}

// old is a model of one operator of an old set, from x [2,4,4,6] through an Identity (so that its rank is not written anywhere) to y.
type old struct {
	set      int64
	op       string
	attrs    []*onnxpb.AttributeProto
	consts   []string // names of further inputs, among those that model holds
	outputs  string
	upgraded string // operators afterwards, of which inputs that are constants are no part
}

func (o old) model() *onnxpb.ModelProto {
	ramp := func(name string, n int64, from float32, dims ...int64) *onnxpb.TensorProto {
		t := &onnxpb.TensorProto{Name: proto.String(name), DataType: proto.Int32(1), Dims: dims}
		for i := range n {
			t.FloatData = append(t.FloatData, from+float32(i)/4)
		}
		return t
	}
	n := &onnxpb.NodeProto{OpType: proto.String(o.op), Input: append([]string{"h"}, o.consts...), Output: strings.Fields(o.outputs), Attribute: o.attrs}
	g := &onnxpb.GraphProto{
		Name:  proto.String("old"),
		Node:  []*onnxpb.NodeProto{{OpType: proto.String("Identity"), Input: []string{"x"}, Output: []string{"h"}}, n},
		Input: []*onnxpb.ValueInfoProto{port("x", 1, 2, 4, 4, 6)},
		Initializer: []*onnxpb.TensorProto{
			ramp("c4", 4, 0.5, 4), ramp("g2", 2, 0.5, 2), ramp("m46", 24, -1, 4, 6), ramp("scales", 4, 1, 4),
			{Name: proto.String("twice"), DataType: proto.Int32(1), Dims: []int64{4}, FloatData: []float32{1, 1, 2, 1.5}},
			{Name: proto.String("k"), DataType: proto.Int32(7), Dims: []int64{1}, Int64Data: []int64{2}},
		},
		Output: []*onnxpb.ValueInfoProto{{Name: proto.String("y")}},
	}
	return &onnxpb.ModelProto{IrVersion: proto.Int64(6), Graph: g, OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(o.set)}}}
}

var olds = []old{
	{11, "Softmax", nil, nil, "y", "Identity Shape Flatten Softmax Reshape"},
	{11, "LogSoftmax", []*onnxpb.AttributeProto{integer("axis", 2)}, nil, "y", "Identity Shape Flatten LogSoftmax Reshape"},
	{12, "Softmax", []*onnxpb.AttributeProto{integer("axis", -1)}, nil, "y", "Identity Softmax"},
	{13, "Softmax", []*onnxpb.AttributeProto{integer("axis", 1)}, nil, "y", "Identity Softmax"},
	{11, "Unsqueeze", []*onnxpb.AttributeProto{ints("axes", 0, 5)}, nil, "y", "Identity Unsqueeze"},
	{17, "ReduceMean", []*onnxpb.AttributeProto{ints("axes", 2, -1), integer("keepdims", 0)}, nil, "y", "Identity ReduceMean"},
	{17, "ReduceMax", nil, nil, "y", "Identity ReduceMax"},
	{11, "ReduceSum", []*onnxpb.AttributeProto{ints("axes", 1)}, nil, "y", "Identity ReduceSum"},
	{10, "Clip", []*onnxpb.AttributeProto{float("max", 0.5)}, nil, "y", "Identity Clip"},
	{10, "Pad", []*onnxpb.AttributeProto{ints("pads", 0, 0, 1, 2, 0, 0, 1, 0), float("value", 3)}, nil, "y", "Identity Pad"},
	{9, "Slice", []*onnxpb.AttributeProto{ints("starts", 1, -3), ints("ends", 9, 100), ints("axes", 1, 3)}, nil, "y", "Identity Slice"},
	{9, "Slice", []*onnxpb.AttributeProto{ints("starts", 1), ints("ends", 2)}, nil, "y", "Identity Slice"},
	{11, "Split", []*onnxpb.AttributeProto{ints("split", 1, 5), integer("axis", 3)}, nil, "rest y", "Identity Split"},
	{13, "Split", []*onnxpb.AttributeProto{integer("axis", 3)}, nil, "y rest", "Identity Split"},
	{9, "TopK", []*onnxpb.AttributeProto{integer("k", 3)}, nil, "y places", "Identity TopK"},
	{10, "Dropout", []*onnxpb.AttributeProto{float("ratio", 0.3)}, nil, "y", "Identity Dropout"},
	{9, "Dropout", nil, nil, "y mask", "Identity Dropout"},
	{9, "Upsample", []*onnxpb.AttributeProto{text("mode", "nearest")}, []string{"twice"}, "y", "Identity Resize"},
	{9, "Upsample", []*onnxpb.AttributeProto{text("mode", "linear")}, []string{"twice"}, "y", "Identity Resize"},
	{10, "Resize", nil, []string{"twice"}, "y", "Identity Resize"},
	{9, "BatchNormalization", nil, []string{"c4", "c4", "c4", "c4"}, "y", "Identity BatchNormalization"},
	{17, "MatMul", nil, nil, "y", ""}, // replaced below by a call of a function
	{16, "GridSample", []*onnxpb.AttributeProto{text("mode", "bilinear")}, []string{"grid"}, "y", "Identity GridSample"},
}

// TestUpgradeKeepsResults runs each old form before and after.
func TestUpgradeKeepsResults(t *testing.T) {
	e := orttest.Engine(t)
	for _, o := range olds {
		t.Run(fmt.Sprintf("%s %d", o.op, o.set), func(t *testing.T) {
			m := o.model()
			switch o.op {
			case "MatMul":
				callFunction(m)
				o.upgraded = "Identity custom.Norm"
			case "GridSample":
				grid := &onnxpb.TensorProto{Name: proto.String("grid"), DataType: proto.Int32(1), Dims: []int64{2, 2, 2, 2}}
				for i := range 16 {
					grid.FloatData = append(grid.FloatData, float32(i)/8-1)
				}
				m.Graph.Initializer = append(m.Graph.Initializer, grid)
			}
			compareUpgraded(t, e, m, o.upgraded)
		})
	}
}

func compareUpgraded(t *testing.T, e runtime.Engine, m *onnxpb.ModelProto, want string) {
	t.Helper()
	data, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.onnx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	made, model, err := rewritten(path)
	if err != nil {
		t.Fatal(err)
	}
	var ops []string
	for _, n := range model.Graph.Nodes() {
		name := n.Op
		if n.Domain != "" {
			name = n.Domain + "." + name
		}
		ops = append(ops, name)
	}
	if got := strings.Join(ops, " "); got != want {
		t.Errorf("operators %s, want %s", got, want)
	}
	before, after, ok := runBoth(t, e, path, made, noise(model.Graph, 2))
	if !ok {
		t.Fatal("the engine does not run the original")
	}
	if !sameBits(before[0], after[0]) {
		t.Errorf("output %v, was %v", after[0], before[0])
	}
	if err := model.Graph.Infer(); err != nil {
		t.Error(err)
	}
}

// callFunction makes the operator a function of the model's own whose axes are an attribute of the caller.
func callFunction(m *onnxpb.ModelProto) {
	call := m.Graph.Node[1]
	call.OpType, call.Domain, call.Attribute = proto.String("Norm"), proto.String("custom"), []*onnxpb.AttributeProto{ints("where", 2, 3)}
	m.IrVersion = proto.Int64(8)
	own := &onnxpb.OperatorSetIdProto{Domain: proto.String("custom"), Version: proto.Int64(1)}
	m.OpsetImport = append(m.OpsetImport, own)
	axes := &onnxpb.AttributeProto{Name: proto.String("axes"), Type: onnxpb.AttributeProto_INTS.Enum(), RefAttrName: proto.String("where")}
	m.Functions = []*onnxpb.FunctionProto{{
		Name: proto.String("Norm"), Domain: proto.String("custom"), Input: []string{"a"}, Output: []string{"b"}, Attribute: []string{"where"},
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(17)}},
		Node: []*onnxpb.NodeProto{
			{OpType: proto.String("ReduceMean"), Input: []string{"a"}, Output: []string{"mean"}, Attribute: []*onnxpb.AttributeProto{axes}},
			{OpType: proto.String("Sub"), Input: []string{"a", "mean"}, Output: []string{"b"}},
		},
	}}
}

// Scales of a GroupNormalization of set 18 are per group; one for each channel of the group means the same.
func TestUpgradeGroupNormalization(t *testing.T) {
	e := orttest.Engine(t)
	build := func(set int64, scale, bias []float32) []byte {
		m := old{set: set, op: "GroupNormalization", attrs: []*onnxpb.AttributeProto{integer("num_groups", 2)}, consts: []string{"s", "b"}, outputs: "y"}.model()
		m.IrVersion = proto.Int64(8)
		for name, v := range map[string][]float32{"s": scale, "b": bias} {
			m.Graph.Initializer = append(m.Graph.Initializer, &onnxpb.TensorProto{Name: proto.String(name), DataType: proto.Int32(1), Dims: []int64{int64(len(v))}, FloatData: v})
		}
		data, err := onnx.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := onnx.Parse(data, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Graph.Opset(""); got != 21 {
			t.Errorf("operator set %d", got)
		}
		if data, err = parsed.Bytes(); err != nil {
			t.Fatal(err)
		}
		return data
	}
	parsed, err := onnx.Parse(build(18, []float32{1, 2}, []float32{3, 4}), "")
	if err != nil {
		t.Fatal(err)
	}
	src := noise(parsed.Graph, 2)
	run := func(data []byte) runtime.Tensor {
		out, err := runModel(func() (runtime.Session, error) { return e.Open(data, runtime.Config{IntraThreads: 1}) }, src)
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	got, want := run(build(18, []float32{1, 2}, []float32{3, 4})), run(build(21, []float32{1, 1, 2, 2}, []float32{3, 3, 4, 4}))
	if !sameBits(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUpgradeRefuses(t *testing.T) {
	for want, o := range map[string]old{
		"the mask is used":                  {9, "Dropout", nil, nil, "rest y", ""},
		"spatial=0":                         {8, "BatchNormalization", []*onnxpb.AttributeProto{integer("spatial", 0)}, []string{"c4", "c4", "c4", "c4"}, "y", ""},
		"the training form":                 {9, "BatchNormalization", nil, []string{"c4", "c4", "c4", "c4"}, "mean y", ""},
		"operator set 6: the training form": {6, "Dropout", nil, nil, "y", ""},
		"no attribute starts":               {9, "Slice", nil, nil, "y", ""},
		"no attribute k":                    {9, "TopK", nil, nil, "y places", ""},
		"needs ranks":                       {6, "Add", []*onnxpb.AttributeProto{integer("broadcast", 1), integer("axis", 1)}, []string{"nobody"}, "y", ""},
		"operator set 5 is older than 6":    {5, "Add", nil, []string{"c4"}, "y", ""},
	} {
		if _, err := onnx.Upgrade(o.model()); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "onnx: ") {
			t.Errorf("%s of set %d: %v, want %q", o.op, o.set, err, want)
		}
	}
}

// A model that is in the normal form is left as it is, and the argument always.
func TestUpgradeChangesACopy(t *testing.T) {
	for _, set := range []int64{11, 18, 22} {
		m := old{set: set, op: "Softmax", outputs: "y"}.model()
		before := proto.CloneOf(m)
		out, err := onnx.Upgrade(m)
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(m, before) {
			t.Errorf("set %d: the argument has changed", set)
		}
		if same := proto.Equal(out, m); same != (set >= onnx.Normal) {
			t.Errorf("set %d: unchanged is %v", set, same)
		}
	}
}
