package dropout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
)

// OpenBatch makes the batch of a network a size with a name, also where its file fixes it, infers, and folds the arithmetic of shapes
// that is known without the batch. one are the sizes of one input of the network's first input, or nil.
func OpenBatch(g *graph.Graph, one []int64) (graph.Dim, error) {
	if len(g.Inputs()) == 0 {
		return graph.Dim{}, fmt.Errorf("models/dropout: the network has no input")
	}
	x := g.Inputs()[0]
	if err := setInput(g, x, one); err != nil {
		return graph.Dim{}, err
	}
	g.Forget()
	if err := infer(g); err != nil {
		return graph.Dim{}, err
	}
	was := g.TypeOf(x).Shape[0]
	batch := batchName(g, was)
	if was.Known() {
		openReshapes(g, was)
	}
	for _, v := range g.Inputs() {
		t := g.TypeOf(v)
		if len(t.Shape) > 0 && (t.Shape[0].Same(was) || t.Shape[0] == was) {
			t.Shape = slices.Clone(t.Shape)
			t.Shape[0] = batch
			g.SetType(v, t)
		}
	}
	g.Forget()
	if err := infer(g); err != nil {
		return graph.Dim{}, err
	}
	y := g.Outputs()[0]
	if s := g.TypeOf(y).Shape; len(s) > 0 && !s[0].Same(batch) && s[0] != graph.Any {
		return graph.Dim{}, fmt.Errorf("models/dropout: output %q %v does not have the batch of input %q %v: export with a batch of any size", g.NameOf(y), s, g.NameOf(x), g.TypeOf(x).Shape)
	}
	g.Fold()
	return batch, nil
}

func infer(g *graph.Graph) error {
	if err := g.Infer(); err != nil {
		return fmt.Errorf("models/dropout: %w", err)
	}
	return nil
}

// setInput fills the sizes of one input into a network's input.
func setInput(g *graph.Graph, x graph.Value, one []int64) error {
	t := g.TypeOf(x)
	if one != nil {
		shape := graph.Shape{graph.Any}
		if len(t.Shape) > 0 {
			shape[0] = t.Shape[0]
		}
		for _, d := range one {
			shape = append(shape, graph.N(d))
		}
		for i, d := range t.Shape {
			if len(t.Shape) != len(shape) || d.Known() && d != shape[i] {
				return fmt.Errorf("models/dropout: input %q %v: want inputs of %v", g.NameOf(x), t.Shape, one)
			}
		}
		t.Shape = shape
		g.SetType(x, t)
	}
	if len(t.Shape) == 0 {
		return fmt.Errorf("models/dropout: input %q has no batch: the file gives it the shape %v", g.NameOf(x), t.Shape)
	}
	return nil
}

// batchName keeps the name that the file has for its batch, as long as it is one.
func batchName(g *graph.Graph, was graph.Dim) graph.Dim {
	if !was.Known() && was.Name != "" && !strings.ContainsAny(was.Name, "*+-/() ") {
		return was
	}
	return graph.Sym("N")
}

// openReshapes takes a fixed batch out of the sizes of reshapes: [1, 512] becomes [0, 512], which copies the batch, and [49, 768] from
// [1, 49, 768] becomes [-1, 768]. Whether that was right is for inference to say, which must find the batch in the output.
func openReshapes(g *graph.Graph, batch graph.Dim) {
	follows := dependent(g, func(*graph.Node) bool { return false })
	for _, n := range g.Nodes() {
		if n.Op != "Reshape" || n.Domain != "" || n.Int("allowzero", 0) != 0 || !follows[n.Inputs[0]] {
			continue
		}
		from := g.TypeOf(n.Inputs[0]).Shape
		if g.ConstOf(n.Inputs[1]) == nil || len(from) == 0 || from[0] != batch {
			continue // what the graph computes from the sizes of its input follows by itself
		}
		sizes, ok := g.KnownInts(n.Inputs[1])
		if !ok || len(sizes) == 0 {
			continue
		}
		sizes = slices.Clone(sizes)
		switch {
		case sizes[0] == batch.Size:
			sizes[0] = 0
		case sizes[0] > 0 && !slices.Contains(sizes, -1):
			sizes[0] = -1
		default:
			continue
		}
		g.SetInput(n, 1, g.Ints(sizes...))
	}
}

// dependent returns the values that depend on the graph's inputs; nodes that stop reports pass nothing on.
func dependent(g *graph.Graph, stop func(*graph.Node) bool) map[graph.Value]bool {
	out := map[graph.Value]bool{}
	for _, v := range g.Inputs() {
		out[v] = true
	}
	for _, n := range g.Nodes() {
		if stop(n) || !slices.ContainsFunc(n.Inputs, func(v graph.Value) bool { return out[v] }) &&
			!slices.ContainsFunc(n.Captures(), func(v graph.Value) bool { return out[v] }) {
			continue
		}
		for _, v := range n.Outputs {
			out[v] = true
		}
	}
	delete(out, graph.None)
	return out
}
