package onnx

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// forest is a classifier of two trees, of which the first asks feature 1 at node 0 and the second is a leaf, over an input [N, 2].
func forest() (*onnxpb.ModelProto, *onnxpb.NodeProto) {
	n := within(treeDomain, op("TreeEnsembleClassifier", map[string][]int64{
		"nodes_treeids": {0, 0, 0, 1}, "nodes_nodeids": {0, 1, 2, 0}, "nodes_truenodeids": {1, 0, 0, 0}, "nodes_falsenodeids": {2, 0, 0, 0},
		"nodes_featureids": {1, 0, 0, 0}, "class_treeids": {0, 0, 1}, "class_nodeids": {1, 2, 0}, "class_ids": {0, 1, 1}, "classlabels_int64s": {0, 1},
	}, "label", "x"))
	n.Output = append(n.Output, "probabilities")
	n.Attribute = append(n.Attribute,
		&onnxpb.AttributeProto{Name: proto.String("nodes_modes"), Type: onnxpb.AttributeProto_STRINGS.Enum(), Strings: [][]byte{[]byte("BRANCH_LEQ"), []byte("LEAF"), []byte("LEAF"), []byte("LEAF")}},
		&onnxpb.AttributeProto{Name: proto.String("nodes_values"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{0.5, 0, 0, 0}},
		&onnxpb.AttributeProto{Name: proto.String("class_weights"), Type: onnxpb.AttributeProto_FLOATS.Enum(), Floats: []float32{0.25, 0.75, 0.5}},
	)
	p := vetted(n)
	p.OpsetImport = append(p.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(treeDomain), Version: proto.Int64(1)})
	dims := p.GetGraph().GetInput()[0].GetType().GetTensorType().GetShape()
	dims.Dim = dims.GetDim()[:2]
	dims.Dim[1].Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: 2}
	return p, n
}

// Trees pass as they are: they are counted, and their graph is written as it was read.
func TestForest(t *testing.T) {
	p, _ := forest()
	if err := Vet(p); err != nil {
		t.Fatal(err)
	}
	if s := Inspect(p); s.Forest != (Forest{2, 4}) || s.Ops[0].Op != "ai.onnx.ml.TreeEnsembleClassifier" {
		t.Errorf("%+v", s)
	}
	m, err := FromProto(p, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	again, err := m.Proto()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.GetGraph().GetNode()[0], p.GetGraph().GetNode()[0]; !proto.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

func TestVetForest(t *testing.T) {
	for want, change := range map[string]func(n *onnxpb.NodeProto){
		"node 0 of tree 0 is there twice":              func(n *onnxpb.NodeProto) { attribute(n, "nodes_nodeids").Ints[1] = 0 },
		"leads to node 7, which is not there":          func(n *onnxpb.NodeProto) { attribute(n, "nodes_truenodeids").Ints[0] = 7 },
		"node 0 of tree 0 asks for feature 2 of 2":     func(n *onnxpb.NodeProto) { attribute(n, "nodes_featureids").Ints[0] = 2 },
		"asks for feature -1":                          func(n *onnxpb.NodeProto) { attribute(n, "nodes_featureids").Ints[0] = -1 },
		"a tree goes in a circle":                      func(n *onnxpb.NodeProto) { attribute(n, "nodes_falsenodeids").Ints[0] = 0 },
		`onnx: node "" (TreeEnsembleClassifier): node`: func(n *onnxpb.NodeProto) { attribute(n, "nodes_featureids").Ints[0] = 9 },
	} {
		p, n := forest()
		change(n)
		if err := Vet(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p, n := forest()
	attribute(n, "nodes_modes").Strings = nil
	if err := Vet(p); err != nil {
		t.Errorf("lists of different lengths, which an engine refuses: %v", err)
	}
}
