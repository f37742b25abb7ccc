package optim

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// State is what an optimiser keeps from step to step, as values of a graph.
type State struct {
	// Step is the number of steps taken, an int64 of shape [1], or of a higher rank that broadcasts to every parameter, as [S, 1] where
	// rows of the parameters count on their own; None unless the optimiser counts.
	Step  graph.Value
	Slots [][]graph.Value // by slot, then by parameter
}

// NewState adds inputs for the state of an optimiser: prefix.step, if it counts, and for each of its slots one input per parameter, as
// prefix.m.0, of the parameter's type. A run that starts anew is fed zeros.
func (s Settings) NewState(g *graph.Graph, params []graph.Value, prefix string) (State, error) {
	if err := s.Validate(); err != nil {
		return State{}, err
	}
	var st State
	if s.Counts() {
		st.Step = g.Input(prefix+".step", graph.Type{Elem: graph.Int64, Shape: graph.Of(1)})
	}
	for _, slot := range s.Slots() {
		var values []graph.Value
		for i, p := range params {
			values = append(values, g.Input(fmt.Sprintf("%s.%s.%d", prefix, slot, i), g.TypeOf(p)))
		}
		st.Slots = append(st.Slots, values)
	}
	return st, g.Err()
}

// Step appends one step. Gradients have the types of the parameters; a parameter whose gradient is None stays, and so does its state. The
// rate is one number of the parameters' type, of rank 0 or 1. Values that do not go together are the caller's bug, and panic.
func (s Settings) Step(g *graph.Graph, params, grads []graph.Value, rate graph.Value, st State) ([]graph.Value, State, error) {
	return s.StepExempt(g, params, grads, rate, st, nil)
}

// StepExempt is [Settings.Step] in which some parameters do not decay: those for which exempt, if it is not nil, is true.
func (s Settings) StepExempt(g *graph.Graph, params, grads []graph.Value, rate graph.Value, st State, exempt []bool) ([]graph.Value, State, error) {
	if err := s.Validate(); err != nil {
		return nil, State{}, err
	}
	if exempt != nil && len(exempt) != len(params) {
		panic(fmt.Sprintf("optim: %d parameters, of which %d are told to decay or not", len(params), len(exempt)))
	}
	if len(grads) != len(params) || len(st.Slots) != len(s.Slots()) {
		panic(fmt.Sprintf("optim: %d parameters with %d gradients, %d slots for %v", len(params), len(grads), len(st.Slots), s.Method))
	}
	b := step{g: g, s: s.filled(), rate: rate}
	if shape := g.TypeOf(rate).Shape; len(shape) == 1 { // so that it does not give its rank to a parameter of rank 0
		b.rate = b.op("Squeeze", rate)
	}
	if s.ClipNorm != 0 {
		grads, _ = Clip(g, grads, s.ClipNorm)
	}
	next := State{Slots: make([][]graph.Value, len(st.Slots))}
	if s.Counts() {
		next.Step = b.op("Add", st.Step, g.Ints(1))
		b.correct(next.Step)
	}
	out := make([]graph.Value, len(params))
	for i, p := range params {
		var slots []graph.Value
		for k := range st.Slots {
			slots = append(slots, st.Slots[k][i])
		}
		if b.s.Decay = s.Decay; exempt != nil && exempt[i] {
			b.s.Decay = 0
		}
		if out[i] = p; grads[i] != graph.None {
			out[i], slots = b.move(p, grads[i], slots)
		}
		for k, v := range slots {
			next.Slots[k] = append(next.Slots[k], v)
		}
	}
	return out, next, g.Err()
}

// step holds what the parameters of one step share.
type step struct {
	g    *graph.Graph
	s    Settings
	rate graph.Value

	bias1, rootBias2 graph.Value // 1-beta1^t and sqrt(1-beta2^t), float64, of the rank of the count but for [1]
}

func (b *step) op(name string, inputs ...graph.Value) graph.Value { return b.g.Op(name, inputs) }

func (b *step) times(v graph.Value, f float64) graph.Value {
	return b.op("Mul", v, b.g.Scalar(b.g.TypeOf(v).Elem, f))
}

