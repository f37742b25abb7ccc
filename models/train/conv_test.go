package train_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

// TestConvolutionsWithFewPlaces: the loss of the graph that trains, where they are matrix products, is that of the graph that evaluates,
// where they are convolutions, and a small step lowers it by the rate times the square of the gradient's length.
func TestConvolutionsWithFewPlaces(t *testing.T) {
	for _, c := range []struct {
		x, w  []int64
		attrs []graph.Attr
	}{
		{[]int64{3, 9}, []int64{4, 3, 3}, []graph.Attr{graph.A("pads", []int{1, 1})}},
		{[]int64{3, 9}, []int64{4, 3, 2}, []graph.Attr{graph.A("pads", []int{4, 0}), graph.A("dilations", []int{2})}},
		{[]int64{3, 9}, []int64{4, 3, 3}, []graph.Attr{graph.A("pads", []int{1, 1}), graph.A("strides", []int{2})}},
		{[]int64{3, 9}, []int64{4, 3, 1}, []graph.Attr{graph.A("strides", []int{4})}},
		{[]int64{3, 9}, []int64{4, 3, 3}, []graph.Attr{graph.A("pads", []int{-1, 2}), graph.A("strides", []int{3})}},
		{[]int64{2, 5, 6}, []int64{3, 2, 3, 2}, []graph.Attr{graph.A("pads", []int{1, 0, 1, 1}), graph.A("strides", []int{1, 2})}},
		{[]int64{2, 5, 6}, []int64{3, 2, 3, 3}, []graph.Attr{graph.A("auto_pad", "SAME_UPPER"), graph.A("strides", []int{2, 2})}},
		{[]int64{2, 3, 3, 3}, []int64{3, 2, 2, 1, 2}, nil},
	} {
		t.Run(fmt.Sprint(c.x, c.w, c.attrs), func(t *testing.T) {
			trainer, batch := open(t, convolved(c.x, c.w, c.attrs), train.Settings{}), train.Batch{Labels: []int{0, 1, 1, 0, 1, 0, 0, 1}}
			x := runtime.NewTensor[float32](append([]int64{8}, c.x...)...)
			fill(x.Data.([]float32), 9)
			batch.Inputs = []runtime.Tensor{x}
			loss := func() float64 {
				t.Helper()
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
			if fell := (before - loss()) / rate; !(r.Norm > 0.05 && fell > 0.98*r.Norm*r.Norm && fell < 1.01*r.Norm*r.Norm) {
				t.Errorf("the loss fell by %v times the rate, want %v", fell, r.Norm*r.Norm)
			}
		})
	}
}

// TestFewAndManyPlaces: which convolutions become products.
func TestFewAndManyPlaces(t *testing.T) {
	for places, want := range map[int64]int{31: 0, 32: 1} { // the input needs no derivative
		p, err := train.Build(convolved([]int64{3, places + 2}, []int64{4, 3, 3}, nil), train.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		convs := 0
		for _, n := range p.Step.Graph.Nodes() {
			if n.Op == "Conv" {
				convs++
			}
		}
		if convs != want {
			t.Errorf("%d places: %d convolutions, want %d", places, convs, want)
		}
	}
}

// convolved is a network of one convolution and a linear layer.
func convolved(x, w []int64, attrs []graph.Attr) *onnx.Model {
	g := graph.New("convolved", 18)
	shape := append(graph.Shape{graph.Sym("N")}, graph.Of(x...)...)
	param := func(name string, dims ...int64) graph.Value {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		fill(values, uint64(n))
		return g.Param(name, graph.NewTensor(values, dims...))
	}
	y := g.Op("Conv", []graph.Value{g.Input("x", graph.Type{Elem: graph.Float32, Shape: shape}), param("w", w...), param("bias", w[0])}, attrs...)
	flat := g.Op("Flatten", []graph.Value{g.Op("Tanh", []graph.Value{y})})
	g.Output("logits", g.Op("MatMul", []graph.Value{flat, param("head", g.TypeOf(flat).Shape[1].Size, 2)}))
	return onnx.New(g)
}

func fill(values []float32, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	for i := range values {
		values[i] = float32(random.NormFloat64()) / 2
	}
}
