package norms

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// ExposeRows makes the scales and biases of layers slices of one new input theta [S, P], of which row s belongs to row s of the batch:
// axis 0 of every layer must have the size rows, a name as that of the network's batch. BatchNormalization normalises by
// weight*row + (1-weight)*source statistics, where the row's are over its own places; 0 is the source's alone.
//
// BatchNormalization on the source's statistics becomes a Mul and an Add, whose factors all layers' scales and biases give at once; for
// that theta begins with their scales and then has their biases. On statistics of the row, and InstanceNormalization, S rows of C channels
// are seen as one row of S*C channels, which costs no copy. The other operators standardise, and a Mul and an Add per row follow.
func ExposeRows(g *graph.Graph, layers []Layer, input string, rows graph.Dim, weight float64) (theta graph.Value, f Flat, err error) {
	if !(weight >= 0 && weight <= 1) {
		return graph.None, Flat{}, fmt.Errorf("norms: weight %v of the row's statistics, want 0 to 1", weight)
	}
	linear, others := linearLayers(g, layers, weight)
	params := orderedParams(linear, others)
	if len(params) == 0 {
		return graph.None, Flat{}, errNone
	}
	if f, err = flatten(g, params); err != nil {
		return graph.None, Flat{}, err
	}
	elem := g.TypeOf(params[0]).Elem
	r := rewriter{g: g, elem: elem, rows: rows, weight: weight, parts: map[graph.Value]graph.Value{}}
	theta = g.Input(input, graph.Type{Elem: elem, Shape: graph.Shape{rows, graph.N(int64(f.Len()))}})
	rest, sizes := r.factors(theta, linear), f.sizes()[2*len(linear):]
	if len(sizes) > 0 {
		for i, part := range split(g, rest, sizes, 1) {
			r.parts[params[2*len(linear)+i]] = part
		}
	}
	r.tile(others)
	for _, l := range layers {
		if err := r.layer(l); err != nil {
			return graph.None, Flat{}, fmt.Errorf("norms: %s: %w", l.Name, err)
		}
	}
	return theta, f, settle(g)
}

// rewriter holds what the layers of one rewrite share.
type rewriter struct {
	g      *graph.Graph
	elem   graph.DType
	rows   graph.Dim
	weight float64
	parts  map[graph.Value]graph.Value    // slices [S, C] of theta
	tiles  map[graph.Value]graph.Value    // source statistics and constants, once per row: [S*C]
	lines  map[*graph.Node][2]graph.Value // factor and offset [S, C] of linear layers
}

// tile repeats the source's statistics for every row: all of them as one vector, which is then cut. The number of rows is read from what
// the first layer normalises, so that nothing here depends on theta.
func (r *rewriter) tile(layers []Layer) {
	var all []graph.Value
	var sizes []int64
	r.tiles = map[graph.Value]graph.Value{}
	add := func(v graph.Value) {
		if v == graph.None || r.parts[v] != graph.None || r.tiles[v] != graph.None {
			return
		}
		if n := r.g.TypeOf(v).Shape; len(n) == 1 && n[0].Known() {
			all, sizes = append(all, v), append(sizes, n[0].Size)
			r.tiles[v] = v // until it is known
		}
	}
	for _, l := range layers {
		if l.Kind != Batch && l.Kind != Instance || l.node == nil {
			continue
		}
		add(l.node.Inputs[1]) // a scale or bias that is not adapted
		add(l.node.Inputs[2])
		if l.Kind == Batch && r.weight < 1 {
			add(l.Mean)
			add(l.Var)
		}
	}
	if len(all) == 0 {
		return
	}
	g := r.g
	line := all[0]
	if len(all) > 1 {
		line = g.Op("Concat", all, graph.A("axis", 0))
	}
	shape := g.Ints(r.rows.Size, 1)
	if !r.rows.Known() {
		count := g.Op("Shape", []graph.Value{layers[0].X}, graph.A("start", 0), graph.A("end", 1))
		shape = g.Op("Concat", []graph.Value{count, g.Ints(1)}, graph.A("axis", 0))
	}
	for i, part := range split(g, g.Op("Expand", []graph.Value{line, shape}), sizes, 1) {
		r.tiles[all[i]] = g.Op("Reshape", []graph.Value{part, g.Ints(-1)})
	}
}

