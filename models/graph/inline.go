package graph

// takenBranch returns the body that an If takes, if its condition is known before the network runs, or nil.
func (g *Graph) takenBranch(n *Node) *Graph {
	if n.Operator() != "If" || len(n.Inputs) != 1 || n.Inputs[0] == None {
		return nil
	}
	cond := g.dataOf(n.Inputs[0])
	if len(cond) != 1 || !cond[0].isNumber() {
		return nil
	}
	name := "else_branch"
	if cond[0].n != 0 {
		name = "then_branch"
	}
	body := attr[*Graph](n, name, nil)
	if body == nil || len(body.outputs) != len(n.Outputs) || len(body.inputs) != 0 {
		return nil
	}
	return body
}

// splice moves what a body holds into the graph around it and returns its nodes, which the caller puts in the place of n. Values keep
// their names where those are free, and what uses n's results uses the body's instead.
func (g *Graph) splice(n *Node, body *Graph) []*Node {
	moved := make([]Value, len(body.values))
	for i := range body.values {
		e := body.values[i]
		switch e.kind {
		case Captured:
			moved[i] = e.outer
		case Constant, Result:
			body.kill(Value(i)) // gives the name free
			name := e.name
			if g.names.used[name] > 0 {
				name = g.Fresh(name)
			}
			moved[i] = g.define(name, e)
		}
	}
	nodes := body.nodes
	for _, m := range nodes {
		m.rewire(g, moved)
	}
	for i, v := range n.Outputs {
		if v == None {
			continue
		}
		with := moved[body.outputs[i]]
		if g.IsOutput(v) {
			nodes = append(nodes, g.renamed(v, with))
			continue
		}
		g.Replace(v, with)
	}
	body.nodes, body.values = nil, body.values[:1] // moved, so not to be forgotten with n
	n.forgetNames()
	return nodes
}

// rewire makes a node of a body one of the graph around it; its own bodies follow.
func (n *Node) rewire(g *Graph, moved []Value) {
	for _, list := range [][]Value{n.Inputs, n.Outputs} {
		for i, v := range list {
			list[i] = moved[v]
		}
	}
	for _, inner := range n.Bodies() {
		inner.outer = g
		for i := range inner.values {
			if e := &inner.values[i]; e.kind == Captured {
				e.outer = moved[e.outer]
			}
		}
	}
}

// renamed makes a result of n, which is an output of the graph and keeps its name, the result of an Identity.
func (g *Graph) renamed(v, from Value) *Node {
	e := g.at(v)
	id := &Node{Op: "Identity", Inputs: []Value{from}, Outputs: []Value{v}}
	e.node = id
	return id
}
