package graph

import (
	"fmt"
	"slices"
)

// Use is one place where a value is used.
type Use struct {
	Node  *Node
	Index int // among the node's inputs; -1 if a body of the node captures the value
}

// Uses returns the nodes that use a value, in order. Outputs of the graph are no uses: see [Graph.IsOutput].
func (g *Graph) Uses(v Value) []Use {
	var out []Use
	for _, n := range g.nodes {
		out = appendUses(out, n, v)
	}
	return out
}

func appendUses(out []Use, n *Node, v Value) []Use {
	for i, in := range n.Inputs {
		if in == v && v != None {
			out = append(out, Use{n, i})
		}
	}
	if slices.Contains(n.Captures(), v) {
		out = append(out, Use{n, -1})
	}
	return out
}

// UseLists returns the uses of all values, indexed by value, in one pass over the graph. It is a picture of the moment.
func (g *Graph) UseLists() [][]Use {
	lists := make([][]Use, len(g.values))
	for _, n := range g.nodes {
		for i, v := range n.Inputs {
			if v != None {
				lists[v] = append(lists[v], Use{n, i})
			}
		}
		for _, v := range n.Captures() {
			lists[v] = append(lists[v], Use{n, -1})
		}
	}
	return lists
}

// Captures returns the values of the graph that the node's bodies refer to, each once.
func (n *Node) Captures() []Value {
	var out []Value
	seen := map[Value]bool{}
	for _, body := range n.Bodies() {
		for i := range body.values {
			if e := &body.values[i]; e.kind == Captured && !seen[e.outer] {
				seen[e.outer] = true
				out = append(out, e.outer)
			}
		}
	}
	return out
}

// IsOutput reports an output of the graph.
func (g *Graph) IsOutput(v Value) bool { return v != None && slices.Contains(g.outputs, v) }

// Replace makes everything that uses one value use another: nodes, bodies and outputs, but not the excepted nodes, among which is
// mostly the one that computes the new value from the old. An output keeps its place, not its name. The order of nodes may need
// [Graph.Sort] afterwards.
func (g *Graph) Replace(old, with Value, except ...*Node) {
	g.at(old)
	g.at(with)
	for _, n := range g.nodes {
		if slices.Contains(except, n) {
			continue
		}
		replaceIn(n.Inputs, old, with)
		for _, body := range n.Bodies() {
			for i := range body.values {
				if e := &body.values[i]; e.kind == Captured && e.outer == old {
					e.outer = with
				}
			}
		}
	}
	replaceIn(g.outputs, old, with)
}

func replaceIn(values []Value, old, with Value) {
	for i, v := range values {
		if v == old {
			values[i] = with
		}
	}
}

// SetInput wires one input of a node to another value, or to None. The order of nodes may need [Graph.Sort] afterwards.
func (g *Graph) SetInput(n *Node, i int, v Value) {
	if v != None {
		g.at(v)
	}
	for len(n.Inputs) <= i {
		n.Inputs = append(n.Inputs, None)
	}
	n.Inputs[i] = v
}

// Rename gives a value another name. One that is taken, in the graph or in its bodies, is recorded as an error and nothing changes.
func (g *Graph) Rename(v Value, name string) {
	e := g.at(v)
	if e.kind == Captured {
		g.outer.Rename(e.outer, name)
		return
	}
	if e.name == name {
		return
	}
	if name == "" || g.names.used[name] > 0 {
		g.fail(fmt.Errorf("graph: value %q: the name %q is taken", e.name, name))
		return
	}
	g.release(e.name)
	e.name = name
	g.byName[name] = v
	g.names.used[name]++
}

func (g *Graph) release(name string) {
	delete(g.byName, name)
	if g.names.used[name]--; g.names.used[name] <= 0 {
		delete(g.names.used, name)
	}
}

// ToConstant makes an input a constant, as one freezes a size or a mode that never changes.
func (g *Graph) ToConstant(v Value, t *Tensor) {
	g.inputs = slices.DeleteFunc(slices.Clone(g.inputs), func(in Value) bool { return in == v })
	e := g.at(v)
	*e = value{name: e.name, kind: Constant, typ: t.Type(), tensor: t}
}

