package graph

import "slices"

// Widen puts constants of float32 in the place of those that are stored in half precision behind a Cast, as files made small have them:
// then they are constants to every pass that looks for weights. It returns how many there were. A tensor that cannot be read stays as it
// is.
func (g *Graph) Widen() (count int) {
	for _, n := range slices.Clone(g.nodes) {
		if n.Domain != "" || n.Op != "Cast" || n.Int("to", 0) != int64(Float32) || g.IsOutput(n.Outputs[0]) {
			continue
		}
		t := g.ConstOf(n.Inputs[0])
		if t == nil || t.Elem() != Float16 {
			continue
		}
		values, err := t.Float64s()
		if err != nil {
			continue
		}
		wide := make([]float32, len(values))
		for i, v := range values {
			wide[i] = float32(v) // exact
		}
		name, param := g.NameOf(n.Outputs[0]), g.IsParam(n.Inputs[0])
		v := g.Const(name, NewTensor(wide, t.Dims()...))
		g.SetParam(v, param)
		g.Replace(n.Outputs[0], v)
		g.Remove(n)
		g.Rename(v, name)
		count++
	}
	if count > 0 {
		g.Prune()
	}
	return count
}
