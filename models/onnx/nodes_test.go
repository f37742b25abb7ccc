package onnx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// nodeTests returns the folders of ONNX's operator tests: a model of one operator each, with inputs and outputs.
func nodeTests(t *testing.T) []string {
	t.Helper()
	folder := testdata.OperatorTests(t)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(folder, e.Name()))
		}
	}
	if len(out) < 1000 {
		t.Fatalf("only %d tests in %s", len(out), folder)
	}
	return out
}

// inTable reports a graph all of whose operators inference knows, those in bodies among them.
func inTable(g *graph.Graph) bool {
	return !slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool {
		return !graph.Known(n.Domain, n.Op) || slices.ContainsFunc(n.Bodies(), func(b *graph.Graph) bool { return !inTable(b) })
	})
}

// testInputs reads the inputs of an operator test; nil for one that is no tensor.
func testInputs(t *testing.T, folder string, count int) []*graph.Tensor {
	t.Helper()
	out := make([]*graph.Tensor, count)
	for i := range out {
		data, err := os.ReadFile(filepath.Join(folder, "test_data_set_0", fmt.Sprintf("input_%d.pb", i)))
		if err != nil {
			t.Fatal(err)
		}
		if tensor, err := onnx.ReadTensor(data); err == nil {
			out[i] = tensor
		}
	}
	return out
}

// tooOld lists the operator tests that mean what no later operator set can say.
var tooOld = map[string]bool{"test_scan_sum": true}

// dataDependent lists the operator tests whose output's sizes depend on the data, or on numbers that shapes are not computed with.
var dataDependent = map[string]bool{
	"test_nonzero_example": true,
	// The region of interest is in floating point and scales the sizes.
	"test_resize_tf_crop_and_resize": true,
}

// TestInferOperatorTests infers the output of each operator test from its inputs and compares with what the model declares. Inputs of
// integers, which often say a shape, are made constants, and so are scales.
func TestInferOperatorTests(t *testing.T) {
	known, exact := 0, 0
	folders := nodeTests(t)
	for _, folder := range folders {
		name := filepath.Base(folder)
		m, err := onnx.Read(filepath.Join(folder, "model.onnx"))
		if err != nil {
			if !tooOld[name] {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		g := m.Graph
		if !inTable(g) {
			continue
		}
		known++
		if inferTest(t, name, g, testInputs(t, folder, len(g.Inputs()))) {
			exact++
		}
	}
	t.Logf("%d tests of operators in the table, %d inferred exactly", known, exact)
	if least := len(folders) * 1000 / 1282; known < least {
		t.Errorf("only %d tests of operators in the table", known)
	}
}

func inferTest(t *testing.T, name string, g *graph.Graph, inputs []*graph.Tensor) (exact bool) {
	for i, v := range slices.Clone(g.Inputs()) {
		if in := inputs[i]; in != nil && in.Elem() == g.TypeOf(v).Elem && (in.Elem().IsInt() || in.Elem() == graph.Float32 && len(in.Dims()) == 1 || in.Len() == 1) {
			g.ToConstant(v, in)
		}
	}
	declared := map[graph.Value]graph.Type{}
	for _, v := range g.Outputs() {
		declared[v] = g.TypeOf(v)
	}
	g.Forget()
	if err := g.Infer(); err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	exact = true
	for _, v := range g.Outputs() {
		got, want := g.TypeOf(v), declared[v]
		if got.String() == want.String() {
			continue
		}
		exact = false
		if !dataDependent[name] || !fits(got, want) {
			t.Errorf("%s: output %s is %v, declared %v", name, g.NameOf(v), got, want)
		}
	}
	return exact
}

// fits reports an inferred type that says no more than is true.
func fits(got, want graph.Type) bool {
	if got.Elem != want.Elem && got.Elem != graph.Undefined {
		return false
	}
	if got.Shape == nil || want.Shape == nil {
		return true
	}
	if len(got.Shape) != len(want.Shape) {
		return false
	}
	for i, d := range got.Shape {
		if d.Known() && want.Shape[i].Known() && d.Size != want.Shape[i].Size {
			return false
		}
	}
	return true
}

// TestVetOperatorTests: nothing that ONNX's own tests do is refused.
func TestVetOperatorTests(t *testing.T) {
	for _, folder := range nodeTests(t) {
		data, err := os.ReadFile(filepath.Join(folder, "model.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := onnx.Decode(data)
		if err != nil {
			continue
		}
		if err := onnx.Vet(p); err != nil {
			t.Errorf("%s: %v", filepath.Base(folder), err)
		}
	}
}
