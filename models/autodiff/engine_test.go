package autodiff_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// onEngine runs a graph of float32 in the engine on what the oracle is given.
func onEngine(e runtime.Engine, g *graph.Graph, given map[graph.Value]oracle.Tensor) ([][]float64, error) {
	data, err := onnx.New(g).Bytes()
	if err != nil {
		return nil, err
	}
	s, err := e.Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // nothing is left to write
	var src []runtime.Tensor
	for _, v := range g.Inputs() {
		t := runtime.NewTensor[float32](given[v].Dims...)
		for i, f := range given[v].F {
			t.Data.([]float32)[i] = float32(f)
		}
		src = append(src, t)
	}
	dst := make([]runtime.Tensor, len(g.Outputs()))
	if err := s.Run(context.Background(), dst, src); err != nil {
		return nil, err
	}
	out := make([][]float64, len(dst))
	for i, t := range dst {
		values, ok := t.Data.([]float32)
		if !ok {
			return nil, fmt.Errorf("output %d is %v", i, t.Type())
		}
		for _, f := range values {
			out[i] = append(out[i], float64(f))
		}
	}
	return out, nil
}

// TestRulesOnEngine compares the gradients that ONNX Runtime computes in float32 with the oracle's, which TestRules compares with central
// differences.
func TestRulesOnEngine(t *testing.T) {
	e := orttest.Engine(t)
	for _, c := range allCases() {
		if c.engine != "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			single, err := c.derive(graph.Float32, closed)
			if err != nil {
				t.Fatal(err)
			}
			double, err := c.derive(graph.Float64, closed)
			if err != nil {
				t.Fatal(err)
			}
			p, err := oracle.Compile(double.g, oracle.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			given := c.at(double, graph.Float64)
			y, err := p.Eval(given, double.y)
			if err != nil {
				t.Fatal(err)
			}
			given[double.dy] = oracle.FloatsOf(graph.Float64, std(y[0].Dims...).values(5), y[0].Dims...)
			want, err := p.Eval(given, double.dx...)
			if err != nil {
				t.Fatal(err)
			}
			// Both graphs name their inputs alike, by the same handles.
			got, err := onEngine(e, single.g, given)
			if err != nil {
				t.Fatalf("%v\n%v", err, single.g)
			}
			for i := range want {
				sameNumbers(t, fmt.Sprintf("gradient of input %d", i), got[i], want[i].F, 1e-4)
			}
		})
	}
}

// TestReferenceOnEngine is [TestReference] in float32. With statistics of a batch one in a million activations lies on the other side of a
// Relu in float32, which changes single elements by up to a hundredth, in PyTorch as well.
func TestReferenceOnEngine(t *testing.T) {
	e := orttest.Engine(t)
	compareReference(t, slices.Concat(backbones, large), graph.Float32, func(g *graph.Graph, given map[graph.Value]oracle.Tensor) ([][]float64, error) {
		return onEngine(e, g, given)
	}, 1e-3, 1e-2)
}

// TestAttentionOnEngine: the engine's fused operator returns what the single nodes do, for which TestAttention takes its derivative.
func TestAttentionOnEngine(t *testing.T) {
	e := orttest.Engine(t)
	for _, c := range attentionCases {
		var results [2][][]float64
		for i, build := range []func(b builder, q []graph.Value) graph.Value{c.fused, c.plain} {
			b := builder{graph.New("attention", 23), graph.Float32}
			q, _ := c.inputs(b)
			b.SetOutputs(build(b, q))
			given := map[graph.Value]oracle.Tensor{}
			for i, v := range b.Inputs() {
				given[v] = oracle.Float32s(std(c.sizes()...).values(uint64(i)), c.sizes()...)
			}
			var err error
			if results[i], err = onEngine(e, b.Graph, given); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		sameNumbers(t, c.name, results[0][0], results[1][0], 1e-5)
	}
}
