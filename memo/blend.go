package memo

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// blended is a BatchNormalization whose statistics are part source, part batch. No gradient flows through statistics, as in the official
// code, so that they are inputs while the gradient is written and take their place afterwards.
type blended struct {
	norm           *graph.Node // of the network on the views, whose convolutions may be written anew meanwhile
	mean, variance graph.Value // inputs of the network on the views
	source         [2]*graph.Tensor
	standIn        [2]graph.Value // inputs of the graph that is made
}

// batchNorms lists the BatchNormalizations of a graph whose statistics are constants.
func batchNorms(g *graph.Graph) ([]*graph.Node, error) {
	var out []*graph.Node
	for _, n := range g.Nodes() {
		if n.Domain != "" || n.Op != "BatchNormalization" {
			continue
		}
		if g.ConstOf(n.Inputs[3]) == nil || g.ConstOf(n.Inputs[4]) == nil {
			return nil, fmt.Errorf("%v: its statistics are no constants", n)
		}
		out = append(out, n)
	}
	return out, nil
}

// openStatistics makes the statistics of every BatchNormalization inputs.
func openStatistics(g *graph.Graph) ([]blended, error) {
	nodes, err := batchNorms(g)
	if err != nil {
		return nil, err
	}
	var out []blended
	for _, n := range nodes {
		b := blended{norm: n, source: [2]*graph.Tensor{g.ConstOf(n.Inputs[3]), g.ConstOf(n.Inputs[4])}}
		b.mean = g.Input(g.Fresh("mean"), b.source[0].Type())
		b.variance = g.Input(g.Fresh("variance"), b.source[1].Type())
		g.SetInput(n, 3, b.mean)
		g.SetInput(n, 4, b.variance)
		out = append(out, b)
	}
	return out, g.Err()
}

// close puts the statistics of x, which is normalised, where their stand-ins are, which go.
func (b blended) close(g *graph.Graph, x graph.Value, prior float64) {
	mean, variance := statistics(g, x, g.Const("source_mean", b.source[0]), g.Const("source_variance", b.source[1]), prior)
	for i, v := range []graph.Value{mean, variance} {
		g.Replace(b.standIn[i], v)
		g.ToConstant(b.standIn[i], b.source[i]) // which nothing uses
	}
}

// blendPlain writes the statistics of the plain pass, whose batch is the one input.
func blendPlain(g *graph.Graph, prior float64) error {
	nodes, err := batchNorms(g)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		mean, variance := statistics(g, n.Inputs[0], n.Inputs[3], n.Inputs[4], prior)
		g.SetInput(n, 3, mean)
		g.SetInput(n, 4, variance)
	}
	return g.Sort()
}

// statistics are (prior source + batch)/(prior+1), per channel. The batch's variance is the unbiased one, as PyTorch keeps running ones;
// a channel that has a single number in the batch has variance 0.
func statistics(g *graph.Graph, x, mean, variance graph.Value, prior float64) (m, v graph.Value) {
	elem := g.TypeOf(x).Elem
	op := func(name string, in ...graph.Value) graph.Value { return g.Op(name, in) }
	num := func(f float64) graph.Value { return g.Scalar(elem, f) }
	mix := func(source, batch graph.Value) graph.Value {
		return op("Add", op("Mul", source, num(prior/(prior+1))), op("Mul", batch, num(1/(prior+1))))
	}
	axes := []int64{0}
	for a := 2; a < len(g.TypeOf(x).Shape); a++ {
		axes = append(axes, int64(a))
	}
	wide := g.Op("ReduceMean", []graph.Value{x, g.Ints(axes...)}, graph.A("keepdims", 1))
	d := op("Sub", x, wide)
	sum := g.Op("ReduceSum", []graph.Value{op("Mul", d, d), g.Ints(axes...)}, graph.A("keepdims", 0))
	count := op("Div", op("Size", x), op("Size", sum)) // of numbers in a channel
	count = g.Op("Cast", []graph.Value{op("Max", op("Sub", count, g.Int(1)), g.Int(1))}, graph.A("to", elem))
	return mix(mean, op("Reshape", wide, g.Ints(-1))), mix(variance, op("Div", sum, count))
}
