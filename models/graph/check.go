package graph

import (
	"errors"
	"fmt"
	"slices"
)

// String names a node in messages: by its name, or else by its first output, and its operator.
func (n *Node) String() string {
	if n.Name == "" {
		return fmt.Sprintf("node (%s)", n.Operator())
	}
	return fmt.Sprintf("node %q (%s)", n.Name, n.Operator())
}

// label is String with the name of an output where the node itself has no name.
func (g *Graph) label(n *Node) string {
	if n.Name != "" {
		return n.String()
	}
	for _, v := range n.Outputs {
		if v != None && int(v) < len(g.values) {
			m := *n
			m.Name = g.NameOf(v)
			return m.String()
		}
	}
	return n.String()
}

// Check reports the first thing that is not as every pass expects it: an error while building, a value that is used before it is
// computed, that nothing computes or that two nodes compute, a name that two values share, a number of inputs or outputs that the operator
// does not have, two attributes of one name. Bodies are checked with it. It does not infer: see [Graph.Infer].
func (g *Graph) Check() error {
	g.init()
	if g.err != nil {
		return g.err
	}
	if err := g.checkNames(); err != nil {
		return err
	}
	ready, err := g.checkSources()
	if err != nil {
		return err
	}
	for _, n := range g.nodes {
		if err := g.checkNode(n, ready); err != nil {
			return fmt.Errorf("graph: %s: %w", g.label(n), err)
		}
	}
	for i, v := range g.outputs {
		if v <= None || int(v) >= len(g.values) || !ready[v] {
			return fmt.Errorf("graph: output %d of graph %q is computed by nothing", i, g.Name)
		}
	}
	return nil
}

func (g *Graph) checkNames() error {
	count := 0
	for i := range g.values {
		e := &g.values[i]
		if e.kind == Dead || e.kind == Captured {
			continue
		}
		count++
		switch {
		case e.name == "":
			return fmt.Errorf("graph: value %d has no name", i)
		case g.byName[e.name] != Value(i):
			return fmt.Errorf("graph: two values are named %q", e.name)
		case g.names.used[e.name] == 0:
			return fmt.Errorf("graph: the name %q is not known to the graph around", e.name)
		}
	}
	if count != len(g.byName) {
		return errors.New("graph: a name stands for no value")
	}
	return nil
}

// checkSources returns the values that are there before the first node runs.
func (g *Graph) checkSources() ([]bool, error) {
	ready := make([]bool, len(g.values))
	for _, v := range g.inputs {
		if v <= None || int(v) >= len(g.values) || g.values[v].kind != Input || ready[v] {
			return nil, fmt.Errorf("graph: the list of inputs of graph %q holds a value that is none, or twice", g.Name)
		}
		ready[v] = true
	}
	for i := range g.values {
		switch e := &g.values[i]; e.kind {
		case Input:
			if !ready[i] {
				return nil, fmt.Errorf("graph: input %q is not in the list of inputs", e.name)
			}
		case Constant:
			if e.tensor == nil {
				return nil, fmt.Errorf("graph: constant %q has no tensor", e.name)
			}
			ready[i] = true
		case Captured:
			if g.outer == nil || int(e.outer) >= len(g.outer.values) || g.outer.Kind(e.outer) == Dead {
				return nil, fmt.Errorf("graph: graph %q refers to a value that the graph around it does not have", g.Name)
			}
			ready[i] = true
		}
	}
	return ready, nil
}

func (g *Graph) checkNode(n *Node, ready []bool) error {
	for i, v := range append(slices.Clone(n.Inputs), n.Captures()...) {
		switch {
		case v == None:
		case v < None || int(v) >= len(ready) || g.values[v].kind == Dead:
			return fmt.Errorf("input %d is no value of the graph", i)
		case !ready[v]:
			return fmt.Errorf("input %d (%q) is used before it is computed", i, g.NameOf(v))
		}
	}
	if err := n.checkArity(); err != nil {
		return err
	}
	for i, v := range n.Outputs {
		switch {
		case v == None:
			continue
		case v < None || int(v) >= len(ready) || g.values[v].kind != Result || g.values[v].node != n:
			return fmt.Errorf("output %d belongs to another", i)
		case ready[v]:
			return fmt.Errorf("output %d (%q) is computed twice", i, g.NameOf(v))
		}
		ready[v] = true
	}
	named := map[string]bool{}
	for _, a := range n.Attrs {
		if named[a.Name] {
			return fmt.Errorf("two attributes are named %q", a.Name)
		}
		named[a.Name] = true
	}
	for _, body := range n.Bodies() {
		if body.outer != g {
			return fmt.Errorf("body %q belongs to another graph", body.Name)
		}
		if err := body.Check(); err != nil {
			return fmt.Errorf("body %q: %w", body.Name, err)
		}
	}
	return nil
}

func (n *Node) checkArity() error {
	op, ok := operators[n.Operator()]
	if !ok {
		return nil
	}
	if len(n.Inputs) < op.minIn || op.maxIn >= 0 && len(n.Inputs) > op.maxIn {
		return fmt.Errorf("%d inputs, want %s", len(n.Inputs), span(op.minIn, op.maxIn))
	}
	for i := range op.minIn {
		if n.Inputs[i] == None {
			return fmt.Errorf("input %d is left out", i)
		}
	}
	if len(n.Outputs) == 0 || op.maxOut >= 0 && len(n.Outputs) > op.maxOut {
		return fmt.Errorf("%d outputs, want %s", len(n.Outputs), span(1, op.maxOut))
	}
	return nil
}

func span(least, most int) string {
	switch {
	case most < 0:
		return fmt.Sprintf("%d or more", least)
	case least == most:
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
