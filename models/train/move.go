package train

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/optim"
)

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
