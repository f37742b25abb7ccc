package autodiff

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Gradient appends to g the nodes that compute the derivative of loss, a single number, with respect to each of wrt, and returns their
// results in that order: values of the type and shape of the wrt, or [graph.None] where loss does not depend on one. Inputs, constants and
// results may be asked for alike. A constant that is to become an input of the graph must be made one before, because rules prepare
// weights that are constant.
//
// Nothing is pruned: a MaxPool may get its second output, all else that was in the graph is as it was. After an error the graph is good
// for nothing but the message.
func Gradient(g *graph.Graph, loss graph.Value, wrt []graph.Value) ([]graph.Value, error) {
	return GradientBy(g, loss, wrt, nil)
}

// oneLike is a 1 of the type of a loss.
func oneLike(g *graph.Graph, loss graph.Value) (graph.Value, error) {
	t := g.TypeOf(loss)
	if !t.Elem.IsFloat() || t.Shape.Elements().Size != 1 {
		return graph.None, fmt.Errorf("autodiff: loss %q is %v, want a single floating-point number", g.NameOf(loss), t)
	}
	one := g.Scalar(t.Elem, 1)
	if dims, _ := t.Shape.Sizes(); len(dims) > 0 {
		full, err := graph.Full(t.Elem, 1, dims...)
		if err != nil {
			return graph.None, fmt.Errorf("autodiff: loss %q: %w", g.NameOf(loss), err)
		}
		one = g.Const("one", full)
	}
	return one, nil
}

// GradientBy is [Gradient] with the derivatives of convolutions in the forms that choose names.
func GradientBy(g *graph.Graph, loss graph.Value, wrt []graph.Value, choose func(n *graph.Node) ConvForms) ([]graph.Value, error) {
	one, err := oneLike(g, loss)
	if err != nil {
		return nil, err
	}
	return PullbackBy(g, []graph.Value{loss}, []graph.Value{one}, wrt, choose)
}

// Pullback is [Gradient] of any results: it returns, for each of wrt, the sum over results y of their Jacobian's transpose times dy. A dy
// has the type and shape of its y, and None stands for zeros.
func Pullback(g *graph.Graph, ys, dys, wrt []graph.Value) ([]graph.Value, error) {
	return PullbackBy(g, ys, dys, wrt, nil)
}

