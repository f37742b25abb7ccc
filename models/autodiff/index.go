package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// gather: y has the shape of x with one axis replaced by the axes of the indices. One that names a single known place of an axis of
// known size, as a class token's, is a Pad.
func gather(c *call) ([]graph.Value, error) {
	x, at, dy := c.x(), c.in(1), c.dy()
	axis, err := c.axis(c.n.Int("axis", 0), x)
	if err != nil {
		return nil, err
	}
	rank, _ := c.rank(x)
	width, err := c.rank(at)
	if err != nil {
		return nil, err
	}
	size := c.dim(x, int(axis))
	if place, ok := c.g.KnownInts(at); ok && len(place) == 1 && size.v == graph.None && width < 2 {
		if width == 0 {
			dy = c.op("Unsqueeze", dy, c.g.Ints(axis))
		}
		pads := make([]int64, 2*rank)
		pads[axis] = (place[0] + size.n) % size.n
		pads[rank+int(axis)] = size.n - 1 - pads[axis]
		return []graph.Value{c.op("Pad", dy, c.g.Ints(pads...))}, nil
	}
	return []graph.Value{c.gatherBack(dy, at, int(axis), width, size, rank)}, nil
}

// gatherBack adds the elements of d, whose axes axis..axis+width-1 are those of the places at, to zeros at these places along an axis of
// a size. rank is that of the result. ScatterND wants the places first.
func (c *call) gatherBack(d, at graph.Value, axis, width int, size dim, rank int) graph.Value {
	before, after := upTo(0, axis), upTo(axis+width, rank-1+width)
	rest := append(append([]int64{}, before...), after...)
	updates := c.transpose(d, append(upTo(axis, axis+width), rest...)...)
	sizes := []dim{size}
	for _, a := range rest {
		sizes = append(sizes, c.dim(d, int(a)))
	}
	sum := c.scatterND(c.zerosOf(d, sizes...), c.op("Unsqueeze", c.asInt64(at), c.g.Ints(-1)), updates)
	back := make([]int64, 0, rank)
	for a := range rank {
		switch {
		case a < axis:
			back = append(back, int64(a)+1)
		case a == axis:
			back = append(back, 0)
		default:
			back = append(back, int64(a))
		}
	}
	return c.transpose(sum, back...)
}

// asInt64: scatter operators of ONNX's own domain take no other places.
func (c *call) asInt64(at graph.Value) graph.Value {
	if c.elem(at) == graph.Int64 {
		return at
	}
	return c.opWith("Cast", []graph.Attr{graph.A("to", graph.Int64)}, at)
}

// scatterND adds updates to data at the places that the last axis of at names; those that occur twice add up.
func (c *call) scatterND(data, at, updates graph.Value) graph.Value {
	return c.opWith("ScatterND", []graph.Attr{graph.A("reduction", "add")}, data, at, updates)
}

func gatherElements(c *call) ([]graph.Value, error) {
	axis := c.n.Int("axis", 0)
	return []graph.Value{c.scatterElements(c.zeros(c.x()), c.in(1), c.dy(), axis)}, nil
}

func gatherND(c *call) ([]graph.Value, error) {
	if c.n.Int("batch_dims", 0) != 0 {
		return nil, fmt.Errorf("no rule for batch_dims")
	}
	return []graph.Value{c.scatterND(c.zeros(c.x()), c.in(1), c.dy())}, nil
}

// scattered makes the rule of ScatterElements and ScatterND, which write or add updates into a copy of data: take reads at the places,
// put writes there.
func scattered(take func(c *call, v graph.Value) graph.Value, put func(c *call, data, updates graph.Value) graph.Value) rule {
	return func(c *call) ([]graph.Value, error) {
		dy := c.dy()
		out := make([]graph.Value, 3)
		reduction := c.n.Str("reduction", "none")
		if reduction != "none" && reduction != "add" {
			return nil, fmt.Errorf("no rule for reduction %q", reduction)
		}
		if c.needs(2) {
			out[2] = take(c, dy)
		}
		if out[0] = dy; reduction == "none" && c.needs(0) {
			out[0] = put(c, dy, c.zeros(c.in(2)))
		}
		return out, nil
	}
}

func takeElements(c *call, v graph.Value) graph.Value {
	return c.opWith("GatherElements", []graph.Attr{graph.A("axis", c.n.Int("axis", 0))}, v, c.in(1))
}

func putElements(c *call, data, updates graph.Value) graph.Value {
	return c.opWith("ScatterElements", []graph.Attr{graph.A("axis", c.n.Int("axis", 0))}, data, c.in(1), updates)
}

func takeND(c *call, v graph.Value) graph.Value { return c.op("GatherND", v, c.in(1)) }

func putND(c *call, data, updates graph.Value) graph.Value {
	return c.op("ScatterND", data, c.in(1), updates)
}
