package train

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// longestRow bounds the matrix that picks elements of a row.
const longestRow = 256

// slices writes a Slice that takes every other element, as shortcuts without tensors do, so that its derivative is fast: engines put single
// elements back into a row one by one. Behind an axis that is not the last there are whole runs, and along the last it is a matrix product
// with zeros and ones.
func (b *builder) slices(d *draft) error {
	for _, n := range slices.Clone(d.Nodes()) {
		if n.Op != "Slice" || n.Domain != "" || len(n.Inputs) < 5 {
			continue
		}
		if axes, steps, ok := thins(d.Graph, n); ok {
			v := n.Inputs[0]
			for i, axis := range axes {
				v = thin(d.Graph, v, int(axis), steps[i])
			}
			d.Replace(n.Outputs[0], v)
			d.Remove(n)
		}
	}
	if err := d.Sort(); err != nil {
		return err
	}
	return d.Err()
}

// thins reads a Slice that takes the first of every few elements, along axes behind the first whose sizes are known, to their end.
func thins(g *graph.Graph, n *graph.Node) (axes, steps []int64, ok bool) {
	x, y := g.TypeOf(n.Inputs[0]), g.TypeOf(n.Outputs[0])
	starts, ok0 := g.KnownInts(n.Inputs[1])
	axes, ok1 := g.KnownInts(n.Inputs[3])
	steps, ok2 := g.KnownInts(n.Inputs[4])
	if !ok0 || !ok1 || !ok2 || x.Elem != graph.Float32 || len(x.Shape) < 2 || len(y.Shape) != len(x.Shape) {
		return nil, nil, false
	}
	axes = slices.Clone(axes)
	for i, a := range axes {
		if a < 0 {
			a += int64(len(x.Shape))
		}
		axes[i] = a
		if a < 1 || starts[i] != 0 || steps[i] < 2 || !y.Shape[a].Known() || x.Shape[a] != graph.N(y.Shape[a].Size*steps[i]) {
			return nil, nil, false
		}
	}
	if _, known := x.Shape[1:].Sizes(); !known || x.Shape[len(x.Shape)-1].Size > longestRow {
		return nil, nil, false
	}
	return axes, steps, true
}

// thin keeps the first of every step elements along an axis.
func thin(g *graph.Graph, v graph.Value, axis int, step int64) graph.Value {
	sizes, _ := g.TypeOf(v).Shape[1:].Sizes()
	count := sizes[axis-1] / step
	if axis == len(sizes) {
		pick := make([]float32, sizes[axis-1]*count)
		for i := range count {
			pick[i*step*count+i] = 1
		}
		return g.Op("MatMul", []graph.Value{v, g.Const("every_other", graph.NewTensor(pick, sizes[axis-1], count))})
	}
	apart := append([]int64{-1}, sizes[:axis-1]...)
	apart = append(append(apart, count, step), sizes[axis:]...)
	v = g.Op("Reshape", []graph.Value{v, g.Ints(apart...)})
	first := g.Op("Slice", []graph.Value{v, g.Ints(0), g.Ints(1), g.Ints(int64(axis + 1))})
	return g.Op("Squeeze", []graph.Value{first, g.Ints(int64(axis + 1))})
}
