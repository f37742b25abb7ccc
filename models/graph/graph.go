package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// Value is a handle on a value of one graph: an input, a constant, a result of a node, or a value of an outer graph that a body refers
// to. It stays valid, and means the same, in a clone of the graph.
type Value int32

// None stands for an input or output that a node leaves out, and for a gradient that is zero.
const None Value = 0

// Kind says where a value comes from.
type Kind uint8

// The kinds of values. Dead ones were removed.
const (
	Dead     Kind = iota
	Input         // given by the caller at each run; it may have a constant as default
	Constant      // held by the graph
	Result        // computed by a node
	Captured      // of the outer graph, in a body
)

// Opset says which version of a domain's operators the graph means. The domain "" is ONNX's own.
type Opset struct {
	Domain  string
	Version int64
}

// Node is one operation. Its fields are to be read; what other values it is wired to is changed through the graph, which knows the
// producer of every value.
type Node struct {
	Name     string // may be empty; need not be unique
	Op       string
	Domain   string // "" is ONNX's own
	Overload string // of a model's own function; mostly ""
	Inputs   []Value
	Outputs  []Value
	Attrs    []Attr
	Keep     any // what a file format remembers of the node for the way back
}

type value struct {
	name     string
	kind     Kind
	typ      Type
	node     *Node   // of a Result
	tensor   *Tensor // of a Constant, or the default of an Input
	outer    Value   // of a Captured
	data     []datum // elements known in part, of integer results; nil if nothing is known
	param    bool
	declared bool // the file states its type
	keep     any
}

// Graph is a network, or the body of a control-flow operator in one. The zero value is an empty graph without operator sets.
type Graph struct {
	Name string
	Keep any // what a file format remembers of the graph for the way back

	opsets  []Opset
	values  []value // values[0] is None
	nodes   []*Node
	inputs  []Value
	outputs []Value
	byName  map[string]Value

	outer    *Graph           // of a body
	captured map[Value]Value  // of a body: where an outer value was captured; may be out of date
	names    *names           // shared with all bodies
	small    map[string]Value // constants that Ints, Int and Scalar made, by type and elements
	err      error            // the first thing that went wrong while building
	spent    int              // elements that inference has followed
}

// names keeps the names of values unique in a graph and all its bodies, since a body sees the names of the graphs around it.
type names struct {
	used map[string]int // how many values have the name; bodies beside each other may share one
	next map[string]int // where to look for a fresh number
}

// New returns an empty graph that means the given version of ONNX's operators.
func New(name string, opset int64) *Graph {
	g := &Graph{Name: name}
	g.SetOpset("", opset)
	return g
}

func (g *Graph) init() {
	if g.values != nil {
		return
	}
	g.values = make([]value, 1)
	g.byName = map[string]Value{}
	if g.names == nil {
		g.names = &names{used: map[string]int{}, next: map[string]int{}}
	}
}

// NewBody returns an empty graph to be used as an attribute of a node of g. It shares g's names and operator sets, and refers to values
// of g through [Graph.Capture].
func (g *Graph) NewBody(name string) *Graph {
	g.init()
	return &Graph{Name: name, outer: g, names: g.names}
}

// Outer returns the graph around a body, or nil.
func (g *Graph) Outer() *Graph { return g.outer }

// Opset returns the version of a domain's operators, 0 if the graph states none.
func (g *Graph) Opset(domain string) int64 {
	if g.outer != nil {
		return g.outer.Opset(domain)
	}
	if i, ok := slices.BinarySearchFunc(g.opsets, domain, compareDomain); ok {
		return g.opsets[i].Version
	}
	return 0
}

// Opsets returns all operator sets, by domain.
func (g *Graph) Opsets() []Opset {
	if g.outer != nil {
		return g.outer.Opsets()
	}
	return slices.Clone(g.opsets)
}

