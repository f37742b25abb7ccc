package flops

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// Count is what one run of a graph computes.
type Count struct {
	Products int64 // multiply-adds of convolutions and matrix products
	Others   int64 // operations of all else, see [Of]
}

// plus returns the sum of both.
func (c Count) plus(d Count) Count { return Count{c.Products + d.Products, c.Others + d.Others} }

// Of counts a graph whose inputs have names for sizes, which are given, such as "N" of the batch; the graph is not changed. A size that
// stays open, and an operator without a rule, are errors that name the node.
func Of(g *graph.Graph, sizes map[string]int64) (total Count, err error) {
	if g, err = sized(g, sizes); err != nil {
		return total, err
	}
	for i, n := range g.Nodes() {
		rule, ok := rules[n.Operator()]
		if !ok {
			return total, fmt.Errorf("flops: %s: no rule for %s", n.Place(i), n.Operator())
		}
		one, err := rule(call{g, n})
		if err != nil {
			return total, fmt.Errorf("flops: %s: %w", n.Place(i), err)
		}
		total = total.plus(one)
	}
	return total, nil
}

// sized returns a copy in which the named sizes are known.
func sized(g *graph.Graph, sizes map[string]int64) (*graph.Graph, error) {
	g = g.Clone()
	for _, v := range g.Inputs() {
		t := g.TypeOf(v)
		shape := append(graph.Shape{}, t.Shape...)
		for i, d := range shape {
			if size, ok := sizes[d.Name]; ok && !d.Known() {
				shape[i] = graph.N(size)
			}
		}
		t.Shape = shape
		g.SetType(v, t)
	}
	g.Forget()
	if err := g.Infer(); err != nil {
		return nil, fmt.Errorf("flops: %w", err)
	}
	return g, nil
}

// call is a node to count.
type call struct {
	g *graph.Graph
	n *graph.Node
}

// input returns the sizes of input i.
func (c call) input(i int) ([]int64, error) {
	if i >= len(c.n.Inputs) {
		return nil, fmt.Errorf("no input %d", i)
	}
	return c.sizes(c.n.Inputs[i])
}

// output returns those of the first output.
func (c call) output() ([]int64, error) { return c.sizes(c.n.Outputs[0]) }

func (c call) sizes(v graph.Value) ([]int64, error) {
	sizes, ok := c.g.TypeOf(v).Shape.Sizes()
	if !ok {
		return nil, fmt.Errorf("%s has the open shape %v", c.g.NameOf(v), c.g.TypeOf(v).Shape)
	}
	return sizes, nil
}

func product(sizes []int64) int64 {
	p := int64(1)
	for _, s := range sizes {
		p *= s
	}
	return p
}
