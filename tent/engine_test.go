package tent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
	"github.com/oatta/oatta/tent"
)

// open opens a model on one thread.
func open(tb testing.TB, m *onnx.Model) runtime.Session {
	tb.Helper()
	data, err := m.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return orttest.Open(tb, data)
}

// predictorOf opens a graph.
func predictorOf(tb testing.TB, m *onnx.Model, o tent.Options) *tent.Predictor {
	tb.Helper()
	p, err := tent.New(open(tb, m), o)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// onEngine evaluates in float32.
func onEngine(tb testing.TB) evaluator {
	return func(m *onnx.Model, given map[string]oracle.Tensor) (map[string][]float64, error) {
		s := open(tb, m)
		var src []runtime.Tensor
		for _, p := range s.Inputs() {
			src = append(src, tensorOf(given[p.Name]))
		}
		dst := make([]runtime.Tensor, len(s.Outputs()))
		if err := s.Run(context.Background(), dst, src); err != nil {
			return nil, err
		}
		out := map[string][]float64{}
		for i, p := range s.Outputs() {
			values, ok := dst[i].Data.([]float32)
			if !ok {
				return nil, fmt.Errorf("output %v", p)
			}
			for _, v := range values {
				out[p.Name] = append(out[p.Name], float64(v))
			}
		}
		return out, nil
	}
}

func tensorOf(t oracle.Tensor) runtime.Tensor {
	if t.Elem == graph.Int64 {
		return runtime.TensorOf(t.I, t.Dims...)
	}
	values := make([]float32, len(t.F))
	for i, v := range t.F {
		values[i] = float32(v)
	}
	return runtime.TensorOf(values, t.Dims...)
}

// TestReferenceOnEngine is [TestReference] in float32, of all backbones; large ones under OATTA_HEAVY alone. With statistics of a batch
// one in a million activations lies on the other side of a Relu in float32, which changes single gradients by up to a hundredth, in
// PyTorch as well; nets of many such layers on few places multiply rounding besides.
func TestReferenceOnEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("large networks")
	}
	for _, c := range []struct {
		name  string
		large bool
		tol   tolerances
	}{
		{"cifar_resnet20", false, tolerances{1e-4, 1e-3, 1e-4, 1e-2}},
		{"cifar_resnet18", false, tolerances{1e-4, 1e-3, 1e-4, 1e-2}},
		{"cnn1d", false, tolerances{1e-4, 1e-3, 1e-4, 1e-3}},
		{"tcn", false, tolerances{1e-4, 1e-3, 1e-4, 1e-3}},
		{"resnet18_1d", false, tolerances{1e-4, 1e-3, 1e-3, 5e-2}},
		{"resnet18", false, tolerances{1e-4, 1e-3, 1e-3, 5e-2}},
		{"resnet50", true, tolerances{1e-4, 1e-3, 5e-3, 5e-2}},
		{"vit_b_16", true, tolerances{1e-4, 1e-3, 0, 0}},
		{"convnext_tiny", true, tolerances{1e-4, 1e-3, 0, 0}},
		{"bert_base", true, tolerances{1e-4, 1e-3, 0, 0}},
		{"distilbert_base", true, tolerances{1e-4, 1e-3, 0, 0}},
		{"tinybert", false, tolerances{1e-4, 1e-3, 0, 0}},
	} {
		if c.large && !heavy() {
			continue
		}
		compareReference(t, c.name, onEngine(t), true, c.tol)
	}
}
