package training

import (
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// Features beyond the bound, or of a size that nobody knows, are not held.
func TestFeatureRoom(t *testing.T) {
	part := func(out graph.Dim) *onnx.Model {
		g := graph.New("body", 18)
		g.Output("features", g.Op("Relu", []graph.Value{g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), out}})}))
		return onnx.New(g)
	}
	head := onnx.New(graph.New("head", 18))
	if shape, why := (Network{}).features(part(graph.N(512)), head, 1<<20); why != "" || len(shape) != 1 || shape[0] != 512 {
		t.Errorf("%v, %q", shape, why)
	}
	if _, why := (Network{}).features(part(graph.N(512)), head, 1<<20+1); !strings.Contains(why, "2.0 GiB") {
		t.Errorf("%q", why)
	}
	if _, why := (Network{}).features(part(graph.Sym("M")), head, 1); !strings.Contains(why, "not known") {
		t.Errorf("%q", why)
	}
}
