package models

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// An output of words, which no session can have, is left out; the hash is the file's, and what is read again is the same.
func TestOutputOfWords(t *testing.T) {
	word := func(g *onnxpb.GraphProto) {
		g.Output = append([]*onnxpb.ValueInfoProto{{
			Name: proto.String("label"),
			Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(onnxpb.TensorProto_STRING))}}},
		}}, g.GetOutput()...)
	}
	dir := t.TempDir()
	write(t, dir, "net.json", []byte(smallManifest))
	file := network{in: []any{"N", 3, 224, 224}, out: []any{"N", 2}, edit: word}.bytes(t)
	m, err := Load(write(t, dir, "net.onnx", file))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		data, err := m.Data()
		if err != nil {
			t.Fatal(err)
		}
		p, err := onnx.Decode(data)
		if err != nil || len(p.GetGraph().GetOutput()) != 1 || p.GetGraph().GetOutput()[0].GetName() != "y" {
			t.Errorf("%v, outputs %v", err, p.GetGraph().GetOutput())
		}
		m.Release()
	}
	if m.Hash() != hashBytes(file) || !slices.EqualFunc(m.Graph.Outputs, []string{"y"}, func(v onnx.Value, name string) bool { return v.Name == name }) {
		t.Errorf("hash %s, outputs %v", m.Hash(), m.Graph.Outputs)
	}
	// The manifest's own output is not.
	write(t, dir, "net.json", []byte(strings.Replace(smallManifest, `"name": "y"`, `"name": "label"`, 1)))
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "output label") {
		t.Errorf("words for classes: %v", err)
	}
}
