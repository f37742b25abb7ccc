package dropout

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/oatta/oatta/models/graph"
)

// rows copies the part of a graph that lies behind dropout, so that it works on N * passes rows where the original works on N. A row of
// item i and pass t is row i * passes + t.
type rows struct {
	g             *graph.Graph
	batch, passes graph.Dim
	count         graph.Value // int64 [1]: the passes of a run

	behind  map[graph.Value]bool // results behind a dropout
	data    map[graph.Value]bool // depends on the elements of inputs, not on their sizes alone
	follows map[graph.Value]bool // depends on inputs in any way
	masks   map[*graph.Node]graph.Value
	done    map[graph.Value]graph.Value // values of the original, to those for all rows
	first   graph.Value                 // one of the masks
}

func newRows(g *graph.Graph, batch graph.Dim) *rows {
	return &rows{
		g: g, batch: batch, passes: graph.Sym("passes"), behind: map[graph.Value]bool{}, masks: map[*graph.Node]graph.Value{},
		done:    map[graph.Value]graph.Value{},
		data:    dependent(g, func(n *graph.Node) bool { return n.Op == "Shape" || n.Op == "Size" }),
		follows: dependent(g, func(*graph.Node) bool { return false }),
	}
}

// addMask adds the input of masks for a dropout.
func (r *rows) addMask(l Layer, several bool) (Mask, error) {
	g, x := r.g, l.Node.Inputs[0]
	shape := g.TypeOf(x).Shape
	if len(shape) == 0 || !shape[0].Same(r.batch) {
		return Mask{}, fmt.Errorf("models/dropout: %v: dropout of %q %v: want the batch, %v, as its first size", l.Node, g.NameOf(x), shape, r.batch)
	}
	if len(l.Node.Outputs) > 1 && l.Node.Outputs[1] != graph.None && len(g.Uses(l.Node.Outputs[1])) > 0 {
		return Mask{}, fmt.Errorf("models/dropout: %v: its mask is used", l.Node)
	}
	name := "mask"
	if several {
		name += "_" + strconv.Itoa(len(r.masks))
	}
	out := Mask{Input: g.Fresh(name), Node: l.Node.Name, P: l.P, Features: []int64{}}
	if out.Node == "" {
		out.Node = g.NameOf(l.Node.Outputs[0])
	}
	for _, d := range shape[1:] {
		out.Features = append(out.Features, d.Size)
	}
	mask := g.Input(out.Input, graph.Type{Elem: graph.Float32, Shape: append(graph.Shape{r.batch, r.passes}, shape[1:]...)})
	if len(r.masks) == 0 {
		r.first = mask
		r.count = g.Op("Shape", []graph.Value{mask}, graph.A("start", 1), graph.A("end", 2))
	}
	r.masks[l.Node] = mask
	return out, nil
}

// rebuild copies all that lies between the dropouts and a value, and returns that value for all rows.
func (r *rows) rebuild(y graph.Value) (graph.Value, error) {
	nodes := slices.Clone(r.g.Nodes())
	for _, n := range nodes {
		if r.masks[n] != graph.None || slices.ContainsFunc(n.Inputs, func(v graph.Value) bool { return r.behind[v] }) {
			for _, v := range n.Outputs {
				r.behind[v] = v != graph.None
			}
		}
		if slices.ContainsFunc(n.Captures(), func(v graph.Value) bool { return r.behind[v] }) {
			return graph.None, fmt.Errorf("models/dropout: %v: control flow behind dropout cannot be rewritten", n)
		}
	}
	if !r.behind[y] {
		return graph.None, fmt.Errorf("models/dropout: no dropout on the way to output %q", r.g.NameOf(y))
	}
	for _, n := range nodes {
		if slices.ContainsFunc(n.Outputs, func(v graph.Value) bool { return r.behind[v] }) {
			if err := r.copyNode(n); err != nil {
				return graph.None, err
			}
		}
	}
	out, err := r.value(y)
	if err != nil {
		return graph.None, err
	}
	if s := r.g.TypeOf(out).Shape; len(s) > 0 && s[0] != graph.Any && !s[0].Same(graph.Shape{r.batch, r.passes}.Elements()) {
		return graph.None, fmt.Errorf("models/dropout: output %q becomes %v for %v passes: the network's rows are no items", r.g.NameOf(y), s, r.passes)
	}
	return out, nil
}

