package sleepnet

import (
	"math"
	"math/rand/v2"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// The layers between the features and the stages, and the dropout before each but the first.
var hidden = []int64{128, 64}

const dropped = 0.5

// perceptron returns the network of a seed: layers with ReLU between them, weights drawn as He et al. (2015) have it.
func perceptron(inputs int64, seed uint64) *onnx.Model {
	g, random := graph.New("sleepnet", 18), rand.New(rand.NewPCG(seed, 0))
	x := g.Input("input", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(inputs)}})
	dense := func(x graph.Value, name string, in, out int64) graph.Value {
		weights := make([]float32, in*out)
		for i := range weights {
			weights[i] = float32(random.NormFloat64() * math.Sqrt(2/float64(in)))
		}
		return g.Op("Gemm", []graph.Value{
			x, g.Param(name+".weight", graph.NewTensor(weights, out, in)), g.Param(name+".bias", graph.NewTensor(make([]float32, out), out)),
		}, graph.A("transB", 1))
	}
	in := inputs
	for i, out := range hidden {
		x = g.Op("Relu", []graph.Value{dense(x, "hidden"+string(rune('1'+i)), in, out)})
		x = g.Op("Dropout", []graph.Value{x, g.Scalar(graph.Float32, dropped)})
		in = out
	}
	g.Output("logits", dense(x, "head", in, int64(len(stages))))
	return onnx.New(g)
}
