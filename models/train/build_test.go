package train_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
)

func TestBuildRefuses(t *testing.T) {
	everything := func(string) bool { return true }
	for name, c := range map[string]struct {
		s    train.Settings
		want string
	}{
		"optimiser":    {train.Settings{Optimizer: optim.Settings{Momentum: 2}}, "momentum 2"},
		"smoothing":    {train.Settings{Smoothing: 1}, "label smoothing 1 is not in [0, 1)"},
		"NaN":          {train.Settings{Smoothing: math.NaN()}, "label smoothing NaN"},
		"weight":       {train.Settings{Weights: []float64{1, -1, 1, 1}}, "weight -1 of class 1"},
		"no weight":    {train.Settings{Weights: make([]float64, 4)}, "the weights of all 4 classes are 0"},
		"weights":      {train.Settings{Weights: []float64{1, 2}}, "2 weights for 4 classes"},
		"accumulation": {train.Settings{Accumulate: -1}, "-1 batches to a step"},
		"output":       {train.Settings{Output: "none"}, `no output "none"`},
		"frozen":       {train.Settings{Frozen: everything}, "of the network's 4 parameters all are frozen"},
	} {
		if _, err := train.Build(toy(), c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// head makes a network x [N, 4] -> logits of what stands between.
func head(middle func(g *graph.Graph, x graph.Value) graph.Value) *onnx.Model {
	g := graph.New("net", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(4)}})
	w := func(name string) graph.Value { return g.Param(name, graph.NewTensor(make([]float32, 16), 4, 4)) }
	h := middle(g, g.Op("MatMul", []graph.Value{x, w("first")}))
	g.Output("y", g.Op("MatMul", []graph.Value{h, w("last")}))
	return onnx.New(g)
}

// TestMissingRule: an operator without a derivative is named, unless what lies before it is frozen.
func TestMissingRule(t *testing.T) {
	m := head(func(g *graph.Graph, x graph.Value) graph.Value {
		return g.Append(graph.Node{Name: "odd", Op: "LRN", Inputs: []graph.Value{x}, Attrs: []graph.Attr{graph.A("size", 3)}}, "odd").Outputs[0]
	})
	_, err := train.Build(m, train.Settings{})
	var missing *autodiff.MissingError
	if !errors.As(err, &missing) || missing.Node.Name != "odd" || !strings.HasPrefix(err.Error(), "train: autodiff: ") {
		t.Errorf("error %v", err)
	}
	if _, err := train.Build(m, train.Settings{Frozen: func(name string) bool { return name == "first" }}); err != nil {
		t.Errorf("with what lies before frozen: %v", err)
	}
}

// TestFrozenIsNotWalked: nothing is derived before the first layer that is trained.
func TestFrozenIsNotWalked(t *testing.T) {
	count := func(s train.Settings) (n int) {
		p, err := train.Build(toy(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range p.Step.Graph.Nodes() {
			if node.Op == "HardSigmoid" { // of Relu's derivative
				n++
			}
		}
		return n
	}
	if all, some := count(train.Settings{}), count(train.Settings{Frozen: func(name string) bool { return name == "V" || name == "a" }}); all != 1 || some != 0 {
		t.Errorf("%d and %d derivatives of Relu, want 1 and 0", all, some)
	}
}

// TestNetworksThatAreNone: no rows of logits, or dropout that cannot be drawn beforehand.
func TestNetworksThatAreNone(t *testing.T) {
	deep := head(func(g *graph.Graph, x graph.Value) graph.Value { return g.Op("Unsqueeze", []graph.Value{x, g.Ints(1)}) })
	if _, err := train.Build(deep, train.Settings{}); err == nil || !strings.Contains(err.Error(), `output "y" is float32[N,1,4], want logits float32[N,classes]`) {
		t.Errorf("error %v", err)
	}
	computed := head(func(g *graph.Graph, x graph.Value) graph.Value {
		return g.Op("Dropout", []graph.Value{x, g.Op("ReduceMax", []graph.Value{x}, graph.A("keepdims", 0))})
	})
	if _, err := train.Build(computed, train.Settings{}); err == nil || !strings.Contains(err.Error(), "the probability is computed") {
		t.Errorf("error %v", err)
	}
	if _, err := train.Build(computed, train.Settings{NoDropout: true}); err != nil {
		t.Error(err)
	}
}