// ToInput makes a constant or a result an input, the last one. The producer of a result loses that output.
func (g *Graph) ToInput(v Value) {
	e := g.at(v)
	if e.kind == Input {
		return
	}
	if e.kind == Result && e.node != nil {
		replaceIn(e.node.Outputs, v, None)
	}
	*e = value{name: e.name, kind: Input, typ: e.typ, keep: e.keep}
	g.inputs = append(g.inputs, v)
}

// kill removes a value.
func (g *Graph) kill(v Value) {
	e := g.at(v)
	if e.kind != Captured {
		g.release(e.name)
	}
	*e = value{}
}

// Prune removes what no output needs: nodes, results, constants and captured values, in bodies as well. Inputs stay, because they are
// the interface. It returns the number of nodes that went.
func (g *Graph) Prune() int {
	g.init()
	removed := 0
	for _, n := range g.nodes {
		for _, body := range n.Bodies() {
			removed += body.Prune()
		}
	}
	needed := g.needed()
	var kept []*Node
	for _, n := range g.nodes {
		if slices.ContainsFunc(n.Outputs, func(v Value) bool { return v != None && needed[v] }) {
			kept = append(kept, n)
			continue
		}
		removed++
		n.forgetNames()
	}
	g.nodes = kept
	alive := make([]bool, len(g.values))
	for _, n := range kept {
		for _, v := range n.Outputs {
			alive[v] = true // a second output that nobody uses stays with its node
		}
	}
	for i := 1; i < len(g.values); i++ {
		if e := &g.values[i]; e.kind != Dead && e.kind != Input && !needed[i] && !alive[i] {
			g.kill(Value(i))
		}
	}
	return removed
}

// forgetNames gives the names in the bodies of a removed node free.
func (n *Node) forgetNames() {
	for _, body := range n.Bodies() {
		for _, inner := range body.nodes {
			inner.forgetNames()
		}
		for i := range body.values {
			if e := &body.values[i]; e.kind != Dead {
				body.kill(Value(i))
			}
		}
	}
}

// needed marks the values that outputs depend on. It walks over producers, so the order of nodes does not matter.
func (g *Graph) needed() []bool {
	needed := make([]bool, len(g.values))
	seen := map[*Node]bool{}
	stack := slices.Clone(g.outputs)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v == None || needed[v] {
			continue
		}
		needed[v] = true
		if n := g.values[v].node; n != nil && !seen[n] {
			seen[n] = true
			stack = append(stack, n.dependencies()...)
		}
	}
	return needed
}

// Sort puts the nodes into topological order, keeping the order that they have as far as that allows. A cycle is an error that names one
// of its nodes.
func (g *Graph) Sort() error {
	const (
		unseen = iota
		open
		done
	)
	state := make(map[*Node]int, len(g.nodes))
	sorted := make([]*Node, 0, len(g.nodes))
	// An explicit stack, because a chain of a million nodes is a valid graph.
	type frame struct {
		node *Node
		deps []Value
	}
	for _, root := range g.nodes {
		if state[root] != unseen {
			continue
		}
		state[root] = open
		stack := []frame{{root, root.dependencies()}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.deps) == 0 {
				state[top.node] = done
				sorted = append(sorted, top.node)
				stack = stack[:len(stack)-1]
				continue
			}
			v := top.deps[0]
			top.deps = top.deps[1:]
			n := g.values[v].node
			switch {
			case v == None || n == nil || state[n] == done:
			case state[n] == open:
				return fmt.Errorf("graph: %v depends on its own output", n)
			default:
				state[n] = open
				stack = append(stack, frame{n, n.dependencies()})
			}
		}
	}
	g.nodes = sorted
	return nil
}

func (n *Node) dependencies() []Value {
	return append(slices.Clone(n.Inputs), n.Captures()...)
}

// Remove takes a node out, with its results. A result that is still used is the caller's bug, which [Graph.Check] reports.
func (g *Graph) Remove(n *Node) {
	g.nodes = slices.DeleteFunc(slices.Clone(g.nodes), func(m *Node) bool { return m == n })
	n.forgetNames()
	for _, v := range n.Outputs {
		if v != None {
			g.kill(v)
		}
	}
}
