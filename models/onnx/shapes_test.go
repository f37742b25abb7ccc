package onnx

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
)

// TestInferAgainstONNX compares what is inferred for the real networks with what onnx's own inference finds (testdata/shapes.py). Ours
// may say more, as a name where the other has none.
func TestInferAgainstONNX(t *testing.T) {
	golden, err := os.ReadFile("testdata/shapes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	graphs := map[string]*graph.Graph{}
	compared, more := 0, 0
	here := realHere(t)
	for line := range strings.Lines(string(golden)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if !slices.ContainsFunc(here, func(r realFile) bool { return r.file == f[0] }) {
			continue
		}
		g := graphs[f[0]]
		if g == nil {
			m, err := Parse(readReal(t, f[0]), "")
			if err != nil {
				t.Fatal(err)
			}
			g = m.Graph
			g.Forget()
			if err := g.Infer(); err != nil {
				t.Fatal(err)
			}
			graphs[f[0]] = g
		}
		v := g.Lookup(f[1])
		if v == graph.None {
			t.Errorf("%s: no value %q", f[0], f[1])
			continue
		}
		compared++
		got, want := g.TypeOf(v), f[2]+f[3]
		if got.String() == want {
			continue
		}
		more++
		if got.Elem.String() != f[2] || !refines(got.Shape.String(), f[3]) {
			t.Errorf("%s: %s is %v, onnx says %s", f[0], f[1], got, want)
		}
	}
	if compared < 500 && len(here) == len(real) || compared < 100 {
		t.Errorf("only %d values compared", compared)
	}
	t.Logf("%d values of %d networks, of which %d known better here", compared, len(graphs), more)
}

// refines reports sizes that are those of the other, but for ones that it does not know.
func refines(got, other string) bool {
	a, b := strings.Split(strings.Trim(got, "[]"), ","), strings.Split(strings.Trim(other, "[]"), ",")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && b[i] != "?" {
			return false
		}
	}
	return true
}
