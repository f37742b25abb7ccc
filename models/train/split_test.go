package train_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// TestHeadOnFeatures: training the head on features that were computed once is training the network with all else frozen.
func TestHeadOnFeatures(t *testing.T) {
	for _, network := range []string{"cnn1d", "bert_mini"} {
		t.Run(network, func(t *testing.T) {
			n, batch := filled(t, network, golden(t, network, "sgd").Labels)
			m := onnx.New(n.Graph)
			s := train.Settings{Optimizer: optim.Settings{Momentum: 0.9}, Seed: 3}
			body, head, err := train.Split(m, "")
			if err != nil {
				t.Fatal(err)
			}
			whole := s
			whole.Frozen = func(name string) bool {
				return !slices.ContainsFunc(head.Graph.Params(), func(v graph.Value) bool { return head.Graph.NameOf(v) == name })
			}
			slow, fast := open(t, m, whole), open(t, head, s)
			features := train.Batch{Inputs: run(t, body, batch.Inputs), Labels: batch.Labels}
			for range 3 {
				a, b := step(t, slow, batch, 0.05), step(t, fast, features, 0.05)
				mustNear(t, "loss", b.Loss, a.Loss, 1e-5)
			}
			joined, err := train.Join(m, export(t, fast))
			if err != nil {
				t.Fatal(err)
			}
			want, moved := constants(t, export(t, slow)), 0
			start := constants(t, m)
			for name, v := range constants(t, joined) {
				for i := range v {
					mustNear(t, name, float64(v[i]), float64(want[name][i]), 1e-5)
				}
				if !slices.Equal(v, start[name]) {
					moved++
				}
			}
			if moved != 2 {
				t.Errorf("%d tensors moved, want weight and bias", moved)
			}
		})
	}
}

func run(tb testing.TB, m *onnx.Model, inputs []runtime.Tensor) []runtime.Tensor {
	tb.Helper()
	data, err := m.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := orttest.Engine(tb).Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, inputs); err != nil {
		tb.Fatal(err)
	}
	return dst
}

func TestSplitRefuses(t *testing.T) {
	g := graph.New("linear", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	g.Output("y", g.Op("MatMul", []graph.Value{x, g.Param("w", graph.NewTensor(make([]float32, 4), 2, 2))}))
	if _, _, err := train.Split(onnx.New(g), ""); err == nil || !strings.Contains(err.Error(), "nothing comes before") {
		t.Errorf("error %v", err)
	}
	if _, _, err := train.Split(onnx.New(g), "z"); err == nil || !strings.Contains(err.Error(), `no output "z"`) {
		t.Errorf("error %v", err)
	}
	if _, err := train.Join(toy(), onnx.New(g)); err == nil || !strings.Contains(err.Error(), `no constant "w" of sizes [2 2]`) {
		t.Errorf("error %v", err)
	}
}
