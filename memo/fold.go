package memo

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// folded is a convolution that took in the BatchNormalization behind it. With the source's statistics,
//
//	y = gamma r (W*x + b - mean) + beta = W'*x + b'   with r = 1/sqrt(variance + eps), s = gamma r, W' = s W, b' = beta + s (b - mean)
//
// so that the engine runs the convolution alone, in its fastest form, and what the step needs follows from the gradients of W' and b',
// without a value between convolution and normalisation:
//
//	dbeta = db',  dW = s dW',  db = s db',  dgamma = r (<dW', W> + (b - mean) db')   which holds at gamma = 0 as well.
type folded struct {
	weight, bias, gamma, beta graph.Value   // of the network; bias may be None
	newWeight, newBias        graph.Value   // constants in their place
	scale, rate, shift        *graph.Tensor // per channel: s, r, b - mean
}

// foldNorms folds every BatchNormalization of g that follows a convolution, if nobody else uses what is between or their parameters.
func foldNorms(g *graph.Graph) ([]folded, error) {
	var out []folded
	for _, n := range slices.Clone(g.Nodes()) {
		if n.Domain != "" || n.Op != "BatchNormalization" {
			continue
		}
		conv, _ := g.Producer(n.Inputs[0])
		if conv == nil || conv.Domain != "" || conv.Op != "Conv" || !alone(g, n.Inputs[0]) || !ownConstants(g, conv.Inputs[1:]) || !ownConstants(g, n.Inputs[1:]) {
			continue
		}
		f, err := foldNorm(g, conv, n)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", n, err)
		}
		out = append(out, f)
	}
	return out, g.Err()
}

// alone reports a value that one node uses, once.
func alone(g *graph.Graph, v graph.Value) bool { return len(g.Uses(v)) == 1 && !g.IsOutput(v) }

// ownConstants reports constants that nothing else uses.
func ownConstants(g *graph.Graph, values []graph.Value) bool {
	return !slices.ContainsFunc(values, func(v graph.Value) bool { return v != graph.None && (g.ConstOf(v) == nil || !alone(g, v)) })
}

// foldNorm folds n into conv.
func foldNorm(g *graph.Graph, conv, n *graph.Node) (folded, error) {
	f := folded{weight: conv.Inputs[1], gamma: n.Inputs[1], beta: n.Inputs[2]}
	if len(conv.Inputs) > 2 {
		f.bias = conv.Inputs[2]
	}
	weight, bias, err := f.products(g, n)
	if err != nil {
		return f, err
	}
	f.newWeight, f.newBias = g.Const(g.NameOf(f.weight)+"_folded", weight), g.Const(g.NameOf(f.beta)+"_folded", bias)
	g.SetInput(conv, 1, f.newWeight)
	g.SetInput(conv, 2, f.newBias)
	g.Replace(n.Outputs[0], conv.Outputs[0])
	g.Remove(n)
	return f, nil
}

// products computes the folded weight and bias, and what goes with each channel, in float64; they are rounded once.
func (f *folded) products(g *graph.Graph, n *graph.Node) (newWeight, newBias *graph.Tensor, err error) {
	var p [6][]float64
	for i, v := range []graph.Value{f.gamma, f.beta, n.Inputs[3], n.Inputs[4], f.weight, f.bias} {
		if v == graph.None {
			continue
		}
		if p[i], err = g.ConstOf(v).Float64s(); err != nil {
			return nil, nil, err
		}
	}
	gamma, beta, mean, variance, weight := p[0], p[1], p[2], p[3], slices.Clone(p[4])
	channels, eps := len(gamma), float64(n.Float("epsilon", 1e-5))
	scale, rate, shift, bias := make([]float64, channels), make([]float64, channels), make([]float64, channels), make([]float64, channels)
	copy(shift, p[5])
	row := len(weight) / channels
	for i := range channels {
		rate[i] = 1 / math.Sqrt(variance[i]+eps)
		scale[i] = gamma[i] * rate[i]
		shift[i] -= mean[i]
		bias[i] = beta[i] + scale[i]*shift[i]
		for j := range row {
			weight[i*row+j] *= scale[i]
		}
	}
	t := g.ConstOf(f.weight)
	if newWeight, err = floats(t.Elem(), weight, t.Dims()...); err != nil {
		return nil, nil, err
	}
	vectors := []**graph.Tensor{&f.scale, &f.rate, &f.shift, &newBias}
	for i, values := range [][]float64{scale, rate, shift, bias} {
		if *vectors[i], err = floats(t.Elem(), values, int64(channels)); err != nil {
			return nil, nil, err
		}
	}
	return newWeight, newBias, nil
}

// floats returns a tensor of float32 or float64.
func floats(elem graph.DType, values []float64, dims ...int64) (*graph.Tensor, error) {
	switch elem {
	case graph.Float64:
		return graph.NewTensor(values, dims...), nil
	case graph.Float32:
		single := make([]float32, len(values))
		for i, v := range values {
			single[i] = float32(v)
		}
		return graph.NewTensor(single, dims...), nil
	}
	return nil, fmt.Errorf("parameters of %v cannot be adapted: want float32", elem)
}

// unfold adds to gradients those of what was folded. weight is the convolution's before, in g.
func (f folded) unfold(g *graph.Graph, grads map[graph.Value]graph.Value, weight graph.Value) error {
	dw, db := grads[f.newWeight], grads[f.newBias]
	if dw == graph.None { // the output does not need it
		return nil
	}
	op := func(name string, in ...graph.Value) graph.Value { return g.Op(name, in) }
	var rest []int64
	for a := 1; a < len(g.TypeOf(weight).Shape); a++ {
		rest = append(rest, int64(a))
	}
	var err error
	if grads[f.weight], err = f.way(g, dw, 1); err != nil {
		return err
	}
	grads[f.beta] = db
	if f.bias != graph.None {
		grads[f.bias] = op("Mul", db, g.Const("scale", f.scale))
	}
	along := g.Op("ReduceSum", []graph.Value{op("Mul", dw, weight), g.Ints(rest...)}, graph.A("keepdims", 0))
	grads[f.gamma] = op("Mul", op("Add", along, op("Mul", db, g.Const("shift", f.shift))), g.Const("rate", f.rate))
	return g.Err()
}

// way is rate times the gradient of the weight, rate s dW', in one pass over it.
func (f folded) way(g *graph.Graph, dw graph.Value, rate float64) (graph.Value, error) {
	if dw == graph.None {
		return graph.None, nil
	}
	values, err := f.scale.Float64s()
	if err != nil {
		return graph.None, err
	}
	column := []int64{f.scale.Len()} // broadcasts along the first axis of the weight
	for range g.TypeOf(dw).Shape[1:] {
		column = append(column, 1)
	}
	values = slices.Clone(values)
	for i := range values {
		values[i] *= rate
	}
	t, err := floats(f.scale.Elem(), values, column...)
	if err != nil {
		return graph.None, err
	}
	return g.Op("Mul", []graph.Value{dw, g.Const("scale", t)}), nil
}
