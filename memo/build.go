package memo

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/norms"
	"github.com/oatta/oatta/models/onnx"
)

// Build returns the network's MEMO graph as a model of its own: see the package for its inputs, outputs and metadata. m stays as it is.
//
// The network must have one output [N, classes] of float32, and inputs [N, ...]; sizes other than N may stay open. Weights that are stored
// in half precision become float32. It is an error, which names node and operator, if a derivative rule is missing on the way from the
// output to a parameter.
func Build(m *onnx.Model, s Settings) (*onnx.Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	b := &builder{s: s.filled()}
	if err := b.build(m.Graph); err != nil {
		return nil, fmt.Errorf("memo: %w", err)
	}
	out := onnx.New(b.g)
	out.Metadata = append(out.Metadata, m.Metadata...)
	b.s.describe(out)
	return out, nil
}

// builder holds the graph that is made and what it is made from. Handles of views and plain mean the same values.
type builder struct {
	s      Settings
	views  *graph.Graph  // the network on all views at once
	plain  *graph.Graph  // the network on the plain input
	params []graph.Value // of the network, what the step moves
	folds  []folded
	blends []blended

	g       *graph.Graph
	seen    map[graph.Value]graph.Value // what values of views are in g
	ways    map[graph.Value]graph.Value // what SGD takes off a parameter, where that is cheaper than the rate times its gradient
	loss    graph.Value
	reports []report
}

// report is a gradient that becomes an output.
type report struct {
	param string
	v     graph.Value
}

// build writes the pass over the views, the gradient, the step, and the pass over the plain input.
func (b *builder) build(src *graph.Graph) error {
	if err := b.prepare(src); err != nil {
		return err
	}
	b.g = graph.New(b.views.Name+"_memo", b.views.Opset(""))
	for _, o := range b.views.Opsets() {
		b.g.SetOpset(o.Domain, o.Version)
	}
	views, plain, err := b.inputs()
	if err != nil {
		return err
	}
	if err := b.forward(views); err != nil {
		return err
	}
	grads, err := b.gradients()
	if err != nil {
		return err
	}
	if err := b.step(grads, plain); err != nil {
		return err
	}
	return b.finish(plain)
}

// prepare makes the two passes of the network, each with its own number of rows, and finds the parameters.
func (b *builder) prepare(src *graph.Graph) error {
	base := src.Clone()
	base.Widen() // a step cannot move half precision behind a Cast
	if err := base.Infer(); err != nil {
		return err
	}
	if len(base.Outputs()) != 1 {
		return fmt.Errorf("the network has %d outputs: want one", len(base.Outputs()))
	}
	layers := norms.Find(base)
	if err := norms.Restate(base, layers, 0); err != nil { // training mode would take the views' statistics
		return err
	}
	base.MarkParams()
	b.params = base.Params()
	if b.s.Parameters == Norms {
		if err := norms.Explain(base, ""); err != nil {
			return err
		}
		b.params = stored(base, norms.Params(layers))
	}
	if len(b.params) == 0 {
		return fmt.Errorf("the network has no parameters")
	}
	var err error
	if b.views, err = withRows(base, int64(b.s.Views)); err != nil {
		return err
	}
	b.plain, err = withRows(base, 1)
	return err
}

// stored returns the constants behind values that only store them differently, each once.
func stored(g *graph.Graph, values []graph.Value) []graph.Value {
	var out []graph.Value
	known := map[graph.Value]bool{}
	for _, v := range values {
		for n, _ := g.Producer(v); n != nil && len(n.Inputs) > 0; n, _ = g.Producer(v) {
			v = n.Inputs[0]
		}
		if !known[v] {
			out, known[v] = append(out, v), true
		}
	}
	return out
}

// withRows returns a copy of the network for a known number of rows, with shape arithmetic folded.
func withRows(base *graph.Graph, rows int64) (*graph.Graph, error) {
	g := base.Clone()
	g.Forget()
	for _, v := range g.Inputs() {
		t := g.TypeOf(v)
		if len(t.Shape) == 0 {
			return nil, fmt.Errorf("input %q is %v: want [N, ...]", g.NameOf(v), t)
		}
		t.Shape = append(graph.Shape{graph.N(rows)}, t.Shape[1:]...)
		g.SetType(v, t)
	}
	if err := g.Infer(); err != nil {
		return nil, fmt.Errorf("with %d rows: %w", rows, err)
	}
	g.Fold()
	return g, nil
}

