package norms

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// Flat says where parameters lie in one vector.
type Flat struct {
	Names   []string  // of the constants that they were
	Shapes  [][]int64 // of the constants
	Offsets []int     // of each one's first element
	Initial []float32 // the source network's numbers, all of them
}

// Len returns the length of the vector.
func (f Flat) Len() int { return len(f.Initial) }

// flatten reads constants, or what stores them differently, in order.
func flatten(g *graph.Graph, params []graph.Value) (Flat, error) {
	var f Flat
	for _, v := range params {
		root, t := rootOf(g, v)
		if t == nil {
			return Flat{}, fmt.Errorf("norms: parameter %q is no floating-point constant", g.NameOf(v))
		}
		if e := g.TypeOf(v).Elem; e != g.TypeOf(params[0]).Elem {
			return Flat{}, fmt.Errorf("norms: parameter %q is %v, others are %v", g.NameOf(v), e, g.TypeOf(params[0]).Elem)
		}
		values, err := t.Float64s()
		if err != nil {
			return Flat{}, fmt.Errorf("norms: parameter %q: %w", g.NameOf(root), err)
		}
		f.Names = append(f.Names, g.NameOf(root))
		f.Shapes = append(f.Shapes, t.Dims())
		f.Offsets = append(f.Offsets, len(f.Initial))
		for _, x := range values {
			f.Initial = append(f.Initial, float32(x))
		}
	}
	return f, nil
}

// sizes returns the lengths of the parts.
func (f Flat) sizes() []int64 {
	out := make([]int64, len(f.Offsets))
	for i, at := range f.Offsets {
		end := len(f.Initial)
		if i+1 < len(f.Offsets) {
			end = f.Offsets[i+1]
		}
		out[i] = int64(end - at)
	}
	return out
}

// Expose makes constants slices of one new input of the given name, theta [P], and returns it with the places of the parts. The
// parameters, of one type, are constants or the results of operators that only store one differently (a Cast from half precision, an
// Unsqueeze): their uses take the slice in their place. The graph is sorted, inferred and pruned of the constants.
func Expose(g *graph.Graph, params []graph.Value, input string) (theta graph.Value, f Flat, err error) {
	if len(params) == 0 {
		return graph.None, Flat{}, errNone
	}
	f, err = flatten(g, params)
	if err != nil {
		return graph.None, Flat{}, err
	}
	theta = g.Input(input, graph.Type{Elem: g.TypeOf(params[0]).Elem, Shape: graph.Of(int64(f.Len()))})
	for i, part := range split(g, theta, f.sizes(), 0) {
		v := params[i]
		if dims, ok := g.TypeOf(v).Shape.Sizes(); ok && len(dims) != 1 {
			part = g.Op("Reshape", []graph.Value{part, g.Ints(dims...)})
		}
		g.Replace(v, part)
	}
	return theta, f, settle(g)
}

// split cuts a value along an axis.
func split(g *graph.Graph, v graph.Value, sizes []int64, axis int) []graph.Value {
	if len(sizes) == 1 {
		return []graph.Value{v}
	}
	return g.Ops("Split", len(sizes), []graph.Value{v, g.Ints(sizes...)}, graph.A("axis", axis))
}

// settle puts a graph that was rewired into order.
func settle(g *graph.Graph) error {
	if err := g.Sort(); err != nil {
		return err
	}
	g.Prune()
	if err := g.Infer(); err != nil {
		return err
	}
	return g.Err()
}
