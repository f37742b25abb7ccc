package train

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/norms"
)

// builder holds what the graphs of one program share. Handles mean the same values in all copies of the network.
type builder struct {
	p *Program
	s Settings

	net    *graph.Graph // the network as far as the logits, with an open batch
	data   []graph.Value
	logits graph.Value
	rows   graph.Dim
	groups [][]graph.Value // of parameters: those that decay, and those that do not
	batch  []graph.Value   // results of the BatchNormalization nodes that train
	theta  []int           // the cells of the groups
}

func (b *builder) build() error {
	for _, step := range []func() error{b.prepare, b.choose, b.normalisations, b.evaluate, b.train} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// prepare cuts the network down to its logits and opens its batch.
func (b *builder) prepare() error {
	b.p.base.Graph.Widen() // a step cannot move half precision behind a Cast
	if len(b.p.base.Graph.Params()) == 0 {
		b.p.base.Graph.MarkParams()
	}
	b.net = b.p.base.Graph.Clone()
	g := b.net
	b.data = slices.Clone(g.Inputs())
	v, err := output(g, b.s.Output)
	if err != nil {
		return err
	}
	if n, _ := g.Producer(v); n != nil && n.Op == "Softmax" && n.Domain == "" {
		v = n.Inputs[0]
	}
	b.logits = v
	g.SetOutputs(v)
	g.Prune()
	if b.rows, err = dropout.OpenBatch(g, nil); err != nil {
		return err
	}
	t := g.TypeOf(v)
	if t.Elem != graph.Float32 || len(t.Shape) != 2 || !t.Shape[0].Same(b.rows) || !t.Shape[1].Known() {
		return fmt.Errorf("output %q is %v, want logits float32[%v,classes]", g.NameOf(v), t, b.rows)
	}
	b.p.Classes = int(t.Shape[1].Size)
	if w := b.s.Weights; w != nil && len(w) != b.p.Classes {
		return fmt.Errorf("%d weights for %d classes", len(w), b.p.Classes)
	}
	for _, v := range b.data {
		if len(g.TypeOf(v).Shape) == 0 {
			return fmt.Errorf("input %q is %v, want rows [N, ...]", g.NameOf(v), g.TypeOf(v))
		}
		b.p.data = append(b.p.data, g.TypeOf(v))
	}
	return g.Err()
}

func output(g *graph.Graph, name string) (graph.Value, error) {
	for _, v := range g.Outputs() {
		if name == "" || g.NameOf(v) == name {
			return v, nil
		}
	}
	return graph.None, fmt.Errorf("the network has no output %q", name)
}

// choose sorts the parameters that are trained into those that decay and those that do not.
func (b *builder) choose() error {
	var decays, exempt []graph.Value
	for _, v := range b.net.Params() {
		name, dims := b.net.NameOf(v), b.net.ConstOf(v).Dims()
		switch {
		case b.s.Frozen != nil && b.s.Frozen(name):
		case b.s.Optimizer.Decay != 0 && b.s.Exempt != nil && b.s.Exempt(name, dims):
			exempt = append(exempt, v)
		default:
			decays = append(decays, v)
		}
	}
	for _, v := range slices.Concat(decays, exempt) {
		if e := b.net.TypeOf(v).Elem; e != graph.Float32 {
			return fmt.Errorf("parameter %q is %v, want float32: freeze it, or give the network in float32", b.net.NameOf(v), e)
		}
	}
	for _, group := range [][]graph.Value{decays, exempt} {
		if len(group) > 0 {
			b.groups = append(b.groups, group)
		}
	}
	if len(b.groups) == 0 {
		return fmt.Errorf("of the network's %d parameters all are frozen", len(b.net.Params()))
	}
	return nil
}

// numbered is a name for one of several things.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, i)
}

// add makes a cell of the program, and returns its index.
func (b *builder) add(c cell) int {
	b.p.cells = append(b.p.cells, c)
	return len(b.p.cells) - 1
}

// flatten makes vectors of constants inputs of g, and cells of them if there are none yet.
func (b *builder) flatten(g *graph.Graph, group []graph.Value, c cell, parts *[]Part) (graph.Value, error) {
	theta, flat, err := norms.Expose(g, group, g.Fresh(c.name))
	if err != nil {
		return graph.None, err
	}
	if parts == nil {
		return theta, nil
	}
	c.elem, c.length, c.initial = graph.Float32, flat.Len(), flat.Initial
	at := b.add(c)
	for i, v := range group {
		*parts = append(*parts, Part{Name: flat.Names[i], Dims: flat.Shapes[i], value: v, cell: at, offset: flat.Offsets[i]})
	}
	return theta, nil
}

// evaluate makes the graph of the network on the long vectors, and the cells of these.
func (b *builder) evaluate() error {
	d := &draft{Graph: b.net.Clone()}
	for i, v := range b.data {
		d.takes(v, isData, i)
	}
	for i, group := range b.groups {
		v, err := b.flatten(d.Graph, group, cell{name: numbered("theta", i), kind: cellTheta, group: i}, &b.p.Parameters)
		if err != nil {
			return err
		}
		b.theta = append(b.theta, len(b.p.cells)-1)
		d.takes(v, isCell, len(b.p.cells)-1)
	}
	if stats := b.statistics(); len(stats) > 0 {
		v, err := b.flatten(d.Graph, stats, cell{name: "running", kind: cellRunning}, &b.p.Statistics)
		if err != nil {
			return err
		}
		d.takes(v, isCell, len(b.p.cells)-1)
	}
	d.gives("logits", d.Outputs()[0], isLogits, 0)
	var err error
	b.p.Evaluate, err = d.model()
	b.p.plans.evaluate = d.plan
	return err
}

// train makes the graphs of a step.
func (b *builder) train() error {
	d := &draft{Graph: b.net.Clone()}
	for i, v := range b.data {
		d.takes(v, isData, i)
	}
	if err := b.dropouts(d); err != nil {
		return err
	}
	if err := b.slices(d); err != nil {
		return err
	}
	if err := b.convolutions(d); err != nil {
		return err
	}
	layers := b.inTraining(d)
	theta := make([]graph.Value, len(b.groups))
	for i, group := range b.groups {
		v, err := b.flatten(d.Graph, group, cell{name: numbered("theta", i)}, nil)
		if err != nil {
			return err
		}
		theta[i] = d.takes(v, isCell, b.theta[i])
	}
	l := b.loss(d)
	of := l.mean
	if b.s.Accumulate > 1 {
		of = l.sum
	}
	grads, err := autodiff.Gradient(d.Graph, of, theta)
	if err != nil {
		return err
	}
	for i, v := range grads {
		if v == graph.None {
			return fmt.Errorf("no parameter of %q and others is on the way to output %q", d.NameOf(theta[i]), d.NameOf(b.logits))
		}
	}
	d.gives("logits", d.Outputs()[0], isLogits, 0)
	d.gives("loss", l.mean, isLoss, 0)
	b.measured(d, layers)
	if b.s.Accumulate > 1 {
		return b.accumulated(d, grads, l.total)
	}
	if err := b.move(d, theta, grads); err != nil {
		return err
	}
	b.p.Step, err = d.model()
	b.p.plans.step = d.plan
	return err
}