// value returns what stands for a value of the original in the copy.
func (r *rows) value(v graph.Value) (graph.Value, error) {
	if w, ok := r.done[v]; ok {
		return w, nil
	}
	if v == graph.None || !r.follows[v] {
		return v, nil
	}
	if r.data[v] && r.perItem(v) {
		r.done[v] = r.repeat(v)
		return r.done[v], nil
	}
	if _, known := r.g.KnownInts(v); known {
		return v, nil
	}
	n, _ := r.g.Producer(v)
	if n == nil {
		return v, nil // an input that has no batch
	}
	// The batch is in it, but not as rows: in sizes that a Reshape takes, or [time, N, features]. It is computed again for all rows.
	if err := r.copyNode(n); err != nil {
		return graph.None, err
	}
	return r.done[v], nil
}

// perItem reports a value [N, ...].
func (r *rows) perItem(v graph.Value) bool {
	s := r.g.TypeOf(v).Shape
	return len(s) > 0 && s[0].Same(r.batch)
}

// copyNode appends the copy of a node.
func (r *rows) copyNode(n *graph.Node) error {
	if r.masks[n] != graph.None {
		r.drop(n)
		return nil
	}
	if scaled := r.sizes(n); scaled != graph.None {
		r.done[n.Outputs[0]] = scaled
		return nil
	}
	if len(n.Bodies()) > 0 {
		return fmt.Errorf("models/dropout: %v: control flow behind dropout cannot be rewritten", n)
	}
	c := *n
	c.Name = "" // it is the original's
	c.Inputs = make([]graph.Value, len(n.Inputs))
	for i, v := range n.Inputs {
		w, err := r.value(v)
		if err != nil {
			return err
		}
		c.Inputs[i] = w
	}
	hints := make([]string, len(n.Outputs))
	for i, v := range n.Outputs {
		hints[i] = r.g.NameOf(v)
	}
	for i, w := range r.g.Append(c, hints...).Outputs {
		r.done[n.Outputs[i]] = w
	}
	return nil
}

// drop multiplies what a dropout takes by its mask.
func (r *rows) drop(n *graph.Node) {
	g, x, mask := r.g, n.Inputs[0], r.masks[n]
	sizes := r.flat(mask, 2)
	if e := g.TypeOf(x).Elem; e != graph.Float32 && e != graph.Undefined {
		mask = g.Op("Cast", []graph.Value{mask}, graph.A("to", int64(e)))
	}
	if r.behind[x] {
		r.done[n.Outputs[0]] = g.Op("Mul", []graph.Value{r.done[x], g.Op("Reshape", []graph.Value{mask, sizes})})
		return
	}
	each := g.Op("Unsqueeze", []graph.Value{x, g.Ints(1)}) // the mask itself spreads the items over their passes
	r.done[n.Outputs[0]] = g.Op("Reshape", []graph.Value{g.Op("Mul", []graph.Value{each, mask}), sizes})
}

// repeat turns [N, ...] into [N * passes, ...], each row passes times.
func (r *rows) repeat(v graph.Value) graph.Value {
	g := r.g
	sizes := []graph.Value{g.Ints(1), r.count}
	if rest := len(g.TypeOf(v).Shape) - 1; rest > 0 {
		sizes = append(sizes, g.Ints(slices.Repeat([]int64{1}, rest)...))
	}
	each := g.Op("Unsqueeze", []graph.Value{v, g.Ints(1)})
	spread := g.Op("Expand", []graph.Value{each, g.Op("Concat", sizes, graph.A("axis", 0))})
	return g.Op("Reshape", []graph.Value{spread, r.flat(v, 1)})
}

// flat returns the sizes [-1, features...] where a value has features from some axis on.
func (r *rows) flat(v graph.Value, from int) graph.Value {
	if sizes, ok := r.g.TypeOf(v).Shape[from:].Sizes(); ok {
		return r.g.Ints(append([]int64{-1}, sizes...)...)
	}
	features := r.g.Op("Shape", []graph.Value{v}, graph.A("start", from))
	return r.g.Op("Concat", []graph.Value{r.g.Ints(-1), features}, graph.A("axis", 0))
}

// sizes returns what a node Shape of [N, ...] gives for all rows without making them, or None for any other node.
func (r *rows) sizes(n *graph.Node) graph.Value {
	g := r.g
	if n.Op != "Shape" || n.Domain != "" || r.behind[n.Inputs[0]] || !r.data[n.Inputs[0]] || !r.perItem(n.Inputs[0]) {
		return graph.None
	}
	length := g.TypeOf(n.Outputs[0]).Shape[0]
	rank := int64(len(g.TypeOf(n.Inputs[0]).Shape))
	if start := n.Int("start", 0); start != 0 && start > -rank || length == graph.N(0) {
		return n.Outputs[0] // without the batch
	}
	times := r.count
	if length.Size > 1 {
		times = g.Op("Concat", []graph.Value{times, g.Ints(slices.Repeat([]int64{1}, int(length.Size-1))...)}, graph.A("axis", 0))
	}
	return g.Op("Mul", []graph.Value{n.Outputs[0], times})
}
