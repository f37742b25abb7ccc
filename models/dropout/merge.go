package dropout

import "github.com/oatta/oatta/models/graph"

// smallest keeps logarithms finite: the smallest normal float32, next to which a probability adds nothing to an entropy.
const smallest = 0x1p-126

// merge makes the outputs of a graph from its classes y [N * passes, ...] and names them in the spec.
func merge(g *graph.Graph, spec *Spec, r *rows, y graph.Value, s Settings) {
	p := probabilities(g, y, s.Kind)
	sizes := g.Op("Shape", []graph.Value{r.first}, graph.A("start", 0), graph.A("end", 2))
	p = g.Op("Reshape", []graph.Value{p, g.Op("Concat", []graph.Value{sizes, g.Ints(-1)}, graph.A("axis", 0))}) // [N, passes, classes]
	ones := g.Op("ConstantOfShape", []graph.Value{g.Op("Concat", []graph.Value{g.Ints(1), r.count}, graph.A("axis", 0))},
		graph.A("value", graph.NewTensor([]float32{1}, 1)))
	a := average{g, ones, g.Op("Cast", []graph.Value{r.count}, graph.A("to", int64(graph.Float32)))}
	mean := a.of(p)
	outputs := []graph.Value{mean}
	if s.Uncertainty {
		outputs = append(outputs, a.uncertainty(p, mean)...)
	}
	g.SetOutputs(outputs...)
	g.Prune() // which frees the names of the original's results
	for i, to := range []struct {
		name *string
		hint string
	}{
		{&spec.Probability, "probability"},
		{&spec.Variance, "variance"},
		{&spec.Entropy, "entropy"},
		{&spec.MutualInformation, "mutual_information"},
	}[:len(outputs)] {
		*to.name = g.Fresh(to.hint)
		g.Rename(outputs[i], *to.name)
	}
}

// probabilities returns float32 [rows, classes].
func probabilities(g *graph.Graph, y graph.Value, kind string) graph.Value {
	if t := g.TypeOf(y); len(t.Shape) != 2 {
		y = g.Op("Flatten", []graph.Value{y}, graph.A("axis", 1))
	}
	if g.TypeOf(y).Elem != graph.Float32 {
		y = g.Op("Cast", []graph.Value{y}, graph.A("to", int64(graph.Float32)))
	}
	switch kind {
	case "probabilities":
		return y
	case "log-probabilities":
		return g.Op("Exp", []graph.Value{y})
	}
	return g.Op("Softmax", []graph.Value{y}, graph.A("axis", -1))
}

// average is the mean over passes: ones [1, passes] times values [N, passes, any], divided by the number of passes. ONNX Runtime
// multiplies matrices item by item, so that an item has the same bits in a batch of any size; a ReduceMean over [1, passes, classes]
// adds up in another order than one over [2, passes, classes].
type average struct {
	g           *graph.Graph
	ones, count graph.Value
}

// of returns [N, any].
func (a average) of(v graph.Value) graph.Value {
	sum := a.g.Op("Squeeze", []graph.Value{a.g.Op("MatMul", []graph.Value{a.ones, v}), a.g.Ints(1)})
	return a.g.Op("Div", []graph.Value{sum, a.count})
}

// uncertainty returns variance [N, classes], entropy [N] and mutual information [N] of the passes' probabilities p [N, passes,
// classes] with that mean. The variance is that of the passes at hand (divided by their number), and from differences, so that it
// does not cancel.
func (a average) uncertainty(p, mean graph.Value) []graph.Value {
	g, last := a.g, a.g.Ints(-1)
	d := g.Op("Sub", []graph.Value{p, g.Op("Unsqueeze", []graph.Value{mean, g.Ints(1)})})
	variance := a.of(g.Op("Mul", []graph.Value{d, d}))
	total := entropy(g, mean)                                             // [N, 1]
	information := g.Op("Sub", []graph.Value{total, a.of(entropy(g, p))}) // [N, 1]
	return []graph.Value{variance, g.Op("Squeeze", []graph.Value{total, last}), g.Op("Squeeze", []graph.Value{information, last})}
}

// entropy is that of probabilities [..., classes], in nats: [..., 1].
func entropy(g *graph.Graph, p graph.Value) graph.Value {
	log := g.Op("Log", []graph.Value{g.Op("Max", []graph.Value{p, g.Scalar(graph.Float32, smallest)})})
	sum := g.Op("ReduceSum", []graph.Value{g.Op("Mul", []graph.Value{p, log}), g.Ints(-1)}, graph.A("keepdims", true))
	return g.Op("Neg", []graph.Value{sum})
}
