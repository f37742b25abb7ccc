package onnx

import (
	"math"
	"testing"

	"github.com/x448/float16"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// wide returns small with a weight of 3 x 100 elements, which is large enough to be halved.
func wide() *onnxpb.ModelProto {
	m := small()
	values := make([]float32, 300)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	m.Graph.Initializer[0] = floatTensor("w", []int64{3, 100}, values)
	return m
}

func TestHalveStoresAndCastsBack(t *testing.T) {
	m := wide()
	before := proto.CloneOf(m)
	half, stats := Halve(m)
	if !proto.Equal(m, before) {
		t.Error("the argument was changed")
	}
	w := half.Graph.Initializer[0]
	if w.GetName() != "w_half" || w.GetDataType() != int32(onnxpb.TensorProto_FLOAT16) || len(w.GetRawData()) != 600 || w.FloatData != nil {
		t.Errorf("stored as %s %s with %d bytes", w.GetName(), typeName(w.GetDataType()), len(w.GetRawData()))
	}
	cast := half.Graph.Node[0]
	if cast.GetOpType() != "Cast" || cast.Input[0] != "w_half" || cast.Output[0] != "w" || cast.Attribute[0].GetI() != 1 {
		t.Errorf("first node is %v", cast)
	}
	if b := half.Graph.Initializer[1]; b.GetDataType() != int32(onnxpb.TensorProto_FLOAT) {
		t.Errorf("the bias became %s", typeName(b.GetDataType()))
	}
	// Values up to 1 are rounded by at most half of 2^-11.
	if stats.Halved != 1 || stats.BytesBefore != 1200 || stats.BytesAfter != 600 || stats.MaxError == 0 || stats.MaxError > 0x1p-12 {
		t.Errorf("stats %+v", stats)
	}
	if _, err := Decode(encoded(t, half)); err != nil {
		t.Error(err)
	}
}

func TestHalveTwiceIsOnce(t *testing.T) {
	once, _ := Halve(wide())
	twice, stats := Halve(once)
	if !proto.Equal(once, twice) || stats.Halved != 0 {
		t.Errorf("a second pass halved %d tensors", stats.Halved)
	}
}

func TestHalveKeeps(t *testing.T) {
	for name, edit := range map[string]func(m *onnxpb.ModelProto){
		"overflow":     func(m *onnxpb.ModelProto) { m.Graph.Initializer[0].FloatData[7] = 65520 },
		"vector":       func(m *onnxpb.ModelProto) { m.Graph.Initializer[0].Dims = []int64{300} },
		"old operator": func(m *onnxpb.ModelProto) { m.OpsetImport[0].Version = proto.Int64(5) },
		"input":        func(m *onnxpb.ModelProto) { m.Graph.Input = append(m.Graph.Input, tensorInfo("w", 1, 3, 100)) },
		"wrong length": func(m *onnxpb.ModelProto) { m.Graph.Initializer[0].Dims = []int64{3, 99} },
		"small": func(m *onnxpb.ModelProto) {
			m.Graph.Initializer[0] = floatTensor("w", []int64{3, 4}, make([]float32, 12))
		},
	} {
		m := wide()
		edit(m)
		half, stats := Halve(m)
		if !proto.Equal(half, m) || stats.Halved != 0 {
			t.Errorf("%s: %d tensors were halved", name, stats.Halved)
		}
		if (len(stats.Kept) == 1) != (name == "overflow") {
			t.Errorf("%s: kept %v", name, stats.Kept)
		}
	}
}

func TestHalveKeepsInfinityAndLargestValue(t *testing.T) {
	m := wide()
	m.Graph.Initializer[0].FloatData[0] = float32(math.Inf(1))
	m.Graph.Initializer[0].FloatData[1] = 65504
	half, stats := Halve(m)
	raw := half.Graph.Initializer[0].GetRawData()
	at := func(i int) float32 {
		return float16.Frombits(uint16(raw[2*i]) | uint16(raw[2*i+1])<<8).Float32()
	}
	if stats.Halved != 1 || !math.IsInf(float64(at(0)), 1) || at(1) != 65504 {
		t.Errorf("%+v: got %v and %v", stats, at(0), at(1))
	}
}

func TestHalveAvoidsNamesInUse(t *testing.T) {
	m := wide()
	m.Graph.Node = append(m.Graph.Node, &onnxpb.NodeProto{OpType: proto.String("Relu"), Input: []string{"b"}, Output: []string{"w_half"}})
	half, _ := Halve(m)
	if got := half.Graph.Initializer[0].GetName(); got != "w_half2" {
		t.Errorf("stored as %s", got)
	}
}

func TestHalveConstants(t *testing.T) {
	m := wide()
	w := m.Graph.Initializer[0]
	m.Graph.Initializer = m.Graph.Initializer[1:]
	w.Name = nil
	constant := &onnxpb.NodeProto{
		OpType: proto.String("Constant"), Output: []string{"w"},
		Attribute: []*onnxpb.AttributeProto{{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: w}},
	}
	m.Graph.Node = append([]*onnxpb.NodeProto{constant}, m.Graph.Node...)
	half, stats := Halve(m)
	nodes := half.Graph.Node
	if stats.Halved != 1 || nodes[0].Output[0] != "w_half" || nodes[1].GetOpType() != "Cast" || nodes[1].Output[0] != "w" || nodes[2].GetOpType() != "Gemm" {
		t.Errorf("%+v: nodes %v", stats, nodes)
	}
}

func TestHalveRealFilesWithinHalfPrecision(t *testing.T) {
	for _, r := range realHere(t) {
		data := readReal(t, r.file)
		m, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		half, stats := Halve(m)
		// Weights are below 2, so rounding moves them by at most half of 2^-10.
		if stats.Halved < 20 || len(stats.Kept) != 0 || stats.MaxError > 0x1p-10 {
			t.Errorf("%s: %+v", r.file, stats)
		}
		out := encoded(t, half)
		if len(out) > 55*len(data)/100 {
			t.Errorf("%s: %d bytes, of %d", r.file, len(out), len(data))
		}
		before, after := Inspect(m), Inspect(half)
		if after.Parameters != before.Parameters || after.Nodes != before.Nodes+stats.Halved || after.FoldedConvolution {
			t.Errorf("%s: %d parameters in %d nodes, was %d in %d", r.file, after.Parameters, after.Nodes, before.Parameters, before.Nodes)
		}
	}
}
