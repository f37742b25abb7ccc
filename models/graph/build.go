package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Err returns the first thing that went wrong while the graph was built: a type that does not fit its operator, a name taken twice.
// Building goes on after an error, so that long expressions need one check at their end; [Graph.Check] reports it too.
func (g *Graph) Err() error { return g.err }

func (g *Graph) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

// Fresh returns a name that no value of the graph, its bodies or the graphs around it has: the hint itself, or the hint and a number.
func (g *Graph) Fresh(hint string) string {
	g.init()
	if hint == "" {
		hint = "value"
	}
	if g.names.used[hint] == 0 {
		return hint
	}
	for i := max(1, g.names.next[hint]); ; i++ {
		name := hint + "_" + strconv.Itoa(i)
		if g.names.used[name] == 0 {
			g.names.next[hint] = i + 1
			return name
		}
	}
}

// define adds a value under a name that is new in this graph. A name that is taken is recorded as an error and made fresh.
func (g *Graph) define(name string, e value) Value {
	g.init()
	if name == "" {
		name = g.Fresh("value")
	}
	if g.byName[name] != None {
		g.fail(fmt.Errorf("graph: two values are named %q", name))
		name = g.Fresh(name)
	}
	e.name = name
	v := Value(len(g.values))
	g.values = append(g.values, e)
	g.byName[name] = v
	g.names.used[name]++
	return v
}

// Input adds an input. The name must be new.
func (g *Graph) Input(name string, t Type) Value {
	v := g.define(name, value{kind: Input, typ: t})
	g.inputs = append(g.inputs, v)
	return v
}

// InputWithDefault adds an input that has a value if the caller gives none.
func (g *Graph) InputWithDefault(name string, t Type, def *Tensor) Value {
	v := g.Input(name, t)
	g.at(v).tensor = def
	return v
}

// Const adds a constant under a fresh name made from the hint.
func (g *Graph) Const(hint string, t *Tensor) Value {
	if hint == "" {
		hint = "const"
	}
	return g.ConstNamed(g.Fresh(hint), t)
}

// ConstNamed adds a constant under a name that must be new.
func (g *Graph) ConstNamed(name string, t *Tensor) Value {
	return g.define(name, value{kind: Constant, typ: t.Type(), tensor: t})
}

// Param adds a constant that is a parameter of the network: what training and adaptation change.
func (g *Graph) Param(name string, t *Tensor) Value {
	v := g.ConstNamed(name, t)
	g.at(v).param = true
	return v
}

// Ints returns a constant vector of int64, as Reshape and Slice take them. Equal vectors share one constant.
func (g *Graph) Ints(values ...int64) Value {
	hint := "ints"
	for _, n := range values {
		hint += "_" + strconv.FormatInt(n, 10)
	}
	if len(values) > 8 {
		hint = "ints"
	}
	return g.shared(hint, NewTensor(values, int64(len(values))))
}

// Int returns a constant scalar of int64. Equal ones share one constant.
func (g *Graph) Int(value int64) Value {
	return g.shared("int_"+strconv.FormatInt(value, 10), NewTensor([]int64{value}))
}

// Scalar returns a constant scalar of a type, rounded to it. Equal ones share one constant. A type that holds no numbers is recorded as
// an error.
func (g *Graph) Scalar(elem DType, value float64) Value {
	t, err := Full(elem, value)
	if err != nil {
		g.fail(fmt.Errorf("graph: scalar: %w", err))
		t = NewTensor([]float32{float32(value)})
	}
	return g.shared("scalar_"+strconv.FormatFloat(value, 'g', 6, 64), t)
}

// shared returns the constant with the elements of t that it made before, or a new one under a name made from the hint.
func (g *Graph) shared(hint string, t *Tensor) Value {
	g.init()
	key := t.Type().String() + string(t.raw)
	// The constant may have been pruned since, or have become an input and another constant.
	if v := g.small[key]; v != None && g.values[v].kind == Constant {
		if u := g.values[v].tensor; u.Type().String()+string(u.raw) == key {
			return v
		}
	}
	if g.small == nil {
		g.small = map[string]Value{}
	}
	v := g.Const(hint, t)
	g.small[key] = v
	return v
}

// SetOutputs makes the given values the outputs, in order.
func (g *Graph) SetOutputs(outputs ...Value) { g.outputs = slices.Clone(outputs) }