// inputs makes the graph's inputs [1+V, ...], under the network's names, and cuts them into the plain row and the views.
func (b *builder) inputs() (views, plain map[graph.Value]graph.Value, err error) {
	g := b.g
	views, plain = map[graph.Value]graph.Value{}, map[graph.Value]graph.Value{}
	for _, v := range b.views.Inputs() {
		t := b.views.TypeOf(v)
		t.Shape = append(graph.Shape{graph.N(int64(b.s.Views) + 1)}, t.Shape[1:]...)
		x := g.Input(b.views.NameOf(v), t)
		parts := g.Ops("Split", 2, []graph.Value{x, g.Ints(1, int64(b.s.Views))}, graph.A("axis", 0))
		plain[v], views[v] = parts[0], parts[1]
	}
	return views, plain, g.Err()
}

// forward runs the network on the views, in the form whose gradients cost least.
func (b *builder) forward(views map[graph.Value]graph.Value) error {
	var err error
	switch {
	case b.s.Prior > 0:
		b.blends, err = openStatistics(b.views)
		for i := range b.blends {
			f := &b.blends[i]
			f.standIn[0] = b.g.Input(b.g.Fresh("mean"), b.views.TypeOf(f.mean))
			f.standIn[1] = b.g.Input(b.g.Fresh("variance"), b.views.TypeOf(f.variance))
			views[f.mean], views[f.variance] = f.standIn[0], f.standIn[1]
		}
	case b.s.Parameters == All: // for scales and biases alone, sums over what is normalised are cheaper than the weights' gradients
		b.folds, err = foldNorms(b.views)
	}
	if err != nil {
		return err
	}
	if err := b.s.Forms.Apply(b.views, 0, b.needs()); err != nil {
		return err
	}
	if b.seen, err = b.g.Import(b.views, views); err != nil {
		return err
	}
	out := b.views.Outputs()[0]
	b.g.Rename(b.seen[out], b.g.Fresh(b.views.NameOf(out)+"_of_views")) // the name is that of the prediction
	return b.g.Err()
}

// needs says what convolutions are derived by.
func (b *builder) needs() string {
	if b.s.Parameters == Norms {
		return "x"
	}
	return "xw"
}

// gradients returns those of the parameters.
func (b *builder) gradients() (map[graph.Value]graph.Value, error) {
	var err error
	if b.loss, _, err = norms.MarginalEntropy(b.g, b.seen[b.views.Outputs()[0]], b.s.Kind); err != nil {
		return nil, err
	}
	var wrt, of []graph.Value
	ask := func(v graph.Value) {
		if w, ok := b.seen[v]; ok { // else it is a parameter that the output does not need
			wrt, of = append(wrt, w), append(of, v)
		}
	}
	for _, p := range b.params {
		ask(p)
	}
	for _, f := range b.folds {
		ask(f.newWeight)
		ask(f.newBias)
	}
	d, err := b.s.Forms.Gradient(b.g, 0, b.needs(), b.loss, wrt)
	if err != nil {
		return nil, err
	}
	grads := map[graph.Value]graph.Value{}
	for i, v := range of {
		grads[v] = d[i]
	}
	b.ways = map[graph.Value]graph.Value{}
	for _, f := range b.folds {
		if err := f.unfold(b.g, grads, b.source(f.weight)); err != nil {
			return nil, err
		}
		if b.ways[f.weight], err = f.way(b.g, grads[f.newWeight], b.s.Rate); err != nil {
			return nil, err
		}
	}
	for _, f := range b.blends {
		f.close(b.g, b.seen[f.norm.Inputs[0]], b.s.Prior)
	}
	return grads, b.g.Sort()
}

// source is a parameter of the network before the step, in g.
func (b *builder) source(p graph.Value) graph.Value {
	if _, ok := b.seen[p]; !ok { // it was folded into another
		b.seen[p] = b.g.Const(b.plain.NameOf(p), b.plain.ConstOf(p))
	}
	return b.seen[p]
}

// finish runs the network on the plain input, with the values that the step put in place of the parameters.
func (b *builder) finish(plain map[graph.Value]graph.Value) error {
	if b.s.Prior > 0 {
		if err := blendPlain(b.plain, b.s.Prior); err != nil {
			return err
		}
	}
	m, err := b.g.Import(b.plain, plain)
	if err != nil {
		return err
	}
	out := b.plain.Outputs()[0]
	b.g.Output(b.plain.NameOf(out), m[out])
	if b.s.Report {
		b.g.Output(EntropyOutput, b.loss)
		for _, r := range b.reports {
			b.g.Output(GradientPrefix+r.param, r.v)
		}
	}
	b.g.Prune()
	return b.g.Check()
}
