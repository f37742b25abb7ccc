package train

import (
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// draft is a graph that grows, with the plan of its ports.
type draft struct {
	*graph.Graph
	plan plan
	in   []graph.Value
	out  []named

	flat map[graph.Value]graph.Value // by the network's result of a BatchNormalization, that of the node in its place
}

type named struct {
	name string
	v    graph.Value
}

func (d *draft) takes(v graph.Value, k kind, index int) graph.Value {
	d.in = append(d.in, v)
	d.plan.in = append(d.plan.in, port{k, index})
	return v
}

func (d *draft) gives(name string, v graph.Value, k kind, index int) {
	d.out = append(d.out, named{name, v})
	d.plan.out = append(d.plan.out, port{k, index})
}

// cell adds an input for a cell.
func (d *draft) cell(b *builder, index int) graph.Value {
	c := b.p.cells[index]
	v := d.Input(d.Fresh(c.name), graph.Type{Elem: c.elem, Shape: graph.Of(int64(c.length))})
	return d.takes(v, isCell, index)
}

// next makes a value what a cell is next.
func (d *draft) next(b *builder, index int, v graph.Value) {
	d.gives("next_"+b.p.cells[index].name, v, isCell, index)
}

// model closes a draft: inputs and outputs in the order of its plan, and nothing that no output needs.
func (d *draft) model() (*onnx.Model, error) {
	g := d.Graph
	g.SetOutputs()
	for _, o := range d.out {
		g.Output(g.Fresh(o.name), o.v)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	if err := g.Sort(); err != nil {
		return nil, err
	}
	g = g.Extract(d.in, g.Outputs())
	if err := g.Check(); err != nil {
		return nil, err
	}
	return onnx.New(g), nil
}