// PullbackBy is [Pullback] with the derivatives of convolutions in the forms that choose names; nil leaves them to rules.
func PullbackBy(g *graph.Graph, ys, dys, wrt []graph.Value, choose func(n *graph.Node) ConvForms) ([]graph.Value, error) {
	if len(ys) != len(dys) {
		panic(fmt.Sprintf("autodiff: %d results with %d adjoints", len(ys), len(dys)))
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	if v := g.Opset(""); v < normal {
		return nil, fmt.Errorf("autodiff: graph %q means operator set %d, rules need the forms of %d or later", g.Name, v, normal)
	}
	if err := g.NameSizes(); err != nil { // so that what is not stretched is seen not to be, see sumTo
		return nil, fmt.Errorf("autodiff: %w", err)
	}
	w := &walk{g: g, choose: choose, nodes: slices.Clone(g.Nodes()), active: map[graph.Value]bool{}, adjoint: map[graph.Value]graph.Value{}}
	for _, v := range wrt {
		w.active[v] = true
	}
	w.mark()
	for i, y := range ys {
		if dys[i] != graph.None {
			w.add(y, dys[i])
		}
	}
	for i := len(w.nodes) - 1; i >= 0; i-- {
		if err := w.back(i); err != nil {
			return nil, err
		}
	}
	out := make([]graph.Value, len(wrt))
	for i, v := range wrt {
		out[i] = w.adjoint[v]
	}
	return out, g.Err()
}

// normal is the operator set in whose forms rules read and write nodes, that of package onnx.
const normal = 18

// walk is one pass backwards. Nodes that rules append are no part of it.
type walk struct {
	g       *graph.Graph
	nodes   []*graph.Node
	active  map[graph.Value]bool        // depends on what the gradient is asked for
	adjoint map[graph.Value]graph.Value // the sum of what came back so far
	choose  func(n *graph.Node) ConvForms
}

// mark finds the values that depend on wrt by paths along which a derivative can flow.
func (w *walk) mark() {
	for _, n := range w.nodes {
		if table[n.Operator()].zero || !slices.ContainsFunc(append(n.Captures(), n.Inputs...), w.isActive) {
			continue
		}
		for _, v := range n.Outputs {
			// An operator that inference does not know has results of no known type: they count, so that it is reported as missing.
			if e := w.g.TypeOf(v).Elem; v != graph.None && (e.IsFloat() || e == graph.Undefined) {
				w.active[v] = true
			}
		}
	}
}

func (w *walk) isActive(v graph.Value) bool { return v != graph.None && w.active[v] }

// add accumulates an adjoint.
func (w *walk) add(v, d graph.Value) {
	if old := w.adjoint[v]; old != graph.None {
		d = w.g.Op("Add", []graph.Value{old, d})
	}
	w.adjoint[v] = d
}

// back hands what came back to the results of a node on to its inputs.
func (w *walk) back(i int) error {
	n := w.nodes[i]
	c := &call{g: w.g, n: n, dys: make([]graph.Value, len(n.Outputs)), need: make([]bool, len(n.Inputs))}
	reached := false // does the loss depend on a result?
	for j, v := range n.Outputs {
		if w.isActive(v) {
			c.dys[j] = w.adjoint[v]
			reached = reached || c.dys[j] != graph.None
		}
	}
	for j, v := range n.Inputs {
		c.need[j] = w.isActive(v)
	}
	if !reached || !slices.Contains(c.need, true) && !slices.ContainsFunc(n.Captures(), w.isActive) {
		return nil
	}
	e := table[n.Operator()]
	if e.rule == nil {
		return &MissingError{Index: i, Node: n}
	}
	if w.choose != nil && n.Operator() == "Conv" {
		c.forms = w.choose(n)
	}
	dx, err := e.rule(c)
	if err == nil {
		err = w.g.Err()
	}
	for j := 0; j < len(dx) && err == nil; j++ {
		if dx[j] != graph.None && c.needs(j) {
			err = w.accept(c, e, j, dx[j])
		}
	}
	if err != nil {
		return fmt.Errorf("autodiff: %s: %w", n.Place(i), err)
	}
	return nil
}

// accept brings what a rule returned for input j to the shape of the input, and adds it to what is there.
func (w *walk) accept(c *call, e entry, j int, d graph.Value) error {
	v := c.n.Inputs[j]
	if e.broadcasts {
		d = c.sumTo(d, v)
	}
	want, got := w.g.TypeOf(v), w.g.TypeOf(d)
	if got.Elem != want.Elem {
		return fmt.Errorf("the gradient of input %d is %v, the input %v", j, got, want)
	}
	joined, ok := join(want.Shape, got.Shape)
	if !ok {
		return fmt.Errorf("the gradient of input %d has shape %v, the input %v", j, got.Shape, want.Shape)
	}
	// A rule may know less of the shape than is known of the input, as after reductions along axes that are found at run time.
	if !joined.Same(got.Shape) && w.g.Kind(d) == graph.Result {
		w.g.SetType(d, graph.Type{Elem: got.Elem, Shape: joined})
	}
	w.add(v, d)
	return w.g.Err()
}

// join returns what two descriptions of one shape say together; ok is false if they contradict.
func join(want, got graph.Shape) (graph.Shape, bool) {
	if want == nil || got == nil {
		if want == nil {
			want = got
		}
		return want, true
	}
	if len(want) != len(got) {
		return nil, false
	}
	out := slices.Clone(want)
	for i, d := range got {
		switch {
		case d.Known() && want[i].Known() && d.Size != want[i].Size:
			return nil, false
		case d.Known():
			out[i] = d
		}
	}
	return out, true
}

// MissingError says that a derivative needs the rule of an operator that has none.
type MissingError struct {
	Index int // of the node, from 0
	Node  *graph.Node
}

// Error names node and operator, and what can be done without.
func (e *MissingError) Error() string {
	return "autodiff: " + e.Node.Place(e.Index) + ": no derivative rule for operator " + e.Node.Operator() +
		"; tent and memo cannot adapt what lies before it, while base, mc-dropout and ttaug need no gradient and still work"
}

// Status tells what the table says of an operator.
type Status uint8

// The three states of an operator.
const (
	Missing Status = iota
	Zero           // its results have derivative zero with respect to every input
	Ruled
)

// StatusOf returns the state of an operator of a domain, "" for ONNX's own.
func StatusOf(domain, op string) Status {
	switch e := table[(&graph.Node{Op: op, Domain: domain}).Operator()]; {
	case e.zero:
		return Zero
	case e.rule != nil:
		return Ruled
	}
	return Missing
}
