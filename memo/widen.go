package memo

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// widen makes weights that are stored in half precision, behind a Cast to float32, constants of float32, which steps can move.
func widen(g *graph.Graph) error {
	for _, n := range slices.Clone(g.Nodes()) {
		if n.Domain != "" || n.Op != "Cast" || n.Int("to", 0) != int64(graph.Float32) || g.IsOutput(n.Outputs[0]) {
			continue
		}
		t := g.ConstOf(n.Inputs[0])
		if t == nil || t.Elem() != graph.Float16 {
			continue
		}
		values, err := t.Float64s()
		if err != nil {
			return err
		}
		wide, err := floats(graph.Float32, values, t.Dims()...)
		if err != nil {
			return err
		}
		name := g.NameOf(n.Outputs[0])
		v := g.Const(name+"_wide", wide)
		g.Replace(n.Outputs[0], v)
		g.Remove(n)
		g.Rename(v, name)
	}
	g.Prune()
	return g.Err()
}
