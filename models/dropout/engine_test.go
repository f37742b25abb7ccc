package dropout_test

import (
	"context"
	"strings"
	"testing"

	"github.com/x448/float16"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// ONNX Runtime takes the files, and computes in float32 what the oracle does; what does not lie behind dropout is not random there either.
func TestEngineEqualsOracle(t *testing.T) {
	e := orttest.Engine(t)
	for name, net := range networks {
		t.Run(name, func(t *testing.T) {
			const n, count = 3, 7
			mc, spec := build(t, network(t, name), dropout.Settings{Uncertainty: true})
			closeLength(spec)
			x, masks := numbers(n*product(net.one), 5), draw(spec, n, count, 6)
			in := tensors(x, net.one, spec, masks, n, count)
			want, err := oracle.Run(mc.Graph, in...)
			if err != nil {
				t.Fatal(err)
			}
			data, err := mc.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			s, err := e.Open(data, runtime.Config{IntraThreads: 1})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]runtime.Tensor, len(want))
			if err := s.Run(context.Background(), got, sources(mc.Graph, in)); err != nil {
				t.Fatal(err)
			}
			tolerance := 1e-5
			if strings.Contains(name, "half") {
				tolerance = 5e-3 // of float16, which the oracle does not round to
			}
			for i, w := range want {
				g := got[i].Data.([]float32)
				wide := make([]float64, len(g))
				for j, v := range g {
					wide[j] = float64(v)
				}
				if far(wide, w.F, tolerance) {
					t.Errorf("output %d: %v, want %v", i, g, w.F)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// sources are tensors of the oracle in the types of a graph's inputs.
func sources(g *graph.Graph, in []oracle.Tensor) (out []runtime.Tensor) {
	for i, v := range g.Inputs() {
		if g.TypeOf(v).Elem == graph.Float16 {
			half := runtime.NewTensor[runtime.Half](in[i].Dims...)
			for j, f := range in[i].F {
				half.Data.([]runtime.Half)[j] = float16.Fromfloat32(float32(f))
			}
			out = append(out, half)
			continue
		}
		single := runtime.NewTensor[float32](in[i].Dims...)
		for j, f := range in[i].F {
			single.Data.([]float32)[j] = float32(f)
		}
		out = append(out, single)
	}
	return out
}
