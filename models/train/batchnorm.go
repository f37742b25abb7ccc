package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// momentum is how much of the batch's statistics goes into the running ones, PyTorch's default.
const momentum = 0.1

// normalisations finds the layers that take the statistics of the batch.
func (b *builder) normalisations() error {
	trained := slices.Concat(b.groups...)
	for _, n := range b.net.Nodes() {
		if n.Op != "BatchNormalization" || n.Domain != "" || b.s.FreezeStatistics {
			continue
		}
		if b.net.ConstOf(n.Inputs[3]) == nil || b.net.ConstOf(n.Inputs[4]) == nil {
			continue // statistics that the graph computes are no running ones
		}
		if !slices.Contains(trained, n.Inputs[1]) && !slices.Contains(trained, n.Inputs[2]) {
			continue
		}
		b.batch = append(b.batch, n.Outputs[0])
		name, places := n.Name, int64(1)
		if name == "" {
			name = b.net.NameOf(n.Outputs[0])
		}
		shape := b.net.TypeOf(n.Inputs[0]).Shape
		if len(shape) < 2 {
			return fmt.Errorf("%v: the rank of %q, over which it takes statistics, is not known", n, b.net.NameOf(n.Inputs[0]))
		}
		for _, d := range shape[2:] {
			places *= max(0, d.Size)
		}
		b.p.smallest = append(b.p.smallest, layer{name, places})
	}
	return nil
}

// statistics are the running means and variances, layer by layer.
func (b *builder) statistics() []graph.Value {
	var out []graph.Value
	for _, y := range b.batch {
		n, _ := b.net.Producer(y)
		for _, v := range n.Inputs[3:5] {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// inTraining makes the layers take the statistics of the batch. With a momentum of 0 the operator gives these out as they are.
func (b *builder) inTraining(d *draft) []*graph.Node {
	var out []*graph.Node
	for _, y := range b.batch {
		if flat, ok := d.flat[y]; ok {
			y = flat
		}
		n, _ := d.Producer(y)
		n.SetAttr(graph.A("training_mode", 1))
		n.SetAttr(graph.A("momentum", 0.0))
		d.AddOutput(n, 1, "batch_mean")
		d.AddOutput(n, 2, "batch_variance")
		out = append(out, n)
	}
	return out
}

// measured writes out the statistics of the batch, which engines compute in no operator that they have outside of training of their own,
// and appends what the running ones become.
func (b *builder) measured(d *draft, layers []*graph.Node) {
	if len(layers) == 0 {
		return
	}
	op := func(name string, in ...graph.Value) graph.Value { return d.Op(name, in) }
	number := func(f float64) graph.Value { return d.Scalar(graph.Float32, f) }
	s := newShift(b)
	for _, n := range layers {
		mean, variance := moments(d.Graph, n.Inputs[0])
		count := op("Div", d.Op("Cast", []graph.Value{op("Size", n.Inputs[0])}, graph.A("to", graph.Float32)), number(float64(d.TypeOf(mean).Shape[0].Size)))
		s.add(d, n.Inputs[3], mean)
		s.add(d, n.Inputs[4], op("Mul", variance, op("Div", count, op("Sub", count, number(1)))))
		d.Replace(n.Outputs[1], mean)
		d.Replace(n.Outputs[2], variance)
		plain := d.Append(graph.Node{
			Op: n.Op, Name: n.Name, Inputs: []graph.Value{n.Inputs[0], n.Inputs[1], n.Inputs[2], mean, variance},
			Attrs: []graph.Attr{graph.A("epsilon", float64(n.Float("epsilon", 1e-5)))},
		}, d.NameOf(n.Outputs[0]))
		d.Replace(n.Outputs[0], plain.Outputs[0])
		for i, o := range d.out {
			if o.v == n.Outputs[0] {
				d.out[i].v = plain.Outputs[0]
			}
		}
		d.Remove(n)
	}
	at := slices.IndexFunc(b.p.cells, func(c cell) bool { return c.kind == cellRunning })
	batch := d.Op("Concat", s.batch, graph.A("axis", 0))
	d.next(b, at, op("Add", op("Mul", d.cell(b, at), s.keep(d)), op("Mul", batch, number(momentum))))
}

// shift is how running statistics move. One that several nodes share, as that of a layer which is applied twice, moves once for each, in
// their order: of two batches b1 and b2 it becomes 0.9 (0.9 r + 0.1 b1) + 0.1 b2.
type shift struct {
	stats []graph.Value // as the cell has them
	batch []graph.Value // of each, what is added to it times the momentum
	times []int         // of each, how often it moves
}

func newShift(b *builder) *shift {
	stats := b.statistics()
	return &shift{stats, make([]graph.Value, len(stats)), make([]int, len(stats))}
}

// add lets a statistic move towards what it is in a batch.
func (s *shift) add(d *draft, stat, batch graph.Value) {
	i := slices.Index(s.stats, stat)
	if s.times[i]++; s.times[i] > 1 {
		batch = d.Op("Add", []graph.Value{d.Op("Mul", []graph.Value{s.batch[i], d.Scalar(graph.Float32, 1-momentum)}), batch})
	}
	s.batch[i] = batch
}

// keep is what the old statistics are multiplied by.
func (s *shift) keep(d *draft) graph.Value {
	if slices.Max(s.times) == 1 {
		return d.Scalar(graph.Float32, 1-momentum)
	}
	var all []float32
	for i, v := range s.stats {
		for range d.ConstOf(v).Len() {
			all = append(all, float32(math.Pow(1-momentum, float64(s.times[i]))))
		}
	}
	return d.Const("running_keep", graph.NewTensor(all, int64(len(all))))
}

// moments returns mean and biased variance of each channel, axis 1. The deviations are those that the derivative takes too, so that an
// engine computes them once.
func moments(g *graph.Graph, x graph.Value) (mean, variance graph.Value) {
	axes, trailing := []int64{0}, []int64{}
	for a := 2; a < len(g.TypeOf(x).Shape); a++ {
		axes, trailing = append(axes, int64(a)), append(trailing, int64(a-1))
	}
	overAll := func(v graph.Value) graph.Value {
		return g.Op("ReduceMean", []graph.Value{v, g.Ints(axes...)}, graph.A("keepdims", 0))
	}
	mean = overAll(x)
	wide := mean
	if len(trailing) > 0 {
		wide = g.Op("Unsqueeze", []graph.Value{mean, g.Ints(trailing...)})
	}
	centred := g.Op("Sub", []graph.Value{x, wide})
	return mean, overAll(g.Op("Mul", []graph.Value{centred, centred}))
}
