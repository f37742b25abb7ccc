package norms

import (
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
)

// Kind is the family of a normalisation.
type Kind uint8

// The families. A layer that normalises over axes of each row, written in plain nodes, counts as Layer.
const (
	Batch Kind = iota
	LayerNorm
	Group
	Instance
)

// String returns the family as settings write it.
func (k Kind) String() string {
	return [...]string{"batch", "layer", "group", "instance"}[k]
}

// Layer is one normalisation of a graph.
type Layer struct {
	Kind Kind
	Name string // of its scale, or else of its bias, without ".weight" and ".bias"

	X, Y        graph.Value // what is normalised, and the result after scale and bias
	Scale, Bias graph.Value // constants, or results that only store one differently; None if there is none
	Mean, Var   graph.Value // of Batch alone: the source's running statistics
	Channels    int64       // elements of the scale or bias
	Epsilon     float64     // of Batch

	node           *graph.Node // the operator that holds scale and bias, or nil
	scaling, shift *graph.Node // else the Mul and the Add that do
}

// Find returns the normalisation layers of an inferred graph that have a scale or a bias which is constant, in the order of the nodes.
func Find(g *graph.Graph) []Layer {
	f := finder{g: g, uses: g.UseLists()}
	var out []Layer
	for _, n := range g.Nodes() {
		if n.Domain != "" {
			continue
		}
		l, ok := f.layer(n)
		if !ok {
			continue
		}
		l.Name, l.Channels = f.describe(l)
		out = append(out, l)
	}
	return out
}

// Params returns the scales and biases of layers, each once, in their order.
func Params(layers []Layer) []graph.Value {
	var out []graph.Value
	for _, l := range layers {
		for _, v := range []graph.Value{l.Scale, l.Bias} {
			if v != graph.None && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

type finder struct {
	g    *graph.Graph
	uses [][]graph.Use
}

func (f finder) layer(n *graph.Node) (Layer, bool) {
	switch n.Op {
	case "BatchNormalization":
		l := f.operator(n, Batch)
		l.Mean, l.Var = input(n, 3), input(n, 4)
		l.Epsilon = float64(n.Float("epsilon", 1e-5))
		return l, l.adaptable()
	case "LayerNormalization":
		l := f.operator(n, LayerNorm)
		return l, l.adaptable()
	case "GroupNormalization":
		l := f.operator(n, Group)
		return l, l.adaptable()
	case "InstanceNormalization":
		if l, ok := f.grouped(n); ok {
			return l, true
		}
		l := f.operator(n, Instance)
		return l, l.adaptable()
	case "Div", "Mul":
		return f.decomposed(n)
	}
	return Layer{}, false
}

// operator reads a layer that is one node.
func (f finder) operator(n *graph.Node, k Kind) Layer {
	l := Layer{Kind: k, X: input(n, 0), Y: n.Outputs[0], node: n}
	if v := input(n, 1); f.root(v) != nil {
		l.Scale = v
	}
	if v := input(n, 2); f.root(v) != nil {
		l.Bias = v
	}
	return l
}

func (l Layer) adaptable() bool { return l.Scale != graph.None || l.Bias != graph.None }

func input(n *graph.Node, i int) graph.Value {
	if i < len(n.Inputs) {
		return n.Inputs[i]
	}
	return graph.None
}

// describe names a layer by its constants, as networks name their parts.
func (f finder) describe(l Layer) (name string, channels int64) {
	v := l.Scale
	if v == graph.None {
		v = l.Bias
	}
	root, constant := rootOf(f.g, v)
	name = f.g.NameOf(root)
	for _, suffix := range []string{".weight", ".bias", ".gamma", ".beta"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name, constant.Len()
}

// root returns the constant that a value is or stores differently, or nil.
func (f finder) root(v graph.Value) *graph.Tensor {
	_, t := rootOf(f.g, v)
	return t
}

// maxStored bounds how many storing operators a constant is followed through.
const maxStored = 8

// rootOf follows a value through operators that leave the elements of a constant as they are but for their type and sizes.
func rootOf(g *graph.Graph, v graph.Value) (graph.Value, *graph.Tensor) {
	for range maxStored {
		if v == graph.None {
			return v, nil
		}
		if t := g.ConstOf(v); t != nil {
			if !t.Elem().IsFloat() {
				return graph.None, nil
			}
			return v, t
		}
		n, _ := g.Producer(v)
		if n == nil || n.Domain != "" || !slices.Contains([]string{"Cast", "Identity", "Reshape", "Unsqueeze", "Squeeze"}, n.Op) {
			return graph.None, nil
		}
		v = input(n, 0)
	}
	return graph.None, nil
}
