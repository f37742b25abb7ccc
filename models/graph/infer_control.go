package graph

import (
	"fmt"
	"slices"
)

// branches is If: the branch that is taken, if the condition is known, and else what both say alike.
func branches(c *inference) error {
	bodies := c.n.Bodies()
	if len(bodies) != 2 {
		return fmt.Errorf("%d branches, want 2", len(bodies))
	}
	for _, b := range bodies {
		if len(b.outputs) != len(c.n.Outputs) {
			return fmt.Errorf("a branch has %d outputs, the node %d", len(b.outputs), len(c.n.Outputs))
		}
	}
	taken := bodies
	if cond := c.data(0); len(cond) == 1 && cond[0].isNumber() {
		b := bodies[0]
		if a, _ := c.n.Attr("then_branch"); (a.Value == b) != (cond[0].n != 0) {
			b = bodies[1]
		}
		taken = []*Graph{b} // the other may make no sense for these shapes
	}
	for _, b := range taken {
		if err := b.Infer(); err != nil {
			return err
		}
	}
	for i, v := range c.n.Outputs {
		if v == None {
			continue
		}
		if err := c.agree(i, taken); err != nil {
			return err
		}
		if len(taken) == 1 {
			c.g.at(v).data = taken[0].dataOf(taken[0].outputs[i])
		}
	}
	return nil
}

// agree sets output i to what all bodies say of theirs.
func (c *inference) agree(i int, bodies []*Graph) error {
	t := bodies[0].TypeOf(bodies[0].outputs[i])
	s := slices.Clone(t.Shape)
	for _, b := range bodies[1:] {
		u := b.TypeOf(b.outputs[i])
		if t.Elem != u.Elem {
			return fmt.Errorf("output %d is %v in one branch, %v in the other", i, t, u)
		}
		if u.Shape == nil || len(u.Shape) != len(s) {
			s = nil
		}
		for j, d := range s {
			if !d.Same(u.Shape[j]) {
				s[j] = Any
			}
		}
	}
	if t.Foreign != nil {
		out := c.g.at(c.n.Outputs[i])
		var err error
		out.typ, err = out.typ.merge(t)
		return err
	}
	return c.set(i, t.Elem, s)
}

// recurrent is LSTM, GRU and RNN. x: [time, batch, width], or [batch, time, width] with layout 1.
func recurrent(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return nil
	}
	if err := c.want(0, 3); err != nil {
		return err
	}
	directions := N(1)
	if c.n.Str("direction", "forward") == "bidirectional" {
		directions = N(2)
	}
	hidden := Any
	if h := c.n.Int("hidden_size", 0); h > 0 {
		hidden = N(h)
	}
	out, last := Shape{x[0], directions, x[1], hidden}, Shape{directions, x[1], hidden}
	if c.n.Int("layout", 0) != 0 {
		out, last = Shape{x[0], x[1], directions, hidden}, Shape{x[0], directions, hidden}
	}
	return firstOf(c.set(0, c.elem(0), out), c.set(1, c.elem(0), last), c.set(2, c.elem(0), last))
}
