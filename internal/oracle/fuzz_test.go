package oracle_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// FuzzGraph evaluates whatever the ONNX reader takes, with a small limit: it ends in outputs that fill their sizes, or in an error.
func FuzzGraph(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	limits := oracle.Settings{MaxElements: 1 << 12}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := onnx.Parse(data, "")
		if err != nil {
			return
		}
		p, err := oracle.Compile(m.Graph, limits)
		if err != nil {
			return
		}
		out, err := p.Run(someInputs(m.Graph)...)
		if err != nil {
			return
		}
		for i, y := range out {
			if err := y.Check(); err != nil {
				t.Errorf("output %d: %v", i, err)
			}
		}
	})
}

// someInputs makes inputs of the declared types; open sizes are 2. What would be large, or has no type, is left out.
func someInputs(g *graph.Graph) []oracle.Tensor {
	in := make([]oracle.Tensor, len(g.Inputs()))
	for i, v := range g.Inputs() {
		declared := g.TypeOf(v)
		dims, n := sizes(declared.Shape, 2), int64(1)
		for _, d := range dims {
			n = min(1<<20, n*min(d, 1<<20))
		}
		if n > 1<<12 {
			continue
		}
		t := oracle.Tensor{Elem: declared.Elem, Dims: dims}
		for k := range n {
			switch {
			case declared.Elem.IsFloat():
				t.F = append(t.F, float64(k%7)-3)
			default:
				t.I = append(t.I, k%2)
			}
		}
		in[i] = t
	}
	return in
}

// seeds are small graphs of operators whose sizes come from data, and the operator tests where they are at hand.
func seeds(f *testing.F) [][]byte {
	var out [][]byte
	for _, c := range []struct {
		op   string
		ints [][]int64 // inputs after the first
	}{
		{"Reshape", [][]int64{{3, -1}}},
		{"Expand", [][]int64{{4, 2, 3}}},
		{"Tile", [][]int64{{1, 2}}},
		{"Gather", [][]int64{{0, 1}}},
		{"Slice", [][]int64{{1, 2}, {2, 3}}},
		{"Pad", [][]int64{{0, 1, 2, 0}}},
		{"TopK", [][]int64{{2}}},
		{"Unsqueeze", [][]int64{{0, 2}}},
		{"CumSum", [][]int64{{1}}},
	} {
		g := graph.New("seed", 18)
		in := []graph.Value{g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(2, 3)})}
		for _, values := range c.ints {
			in = append(in, g.Ints(values...))
		}
		g.Output("y", g.Op(c.op, in))
		data, err := onnx.New(g).Bytes()
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, data)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return out
	}
	files, _ := filepath.Glob(filepath.Join(home, ".cache", "oatta", "assets", "onnx-node", "*", "model.onnx"))
	for _, path := range files {
		if data, err := os.ReadFile(path); err == nil && len(data) < 4096 && !bytes.Contains(data, []byte("ai.onnx.ml")) {
			out = append(out, data)
		}
	}
	return out
}
