package onnx

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

type realFile struct {
	file       string
	input      string
	output     string
	nodes      int
	norms      int
	parameters int64
}

// real lists the exports in the folder of shared data, with what the onnx package of Python counts in them.
var real = []realFile{
	{"efficientnet_lite0_imagenet.onnx", "input float32[N,3,224,224]", "logits float32[N,1000]", 505, 49, 4694024},
	{"resnet20_cifar10.onnx", "input float32[N,3,32,32]", "logits float32[N,10]", 130, 19, 271098},
	{"resnet56_cifar10.onnx", "input float32[N,3,32,32]", "logits float32[N,10]", 256, 55, 857082},
}

// realHere is those of them that are here.
func realHere(tb testing.TB) []realFile {
	tb.Helper()
	var names []string
	for _, r := range real {
		names = append(names, r.file)
	}
	names = testdata.Some(tb, "models/onnx", names...)
	return slices.DeleteFunc(slices.Clone(real), func(r realFile) bool { return !slices.Contains(names, r.file) })
}

func readReal(tb testing.TB, file string) []byte {
	tb.Helper()
	data, err := os.ReadFile(testdata.Shared(tb, "models", "onnx", file))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestRealFilesKeepEveryByte(t *testing.T) {
	for _, r := range realHere(t) {
		data := readReal(t, r.file)
		m, err := Decode(data)
		if err != nil {
			t.Fatalf("%s: %v", r.file, err)
		}
		out, err := Encode(m)
		if err != nil {
			t.Fatalf("%s: %v", r.file, err)
		}
		if !bytes.Equal(out, data) {
			t.Errorf("%s: %d bytes came back as %d others", r.file, len(data), len(out))
		}
	}
}

func TestInspectRealFiles(t *testing.T) {
	for _, r := range realHere(t) {
		m, err := Decode(readReal(t, r.file))
		if err != nil {
			t.Fatalf("%s: %v", r.file, err)
		}
		s := Inspect(m)
		if len(s.Inputs) != 1 || s.Inputs[0].String() != r.input || len(s.Outputs) != 1 || s.Outputs[0].String() != r.output {
			t.Errorf("%s: inputs %v, outputs %v", r.file, s.Inputs, s.Outputs)
		}
		norms := 0
		for _, o := range s.Ops {
			if o.Op == "BatchNormalization" {
				norms = o.Count
			}
		}
		if s.Nodes != r.nodes || norms != r.norms || s.Parameters != r.parameters {
			t.Errorf("%s: %d nodes, %d normalisations, %d parameters, want %d, %d, %d", r.file, s.Nodes, norms, s.Parameters, r.nodes, r.norms, r.parameters)
		}
		if s.Opsets[""] != 17 || s.Outputs[0].Op != "Gemm" || s.FoldedConvolution || !strings.HasPrefix(s.Producer, "pytorch") {
			t.Errorf("%s: opsets %v, output from %s, folded %v, producer %q", r.file, s.Opsets, s.Outputs[0].Op, s.FoldedConvolution, s.Producer)
		}
	}
}

// small returns a model with one float input x[N,4], a Gemm to three classes and a chain of further operators.
func small(tail ...string) *onnxpb.ModelProto {
	g := &onnxpb.GraphProto{
		Name:   proto.String("g"),
		Input:  []*onnxpb.ValueInfoProto{tensorInfo("x", onnxpb.TensorProto_FLOAT, "N", 4)},
		Output: []*onnxpb.ValueInfoProto{tensorInfo("y", onnxpb.TensorProto_FLOAT, "N", "k")},
		Node: []*onnxpb.NodeProto{{
			OpType: proto.String("Gemm"), Input: []string{"x", "w", "b"}, Output: []string{"v0"},
			Attribute: []*onnxpb.AttributeProto{{Name: proto.String("transB"), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(1)}},
		}},
		Initializer: []*onnxpb.TensorProto{floatTensor("w", []int64{3, 4}, make([]float32, 12)), floatTensor("b", []int64{3}, make([]float32, 3))},
	}
	for i, op := range tail {
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String(op), Input: []string{fmt.Sprint("v", i)}, Output: []string{fmt.Sprint("v", i+1)}})
	}
	g.Node[len(g.Node)-1].Output[0] = "y"
	return &onnxpb.ModelProto{
		IrVersion: proto.Int64(8), Graph: g,
		OpsetImport: []*onnxpb.OperatorSetIdProto{{Domain: proto.String(""), Version: proto.Int64(17)}},
	}
}

