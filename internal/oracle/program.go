package oracle

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// Settings bound what an evaluation may take. The zero value suits networks of this module.
type Settings struct {
	// MaxElements bounds the elements of one tensor, and thereby, by its square, the steps of one node. 0: 2^30.
	MaxElements int64
}

// Program is a graph ready to be evaluated many times.
type Program struct {
	g         *graph.Graph
	s         Settings
	constants map[graph.Value]Tensor
	last      map[graph.Value]int // the last node that uses a value
}

// Compile reads the constants of a graph and looks up its operators. An operator that the package does not evaluate is an
// error that names node and operator.
func Compile(g *graph.Graph, s Settings) (*Program, error) {
	if s.MaxElements == 0 {
		s.MaxElements = 1 << 30
	}
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	p, err := compile(g, s)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	return p, nil
}

func compile(g *graph.Graph, s Settings) (*Program, error) {
	p := &Program{g: g, s: s, constants: map[graph.Value]Tensor{}, last: map[graph.Value]int{}}
	for _, v := range g.Values() {
		if err := p.constant(v); err != nil {
			return nil, err
		}
	}
	for i, n := range g.Nodes() {
		if !Known(n.Domain, n.Op) {
			return nil, fmt.Errorf("%s: the oracle has no such operator", n.Place(i))
		}
		for _, v := range n.Inputs {
			p.last[v] = i
		}
	}
	return p, nil
}

// constant converts a constant, or the default of an input, once for all runs.
func (p *Program) constant(v graph.Value) error {
	t := p.g.Default(v)
	if p.g.Kind(v) == graph.Constant {
		t = p.g.ConstOf(v)
	}
	if t == nil {
		return nil
	}
	if _, ok := elements(t.Dims(), p.s.MaxElements); !ok {
		return fmt.Errorf("constant %q of sizes %v: more than %d elements", p.g.NameOf(v), t.Dims(), p.s.MaxElements)
	}
	c, err := FromGraph(t)
	if err != nil {
		return fmt.Errorf("constant %q: %w", p.g.NameOf(v), err)
	}
	p.constants[v] = c
	return nil
}

// Run compiles and evaluates a graph with the zero [Settings]. Inputs are in the order of the graph's; see [Program.Run].
func Run(g *graph.Graph, inputs ...Tensor) ([]Tensor, error) {
	p, err := Compile(g, Settings{})
	if err != nil {
		return nil, err
	}
	return p.Run(inputs...)
}

// Run evaluates the graph and returns its outputs in order. Inputs are in the order of the graph's; a zero Tensor, or one too few, takes
// the input's default, if it has one.
func (p *Program) Run(inputs ...Tensor) ([]Tensor, error) {
	if len(inputs) > len(p.g.Inputs()) {
		return nil, fmt.Errorf("oracle: %d inputs given, the graph has %d", len(inputs), len(p.g.Inputs()))
	}
	given := map[graph.Value]Tensor{}
	for i, t := range inputs {
		if !t.absent() {
			given[p.g.Inputs()[i]] = t
		}
	}
	return p.Eval(given, p.g.Outputs()...)
}

// Eval evaluates what the wanted values need, no more, and returns them in order. Given tensors take the place of inputs, and also of
// constants and results of nodes, whose producers are then not evaluated. The element type of what is given must be the declared one,
// except that any float type stands for any other and takes on the declared type; sizes are checked only for inputs that declare them.
func (p *Program) Eval(given map[graph.Value]Tensor, want ...graph.Value) ([]Tensor, error) {
	f := &frame{p: p, env: make(map[graph.Value]Tensor, len(given))}
	for v, t := range given {
		t, err := p.accept(v, t)
		if err != nil {
			return nil, fmt.Errorf("oracle: input %q: %w", p.g.NameOf(v), err)
		}
		f.env[v] = t
	}
	out, err := f.evaluate(want)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err)
	}
	return out, nil
}

// accept checks a given tensor against what the graph declares.
func (p *Program) accept(v graph.Value, t Tensor) (Tensor, error) {
	if err := t.Check(); err != nil {
		return t, err
	}
	if _, ok := elements(t.Dims, p.s.MaxElements); !ok {
		return t, fmt.Errorf("%v%v given, more than %d elements", t.Elem, t.Dims, p.s.MaxElements)
	}
	declared := p.g.TypeOf(v)
	switch {
	case declared.Elem == graph.Undefined || declared.Elem == t.Elem:
	case declared.Elem.IsFloat() && t.Elem.IsFloat():
		t.Elem = declared.Elem
	default:
		return t, fmt.Errorf("%v%v given, %v declared", t.Elem, t.Dims, declared)
	}
	if p.g.Kind(v) == graph.Input && declared.Shape != nil {
		if len(declared.Shape) != len(t.Dims) {
			return t, fmt.Errorf("%v%v given, %v declared", t.Elem, t.Dims, declared)
		}
		for i, d := range declared.Shape {
			if d.Known() && d.Size != t.Dims[i] {
				return t, fmt.Errorf("%v%v given, %v declared", t.Elem, t.Dims, declared)
			}
		}
	}
	return t, nil
}
