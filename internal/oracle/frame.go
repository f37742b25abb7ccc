package oracle

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// frame is one evaluation of a graph.
type frame struct {
	p   *Program
	env map[graph.Value]Tensor
}

// value returns a value that was given, computed or held.
func (f *frame) value(v graph.Value) (Tensor, error) {
	if v == graph.None {
		return Tensor{}, nil
	}
	if t, ok := f.env[v]; ok {
		return t, nil
	}
	if t, ok := f.p.constants[v]; ok {
		return t, nil
	}
	return Tensor{}, fmt.Errorf("value %q is not given", f.p.g.NameOf(v))
}

// evaluate runs the nodes that the wanted values need. Values are let go after their last use: in float64 the activations of a network on
// a batch would fill the memory.
func (f *frame) evaluate(want []graph.Value) ([]Tensor, error) {
	kept := map[graph.Value]bool{}
	for _, v := range want {
		kept[v] = true
	}
	nodes := f.p.g.Nodes()
	for i, needed := range f.needed(want) {
		if !needed {
			continue
		}
		n := nodes[i]
		if err := f.node(n); err != nil {
			return nil, fmt.Errorf("%s: %w", n.Place(i), err)
		}
		for _, v := range slices.Concat(n.Inputs, n.Outputs) {
			if f.p.last[v] <= i && !kept[v] {
				delete(f.env, v)
			}
		}
	}
	out := make([]Tensor, len(want))
	for i, v := range want {
		var err error
		if out[i], err = f.value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// needed tells for each node whether the wanted values depend on it. A derivative by differences asks for the loss of a graph that also
// computes the gradient, twice for each element of a parameter.
func (f *frame) needed(want []graph.Value) []bool {
	wanted := map[graph.Value]bool{}
	for _, v := range want {
		wanted[v] = true
	}
	nodes := f.p.g.Nodes()
	out := make([]bool, len(nodes))
	for i, n := range slices.Backward(nodes) {
		for _, v := range n.Outputs {
			_, given := f.env[v]
			out[i] = out[i] || v != graph.None && wanted[v] && !given
		}
		if out[i] {
			for _, v := range n.Inputs {
				wanted[v] = true
			}
		}
	}
	return out
}

// node evaluates one node. A result that was given stays as it was given, while the other results of the node are computed.
func (f *frame) node(n *graph.Node) error {
	c := &call{n: n, in: make([]Tensor, len(n.Inputs)), p: f.p}
	for i, v := range n.Inputs {
		var err error
		if c.in[i], err = f.value(v); err != nil {
			return err
		}
	}
	out, err := operators[n.Operator()].eval(c)
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		if _, given := f.env[v]; v == graph.None || given {
			continue
		}
		if i >= len(out) || out[i].absent() {
			return fmt.Errorf("output %d is not computed", i)
		}
		f.env[v] = out[i]
	}
	return nil
}