func tensorInfo(name string, dataType onnxpb.TensorProto_DataType, dims ...any) *onnxpb.ValueInfoProto {
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

func floatTensor(name string, dims []int64, values []float32) *onnxpb.TensorProto {
	return &onnxpb.TensorProto{Name: proto.String(name), Dims: dims, DataType: proto.Int32(int32(onnxpb.TensorProto_FLOAT)), FloatData: values}
}

func encoded(tb testing.TB, m *onnxpb.ModelProto) []byte {
	tb.Helper()
	data, err := Encode(m)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func TestOutputOperator(t *testing.T) {
	for _, c := range []struct {
		tail []string
		want string
	}{
		{nil, "Gemm []"},
		{[]string{"Softmax"}, "Softmax []"},
		{[]string{"LogSoftmax", "Identity"}, "LogSoftmax [Identity]"},
		{[]string{"Softmax", "Cast", "Reshape"}, "Softmax [Cast Reshape]"},
		{[]string{"Sigmoid"}, "Sigmoid []"},
	} {
		out := Inspect(small(c.tail...)).Outputs[0]
		if got := fmt.Sprint(out.Op, " ", out.Via); got != c.want {
			t.Errorf("%v: got %s, want %s", c.tail, got, c.want)
		}
	}
}

func TestOutputOfAnInput(t *testing.T) {
	m := small("Identity")
	m.Graph.Node[1].Input[0] = "x"
	if out := Inspect(m).Outputs[0]; out.Op != "" || fmt.Sprint(out.Via) != "[Identity]" {
		t.Errorf("got %q via %v", out.Op, out.Via)
	}
	m.Graph.Node[1].Input[0] = "y" // a cycle must end
	Inspect(m)
}

func TestOpenSizeIsFoundFromTheClassifier(t *testing.T) {
	sizeOf := func(m *onnxpb.ModelProto) int64 { return Inspect(m).Outputs[0].Dims[1].Size }
	if got := sizeOf(small("Softmax")); got != 3 {
		t.Errorf("Gemm with transB: %d, want 3", got)
	}
	plain := small()
	plain.Graph.Node[0].Attribute = nil
	if got := sizeOf(plain); got != 4 {
		t.Errorf("Gemm: %d, want 4", got)
	}
	added := small("Add")
	added.Graph.Node[0].OpType = proto.String("MatMul")
	added.Graph.Node[1].Input = []string{"v0", "b"}
	if got := sizeOf(added); got != 3 {
		t.Errorf("MatMul and Add: %d, want 3", got)
	}
	if got := sizeOf(small("Relu")); got != -1 {
		t.Errorf("an operator that is not followed: %d, want -1", got)
	}
}

func TestInspectLeavesOutInitialisersAmongInputs(t *testing.T) {
	m := small()
	m.IrVersion = proto.Int64(3)
	m.Graph.Input = append(m.Graph.Input, tensorInfo("w", onnxpb.TensorProto_FLOAT, 3, 4))
	if s := Inspect(m); len(s.Inputs) != 1 || s.Inputs[0].String() != "x float32[N,4]" {
		t.Errorf("inputs %v", s.Inputs)
	}
}

func TestInspectMetadataSubgraphsAndExternalFiles(t *testing.T) {
	m := small()
	m.MetadataProps = []*onnxpb.StringStringEntryProto{{Key: proto.String("names"), Value: proto.String("{0: 'a'}")}}
	w := m.Graph.Initializer[0]
	w.FloatData, w.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
	w.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}}
	inner := small("Softmax").Graph
	m.Graph.Node = append(m.Graph.Node, &onnxpb.NodeProto{
		OpType: proto.String("If"), Domain: proto.String("x.y"),
		Attribute: []*onnxpb.AttributeProto{{Name: proto.String("then_branch"), G: inner}},
	})
	s := Inspect(m)
	if s.Metadata["names"] != "{0: 'a'}" || fmt.Sprint(s.External) != "[w.bin]" {
		t.Errorf("metadata %v, external %v", s.Metadata, s.External)
	}
	if got, want := fmt.Sprint(s.Nodes, s.Ops, s.Parameters), "4 [{Gemm 2} {Softmax 1} {x.y.If 1}] 30"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	edit := func(f func(m *onnxpb.ModelProto)) []byte {
		m := small()
		f(m)
		return encoded(t, m)
	}
	w := func(m *onnxpb.ModelProto) *onnxpb.TensorProto { return m.Graph.Initializer[0] }
	whole := edit(func(*onnxpb.ModelProto) {})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "empty"},
		{"text", []byte("labels: cat, dog, heron\n"), "looks like text"},
		{"zip", []byte("PK\x03\x04 and more"), "PyTorch"},
		{"tflite", []byte("\x1c\x00\x00\x00TFL3\x00\x00"), "TensorFlow Lite"},
		{"safetensors", []byte("\x40\x00\x00\x00\x00\x00\x00\x00{\"w\":{\"dtype\":\"F16\"}}"), "safetensors"},
		{"lfs", []byte("version https://git-lfs.github.com/spec/v1\n"), "Git LFS"},
		{"truncated", whole[:len(whole)-5], "damaged"},
		{"random", []byte{0xff, 0xfe, 0x01, 0x02, 0x99, 0x12}, "damaged"},
		{"no graph", []byte{0x08, 0x08}, "no graph"},
		{"no nodes", edit(func(m *onnxpb.ModelProto) { m.Graph.Node = nil }), "no nodes"},
		{"no opset", edit(func(m *onnxpb.ModelProto) { m.OpsetImport = nil }), "operator set"},
		{"negative size", edit(func(m *onnxpb.ModelProto) { w(m).Dims = []int64{-3, 4} }), `initialiser "w"`},
		{"absurd size", edit(func(m *onnxpb.ModelProto) { w(m).Dims = []int64{1 << 40, 1 << 40} }), "too many elements"},
		{"rank", edit(func(m *onnxpb.ModelProto) { w(m).Dims = make([]int64, 65) }), "65 dimensions"},
		{"short data", edit(func(m *onnxpb.ModelProto) { w(m).FloatData, w(m).RawData = nil, make([]byte, 44) }), "float32[3 4] needs 48 bytes, the file has 44"},
	} {
		m, err := Decode(c.data)
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "onnx: ") {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestDeepNestingIsAnError(t *testing.T) {
	inner := small().Graph
	for range 100 {
		outer := small().Graph
		outer.Node[0].Attribute = append(outer.Node[0].Attribute, &onnxpb.AttributeProto{Name: proto.String("body"), G: inner})
		inner = outer
	}
	m := small()
	m.Graph = inner
	if _, err := Decode(encoded(t, m)); err == nil {
		t.Error("a hundred graphs inside each other were taken")
	}
}

func TestUnknownFieldsSurvive(t *testing.T) {
	data := encoded(t, small())
	data = protowire.AppendTag(data, 1234, protowire.BytesType)
	data = protowire.AppendBytes(data, []byte("from a later version"))
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := encoded(t, m); !bytes.Equal(got, data) {
		t.Errorf("got %q, want %q", got, data)
	}
	half, _ := Halve(m)
	if !bytes.Contains(encoded(t, half), []byte("from a later version")) {
		t.Error("Halve lost a field that it does not know")
	}
}
