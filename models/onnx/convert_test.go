package onnx

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// node makes a node; attributes follow.
func node(op string, in, out []string, attrs ...*onnxpb.AttributeProto) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: proto.String(op), Input: in, Output: out, Attribute: attrs}
}

func floats(name string, values []float32, dims ...int64) *onnxpb.TensorProto {
	t, err := (&writer{}).named(name, graph.NewTensor(values, dims...))
	if err != nil {
		panic(err) // a tensor in memory
	}
	return t
}

func unknown(m proto.Message) {
	m.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 1000, protowire.BytesType), "later"))
}

// branch is a body without inputs that computes op(x), x being of the graph around.
func branch(name, op string) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: &onnxpb.GraphProto{
		Name: proto.String(name), Node: []*onnxpb.NodeProto{node(op, []string{"x"}, []string{"inner"})},
		Output: []*onnxpb.ValueInfoProto{{Name: proto.String("inner")}}, DocString: proto.String("a branch"),
	}}
}

// rich is a model in the normal form that uses whatever the format has.
func rich() *onnxpb.ModelProto {
	x := tensorInfo("x", onnxpb.TensorProto_FLOAT, 2, 3)
	x.DocString = proto.String("pictures")
	x.Type.Denotation = proto.String("IMAGE")
	x.Type.GetTensorType().Shape.Dim[0].Denotation = proto.String("DATA_BATCH")
	kv := func(k, v string) []*onnxpb.StringStringEntryProto {
		return []*onnxpb.StringStringEntryProto{{Key: proto.String(k), Value: proto.String(v)}}
	}
	w := floats("w", []float32{1, 2, 3}, 3)
	w.DocString, w.MetadataProps = proto.String("weights"), kv("layer", "1")
	unknown(w)
	strange := node("Mystery", []string{"y", "", "w"}, []string{"", "z"},
		&onnxpb.AttributeProto{Name: proto.String("s"), Type: onnxpb.AttributeProto_STRING.Enum(), S: []byte{0xff, 0}, DocString: proto.String("not UTF-8")},
		&onnxpb.AttributeProto{Name: proto.String("f"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{1, 2}},
		&onnxpb.AttributeProto{Name: proto.String("n"), Type: onnxpb.AttributeProto_STRINGS.Enum(), Strings: [][]byte{[]byte("a")}},
		&onnxpb.AttributeProto{Name: proto.String("t"), Type: onnxpb.AttributeProto_TENSORS.Enum(), Tensors: []*onnxpb.TensorProto{floats("named", nil, 0)}},
		&onnxpb.AttributeProto{Name: proto.String("tp"), Type: onnxpb.AttributeProto_TYPE_PROTO.Enum(), Tp: x.Type})
	strange.Domain, strange.Overload, strange.DocString, strange.MetadataProps = proto.String("x.y"), proto.String("o"), proto.String("?"), kv("a", "b")
	unknown(strange)
	sequence := &onnxpb.ValueInfoProto{Name: proto.String("z"), Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_SequenceType{
		SequenceType: &onnxpb.TypeProto_Sequence{ElemType: x.Type},
	}}}
	g := &onnxpb.GraphProto{
		Name:                   proto.String("rich"),
		DocString:              proto.String("all of it"),
		Input:                  []*onnxpb.ValueInfoProto{x, tensorInfo("cond", onnxpb.TensorProto_BOOL), tensorInfo("d", onnxpb.TensorProto_FLOAT, 1)},
		Initializer:            []*onnxpb.TensorProto{floats("d", []float32{7}, 1), w},
		SparseInitializer:      []*onnxpb.SparseTensorProto{{Values: floats("sparse", []float32{5}, 1), Indices: &onnxpb.TensorProto{Dims: []int64{1}, DataType: proto.Int32(7), Int64Data: []int64{2}}, Dims: []int64{9}}},
		Node:                   []*onnxpb.NodeProto{node("Mul", []string{"x", "w"}, []string{"y"}), node("If", []string{"cond"}, []string{"v"}, branch("then_branch", "Neg"), branch("else_branch", "Exp")), strange},
		Output:                 []*onnxpb.ValueInfoProto{sequence, {Name: proto.String("v")}},
		ValueInfo:              []*onnxpb.ValueInfoProto{tensorInfo("y", onnxpb.TensorProto_FLOAT, 2, 3)},
		QuantizationAnnotation: []*onnxpb.TensorAnnotation{{TensorName: proto.String("y")}},
		MetadataProps:          kv("g", "h"),
	}
	unknown(g)
	m := &onnxpb.ModelProto{
		IrVersion: proto.Int64(10), ProducerName: proto.String("p"), ProducerVersion: proto.String("1"), Domain: proto.String("d"),
		ModelVersion: proto.Int64(3), DocString: proto.String("doc"), Graph: g, MetadataProps: kv("names", "{}"),
		OpsetImport:  []*onnxpb.OperatorSetIdProto{{Domain: proto.String(""), Version: proto.Int64(19)}, {Domain: proto.String("x.y"), Version: proto.Int64(1)}},
		Functions:    []*onnxpb.FunctionProto{{Name: proto.String("Mystery"), Domain: proto.String("x.y")}},
		TrainingInfo: []*onnxpb.TrainingInfoProto{{InitializationBinding: kv("a", "b")}},
	}
	unknown(m)
	return m
}