// Output adds an output under a name: it renames the value, unless that already is an output, an input or a constant, whose name is
// part of the interface; an Identity is put behind those.
func (g *Graph) Output(name string, v Value) Value {
	if g.NameOf(v) != name {
		if g.Kind(v) != Result || slices.Contains(g.outputs, v) {
			v = g.Op("Identity", []Value{v})
		}
		g.Rename(v, name)
	}
	g.outputs = append(g.outputs, v)
	return v
}

// Capture returns the value of a body that stands for a value of the graph around it.
func (g *Graph) Capture(outer Value) Value {
	g.init()
	if g.outer == nil {
		panic("graph: Capture outside a body")
	}
	g.outer.at(outer) // panics if there is none
	if v := g.captured[outer]; v != None && g.values[v].kind == Captured && g.values[v].outer == outer {
		return v
	}
	v := Value(len(g.values))
	g.values = append(g.values, value{kind: Captured, outer: outer})
	if g.captured == nil {
		g.captured = map[Value]Value{}
	}
	g.captured[outer] = v
	return v
}

// Op appends a node of ONNX's own domain with one output, and returns that. Its type is inferred at once.
func (g *Graph) Op(op string, inputs []Value, attrs ...Attr) Value {
	return g.Append(Node{Op: op, Inputs: inputs, Attrs: attrs}, op).Outputs[0]
}

// Ops is [Graph.Op] for a node with several outputs.
func (g *Graph) Ops(op string, outputs int, inputs []Value, attrs ...Attr) []Value {
	return g.Append(Node{Op: op, Inputs: inputs, Attrs: attrs}, slices.Repeat([]string{op}, outputs)...).Outputs
}

// Append appends a node with one output for each hint, under fresh names made from the hints; an output with an empty hint is left out.
// The outputs of n are ignored. Types are inferred at once, and an operator that cannot take its inputs is recorded: see [Graph.Err].
func (g *Graph) Append(n Node, hints ...string) *Node {
	names := make([]string, len(hints))
	for i, hint := range hints {
		if hint != "" {
			names[i] = g.Fresh(strings.TrimSpace(hint))
			g.names.used[names[i]]++ // taken, so that the next hint gets another
		}
	}
	for _, name := range names {
		if name != "" {
			g.names.used[name]--
		}
	}
	return g.appendNamed(n, names...)
}

// appendNamed is [Graph.Append] with the very names of the outputs, which must be new.
func (g *Graph) appendNamed(n Node, names ...string) *Node {
	g.init()
	node := n
	node.Inputs, node.Attrs = slices.Clone(n.Inputs), slices.Clone(n.Attrs)
	for _, v := range node.Inputs {
		if v != None {
			g.at(v) // panics if there is none
		}
	}
	node.Outputs = make([]Value, len(names))
	for i, name := range names {
		if name != "" {
			node.Outputs[i] = g.define(name, value{kind: Result, node: &node})
		}
	}
	g.nodes = append(g.nodes, &node)
	if err := g.inferNode(&node); err != nil {
		g.fail(err)
	}
	return &node
}

// Reserve defines the results of a node that is to be wired later by [Graph.Wire], which a reader of files needs because it meets
// names before nodes.
func (g *Graph) Reserve(name string) Value { return g.define(name, value{kind: Result}) }

// Wire appends a node whose outputs were reserved. Nothing is inferred. An output that another node computes is an error.
func (g *Graph) Wire(n Node) error {
	g.init()
	node := n
	for _, v := range node.Outputs {
		if v == None {
			continue
		}
		e := g.at(v)
		if e.kind != Result || e.node != nil {
			return fmt.Errorf("graph: %v: output %q has another producer", &node, e.name)
		}
		e.node = &node
	}
	g.nodes = append(g.nodes, &node)
	return nil
}

// AddOutput returns output i of a node, which gets it under a fresh name if it left it out: the indices of a MaxPool, or the mask of a
// Dropout. Its type is inferred at once.
func (g *Graph) AddOutput(n *Node, i int, hint string) Value {
	if i < len(n.Outputs) && n.Outputs[i] != None {
		return n.Outputs[i]
	}
	for len(n.Outputs) <= i {
		n.Outputs = append(n.Outputs, None)
	}
	n.Outputs[i] = g.define(g.Fresh(hint), value{kind: Result, node: n})
	if err := g.inferNode(n); err != nil {
		g.fail(err)
	}
	return n.Outputs[i]
}
