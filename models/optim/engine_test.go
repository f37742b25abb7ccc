package optim_test

import (
	"context"
	"math"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// TestStepOnEngine takes one step of each method, with a scheduled rate, in ONNX Runtime in float32 and in the oracle.
func TestStepOnEngine(t *testing.T) {
	e := orttest.Engine(t)
	for _, course := range []optim.Schedule{
		{Rate: 0.1, Warmup: 9},
		{Rate: 0.1, Course: optim.Linear, Total: 20},
		{Rate: 0.1, Course: optim.Cosine, Total: 20, Warmup: 2},
		{Rate: 0.1, Course: optim.Exponential, Factor: 0.9},
		{Rate: 0.1, Course: optim.Stairs, Factor: 0.5, Every: 2},
	} {
		for name, s := range settings {
			g, given := scheduled(t, s, course)
			want, err := oracle.Run(g, given...)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i, out := range onEngine(t, e, g, given) {
				for j, v := range out {
					if w := want[i].F[j]; !(math.Abs(float64(v)-w) <= 1e-6*max(1, math.Abs(w))) {
						t.Errorf("%s: output %d: element %d is %v, want %v", name, i, j, v, w)
					}
				}
			}
		}
	}
}

// scheduled is a step in float32 at a rate that follows from the steps taken, 6, and what it is given.
func scheduled(t *testing.T, s optim.Settings, course optim.Schedule) (*graph.Graph, []oracle.Tensor) {
	t.Helper()
	g := graph.New("step", 18)
	typ := graph.Type{Elem: graph.Float32, Shape: graph.Of(3)}
	p, d := g.Input("p", typ), g.Input("d", typ)
	taken := g.Input("taken", graph.Type{Elem: graph.Int64, Shape: graph.Of(1)})
	rate, err := course.Value(g, taken, graph.Float32)
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.NewState(g, []graph.Value{p}, "state")
	if err != nil {
		t.Fatal(err)
	}
	next, after, err := s.Step(g, []graph.Value{p}, []graph.Value{d}, rate, st)
	if err != nil {
		t.Fatal(err)
	}
	g.SetOutputs(next...)
	given := []oracle.Tensor{oracle.Float32s([]float64{1, -2, 0.5}, 3), oracle.Float32s([]float64{0.3, 0.1, -4}, 3), oracle.Int64s([]int64{6}, 1)}
	if s.Counts() {
		given = append(given, oracle.Int64s([]int64{6}, 1))
	}
	for k := range st.Slots {
		g.SetOutputs(append(g.Outputs(), after.Slots[k][0])...)
		given = append(given, oracle.Float32s([]float64{0.25, 0.5, 2}, 3))
	}
	return g, given
}

func onEngine(t *testing.T, e runtime.Engine, g *graph.Graph, given []oracle.Tensor) (out [][]float32) {
	t.Helper()
	data, err := onnx.New(g).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // nothing is left to write
	var src []runtime.Tensor
	for _, in := range given {
		if in.Elem == graph.Int64 {
			src = append(src, runtime.TensorOf(in.I, in.Dims...))
			continue
		}
		x := runtime.NewTensor[float32](in.Dims...)
		for i, v := range in.F {
			x.Data.([]float32)[i] = float32(v)
		}
		src = append(src, x)
	}
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, src); err != nil {
		t.Fatal(err)
	}
	for _, y := range dst {
		out = append(out, y.Data.([]float32))
	}
	return out
}