func (b *step) cast(v, like graph.Value) graph.Value {
	t := b.g.TypeOf(like).Elem
	if b.g.TypeOf(v).Elem == t {
		return v
	}
	return b.g.Op("Cast", []graph.Value{v}, graph.A("to", t))
}

// Clip scales all gradients by min(1, bound / (norm + 1e-6)), of which the small number is PyTorch's, and returns the norm of all of them
// together before that. With a bound of 0 they stay as they are. Gradients may be None, but not all.
func Clip(g *graph.Graph, grads []graph.Value, bound float64) (clipped []graph.Value, norm graph.Value) {
	b := step{g: g}
	var squares []graph.Value
	for _, d := range grads {
		if d != graph.None {
			squares = append(squares, g.Op("ReduceSumSquare", []graph.Value{d}, graph.A("keepdims", 0)))
		}
	}
	if len(squares) == 0 {
		return grads, graph.None
	}
	norm = b.op("Sqrt", b.op("Sum", squares...))
	if bound == 0 {
		return grads, norm
	}
	elem := g.TypeOf(norm).Elem
	scale := b.op("Div", g.Scalar(elem, bound), b.op("Add", norm, g.Scalar(elem, 1e-6)))
	scale = b.op("Min", scale, g.Scalar(elem, 1))
	clipped = make([]graph.Value, len(grads))
	for i, d := range grads {
		if d != graph.None {
			clipped[i] = b.op("Mul", d, scale)
		}
	}
	return clipped, norm
}

// correct computes the corrections of Adam's means for their start at zero.
func (b *step) correct(count graph.Value) {
	if len(b.g.TypeOf(count).Shape) == 1 { // so that it does not give its rank to a parameter of rank 0
		count = b.op("Squeeze", count)
	}
	t := b.g.Op("Cast", []graph.Value{count}, graph.A("to", graph.Float64))
	one := b.g.Scalar(graph.Float64, 1)
	power := func(beta float64) graph.Value { return b.op("Pow", b.g.Scalar(graph.Float64, beta), t) }
	b.bias1 = b.op("Sub", one, power(b.s.Beta1))
	b.rootBias2 = b.op("Sqrt", b.op("Sub", one, power(b.s.Beta2)))
}

// move updates one parameter and its slots.
func (b *step) move(p, d graph.Value, slots []graph.Value) (graph.Value, []graph.Value) {
	if b.s.Decay != 0 {
		if b.s.Method == AdamW {
			p = b.op("Sub", p, b.op("Mul", p, b.times(b.rate, b.s.Decay)))
		} else {
			d = b.op("Add", d, b.times(p, b.s.Decay))
		}
	}
	switch {
	case b.s.Method != SGD:
		return b.adam(p, d, slots)
	case b.s.Momentum == 0:
		return b.op("Sub", p, b.op("Mul", d, b.rate)), nil
	}
	buffer := b.op("Add", b.times(slots[0], b.s.Momentum), d)
	way := buffer
	if b.s.Nesterov {
		way = b.op("Add", d, b.times(buffer, b.s.Momentum))
	}
	return b.op("Sub", p, b.op("Mul", way, b.rate)), []graph.Value{buffer}
}

// adam: slots are the means of gradients and of their squares.
func (b *step) adam(p, d graph.Value, slots []graph.Value) (graph.Value, []graph.Value) {
	m := b.op("Add", b.times(slots[0], b.s.Beta1), b.times(d, 1-b.s.Beta1))
	v := b.op("Add", b.times(slots[1], b.s.Beta2), b.times(b.op("Mul", d, d), 1-b.s.Beta2))
	width := b.op("Div", b.op("Sqrt", v), b.cast(b.rootBias2, v))
	width = b.op("Add", width, b.g.Scalar(b.g.TypeOf(v).Elem, b.s.Epsilon))
	way := b.op("Mul", b.op("Div", m, width), b.op("Div", b.rate, b.cast(b.bias1, m)))
	return b.op("Sub", p, way), []graph.Value{m, v}
}
