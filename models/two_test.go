package models

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
	"github.com/oatta/oatta/runtime"
)

const oneManifest = `{"oatta_manifest": 1, "name": "one", "labels": ["empty", "animal"], "input": {"name": "x", "height": 224, "width": 224,
	"mean": [0, 0, 0], "std": [1, 1, 1]}, "output": {"name": "y", "kind": "KIND"}}`

// A network with one output has two classes, by its manifest or guessed, whatever shape the output has.
func TestOneOutputIsTwoClasses(t *testing.T) {
	for _, c := range []struct {
		op, kind string
		out      []any
		note     string
	}{
		{"Sigmoid", Probabilities, []any{"N", 1}, "output.kind: probabilities (one number from a Sigmoid, taken for the probability of the second of two classes)"},
		{"Relu", Logits, []any{"N", 1}, "labels: 2, as one number is the logit of the second of two classes"},
		{"Relu", Logits, []any{"N"}, "labels: class_0 to class_1"},
		{"Sigmoid", Probabilities, []any{1, 1, 1, 1}, "labels: class_0 to class_1"},
	} {
		net := network{in: []any{"N", 3, 224, 224}, out: c.out, op: c.op, edit: func(g *onnxpb.GraphProto) { g.Node[0].Input = []string{"x"} }}
		m, err := guessed(t, net, nil)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		checkBoth(t, m, c.kind)
		if fmt.Sprint(m.Manifest.Labels) != "[class_0 class_1]" || !says(m, c.note) {
			t.Errorf("%v: %q, %q", c, m.Manifest.Labels, m.Guessed)
		}
		m, err = guessed(t, net, map[string]string{"net.json": strings.Replace(oneManifest, "KIND", c.kind, 1)})
		if err != nil {
			t.Errorf("%v: with a manifest: %v", c, err)
			continue
		}
		checkBoth(t, m, c.kind)
		if fmt.Sprint(m.Manifest.Labels) != "[empty animal]" || len(m.Guessed) != 0 {
			t.Errorf("%v: %q", c, m.Manifest.Labels)
		}
	}
}

// checkBoth looks at the graph: it has two classes, also when the file is read again, and the hash is the file's.
func checkBoth(t *testing.T, m *Model, kind string) {
	t.Helper()
	if m.Manifest.Output != (Output{Name: "y", Kind: kind}) {
		t.Errorf("output %+v", m.Manifest.Output)
	}
	data, err := readONNX(m.Path)
	if err != nil || m.Hash() != hashBytes(data) {
		t.Errorf("the hash is not the file's: %v", err)
	}
	before, err := m.Data()
	if err != nil {
		t.Fatal(err)
	}
	m.Release()
	after, err := m.Data()
	if err != nil || string(before) != string(after) {
		t.Errorf("other bytes after Release: %v", err)
	}
	net, err := m.Network()
	if err != nil {
		t.Fatal(err)
	}
	if err := net.Graph.Check(); err != nil {
		t.Error(err)
	}
	if v := m.Graph.Outputs[0]; v.Name != "y" || v.Type != "float32" || len(v.Dims) != 2 || v.Dims[1].Size != 2 || v.Op != "Concat" {
		t.Errorf("output %v, of %s", v, v.Op)
	}
}

func TestOneOutputRefusals(t *testing.T) {
	one := classifier(1)
	for want, manifest := range map[string]string{
		"which can be of two classes; the manifest has 3 labels": strings.Replace(oneManifest, `"empty", `, `"empty", "human", `, 1),
		"output.kind: log-probabilities, want logits or":         strings.Replace(oneManifest, "KIND", LogProbabilities, 1),
	} {
		manifest = strings.Replace(manifest, "KIND", Logits, 1)
		if _, err := guessed(t, one, map[string]string{"net.json": manifest}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	one.edit = func(g *onnxpb.GraphProto) { g.Node[0].Output[0] = "z" } // nothing makes the output
	if _, err := guessed(t, one, nil); err == nil || !strings.Contains(err.Error(), "no operator of the graph makes it") {
		t.Error(err)
	}
	m := Manifest{Labels: []string{"a", "b"}, Output: Output{Name: "y"}, Input: Input{Name: "x", Height: 8, Width: 8}}
	ports := func(shape ...int64) []runtime.Port {
		return []runtime.Port{{Name: "y", Type: runtime.Float32, Shape: shape}}
	}
	if _, _, err := m.Match([]runtime.Port{{Name: "x", Type: runtime.Float32}}, ports(runtime.Dynamic, 1)); err == nil {
		t.Error("a session whose graph was not changed matches")
	}
}

// What is also used elsewhere in the graph, bodies included, keeps its numbers.
func TestOneOutputIsRenamedEverywhere(t *testing.T) {
	net := classifier(1)
	net.edit = func(g *onnxpb.GraphProto) {
		body := &onnxpb.GraphProto{Name: proto.String("then"), Node: []*onnxpb.NodeProto{node("Neg", "n", "y")}, Output: []*onnxpb.ValueInfoProto{{Name: proto.String("n")}}}
		branch := &onnxpb.AttributeProto{Name: proto.String("then_branch"), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: body}
		g.Node = append(g.Node, node("Relu", "z", "y"), &onnxpb.NodeProto{OpType: proto.String("If"), Input: []string{"z"}, Output: []string{"q"}, Attribute: []*onnxpb.AttributeProto{branch}})
	}
	m, err := guessed(t, net, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := mustDecode(t, m)
	nodes := p.GetGraph().GetNode()
	if got := nodes[1].GetInput()[0] + nodes[2].GetAttribute()[0].GetG().GetNode()[0].GetInput()[0]; got != "y/secondy/second" {
		t.Error(got)
	}
}
