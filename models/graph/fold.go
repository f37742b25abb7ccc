package graph

import "slices"

// Fold replaces results whose elements inference knows in full by constants, puts the branch that is taken in the place of an If whose
// condition is known, and removes what nothing needs any more: the shape arithmetic of exporters. It needs [Graph.Infer] before. Outputs
// of the graph keep their names and stay results. It returns the number of results that became constants and of branches.
func (g *Graph) Fold() int {
	g.init()
	folded := 0
	// What is spliced in is looked at in its turn, so that branches in branches fold too.
	for i := 0; i < len(g.nodes); i++ {
		n := g.nodes[i]
		if body := g.takenBranch(n); body != nil {
			g.nodes = slices.Replace(slices.Clone(g.nodes), i, i+1, g.splice(n, body)...)
			i--
			folded++
			continue
		}
		for _, body := range n.Bodies() {
			folded += body.Fold()
		}
		folded += g.foldResults(n)
	}
	g.Prune()
	return folded
}

func (g *Graph) foldResults(n *Node) int {
	folded := 0
	for _, v := range n.Outputs {
		if v == None || g.IsOutput(v) {
			continue
		}
		if t := g.known(v); t != nil {
			g.Replace(v, g.Const(g.NameOf(v)+"_folded", t))
			folded++
		}
	}
	return folded
}

// known returns the tensor that a result certainly is, or nil. Floats are followed for the sizes that are made of them; they are not
// folded, because an engine rounds in its own way.
func (g *Graph) known(v Value) *Tensor {
	e := g.at(v)
	dims, ok := e.typ.Shape.Sizes()
	if e.data == nil || !ok || e.typ.Elem.IsFloat() {
		return nil
	}
	raw := []byte{}
	for _, d := range e.data {
		if !d.isNumber() {
			return nil
		}
		raw = append(raw, intBytes(e.typ.Elem, d.n)...)
	}
	t, err := RawTensor(e.typ.Elem, dims, raw)
	if err != nil {
		return nil
	}
	return t
}

// KnownInts returns the elements of an integer value that are known before the network runs, constants among them; ok is false unless all
// are.
func (g *Graph) KnownInts(v Value) (values []int64, ok bool) {
	if v == None {
		return nil, false
	}
	if e := g.TypeOf(v).Elem; !e.IsInt() && e != Bool {
		return nil, false
	}
	data := g.dataOf(v)
	if data == nil {
		return nil, false
	}
	values = make([]int64, len(data))
	for i, d := range data {
		if !d.isNumber() {
			return nil, false
		}
		values[i] = d.n
	}
	return values, true
}
