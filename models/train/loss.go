package train

import "github.com/oatta/oatta/models/graph"

// losses are scalars: the sum over items, what it is divided by, and the quotient.
type losses struct{ sum, total, mean graph.Value }

// loss appends the cross-entropy with targets t [N, K], for q = w ((1-s) t + s/K sum_k t):
//
//	-sum(q log p) / sum(w t)
//
// so that a row of zeros counts for nothing.
func (b *builder) loss(d *draft) losses {
	op := func(name string, in ...graph.Value) graph.Value { return d.Op(name, in) }
	k := float64(b.p.Classes)
	logits := d.Outputs()[0]
	t := d.takes(d.Input(d.Fresh("targets"), d.TypeOf(logits)), isTargets, 0)
	q, counted := t, t
	if s := b.s.Smoothing; s != 0 {
		rows := d.Op("ReduceSum", []graph.Value{t, d.Ints(1)}, graph.A("keepdims", 1))
		q = op("Add", op("Mul", t, d.Scalar(graph.Float32, 1-s)), op("Mul", rows, d.Scalar(graph.Float32, s/k)))
	}
	if b.s.Weights != nil {
		weights := make([]float32, len(b.s.Weights))
		for i, w := range b.s.Weights {
			weights[i] = float32(w)
		}
		w := d.Const("class_weights", graph.NewTensor(weights, int64(len(weights))))
		q, counted = op("Mul", q, w), op("Mul", t, w)
	}
	logp := d.Op("LogSoftmax", []graph.Value{logits}, graph.A("axis", -1))
	all := func(v graph.Value) graph.Value { return d.Op("ReduceSum", []graph.Value{v}, graph.A("keepdims", 0)) }
	l := losses{sum: op("Neg", all(op("Mul", q, logp))), total: all(counted)}
	l.mean = op("Div", l.sum, l.total)
	return l
}
