package train_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

// residual is a block of two convolutions beside a shorter way, each with its normalisation, and a linear layer. Places of x are odd and
// halved.
func residual(places ...int64) *onnx.Model {
	g := graph.New("residual", 18)
	param := func(name string, dims ...int64) graph.Value {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		values := make([]float32, n)
		fill(values, uint64(n)+uint64(len(name)))
		return g.Param(name, graph.NewTensor(values, dims...))
	}
	repeat := func(v int64) []int64 {
		out := make([]int64, len(places))
		for i := range out {
			out[i] = v
		}
		return out
	}
	layer := func(name string, x graph.Value, in, out, kernel, stride int64) graph.Value {
		pads := append(repeat((kernel-1)/2), repeat((kernel-1)/2)...)
		x = g.Op("Conv", []graph.Value{x, param(name+".conv", append([]int64{out, in}, repeat(kernel)...)...)}, graph.A("pads", pads), graph.A("strides", repeat(stride)))
		mean, variance := param(name+".mean", out), g.Param(name+".variance", graph.NewTensor([]float32{1, 2, 3, 0.5}, out))
		g.SetParam(mean, false)
		g.SetParam(variance, false)
		return g.Op("BatchNormalization", []graph.Value{x, param(name+".scale", out), param(name+".bias", out), mean, variance})
	}
	relu := func(x graph.Value) graph.Value { return g.Op("Relu", []graph.Value{x}) }
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: append(graph.Shape{graph.Sym("N"), graph.N(3)}, graph.Of(places...)...)})
	h := relu(layer("a", x, 3, 4, 3, 2))
	h = relu(g.Op("Add", []graph.Value{layer("b", h, 4, 4, 3, 1), layer("short", x, 3, 4, 1, 2)}))
	h = relu(g.Op("Add", []graph.Value{layer("c", h, 4, 4, 3, 1), h}))
	flat := g.Op("Flatten", []graph.Value{h})
	g.Output("logits", g.Op("MatMul", []graph.Value{flat, param("head", g.TypeOf(flat).Shape[1].Size, 3)}))
	return onnx.New(g)
}

// TestRowsLast: convolutions whose weights are frozen stay convolutions, and all between them has rows first. Where they learn it has rows
// last; loss, statistics and the gradients of what learns in both are the same.
func TestRowsLast(t *testing.T) {
	for _, places := range [][]int64{{9}, {5, 7}} {
		t.Run(fmt.Sprint(places), func(t *testing.T) {
			m := residual(places...)
			frozen := func(name string) bool { return strings.HasSuffix(name, ".conv") }
			last, err := train.Build(m, train.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range last.Step.Graph.Nodes() {
				if shape := last.Step.Graph.TypeOf(n.Inputs[0]).Shape; n.Op == "Conv" || n.Op == "BatchNormalization" && shape[0] != graph.N(1) {
					t.Errorf("%v takes %v", n, shape)
				}
			}
			x := runtime.NewTensor[float32](append([]int64{6, 3}, places...)...)
			fill(x.Data.([]float32), 5)
			batch := train.Batch{Inputs: []runtime.Tensor{x}, Labels: []int{0, 1, 2, 2, 1, 0}}
			a := open(t, m, train.Settings{Accumulate: 2, Frozen: frozen})
			b := open(t, m, train.Settings{Accumulate: 2})
			mustNear(t, "loss", step(t, b, batch, 0).Loss, step(t, a, batch, 0).Loss, 1e-6)
			for _, prefix := range []string{"model.", "gradient."} {
				got, compared := values(t, b, prefix), 0
				for name, want := range values(t, a, prefix) {
					for i, w := range want {
						mustNear(t, fmt.Sprintf("%s%s[%d]", prefix, name, i), float64(got[name][i]), float64(w), 1e-5)
					}
					compared++
				}
				if compared < 9 {
					t.Errorf("%d tensors of %q are compared", compared, prefix)
				}
			}
			// A small step lowers the loss by the rate times the square of the gradient's length.
			c, rate := open(t, m, train.Settings{}), 1e-4
			first := step(t, c, batch, rate)
			fell := first.Loss - step(t, c, batch, rate).Loss
			if want := rate * first.Norm * first.Norm; !(first.Norm > 0.05 && math.Abs(fell-want) <= 0.05*want) {
				t.Errorf("the loss fell by %v, want %v", fell, want)
			}
		})
	}
}
