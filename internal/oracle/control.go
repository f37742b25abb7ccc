package oracle

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// branch is If: it evaluates one of two bodies, which see the values around them.
func branch(c *call) ([]Tensor, error) {
	cond := c.in[0]
	if cond.Elem != graph.Bool || cond.Len() != 1 {
		return nil, fmt.Errorf("condition is %v%v, want one bool", cond.Elem, cond.Dims)
	}
	name := "else_branch"
	if cond.I[0] != 0 {
		name = "then_branch"
	}
	body, err := c.body(name)
	if err != nil {
		return nil, err
	}
	return body(nil)
}

// body returns a function that evaluates a body with tensors for its inputs.
func (c *call) body(name string) (func([]Tensor) ([]Tensor, error), error) {
	a, _ := c.n.Attr(name)
	g, ok := a.Value.(*graph.Graph)
	if !ok {
		return nil, fmt.Errorf("attribute %s: want a graph", name)
	}
	p := c.f.p.bodies[g]
	return func(in []Tensor) ([]Tensor, error) {
		if len(in) != len(g.Inputs()) {
			return nil, fmt.Errorf("%s has %d inputs, given %d", name, len(g.Inputs()), len(in))
		}
		f := &frame{p: p, env: map[graph.Value]Tensor{}, outer: c.f, m: c.m}
		for i, v := range g.Inputs() {
			f.env[v] = in[i]
		}
		out, err := f.evaluate(g.Outputs())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return out, nil
	}, nil
}

// loop runs its body at most input 0 times, while its condition (input 1, then the body's first output) holds. The body is given the
// number of the round, the condition, and what is carried; it returns the condition, what is carried, and a slice of each scan output.
func loop(c *call) ([]Tensor, error) {
	body, err := c.body("body")
	if err != nil {
		return nil, err
	}
	rounds := int64(-1)
	if c.has(0) {
		if rounds, err = c.one(0); err != nil {
			return nil, err
		}
		rounds = max(0, rounds)
	}
	cond, carried := IntsOf(graph.Bool, []int64{1}), []Tensor(nil)
	if c.has(1) {
		cond = c.in[1]
	}
	if len(c.in) > 2 {
		carried = c.in[2:]
	}
	var scans [][]Tensor
	for round := int64(0); round != rounds; round++ {
		if cond.Elem != graph.Bool || cond.Len() != 1 {
			return nil, fmt.Errorf("condition is %v%v, want one bool", cond.Elem, cond.Dims)
		}
		if cond.I[0] == 0 {
			break
		}
		if err := firstOf(c.m.ctx.Err(), c.m.work(1)); err != nil {
			return nil, err
		}
		out, err := body(append([]Tensor{Int64s([]int64{round}), cond}, carried...))
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", round, err)
		}
		if len(out) < 1+len(carried) {
			return nil, fmt.Errorf("the body has %d outputs, %d are carried", len(out), len(carried))
		}
		cond, carried, scans = out[0], out[1:1+len(carried)], append(scans, out[1+len(carried):])
	}
	return c.stack(carried, scans)
}

// stack puts the slices of each scan output one after another.
func (c *call) stack(carried []Tensor, scans [][]Tensor) ([]Tensor, error) {
	out := append([]Tensor{}, carried...)
	if len(scans) == 0 {
		if c.outputs() > len(carried) {
			return nil, fmt.Errorf("a scan output of no rounds has no shape")
		}
		return out, nil
	}
	for k := range scans[0] {
		joined := &call{n: &graph.Node{Op: "Concat"}, f: c.f, m: c.m}
		for _, scan := range scans {
			t := scan[k]
			joined.in = append(joined.in, t.reshaped(append([]int64{1}, t.Dims...)))
		}
		t, err := concat(joined)
		if err != nil {
			return nil, err
		}
		out = append(out, t...)
	}
	return out, nil
}