func (r *rewriter) layer(l Layer) error {
	x := r.g.TypeOf(l.X).Shape
	if len(x) < 2 || !x[0].Same(r.rows) {
		return fmt.Errorf("%q is %v, want %v rows along axis 0", r.g.NameOf(l.X), r.g.TypeOf(l.X), r.rows)
	}
	if line, ok := r.lines[l.node]; ok {
		y := r.g.Op("Mul", []graph.Value{l.node.Inputs[0], r.perRow(line[0], perChannel(l, len(x)), len(x))})
		r.g.Replace(l.Y, r.g.Op("Add", []graph.Value{y, r.perRow(line[1], perChannel(l, len(x)), len(x))}))
		return nil
	}
	switch {
	case l.node == nil:
		return r.plain(l)
	case l.Kind == Batch:
		return r.batch(l, len(x))
	case l.Kind == Instance:
		return r.instance(l, len(x))
	case l.Kind == LayerNorm:
		if a := l.node.Int("axis", -1); a == 0 || a == -int64(len(x)) {
			return fmt.Errorf("it normalises across rows")
		}
	}
	return r.standardised(l, len(x))
}

// merged shapes x [S, C, ...] as [1, S*C, ...]; sizes that are 0 in a Reshape stay.
func (r *rewriter) merged(x graph.Value, rank int) graph.Value {
	return r.g.Op("Reshape", []graph.Value{x, r.g.Ints(append([]int64{1, -1}, make([]int64, rank-2)...)...)})
}

func (r *rewriter) apart(y graph.Value, channels int64, rank int) graph.Value {
	return r.g.Op("Reshape", []graph.Value{y, r.g.Ints(append([]int64{-1, channels}, make([]int64, rank-2)...)...)})
}

// vector returns input i of a layer's operator for every row, [S*C].
func (r *rewriter) vector(l Layer, i int) (graph.Value, error) {
	v := l.node.Inputs[i]
	if part := r.parts[v]; part != graph.None {
		return r.g.Op("Reshape", []graph.Value{part, r.g.Ints(-1)}), nil
	}
	if t := r.tiles[v]; t != graph.None {
		return t, nil
	}
	return graph.None, fmt.Errorf("the size of %q is not known", r.g.NameOf(v))
}

func (r *rewriter) batch(l Layer, rank int) error {
	x := r.merged(l.node.Inputs[0], rank)
	scale, err := r.vector(l, 1)
	if err != nil {
		return err
	}
	bias, err := r.vector(l, 2)
	if err != nil {
		return err
	}
	axes := axesWithout1(2, rank)
	if places(r.g.TypeOf(l.X).Shape[2:]) == 1 && r.weight == 1 {
		return fmt.Errorf("each row has one number per channel, which has no deviation: use the source's statistics, or a blend")
	}
	if places(r.g.TypeOf(l.X).Shape[2:]) == 1 {
		axes = nil
	}
	mean, variance := blend(r.g, x, r.tiles[l.Mean], r.tiles[l.Var], axes, r.weight)
	n := normalise(r.g, l, x, scale, bias, mean, variance)
	r.g.Replace(l.Y, r.apart(n.Outputs[0], l.Channels, rank))
	return nil
}

// places returns the number of positions of a channel, -1 if it is open.
func places(s graph.Shape) int64 {
	if len(s) == 0 {
		return 1
	}
	return s.Elements().Size
}

