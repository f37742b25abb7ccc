package train

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// layout holds what lies with its rows last, [C, ..., N], where convolutions are products: there a shift or stride along a place copies
// whole runs, and a channel is one run for the statistics of a normalisation. What comes between two such convolutions stays so.
type layout struct {
	d       *draft
	b       *builder
	last    map[graph.Value]graph.Value // results that were computed with rows last, by what they are with rows first
	entered map[graph.Value]graph.Value // those that were only brought into that order
}

func newLayout(d *draft, b *builder) *layout {
	return &layout{d, b, map[graph.Value]graph.Value{}, map[graph.Value]graph.Value{}}
}

// enter returns a value with rows last.
func (l *layout) enter(v graph.Value) graph.Value {
	if last, ok := l.last[v]; ok {
		return last
	}
	if _, ok := l.entered[v]; !ok {
		l.entered[v] = l.d.Op("Transpose", []graph.Value{v}, graph.A("perm", rowsLast(len(l.d.TypeOf(v).Shape))))
	}
	return l.entered[v]
}

// put puts a result with rows last in the place of a node's.
func (l *layout) put(n *graph.Node, last graph.Value) {
	first := l.d.Op("Transpose", []graph.Value{last}, graph.A("perm", rowsFirst(len(l.d.TypeOf(last).Shape))))
	l.d.Replace(n.Outputs[0], first)
	l.d.Remove(n)
	l.last[first] = last
}

// follow makes a node one with rows last if what it takes is so already.
func (l *layout) follow(n *graph.Node) bool {
	if len(n.Inputs) == 0 {
		return false
	}
	x, ok := l.last[n.Inputs[0]]
	if !ok {
		return false
	}
	switch {
	case n.Op == "Relu":
		l.put(n, l.d.Op("Relu", []graph.Value{x}))
	case n.Op == "Add":
		y, ok := l.last[n.Inputs[1]]
		if !ok || !l.d.TypeOf(x).Shape.Same(l.d.TypeOf(y).Shape) {
			return false
		}
		l.put(n, l.d.Op("Add", []graph.Value{x, y}))
	case n.Op == "BatchNormalization" && slices.Contains(l.b.batch, n.Outputs[0]):
		l.normalise(n, x)
	default:
		return false
	}
	return true
}

// normalise takes each channel as one run: [1, C, places N].
func (l *layout) normalise(n *graph.Node, x graph.Value) {
	d, shape := l.d, l.d.TypeOf(x).Shape
	in := slices.Clone(n.Inputs)
	in[0] = d.Op("Reshape", []graph.Value{x, d.Ints(1, shape[0].Size, -1)})
	flat := d.Append(graph.Node{Op: n.Op, Name: n.Name, Inputs: in, Attrs: slices.Clone(n.Attrs)}, d.NameOf(n.Outputs[0])).Outputs[0]
	if d.flat == nil {
		d.flat = map[graph.Value]graph.Value{}
	}
	d.flat[n.Outputs[0]] = flat
	back := []int64{shape[0].Size}
	for _, s := range shape[1 : len(shape)-1] {
		back = append(back, s.Size)
	}
	l.put(n, d.Op("Reshape", []graph.Value{flat, d.Ints(append(back, -1)...)}))
}

// rowsLast is the order of axes [C, ..., N] of [N, C, ...].
func rowsLast(rank int) []int64 {
	var perm []int64
	for a := 1; a < rank; a++ {
		perm = append(perm, int64(a))
	}
	return append(perm, 0)
}

// rowsFirst is the way back.
func rowsFirst(rank int) []int64 {
	perm := []int64{int64(rank - 1)}
	for a := range rank - 1 {
		perm = append(perm, int64(a))
	}
	return perm
}