// A model in the normal form comes back field by field.
func TestNothingIsLost(t *testing.T) {
	want := rich()
	m, err := FromProto(want, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Proto()
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	if !proto.Equal(rich().Graph.Node[1], want.Graph.Node[1]) {
		t.Error("the message that was read has changed")
	}
	if m.Meta("names") != "{}" || m.Functions()[0] != "x.y.Mystery" {
		t.Errorf("metadata %v, functions %v", m.Metadata, m.Functions())
	}
}

// What was changed is written; the rest stays.
func TestChangesAreWritten(t *testing.T) {
	m, err := FromProto(rich(), "")
	if err != nil {
		t.Fatal(err)
	}
	c := m.Clone()
	c.SetMeta("names", "[]")
	c.SetMeta("new", "1")
	c.Graph.Rename(c.Graph.Lookup("x"), "input")
	c.Graph.SetType(c.Graph.Lookup("input"), graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(3)}})
	p, err := c.Proto()
	if err != nil {
		t.Fatal(err)
	}
	g := p.GetGraph()
	if in := g.GetInput()[0]; in.GetName() != "input" || in.GetType().GetTensorType().GetShape().GetDim()[0].GetDimParam() != "N" || in.GetDocString() != "pictures" {
		t.Errorf("input %v", in)
	}
	if inner := g.GetNode()[1].GetAttribute()[0].GetG().GetNode()[0].GetInput()[0]; inner != "input" {
		t.Errorf("the branch refers to %q", inner)
	}
	if len(p.GetMetadataProps()) != 2 || m.Meta("new") != "" || m.Graph.Lookup("x") == graph.None {
		t.Errorf("metadata %v; the original has %v", p.GetMetadataProps(), m.Metadata)
	}
}

// stable reads a file into a graph and writes it, twice: the second time changes nothing.
func stable(tb testing.TB, data []byte) *Model {
	tb.Helper()
	m, err := Parse(data, "")
	if err != nil {
		tb.Fatal(err)
	}
	first, err := m.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	again, err := Parse(first, "")
	if err != nil {
		tb.Fatal(err)
	}
	second, err := again.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		tb.Error("the bytes changed between the first round and the second")
	}
	if got, want := again.Graph.String(), m.Graph.String(); got != want {
		tb.Errorf("the graph changed from\n%s\nto\n%s", want, got)
	}
	return m
}

func TestRealFilesAreStable(t *testing.T) {
	for _, r := range realHere(t) {
		m := stable(t, readReal(t, r.file))
		if err := m.Graph.Infer(); err != nil {
			t.Fatal(err)
		}
		for _, n := range m.Graph.Nodes() {
			for _, v := range n.Outputs {
				if typ := m.Graph.TypeOf(v); typ.Elem == graph.Undefined || typ.Shape == nil {
					t.Errorf("%s: %v: %v", r.file, n, typ)
				}
			}
		}
		if out := m.Graph.Outputs()[0]; m.Graph.TypeOf(out).Shape[0] != graph.Sym("N") {
			t.Errorf("%s: output %v", r.file, m.Graph.TypeOf(out))
		}
		params := int64(0)
		for _, v := range m.Graph.Params() {
			params += m.Graph.ConstOf(v).Len()
		}
		// All initialisers but the running statistics, two per channel of a normalisation, are learned.
		if params >= r.parameters || params < r.parameters*9/10 {
			t.Errorf("%s: %d parameters of %d", r.file, params, r.parameters)
		}
		m.Graph.Fold()
		data, err := m.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		stable(t, data)
	}
	stable(t, encoded(t, rich()))
}

func TestFromProtoSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, want string
		edit       func(m *onnxpb.ModelProto)
	}{
		{"cycle", "depends on its own output", func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input[0] = "z" }},
		{"undefined", `node "" (Mul)`, func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input[0] = "nowhere" }},
		{"twice", `node 1 (If): output "y" is defined twice`, func(m *onnxpb.ModelProto) { m.Graph.Node[1].Output[0] = "y" }},
		{"over an initialiser", `node 0 (Mul): output "w" is defined twice`, func(m *onnxpb.ModelProto) { m.Graph.Node[0].Output[0] = "w" }},
		{"two initialisers", `initialisers, or one without a name: "w"`, func(m *onnxpb.ModelProto) { m.Graph.Initializer[0].Name = proto.String("w") }},
		{"two inputs", `two inputs, or one without a name: "x"`, func(m *onnxpb.ModelProto) { m.Graph.Input[1].Name = proto.String("x") }},
		{"output", `output "gone" of graph "rich" is computed by nothing`, func(m *onnxpb.ModelProto) { m.Graph.Output[1].Name = proto.String("gone") }},
		{"arity", `(Mul): 1 inputs, want 2`, func(m *onnxpb.ModelProto) { m.Graph.Node[0].Input = m.Graph.Node[0].Input[:1] }},
		{"data", `initialiser "w": float32[3] needs 12 bytes, not 8`, func(m *onnxpb.ModelProto) { m.Graph.Initializer[1].RawData = make([]byte, 8) }},
		{"segment", `stored in segments`, func(m *onnxpb.ModelProto) { m.Graph.Initializer[1].Segment = new(onnxpb.TensorProto_Segment) }},
		{"rank", `65 sizes`, func(m *onnxpb.ModelProto) {
			m.Graph.Input[0] = tensorInfo("x", onnxpb.TensorProto_FLOAT, make([]any, 65)...)
		}},
		{"no operator", `no operator`, func(m *onnxpb.ModelProto) { m.Graph.Node[0].OpType = nil }},
		{"too old", "operator set 5 is older than 6", func(m *onnxpb.ModelProto) { m.OpsetImport[0].Version = proto.Int64(5) }},
	} {
		p := rich()
		c.edit(p)
		want := strings.ReplaceAll(c.want, `node "" (Mul)`, "node (Mul): input 0: \"nowhere\" is defined nowhere")
		if _, err := FromProto(p, ""); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "onnx: ") {
			t.Errorf("%s: %v, want %q", c.name, err, want)
		}
	}
	m := New(graph.New("g", 17))
	x := m.Graph.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(2)})
	m.Graph.Output("y", m.Graph.Op("Gelu", []graph.Value{x}))
	if _, err := m.Bytes(); err == nil || !strings.Contains(err.Error(), "(Gelu) needs operator set 20, the model says 17") {
		t.Errorf("error %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.onnx")); err == nil || !strings.HasPrefix(err.Error(), "onnx: ") {
		t.Errorf("error %v", err)
	}
}

// Old exporters put elements into fields of their type.
func TestTypedFields(t *testing.T) {
	for want, p := range map[string]*onnxpb.TensorProto{
		"float32[2] 0000803f00000040":   {DataType: proto.Int32(1), FloatData: []float32{1, 2}},
		"float64[1] 000000000000f03f":   {DataType: proto.Int32(11), DoubleData: []float64{1}},
		"int64[1] ffffffffffffffff":     {DataType: proto.Int32(7), Int64Data: []int64{-1}},
		"int32[1] feffffff":             {DataType: proto.Int32(6), Int32Data: []int32{-2}},
		"float16[2] 003c00c0":           {DataType: proto.Int32(10), Int32Data: []int32{0x3c00, 0xc000}},
		"bool[2] 0100":                  {DataType: proto.Int32(9), Int32Data: []int32{1, 0}},
		"uint32[1] ffffffff":            {DataType: proto.Int32(12), Uint64Data: []uint64{1<<32 - 1}},
		"uint64[1] ffffffffffffffff":    {DataType: proto.Int32(13), Uint64Data: []uint64{1<<64 - 1}},
		"complex64[1] 0000803f00000040": {DataType: proto.Int32(14), FloatData: []float32{1, 2}},
		"int4[3] 2103":                  {DataType: proto.Int32(22), Int32Data: []int32{0x21, 0x03}},
	} {
		name, hex, _ := strings.Cut(want, " ")
		p.Dims = []int64{int64(name[strings.Index(name, "[")+1] - '0')}
		data, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		tensor, err := ReadTensor(data)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		raw, err := tensor.Bytes()
		if got := tensor.Type().String(); err != nil || got != name || hexOf(raw) != hex {
			t.Errorf("%s: %s %x %v", want, got, raw, err)
		}
	}
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, c := range b {
		out.WriteByte(digits[c>>4])
		out.WriteByte(digits[c&15])
	}
	return out.String()
}

// A graph of constants alone keeps nodes, without which it would be refused.
func TestOnlyConstants(t *testing.T) {
	g := graph.New("g", 18)
	g.SetOutputs(g.ConstNamed("y", graph.NewTensor([]int64{1, 2}, 2)))
	data, err := New(g).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if m := stable(t, data); m.Graph.ConstOf(m.Graph.Outputs()[0]) == nil {
		t.Errorf("graph\n%v", m.Graph)
	}
	empty := graph.New("g", 18)
	empty.SetOutputs(empty.Input("x", graph.Type{Elem: graph.Float32}))
	if _, err := New(empty).Bytes(); err == nil || !strings.Contains(err.Error(), `graph "g" has no nodes`) {
		t.Errorf("error %v", err)
	}
}
