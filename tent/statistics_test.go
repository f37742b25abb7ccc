package tent_test

import (
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// classifier ends a network of pictures [N, 4, 3, 5] whose features are [N, 4].
func classifier(make func(n *small, x graph.Value) graph.Value) *onnx.Model {
	n := &small{Graph: graph.New("net", 21)}
	x := n.Input("x", graph.Type{Elem: graph.Float32, Shape: append(graph.Shape{graph.Sym("N")}, graph.Of(4, 3, 5)...)})
	n.Output("logits", n.Op("Gemm", []graph.Value{make(n, x), n.param("head", 0, smallClasses, 4)}, graph.A("transB", 1)))
	return onnx.New(n.Graph)
}

func (n *small) mean(x graph.Value) graph.Value {
	return n.Op("ReduceMean", []graph.Value{x, n.Ints(2, 3)}, graph.A("keepdims", 0))
}

func (n *small) norm(name string, x graph.Value, attrs ...graph.Attr) graph.Value {
	s, b := n.affine(name, 4)
	return n.Op("BatchNormalization", []graph.Value{x, s, b, n.param(name+".running_mean", 0, 4), n.param(name+".running_var", 1, 4)}, attrs...)
}

// A single number normalised by itself is always 0: the network would put out the same for every item.
func TestStatisticsOfSingleNumbers(t *testing.T) {
	m := classifier(func(n *small, x graph.Value) graph.Value { return n.norm("bn", n.mean(x)) })
	if _, err := tent.Build(m, tent.Settings{Batch: 1}); err == nil || !strings.Contains(err.Error(), "bn: an item has one number per channel") {
		t.Errorf("%v", err)
	}
	for _, s := range []tent.Settings{{}, {Batch: 0.5}, {Batch: 1, Together: true}} {
		if _, err := tent.Build(m, s); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// A layer in training mode that is not adapted must not normalise by the rows of other streams.
func TestFrozenTrainingMode(t *testing.T) {
	m := classifier(func(n *small, x graph.Value) graph.Value {
		x = n.norm("a", x, graph.A("training_mode", 1))
		return n.mean(n.norm("b", x, graph.A("training_mode", 1)))
	})
	for _, frozen := range [][]string{nil, {"a"}, {"b"}} {
		out := build(t, m, tent.Settings{Frozen: frozen})
		if why := fileOf(t, out).OneLane; why != "" {
			t.Errorf("without %v: one lane: %s", frozen, why)
		}
		for _, n := range out.Graph.Nodes() {
			if n.Op == "BatchNormalization" && n.Int("training_mode", 0) != 0 {
				t.Errorf("without %v: %v is in training mode", frozen, n)
			}
		}
	}
}
