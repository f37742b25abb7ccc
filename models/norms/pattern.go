package norms

import "github.com/oatta/oatta/models/graph"

// The plain nodes in which exporters write a layer are recognised by what they compute, from the end: the standardised values, then what
// multiplies them by a constant, then what adds one.

// decomposed recognises d / sqrt(mean(d^2) + eps) with d = x - mean(x), also as a product with a Reciprocal, and the scale and bias
// behind it.
func (f finder) decomposed(n *graph.Node) (Layer, bool) {
	var x graph.Value
	if n.Op == "Div" {
		x = f.standardised(n.Inputs[0], f.deviation(n.Inputs[1]))
	} else {
		for i := range 2 {
			if r, _ := f.made(n.Inputs[i], "Reciprocal"); r != nil {
				x = f.standardised(n.Inputs[1-i], f.deviation(r.Inputs[0]))
			}
		}
	}
	if x == graph.None {
		return Layer{}, false
	}
	l := Layer{Kind: LayerNorm, X: x}
	return f.affine(l, n.Outputs[0])
}

// deviation returns the d of sqrt(mean(d^2) + eps).
func (f finder) deviation(v graph.Value) graph.Value {
	root, _ := f.made(v, "Sqrt")
	if root == nil {
		return graph.None
	}
	sum, _ := f.made(root.Inputs[0], "Add")
	if sum == nil {
		return graph.None
	}
	for i := range 2 {
		mean, _ := f.made(sum.Inputs[i], "ReduceMean")
		if mean == nil || f.root(sum.Inputs[1-i]) == nil {
			continue
		}
		square, _ := f.made(mean.Inputs[0], "Pow", "Mul")
		if square == nil {
			continue
		}
		if square.Op == "Mul" && square.Inputs[0] == square.Inputs[1] || square.Op == "Pow" && f.isTwo(square.Inputs[1]) {
			return square.Inputs[0]
		}
	}
	return graph.None
}

func (f finder) isTwo(v graph.Value) bool {
	t := f.g.ConstOf(v)
	if t == nil || t.Len() != 1 {
		return false
	}
	values, err := t.Float64s()
	return err == nil && values[0] == 2
}

// standardised returns the x of two differences x - mean(x), which may be the same or computed twice.
func (f finder) standardised(d, e graph.Value) graph.Value {
	if x := f.centred(d); x != graph.None && x == f.centred(e) {
		return x
	}
	return graph.None
}

func (f finder) centred(v graph.Value) graph.Value {
	sub, _ := f.made(v, "Sub")
	if sub == nil {
		return graph.None
	}
	if mean, _ := f.made(sub.Inputs[1], "ReduceMean"); mean != nil && mean.Inputs[0] == sub.Inputs[0] {
		return sub.Inputs[0]
	}
	return graph.None
}

// grouped recognises GroupNorm as a Reshape into groups, an InstanceNormalization without an affine part, a Reshape back, and then scale
// and bias.
func (f finder) grouped(n *graph.Node) (Layer, bool) {
	if !f.all(input(n, 1), 1) || !f.all(input(n, 2), 0) {
		return Layer{}, false
	}
	before, _ := f.made(n.Inputs[0], "Reshape")
	after := f.onlyUse(n.Outputs[0])
	if before == nil || after == nil || after.Op != "Reshape" {
		return Layer{}, false
	}
	return f.affine(Layer{Kind: Group, X: before.Inputs[0]}, after.Outputs[0])
}

func (f finder) all(v graph.Value, want float64) bool {
	t := f.root(v)
	if t == nil {
		return false
	}
	values, err := t.Float64s()
	if err != nil {
		return false
	}
	for _, x := range values {
		if x != want {
			return false
		}
	}
	return true
}

// affine reads the constant scale and bias that follow standardised values.
func (f finder) affine(l Layer, v graph.Value) (Layer, bool) {
	l.Y = v
	if n, c := f.withConstant(l.Y, "Mul"); n != nil {
		l.Scale, l.scaling, l.Y = c, n, n.Outputs[0]
	}
	if n, c := f.withConstant(l.Y, "Add"); n != nil {
		l.Bias, l.shift, l.Y = c, n, n.Outputs[0]
	}
	return l, l.adaptable()
}

// withConstant returns the only use of a value if that combines it with a constant of more than one element.
func (f finder) withConstant(v graph.Value, op string) (*graph.Node, graph.Value) {
	n := f.onlyUse(v)
	if n == nil || n.Op != op || n.Domain != "" {
		return nil, graph.None
	}
	other := n.Inputs[0]
	if other == v {
		other = n.Inputs[1]
	}
	if t := f.root(other); t == nil || t.Len() < 2 {
		return nil, graph.None
	}
	return n, other
}

func (f finder) onlyUse(v graph.Value) *graph.Node {
	if len(f.uses[v]) != 1 || f.g.IsOutput(v) || f.uses[v][0].Index < 0 {
		return nil
	}
	return f.uses[v][0].Node
}

// made returns the node that computes a value, if it is one of the operators.
func (f finder) made(v graph.Value, ops ...string) (*graph.Node, int) {
	if v == graph.None {
		return nil, 0
	}
	n, i := f.g.Producer(v)
	if n == nil || n.Domain != "" {
		return nil, 0
	}
	for _, op := range ops {
		if n.Op == op {
			return n, i
		}
	}
	return nil, 0
}
