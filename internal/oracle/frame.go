package oracle

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Settings bound what an evaluation may take. The zero value suits the networks that one trusts.
type Settings struct {
	// Round rounds inputs, constants and the floats of every result to their declared type.
	Round bool
	// MaxElements bounds the elements of one tensor. 0: 2^30.
	MaxElements int64
	// MaxWork bounds the elements made plus the additions, multiplications and comparisons of one run. 0: 2^44.
	MaxWork int64
}

// Validate reports a setting out of range.
func (s Settings) Validate() error {
	if s.MaxElements < 0 || s.MaxWork < 0 {
		return fmt.Errorf("oracle: limits of %d elements and %d steps", s.MaxElements, s.MaxWork)
	}
	return nil
}

func (s Settings) filled() Settings {
	if s.MaxElements == 0 {
		s.MaxElements = 1 << 30
	}
	if s.MaxWork == 0 {
		s.MaxWork = 1 << 44
	}
	return s
}

// meter counts the work of one run.
type meter struct {
	s    Settings
	done int64
}

// work charges the product of factors, none negative, as steps, or reports that they are too many.
func (m *meter) work(factors ...int64) error {
	n := int64(1)
	if slices.Contains(factors, 0) {
		return nil
	}
	for _, f := range factors {
		if n > (m.s.MaxWork-m.done)/f {
			return fmt.Errorf("more than %d steps of work", m.s.MaxWork)
		}
		n *= f
	}
	m.done += n
	return nil
}

// frame is one evaluation of a graph.
type frame struct {
	p   *Program
	env map[graph.Value]Tensor
	m   *meter
}

// value returns a value that was given, computed or held.
func (f *frame) value(v graph.Value) (Tensor, error) {
	if v == graph.None {
		return Tensor{}, nil
	}
	if t, ok := f.env[v]; ok {
		return t, nil
	}
	if t, ok := f.p.constants[v]; ok {
		return t, nil
	}
	return Tensor{}, fmt.Errorf("value %q is not given", f.p.g.NameOf(v))
}

// evaluate runs the nodes that the wanted values need. Values are let go after their last use.
func (f *frame) evaluate(want []graph.Value) ([]Tensor, error) {
	kept := map[graph.Value]bool{}
	for _, v := range want {
		kept[v] = true
	}
	nodes := f.p.g.Nodes()
	for i, needed := range f.needed(want) {
		if !needed {
			continue
		}
		n := nodes[i]
		if err := f.node(n); err != nil {
			return nil, at(i, n, err)
		}
		for _, v := range slices.Concat(n.Inputs, n.Outputs) {
			if f.p.last[v] <= i && !kept[v] {
				delete(f.env, v)
			}
		}
	}
	out := make([]Tensor, len(want))
	for i, v := range want {
		var err error
		if out[i], err = f.value(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// needed tells for each node whether the wanted values depend on it.
func (f *frame) needed(want []graph.Value) []bool {
	wanted := map[graph.Value]bool{}
	for _, v := range want {
		wanted[v] = true
	}
	nodes := f.p.g.Nodes()
	out := make([]bool, len(nodes))
	for i, n := range slices.Backward(nodes) {
		for _, v := range n.Outputs {
			_, given := f.env[v]
			out[i] = out[i] || v != graph.None && wanted[v] && !given
		}
		if out[i] {
			for _, v := range n.Inputs {
				wanted[v] = true
			}
		}
	}
	return out
}

// node evaluates one node. A result that was given stays as it was given.
func (f *frame) node(n *graph.Node) error {
	c := &call{n: n, in: make([]Tensor, len(n.Inputs)), f: f, m: f.m}
	for i, v := range n.Inputs {
		var err error
		if c.in[i], err = f.value(v); err != nil {
			return err
		}
	}
	o := operators[key(n)]
	if len(c.in) < o.least {
		return fmt.Errorf("%d inputs, want at least %d", len(c.in), o.least)
	}
	for i := range o.least {
		if c.in[i].Absent() {
			return fmt.Errorf("input %d is left out", i)
		}
	}
	out, err := o.f(c)
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		if _, given := f.env[v]; v == graph.None || given {
			continue
		}
		if i >= len(out) || out[i].Absent() {
			return fmt.Errorf("output %d is not computed", i)
		}
		if f.p.s.Round {
			out[i] = out[i].round()
		}
		f.env[v] = out[i]
	}
	return nil
}
