package graph

import (
	"fmt"
	"maps"
	"slices"
)

// Clone returns a copy that shares nothing that can change: tensors and what file formats keep are the same, all else is new. Handles
// mean the same values in both.
func (g *Graph) Clone() *Graph {
	g.init()
	return g.cloneInto(g.outer, nil)
}

// cloneInto copies a graph as a body of outer. The names of a whole family are copied once, at its root.
func (g *Graph) cloneInto(outer *Graph, shared *names) *Graph {
	if shared == nil {
		shared = &names{used: maps.Clone(g.names.used), next: maps.Clone(g.names.next)}
	}
	out := &Graph{
		Name: g.Name, Keep: g.Keep, err: g.err, outer: outer, names: shared,
		opsets: slices.Clone(g.opsets), values: slices.Clone(g.values), byName: maps.Clone(g.byName),
		captured: maps.Clone(g.captured), small: maps.Clone(g.small), inputs: slices.Clone(g.inputs), outputs: slices.Clone(g.outputs), nodes: make([]*Node, len(g.nodes)),
	}
	for i, n := range g.nodes {
		out.nodes[i] = n.copyInto(out)
		for _, v := range n.Outputs {
			if v != None {
				out.values[v].node = out.nodes[i]
			}
		}
	}
	return out
}

func (n *Node) copyInto(g *Graph) *Node {
	c := *n
	c.Inputs, c.Outputs, c.Attrs = slices.Clone(n.Inputs), slices.Clone(n.Outputs), slices.Clone(n.Attrs)
	for i, a := range c.Attrs {
		switch v := a.Value.(type) {
		case *Graph:
			v.init()
			c.Attrs[i].Value = v.cloneInto(g, g.names)
		case []*Graph:
			bodies := make([]*Graph, len(v))
			for j, body := range v {
				body.init()
				bodies[j] = body.cloneInto(g, g.names)
			}
			c.Attrs[i].Value = bodies
		}
	}
	return &c
}

// Extract returns the part of a graph that computes outputs from inputs, as a graph of its own in which handles mean the same values. The
// inputs may be any values: results become inputs, as to run the head of a network on stored features. Inputs of g that are still needed
// follow after them. Without outputs, or with one that is no value of g, it panics.
func (g *Graph) Extract(inputs, outputs []Value) *Graph {
	if len(outputs) == 0 {
		panic("graph: Extract without outputs")
	}
	out := g.Clone()
	for _, v := range inputs {
		out.ToInput(v)
	}
	out.SetOutputs(outputs...)
	for _, v := range outputs {
		out.at(v)
	}
	out.Prune()
	needed := out.needed()
	order := slices.Clone(inputs)
	for _, v := range out.inputs {
		switch {
		case slices.Contains(inputs, v):
		case needed[v]:
			order = append(order, v)
		default:
			out.kill(v)
		}
	}
	out.inputs = order
	return out
}

// Import copies the nodes of another graph into g, which may be a clone of g itself: the second forward pass of a gradient step. bind says
// which values of g stand for values of the source; inputs that it leaves out are an error, and constants become constants of g, where
// those of the same *Tensor are shared. Results get fresh names. It returns the map with every value of the source that was copied.
func (g *Graph) Import(src *Graph, bind map[Value]Value) (map[Value]Value, error) {
	if src == g {
		src = g.Clone()
	}
	done := maps.Clone(bind)
	if done == nil {
		done = map[Value]Value{}
	}
	for _, v := range src.inputs {
		if _, ok := done[v]; !ok {
			return nil, fmt.Errorf("graph: import of %q: input %q is not bound", src.Name, src.NameOf(v))
		}
	}
	held := g.tensors()
	for _, n := range src.nodes {
		// A node whose results are all bound is replaced by them.
		if !slices.ContainsFunc(n.Outputs, func(v Value) bool { _, ok := done[v]; return v != None && !ok }) {
			continue
		}
		if len(n.Bodies()) > 0 {
			return nil, fmt.Errorf("graph: import of %q: %v has a body, which cannot be copied into another graph", src.Name, n)
		}
		g.importNode(src, n, done, held)
	}
	for _, v := range src.outputs { // constants and inputs may be outputs
		g.imported(src, v, done, held)
	}
	return done, g.err
}

func (g *Graph) importNode(src *Graph, n *Node, done map[Value]Value, held map[*Tensor]Value) {
	c := *n
	c.Name = "" // it was the original's
	c.Inputs = make([]Value, len(n.Inputs))
	for i, v := range n.Inputs {
		c.Inputs[i] = g.imported(src, v, done, held)
	}
	hints := make([]string, len(n.Outputs))
	for i, v := range n.Outputs {
		hints[i] = src.NameOf(v)
	}
	for i, v := range g.Append(c, hints...).Outputs {
		if _, bound := done[n.Outputs[i]]; !bound && v != None {
			done[n.Outputs[i]] = v
		}
	}
}

// imported returns the value of g that stands for a value of src, making a constant if need be.
func (g *Graph) imported(src *Graph, v Value, done map[Value]Value, held map[*Tensor]Value) Value {
	if v == None {
		return None
	}
	if w, ok := done[v]; ok {
		return w
	}
	t := src.ConstOf(v)
	if t == nil {
		g.fail(fmt.Errorf("graph: import of %q: value %q is used before it is computed", src.Name, src.NameOf(v)))
		return None
	}
	w, ok := held[t]
	if !ok {
		w = g.Const(src.NameOf(v), t)
		g.at(w).param = src.at(v).param
		held[t] = w
	}
	done[v] = w
	return w
}

// tensors maps the tensors of constants to the first that has each.
func (g *Graph) tensors() map[*Tensor]Value {
	held := map[*Tensor]Value{}
	for i := range g.values {
		if e := &g.values[i]; e.kind == Constant {
			if _, ok := held[e.tensor]; !ok {
				held[e.tensor] = Value(i)
			}
		}
	}
	return held
}
