package train_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

// TestThinSlices: the loss of the graph that trains, where a Slice with steps may be written in another way, is that of the graph that
// evaluates, where it stands, and a small step lowers it by the rate times the square of the gradient's length.
func TestThinSlices(t *testing.T) {
	for _, c := range []struct {
		from, to, axes, steps []int64
		stays                 bool
	}{
		{[]int64{0, 0}, []int64{4, 6}, []int64{2, 3}, []int64{2, 3}, false},
		{[]int64{0, 0}, []int64{1 << 40, 1 << 40}, []int64{-1, -2}, []int64{2, 4}, false},
		{[]int64{0}, []int64{2}, []int64{1}, []int64{2}, false},
		{[]int64{0}, []int64{6}, []int64{3}, []int64{2}, false},
		{[]int64{1}, []int64{6}, []int64{3}, []int64{2}, true},
		{[]int64{0}, []int64{3}, []int64{3}, []int64{2}, true},
		{[]int64{0, 0}, []int64{6, 2}, []int64{3, 2}, []int64{2, 1}, true},
		{[]int64{0}, []int64{6}, []int64{3}, []int64{5}, true},
		{[]int64{5}, []int64{-7}, []int64{3}, []int64{-1}, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			g := graph.New("thin", 18)
			param := func(name string, dims ...int64) graph.Value {
				n := int64(1)
				for _, d := range dims {
					n *= d
				}
				values := make([]float32, n)
				fill(values, uint64(n))
				return g.Param(name, graph.NewTensor(values, dims...))
			}
			x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2), graph.N(4), graph.N(6)}})
			h := g.Op("Mul", []graph.Value{x, param("by", 2, 4, 6)})
			h = g.Op("Slice", []graph.Value{h, g.Ints(c.from...), g.Ints(c.to...), g.Ints(c.axes...), g.Ints(c.steps...)})
			flat := g.Op("Flatten", []graph.Value{g.Op("Tanh", []graph.Value{h})})
			g.Output("logits", g.Op("MatMul", []graph.Value{flat, param("head", g.TypeOf(flat).Shape[1].Size, 2)}))
			m := onnx.New(g)
			p, err := train.Build(m, train.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			stays := false
			for _, n := range p.Step.Graph.Nodes() {
				stays = stays || n.Op == "Slice" && len(n.Inputs) == 5
			}
			if stays != c.stays {
				t.Errorf("the Slice stays: %t, want %t", stays, c.stays)
			}
			trainer, batch := open(t, m, train.Settings{}), train.Batch{Labels: []int{0, 1, 1, 0}}
			in := runtime.NewTensor[float32](4, 2, 4, 6)
			fill(in.Data.([]float32), 9)
			batch.Inputs = []runtime.Tensor{in}
			loss := func() float64 {
				r, err := trainer.Evaluate(context.Background(), batch, nil)
				if err != nil {
					t.Fatal(err)
				}
				return r.Loss
			}
			const rate = 1e-3
			before := loss()
			r := step(t, trainer, batch, rate)
			mustNear(t, "loss", r.Loss, before, 1e-6)
			if fell, want := (before-loss())/rate, r.Norm*r.Norm; !(r.Norm > 0.05 && math.Abs(fell-want) < 0.02*want) {
				t.Errorf("the loss fell by %v times the rate, want %v", fell, want)
			}
		})
	}
}
