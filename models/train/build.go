package train

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/norms"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
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
	if err := b.open(); err != nil {
		return err
	}
	if err := g.Infer(); err != nil {
		return err
	}
	g.Fold()
	t := g.TypeOf(v)
	if t.Elem != graph.Float32 || len(t.Shape) != 2 || !t.Shape[0].Same(b.rows) || !t.Shape[1].Known() {
		return fmt.Errorf("output %q is %v, want logits float32[%v,classes]", g.NameOf(v), t, b.rows)
	}
	b.p.Classes = int(t.Shape[1].Size)
	if w := b.s.Weights; w != nil && len(w) != b.p.Classes {
		return fmt.Errorf("%d weights for %d classes", len(w), b.p.Classes)
	}
	for _, v := range b.data {
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

// open gives the batch of all inputs one name.
func (b *builder) open() error {
	g := b.net
	b.rows = graph.Sym(g.Fresh("N"))
	if first := g.TypeOf(b.data[0]).Shape; len(first) > 0 && first[0].Name != "" && !first[0].Known() {
		b.rows = first[0]
	}
	for _, v := range b.data {
		t := g.TypeOf(v)
		if len(t.Shape) == 0 {
			return fmt.Errorf("input %q is %v, want a batch along axis 0", g.NameOf(v), t)
		}
		t.Shape = slices.Clone(t.Shape)
		t.Shape[0] = b.rows
		g.SetType(v, t)
	}
	g.Forget()
	return nil
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

// draft is a graph that grows, with the plan of its ports.
type draft struct {
	*graph.Graph
	plan plan
	in   []graph.Value
	out  []named
}

type named struct {
	name string
	v    graph.Value
}

func (d *draft) takes(v graph.Value, k kind, index int) graph.Value {
	d.in = append(d.in, v)
	d.plan.in = append(d.plan.in, port{k, index})
	return v
}

func (d *draft) gives(name string, v graph.Value, k kind, index int) {
	d.out = append(d.out, named{name, v})
	d.plan.out = append(d.plan.out, port{k, index})
}

// input adds an input for a cell.
func (d *draft) cell(b *builder, index int) graph.Value {
	c := b.p.cells[index]
	v := d.Input(d.Fresh(c.name), graph.Type{Elem: c.elem, Shape: graph.Of(int64(c.length))})
	return d.takes(v, isCell, index)
}

// next makes a value what a cell is next.
func (d *draft) next(b *builder, index int, v graph.Value) {
	d.gives("next_"+b.p.cells[index].name, v, isCell, index)
}

// model closes a draft: inputs and outputs in the order of its plan, and nothing that no output needs.
func (d *draft) model() (*onnx.Model, error) {
	g := d.Graph
	g.SetOutputs()
	for _, o := range d.out {
		g.Output(g.Fresh(o.name), o.v)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	if err := g.Sort(); err != nil {
		return nil, err
	}
	g = g.Extract(d.in, g.Outputs())
	if err := g.Check(); err != nil {
		return nil, err
	}
	return onnx.New(g), nil
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

// accumulated ends the graph that adds gradients up, and makes the one that moves by the sum.
func (b *builder) accumulated(d *draft, grads []graph.Value, total graph.Value) (err error) {
	sums := make([]int, len(grads))
	for i := range grads {
		sums[i] = b.add(cell{name: numbered("sum", i), kind: cellSum, group: i, elem: graph.Float32, length: b.p.cells[b.theta[i]].length})
		d.next(b, sums[i], d.Op("Add", []graph.Value{d.cell(b, sums[i]), grads[i]}))
	}
	all := b.add(cell{name: "total", kind: cellTotal, elem: graph.Float32, length: 1})
	d.next(b, all, d.Op("Add", []graph.Value{d.cell(b, all), total}))
	if b.p.Gradient, err = d.model(); err != nil {
		return err
	}
	b.p.plans.gradient = d.plan

	a := &draft{Graph: graph.New("apply", b.net.Opset(""))}
	theta := make([]graph.Value, len(grads))
	for i := range theta {
		theta[i] = a.cell(b, b.theta[i])
	}
	divisor := a.cell(b, all)
	for i := range grads {
		grads[i] = a.Op("Div", []graph.Value{a.cell(b, sums[i]), divisor})
	}
	if err := b.move(a, theta, grads); err != nil {
		return err
	}
	b.p.Apply, err = a.model()
	b.p.plans.apply = a.plan
	return err
}

// move appends the step of the optimiser, and makes its cells.
func (b *builder) move(d *draft, theta, grads []graph.Value) error {
	rate := d.takes(d.Input(d.Fresh("rate"), graph.Type{Elem: graph.Float32, Shape: graph.Of(1)}), isRate, 0)
	o := b.s.Optimizer
	grads, norm := optim.Clip(d.Graph, grads, o.ClipNorm)
	o.ClipNorm = 0
	d.gives("norm", norm, isNorm, 0)
	var state optim.State
	var cells []int
	if o.Counts() {
		cells = append(cells, b.add(cell{name: "step", kind: cellStep, elem: graph.Int64, length: 1}))
		state.Step = d.cell(b, cells[0])
	}
	for _, slot := range o.Slots() {
		var values []graph.Value
		for i := range theta {
			at := b.add(cell{name: numbered(slot, i), kind: cellSlot, group: i, elem: graph.Float32, length: b.p.cells[b.theta[i]].length})
			cells = append(cells, at)
			values = append(values, d.cell(b, at))
		}
		state.Slots = append(state.Slots, values)
	}
	var exempt []bool
	if len(theta) > 1 {
		exempt = []bool{false, true}
	} else if b.s.Exempt != nil {
		exempt = []bool{b.onlyExempt()}
	}
	next, after, err := o.StepExempt(d.Graph, theta, grads, rate, state, exempt)
	if err != nil {
		return err
	}
	for i, v := range next {
		d.next(b, b.theta[i], v)
	}
	values := slices.Concat(after.Slots...)
	if o.Counts() {
		values = slices.Insert(values, 0, after.Step)
	}
	for i, v := range values {
		d.next(b, cells[i], v)
	}
	return d.Err()
}

// onlyExempt tells of a single group of parameters whether it is that of those which do not decay.
func (b *builder) onlyExempt() bool {
	v := b.groups[0][0]
	return b.s.Exempt(b.net.NameOf(v), b.net.ConstOf(v).Dims())
}
