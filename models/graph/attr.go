package graph

import (
	"fmt"
	"slices"
)

// Attr is an attribute of a node: a name and a value of one of the types
//
//	int64, float32, string, []int64, []float32, []string, *Tensor, []*Tensor, *Graph, []*Graph
//
// or nil for a kind that this package does not know, which is then in Keep.
type Attr struct {
	Name  string
	Value any
	Keep  any // what a file format remembers for the way back
}

// A returns an attribute. An int or []int becomes int64, a float64 float32, a bool the integer 0 or 1, as ONNX writes them; a value of
// any other type that [Attr] does not list is a panic.
func A(name string, value any) Attr {
	switch v := value.(type) {
	case int:
		value = int64(v)
	case float64:
		value = float32(v)
	case bool:
		value = int64(0)
		if v {
			value = int64(1)
		}
	case DType:
		value = int64(v)
	case []int:
		ints := make([]int64, len(v))
		for i, n := range v {
			ints[i] = int64(n)
		}
		value = ints
	case int64, float32, string, []int64, []float32, []string, *Tensor, []*Tensor, *Graph, []*Graph:
	default:
		panic(fmt.Sprintf("graph: attribute %s of type %T", name, value))
	}
	return Attr{Name: name, Value: value}
}

// Attr returns the attribute of a name.
func (n *Node) Attr(name string) (Attr, bool) {
	i := slices.IndexFunc(n.Attrs, func(a Attr) bool { return a.Name == name })
	if i < 0 {
		return Attr{}, false
	}
	return n.Attrs[i], true
}

// attr returns the value of an attribute, or the default if it is absent or of another type; Check reports the latter.
func attr[T any](n *Node, name string, def T) T {
	if a, ok := n.Attr(name); ok {
		if v, ok := a.Value.(T); ok {
			return v
		}
	}
	return def
}

// Int returns an integer attribute, or def if the node has none of that name.
func (n *Node) Int(name string, def int64) int64 { return attr(n, name, def) }

// Float returns a float attribute, or def if the node has none of that name.
func (n *Node) Float(name string, def float32) float32 { return attr(n, name, def) }

// Str returns a string attribute, or def if the node has none of that name.
func (n *Node) Str(name, def string) string { return attr(n, name, def) }

// Ints returns an attribute of integers, which the caller must not change, or nil.
func (n *Node) Ints(name string) []int64 { return attr[[]int64](n, name, nil) }

// SetAttr sets or adds an attribute.
func (n *Node) SetAttr(a Attr) {
	if i := slices.IndexFunc(n.Attrs, func(b Attr) bool { return a.Name == b.Name }); i >= 0 {
		n.Attrs[i] = a
		return
	}
	n.Attrs = append(n.Attrs, a)
}

// Bodies returns the subgraphs that a node holds, as the branches of If.
func (n *Node) Bodies() []*Graph {
	var out []*Graph
	for _, a := range n.Attrs {
		switch v := a.Value.(type) {
		case *Graph:
			out = append(out, v)
		case []*Graph:
			out = append(out, v...)
		}
	}
	return out
}
