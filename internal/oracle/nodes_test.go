package oracle_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
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
	return out
}

// inTable reports a graph all of whose operators the oracle evaluates.
func inTable(g *graph.Graph) bool {
	return !slices.ContainsFunc(g.Nodes(), func(n *graph.Node) bool { return !oracle.Known(n.Domain, n.Op) })
}

// readTensor reads an input or output of an operator test.
func readTensor(path string) (oracle.Tensor, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return oracle.Tensor{}, err
	}
	t, err := onnx.ReadTensor(data)
	if err != nil {
		return oracle.Tensor{}, err
	}
	return oracle.FromGraph(t)
}

// runTest evaluates an operator test and compares each output.
func runTest(folder string, g *graph.Graph) error {
	p, err := oracle.Compile(g, oracle.Settings{})
	if err != nil {
		return err
	}
	set := filepath.Join(folder, "test_data_set_0")
	var in []oracle.Tensor
	for i := range g.Inputs() {
		t, err := readTensor(filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
		if err != nil {
			return err
		}
		in = append(in, t)
	}
	out, err := p.Run(in...)
	if err != nil {
		return err
	}
	for i, got := range out {
		want, err := readTensor(filepath.Join(set, fmt.Sprintf("output_%d.pb", i)))
		if err != nil {
			return err
		}
		if err := sameTensor(got, want); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// sameTensor compares as ONNX's own test runner does: relative 1e-3 and absolute 1e-7 for floats, all else exactly. The elements are
// first rounded to their type, as an engine would return them.
func sameTensor(got, want oracle.Tensor) error {
	made, err := got.Graph()
	if err != nil {
		return err
	}
	if got, err = oracle.FromGraph(made); err != nil {
		return err
	}
	if got.Elem != want.Elem || !slices.Equal(got.Dims, want.Dims) {
		return fmt.Errorf("%v%v, want %v%v", got.Elem, got.Dims, want.Elem, want.Dims)
	}
	for i := range got.F {
		if g, w := got.F[i], want.F[i]; g != w && !(math.Abs(g-w) <= 1e-7+1e-3*math.Abs(w)) && !(g != g && w != w) {
			return fmt.Errorf("element %d is %v, want %v", i, g, w)
		}
	}
	if !slices.Equal(got.I, want.I) {
		return fmt.Errorf("elements %v, want %v", got.I, want.I)
	}
	return nil
}

// TestOperatorTests evaluates ONNX's tests of all operators in the table, and compares. What does not pass is listed, with its
// reason, so that the list can only change knowingly.
func TestOperatorTests(t *testing.T) {
	passed, other, refused := 0, 0, map[string]bool{}
	folders := nodeTests(t)
	whole := len(folders) >= 1282 // not the repository's copy of the small ones
	for _, folder := range folders {
		name := filepath.Base(folder)
		m, err := onnx.Read(filepath.Join(folder, "model.onnx"))
		if err != nil || !inTable(m.Graph) {
			other++
			continue
		}
		err = runTest(folder, m.Graph)
		switch {
		case err == nil && notEvaluated[name] == "":
			passed++
		case err == nil:
			t.Errorf("%s is listed as not evaluated (%s), and passes", name, notEvaluated[name])
		case notEvaluated[name] == "":
			t.Errorf("%s: %v", name, err)
		default:
			refused[name] = true
		}
	}
	t.Logf("%d passed, %d listed as not evaluated, %d of operators outside the table", passed, len(refused), other)
	if passed < 750 || whole && passed < 792 {
		t.Errorf("only %d passed", passed)
	}
	for name := range notEvaluated {
		if whole && !refused[name] {
			t.Errorf("%s is listed as not evaluated, and is no test of an operator in the table", name)
		}
	}
}