// SetOpset states the version of a domain's operators. It changes no node.
func (g *Graph) SetOpset(domain string, version int64) {
	if g.outer != nil {
		g.outer.SetOpset(domain, version)
		return
	}
	i, ok := slices.BinarySearchFunc(g.opsets, domain, compareDomain)
	if !ok {
		g.opsets = slices.Insert(g.opsets, i, Opset{Domain: domain})
	}
	g.opsets[i].Version = version
}

func compareDomain(o Opset, domain string) int { return cmp.Compare(o.Domain, domain) }

// Nodes returns the nodes in topological order. The caller must not change the slice.
func (g *Graph) Nodes() []*Node { return g.nodes }

// Inputs returns what a caller must give, in order. The caller must not change the slice.
func (g *Graph) Inputs() []Value { return g.inputs }

// Outputs returns what a run returns, in order. The caller must not change the slice.
func (g *Graph) Outputs() []Value { return g.outputs }

// at returns the entry of a value. A handle of no value of this graph is the caller's bug.
func (g *Graph) at(v Value) *value {
	if v <= 0 || int(v) >= len(g.values) {
		panic(fmt.Sprintf("graph: value %d is none of graph %q", v, g.Name))
	}
	return &g.values[v]
}

// Values returns all live values, in the order in which they were made.
func (g *Graph) Values() []Value {
	var out []Value
	for i := range g.values {
		if g.values[i].kind != Dead {
			out = append(out, Value(i))
		}
	}
	return out
}

// Kind says where a value comes from; None is Dead.
func (g *Graph) Kind(v Value) Kind {
	if v == None {
		return Dead
	}
	return g.at(v).kind
}

// NameOf returns the name of a value, that of the outer value for a captured one, and "" for None.
func (g *Graph) NameOf(v Value) string {
	if v == None {
		return ""
	}
	e := g.at(v)
	if e.kind == Captured {
		return g.outer.NameOf(e.outer)
	}
	return e.name
}

// Lookup returns the value of a name in this graph, or None.
func (g *Graph) Lookup(name string) Value { return g.byName[name] }

// TypeOf returns what is known of a value. None has the zero Type.
func (g *Graph) TypeOf(v Value) Type {
	if v == None {
		return Type{}
	}
	e := g.at(v)
	if e.kind == Captured {
		return g.outer.TypeOf(e.outer)
	}
	return e.typ
}

// SetType replaces what is known of a value, as the shape of an input that was left open. What was inferred from the old type stays:
// see [Graph.Forget].
func (g *Graph) SetType(v Value, t Type) {
	e := g.at(v)
	e.typ = t
	e.data = nil
}

// Producer returns the node that computes a value and the index among its outputs, or nil.
func (g *Graph) Producer(v Value) (n *Node, output int) {
	if v == None || g.at(v).kind != Result {
		return nil, 0
	}
	n = g.at(v).node
	return n, slices.Index(n.Outputs, v)
}

// ConstOf returns the tensor of a constant, also if a body captures it from an outer graph; nil for any other value. The default of an
// input is not constant.
func (g *Graph) ConstOf(v Value) *Tensor {
	switch g.Kind(v) {
	case Constant:
		return g.at(v).tensor
	case Captured:
		return g.outer.ConstOf(g.at(v).outer)
	}
	return nil
}

// Default returns the tensor that an input has if the caller gives none, or nil.
func (g *Graph) Default(v Value) *Tensor {
	if g.Kind(v) != Input {
		return nil
	}
	return g.at(v).tensor
}

// KeepOf returns what a file format remembers of a value for the way back.
func (g *Graph) KeepOf(v Value) any { return g.at(v).keep }

// SetKeep sets what KeepOf returns.
func (g *Graph) SetKeep(v Value, keep any) { g.at(v).keep = keep }

// Declared reports a value between nodes whose type the file states.
func (g *Graph) Declared(v Value) bool { return g.at(v).declared }

// Declare adds what a file states about a value between nodes, to be written again.
func (g *Graph) Declare(v Value, t Type) {
	e := g.at(v)
	e.typ, e.declared = t, true
}
