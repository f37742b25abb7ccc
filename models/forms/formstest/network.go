package formstest

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// Classes is how many the network tells apart.
const Classes = 10

// Rows is from how many on the network's second convolution goes by minimal filtering.
const Rows = 4

// Network returns an untrained network of two convolutions, each normalised by BatchNormalization, for pictures "input" [N, 3, 32, 32]; it
// gives "logits" [N, Classes].
func Network() *onnx.Model {
	n := &network{Graph: graph.New("wide", 21)}
	x := n.Input("input", graph.Type{Elem: graph.Float32, Shape: append(graph.Shape{graph.Sym("N")}, graph.Of(3, 32, 32)...)})
	x = n.layer(x, 0, 3, 2)
	x = n.layer(x, 1, width, 1)
	y := n.Op("ReduceMean", []graph.Value{x, n.Ints(2, 3)}, graph.A("keepdims", 0))
	n.Output("logits", n.Op("Gemm", []graph.Value{y, n.param("head", 0, 1, Classes, width)}, graph.A("transB", 1)))
	return onnx.New(n.Graph)
}

// width is how many channels there are.
const width = 96

// network is under construction.
type network struct {
	*graph.Graph
	drawn float64 // numbers so far
}

// param has values about at, the same ones every time.
func (n *network) param(name string, at, spread float64, dims ...int64) graph.Value {
	count := int64(1)
	for _, d := range dims {
		count *= d
	}
	values := make([]float32, count)
	for i := range values {
		n.drawn++
		values[i] = float32(at + spread*math.Sin(n.drawn*n.drawn))
	}
	return n.Param(name, graph.NewTensor(values, dims...))
}

// layer appends a convolution of in channels, its normalisation, and Relu.
func (n *network) layer(x graph.Value, number int, in, stride int64) graph.Value {
	weight := n.param(fmt.Sprintf("conv%d", number), 0, math.Sqrt(2/float64(9*in)), width, in, 3, 3)
	x = n.Op("Conv", []graph.Value{x, weight}, graph.A("pads", []int64{1, 1, 1, 1}), graph.A("strides", []int64{stride, stride}))
	norm := []graph.Value{x}
	for _, p := range []struct {
		name string
		at   float64
	}{{"weight", 1}, {"bias", 0}, {"running_mean", 0}, {"running_var", 1}} {
		norm = append(norm, n.param(fmt.Sprintf("bn%d.%s", number, p.name), p.at, 0.5, width))
	}
	return n.Op("Relu", []graph.Value{n.Op("BatchNormalization", norm)})
}

// Convolutions counts those of a graph: minimal filtering leaves fewer.
func Convolutions(m *onnx.Model) (count int) {
	for _, n := range m.Graph.Nodes() {
		if n.Op == "Conv" {
			count++
		}
	}
	return count
}
