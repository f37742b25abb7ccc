package memo

import "github.com/oatta/oatta/models/graph"

// epsilon is AdamW's, as in PyTorch and models/optim.
const epsilon = 1e-8

// step puts parameters after the step where the plain pass looks for its own.
func (b *builder) step(grads, plain map[graph.Value]graph.Value) error {
	for _, p := range b.params {
		d := grads[p]
		if d == graph.None {
			continue
		}
		name := b.plain.NameOf(p)
		if b.s.Report {
			b.reports = append(b.reports, report{name, d})
		}
		plain[p] = b.moved(p, d)
	}
	return b.g.Err()
}

// moved is a parameter after its one step. AdamW's means, corrected for their start at zero, are then the gradient and its square, so that
// no state is needed: p (1 - rate decay) - rate d / (|d| + epsilon). Decay that is added to the gradient, as SGD does, comes to the same
// in a single step.
func (b *builder) moved(param, d graph.Value) graph.Value {
	g := b.g
	p, elem := b.source(param), g.TypeOf(d).Elem
	op := func(name string, in ...graph.Value) graph.Value { return g.Op(name, in) }
	if b.s.Decay != 0 {
		p = op("Mul", p, g.Scalar(elem, 1-b.s.Rate*b.s.Decay))
	}
	if b.s.Method == AdamW {
		d = op("Div", d, op("Add", op("Abs", d), g.Scalar(elem, epsilon)))
	} else if way, ok := b.ways[param]; ok {
		return op("Sub", p, way)
	}
	return op("Sub", p, op("Mul", d, g.Scalar(elem, b.s.Rate)))
}
