package tent

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Convolutions over maps of 3 to 5 places a side, with many channels, are where ONNX Runtime's blocked layout is slow: its kernel takes
// the places at both edges apart from those between. Written with a third dimension of size 1 they are matrix products instead, which take
// three quarters of the time (512 channels, 4 x 4, on one core: 0.87 ms in place of 1.16). All three passes of a ResNet-18 on pictures of
// 32 x 32 have some. At 7 x 7 and above, and at 2 x 2, the blocked layout wins.
const (
	narrowest, widest = 3, 5
	manyWeights       = 1 << 20
)

// narrow rewrites these convolutions. Weights keep their bytes.
func narrow(g *graph.Graph) error {
	made := map[*graph.Tensor]graph.Value{}
	for _, n := range slices.Clone(g.Nodes()) {
		if n.Op != "Conv" || n.Domain != "" || !isNarrow(g, n) {
			continue
		}
		w := g.ConstOf(n.Inputs[1])
		if made[w] == graph.None {
			v, err := deepen(g, n.Inputs[1], w)
			if err != nil {
				return err
			}
			made[w] = v
		}
		x, y := n.Inputs[0], n.Outputs[0]
		inputs := append([]graph.Value{reshaped(g, x, true), made[w]}, n.Inputs[2:]...)
		deep := g.Op("Conv", inputs, deepAttrs(n)...)
		g.SetType(deep, graph.Type{Elem: g.TypeOf(y).Elem, Shape: slices.Insert(slices.Clone(g.TypeOf(y).Shape), 2, graph.N(1))})
		g.Replace(y, reshaped(g, deep, false))
	}
	if err := g.Sort(); err != nil {
		return err
	}
	g.Prune()
	return g.Err()
}

func isNarrow(g *graph.Graph, n *graph.Node) bool {
	w, x, y := g.ConstOf(n.Inputs[1]), g.TypeOf(n.Inputs[0]).Shape, g.TypeOf(n.Outputs[0]).Shape
	if w == nil || len(w.Dims()) != 4 || w.Len() < manyWeights || w.Dims()[3] == 1 || n.Int("group", 1) != 1 || n.Str("auto_pad", "NOTSET") != "NOTSET" {
		return false
	}
	for _, s := range []graph.Shape{x, y} {
		if len(s) != 4 {
			return false
		}
		if _, known := s[1:].Sizes(); !known {
			return false
		}
	}
	return y[2].Size >= narrowest && y[2].Size <= widest && y[3].Size >= narrowest && y[3].Size <= widest
}

// deepen returns a kernel [M, C, h, w] as [M, C, 1, h, w].
func deepen(g *graph.Graph, v graph.Value, w *graph.Tensor) (graph.Value, error) {
	raw, err := w.Bytes()
	if err != nil {
		return graph.None, err
	}
	t, err := graph.RawTensor(w.Elem(), slices.Insert(slices.Clone(w.Dims()), 2, 1), raw)
	if err != nil {
		return graph.None, err
	}
	return g.Const(g.NameOf(v)+"_deep", t), nil
}

// reshaped puts a size of 1 before the places of a value, or takes it away.
func reshaped(g *graph.Graph, v graph.Value, deep bool) graph.Value {
	sizes, _ := g.TypeOf(v).Shape[1:].Sizes()
	if deep {
		sizes = slices.Insert(slices.Clone(sizes), 1, 1)
	} else {
		sizes = slices.Delete(slices.Clone(sizes), 1, 2)
	}
	return g.Op("Reshape", []graph.Value{v, g.Ints(append([]int64{-1}, sizes...)...)})
}

// deepAttrs are the attributes with an entry for the new dimension.
func deepAttrs(n *graph.Node) []graph.Attr {
	var out []graph.Attr
	for _, name := range []string{"kernel_shape", "strides", "dilations"} {
		if v := n.Ints(name); v != nil {
			out = append(out, graph.A(name, slices.Insert(slices.Clone(v), 0, 1)))
		}
	}
	if v := n.Ints("pads"); v != nil {
		out = append(out, graph.A("pads", []int64{0, v[0], v[1], 0, v[2], v[3]}))
	}
	return out
}
