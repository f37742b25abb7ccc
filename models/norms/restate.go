package norms

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// Restate makes BatchNormalization layers normalise by weight*batch + (1-weight)*source statistics, 0 <= weight <= 1, where the batch's
// mean and biased variance are over all rows and places of each channel. The operator stays, on statistics that are computed; one in
// training mode gets the source's. Other layers are left alone. The layers are changed to describe the new nodes.
func Restate(g *graph.Graph, layers []Layer, weight float64) error {
	if !(weight >= 0 && weight <= 1) {
		return fmt.Errorf("norms: weight %v of the batch's statistics, want 0 to 1", weight)
	}
	for i := range layers {
		l := &layers[i]
		if l.Kind != Batch {
			continue
		}
		x := l.node.Inputs[0] // X, unless a rewrite of the layer before has replaced it
		rank := len(g.TypeOf(x).Shape)
		if rank < 2 {
			return fmt.Errorf("norms: %s: the rank of %q is not known", l.Name, g.NameOf(x))
		}
		mean, variance := blend(g, x, l.Mean, l.Var, axesWithout1(0, rank), weight)
		l.X = x
		l.replace(g, normalise(g, *l, x, l.node.Inputs[1], l.node.Inputs[2], mean, variance))
	}
	return settle(g)
}

// axesWithout1 lists the axes from first to rank-1 but the channels' axis 1.
func axesWithout1(first, rank int) []int64 {
	var out []int64
	for a := first; a < rank; a++ {
		if a != 1 {
			out = append(out, int64(a))
		}
	}
	return out
}

// normalise appends the operator itself.
func normalise(g *graph.Graph, l Layer, x, scale, bias, mean, variance graph.Value) *graph.Node {
	return g.Append(graph.Node{
		Op: "BatchNormalization", Name: l.node.Name, Inputs: []graph.Value{x, scale, bias, mean, variance},
		Attrs: []graph.Attr{graph.A("epsilon", l.Epsilon)},
	}, g.NameOf(l.Y)+"_norm")
}

// replace puts a new operator in the place of the layer's.
func (l *Layer) replace(g *graph.Graph, n *graph.Node) {
	g.Replace(l.Y, n.Outputs[0])
	l.node, l.Y, l.Mean, l.Var = n, n.Outputs[0], n.Inputs[3], n.Inputs[4]
}

// blend returns the statistics of x over axes, which are vectors along its axis 1, mixed with those of the source.
func blend(g *graph.Graph, x, mean, variance graph.Value, axes []int64, weight float64) (m, v graph.Value) {
	if weight == 0 {
		return mean, variance
	}
	op := func(name string, in ...graph.Value) graph.Value { return g.Op(name, in) }
	number := func(f float64) graph.Value { return g.Scalar(g.TypeOf(x).Elem, f) }
	var square graph.Value // of the deviations, in the shape of x or of the channels
	if len(axes) == 0 {    // a single number is its own mean
		m = op("Reshape", x, g.Ints(-1))
		square = op("Mul", m, number(0))
	} else {
		wide := g.Op("ReduceMean", []graph.Value{x, g.Ints(axes...)}, graph.A("keepdims", 1))
		d := op("Sub", x, wide)
		m = op("Reshape", wide, g.Ints(-1))
		square = g.Op("ReduceMean", []graph.Value{op("Mul", d, d), g.Ints(axes...)}, graph.A("keepdims", 0))
		if len(g.TypeOf(square).Shape) != 1 {
			square = op("Reshape", square, g.Ints(-1))
		}
	}
	if weight == 1 {
		return m, square
	}
	mix := func(batch, source graph.Value) graph.Value {
		return op("Add", op("Mul", batch, number(weight)), op("Mul", source, number(1-weight)))
	}
	return mix(m, mean), mix(square, variance)
}
