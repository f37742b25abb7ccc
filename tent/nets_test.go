package tent_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// small is a small network under construction.
type small struct {
	*graph.Graph
	seed uint64
}

// numbers lie between -1 and 1 and depend on the seed alone.
func numbers(seed uint64, count int) []float32 {
	out := make([]float32, count)
	for i := range out {
		x := seed*0x9e3779b97f4a7c15 + uint64(i+1)*0xbf58476d1ce4e5b9
		x = (x ^ x>>30) * 0x94d049bb133111eb
		out[i] = float32(float64((x^x>>31)>>40)*0x1p-23 - 1)
	}
	return out
}

func (n *small) param(name string, at float32, dims ...int64) graph.Value {
	n.seed++
	count := int64(1)
	for _, d := range dims {
		count *= d
	}
	values := numbers(n.seed, int(count))
	for i := range values {
		values[i] = at + 0.5*values[i]
	}
	return n.Param(name, graph.NewTensor(values, dims...))
}

// affine returns a scale and a bias.
func (n *small) affine(name string, dims ...int64) (scale, bias graph.Value) {
	return n.param(name+".weight", 1, dims...), n.param(name+".bias", 0, dims...)
}

// smallNets are networks of pictures [4, 3, 5] whose layers are of one kind; batch is the size of axis 0.
var smallNets = map[string]func(n *small, x graph.Value) graph.Value{
	"batch": func(n *small, x graph.Value) graph.Value {
		for i := range 2 {
			name := fmt.Sprintf("bn%d", i)
			x = n.Op("Conv", []graph.Value{x, n.param(fmt.Sprintf("conv%d", i), 0, 4, 4, 3, 3)}, graph.A("pads", []int{1, 1, 1, 1}))
			s, b := n.affine(name, 4)
			x = n.Op("Relu", []graph.Value{n.Op("BatchNormalization", []graph.Value{x, s, b, n.param(name+".running_mean", 0, 4), n.param(name+".running_var", 1, 4)})})
		}
		return x
	},
	"layer": func(n *small, x graph.Value) graph.Value {
		x = n.Op("Transpose", []graph.Value{x}, graph.A("perm", []int{0, 2, 3, 1}))
		for i := range 2 {
			s, b := n.affine(fmt.Sprintf("ln%d", i), 4)
			x = n.Op("LayerNormalization", []graph.Value{x, s, b}, graph.A("axis", -1))
			x = n.Op("Gelu", []graph.Value{n.Op("MatMul", []graph.Value{x, n.param(fmt.Sprintf("fc%d", i), 0, 4, 4)})})
		}
		return n.Op("Transpose", []graph.Value{x}, graph.A("perm", []int{0, 3, 1, 2}))
	},
	"group": func(n *small, x graph.Value) graph.Value {
		s, b := n.affine("gn", 4)
		x = n.Op("Conv", []graph.Value{x, n.param("conv", 0, 4, 4, 3, 3)}, graph.A("pads", []int{1, 1, 1, 1}))
		return n.Op("Relu", []graph.Value{n.Op("GroupNormalization", []graph.Value{x, s, b}, graph.A("num_groups", 2))})
	},
	"instance": func(n *small, x graph.Value) graph.Value {
		s, b := n.affine("in", 4)
		return n.Op("Relu", []graph.Value{n.Op("InstanceNormalization", []graph.Value{x, s, b})})
	},
}

const (
	smallInput   = 4 * 3 * 5
	smallClasses = 3
)

// smallNet returns one of the networks.
func smallNet(kind string, batch graph.Dim) *onnx.Model {
	n := &small{Graph: graph.New(kind, 21)}
	x := n.Input("x", graph.Type{Elem: graph.Float32, Shape: append(graph.Shape{batch}, graph.Of(4, 3, 5)...)})
	y := n.Op("ReduceMean", []graph.Value{smallNets[kind](n, x), n.Ints(2, 3)}, graph.A("keepdims", 0))
	y = n.Op("Gemm", []graph.Value{y, n.param("head", 0, smallClasses, 4)}, graph.A("transB", 1), graph.A("alpha", 4.0))
	n.Output("logits", y)
	return onnx.New(n.Graph)
}

// build fails the test if there is no graph.
func build(tb testing.TB, m *onnx.Model, s tent.Settings) *onnx.Model {
	tb.Helper()
	out, err := tent.Build(m, s)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// item returns an input of a stream.
func item(p *tent.Predictor, stream, t int) []float32 {
	return numbers(uint64(1000*stream+t+1), p.InputLen())
}

// farthest returns the largest difference.
func farthest(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if !(d <= most) {
			most = d
		}
	}
	return most
}