func (r *rewriter) instance(l Layer, rank int) error {
	scale, err := r.vector(l, 1)
	if err != nil {
		return err
	}
	bias, err := r.vector(l, 2)
	if err != nil {
		return err
	}
	y := r.g.Op("InstanceNormalization", []graph.Value{r.merged(l.node.Inputs[0], rank), scale, bias},
		graph.A("epsilon", float64(l.node.Float("epsilon", 1e-5))))
	r.g.Replace(l.Y, r.apart(y, l.Channels, rank))
	return nil
}

// standardised serves LayerNormalization and GroupNormalization: the operator with scale 1 and bias 0, then scale and bias per row.
func (r *rewriter) standardised(l Layer, rank int) error {
	g := r.g
	n := l.node
	full := func(v graph.Value, number float64) (graph.Value, error) {
		dims, ok := g.TypeOf(v).Shape.Sizes()
		if !ok {
			return graph.None, fmt.Errorf("the size of %q is not known", g.NameOf(v))
		}
		t, err := graph.Full(r.elem, number, dims...)
		if err != nil {
			return graph.None, err
		}
		return g.Const("plain", t), nil
	}
	ones, err := full(n.Inputs[1], 1)
	if err != nil {
		return err
	}
	inputs := []graph.Value{n.Inputs[0], ones}
	if l.Kind == Group {
		zeros, err := full(n.Inputs[1], 0)
		if err != nil {
			return err
		}
		inputs = append(inputs, zeros)
	}
	y := g.Op(n.Op, inputs, n.Attrs...)
	if y, err = r.affine("Mul", y, input(n, 1), l, rank); err != nil {
		return err
	}
	if y, err = r.affine("Add", y, input(n, 2), l, rank); err != nil {
		return err
	}
	g.Replace(l.Y, y)
	return nil
}

// affine multiplies by a scale or adds a bias, of each row or of all.
func (r *rewriter) affine(op string, y, v graph.Value, l Layer, rank int) (graph.Value, error) {
	if v == graph.None {
		return y, nil
	}
	dims, ok := r.g.TypeOf(v).Shape.Sizes()
	if !ok {
		return graph.None, fmt.Errorf("the size of %q is not known", r.g.NameOf(v))
	}
	if l.Kind == Group { // along axis 1
		dims = perChannel(l, rank)
	}
	per := r.parts[v]
	if per != graph.None {
		per = r.perRow(per, dims, rank)
	} else {
		per = r.g.Op("Reshape", []graph.Value{v, r.g.Ints(dims...)})
	}
	return r.g.Op(op, []graph.Value{y, per}), nil
}

// perRow shapes a part [S, C] so that it broadcasts along the last axes as the parameter of the given sizes did, in each row.
func (r *rewriter) perRow(part graph.Value, dims []int64, rank int) graph.Value {
	shape := append([]int64{-1}, ones(rank-1-len(dims))...)
	return r.g.Op("Reshape", []graph.Value{part, r.g.Ints(append(shape, dims...)...)})
}

func ones(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// plain serves layers whose scale and bias are a Mul and an Add already.
func (r *rewriter) plain(l Layer) error {
	for _, p := range []struct {
		node *graph.Node
		v    graph.Value
	}{{l.scaling, l.Scale}, {l.shift, l.Bias}} {
		if p.node == nil {
			continue
		}
		at := 0
		if p.node.Inputs[1] == p.v {
			at = 1
		}
		y := r.g.TypeOf(p.node.Inputs[1-at]).Shape
		dims, ok := r.g.TypeOf(p.v).Shape.Sizes()
		if ok && len(dims) == len(y) && len(dims) > 0 && dims[0] == 1 {
			dims = dims[1:]
		}
		if !ok || len(dims) >= len(y) || !y[0].Same(r.rows) {
			return fmt.Errorf("%q is %v beside %q, which is %v: want %v rows along axis 0", r.g.NameOf(p.v), r.g.TypeOf(p.v),
				r.g.NameOf(p.node.Inputs[1-at]), r.g.TypeOf(p.node.Inputs[1-at]), r.rows)
		}
		r.g.SetInput(p.node, at, r.perRow(r.parts[p.v], dims, len(y)))
	}
	return nil
}
