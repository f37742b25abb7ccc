package dropout

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// DefaultP is the probability of dropping an element where nothing says another.
const DefaultP = 0.2

// Layer is a Dropout of a graph.
type Layer struct {
	Node     *graph.Node
	P        float64 // probability of dropping an element; ONNX's default of 0.5 where the node gives none, -1 where it is computed
	Training bool    // the node would drop elements when it runs; false: in the file it does nothing
}

// Find returns the Dropout nodes of a graph, in order; those in the bodies of control flow are left out. Where an exporter stripped
// them it finds none, and nothing tells that they ever were.
func Find(g *graph.Graph) []Layer {
	var out []Layer
	for _, n := range g.Nodes() {
		if isDropout(n) {
			out = append(out, Layer{Node: n, P: ratio(g, n), Training: training(g, n)})
		}
	}
	return out
}

func isDropout(n *graph.Node) bool {
	return n.Op == "Dropout" && n.Domain == "" && len(n.Outputs) > 0 && n.Outputs[0] != graph.None
}

func ratio(g *graph.Graph, n *graph.Node) float64 {
	if len(n.Inputs) < 2 || n.Inputs[1] == graph.None {
		return 0.5
	}
	if t := g.ConstOf(n.Inputs[1]); t != nil {
		if p, err := t.Float64s(); err == nil && len(p) == 1 {
			return p[0]
		}
	}
	return -1
}

// training is true as well where the mode is not known beforehand.
func training(g *graph.Graph, n *graph.Node) bool {
	if len(n.Inputs) < 3 || n.Inputs[2] == graph.None {
		return false
	}
	t := g.ConstOf(n.Inputs[2])
	if t == nil {
		return true
	}
	mode, err := t.Int64s()
	return err != nil || len(mode) != 1 || mode[0] != 0
}

// Insert puts a Dropout with the probability p behind each of the named nodes or values, or before the head ([Head]) of an output where
// none are named. It returns the new nodes. As long as it is not rewritten, an inserted Dropout does nothing.
func Insert(g *graph.Graph, output graph.Value, p float64, after ...string) ([]*graph.Node, error) {
	if !(p > 0 && p < 1) {
		return nil, fmt.Errorf("models/dropout: probability %g: want one between 0 and 1", p)
	}
	if len(after) == 0 {
		head, input, err := Head(g, output)
		if err != nil {
			return nil, err
		}
		v := head.Inputs[input]
		n := appendDropout(g, v, p)
		g.SetInput(head, input, n.Outputs[0])
		return []*graph.Node{n}, sorted(g)
	}
	var out []*graph.Node
	for _, name := range after {
		v, err := named(g, name)
		if err != nil {
			return nil, err
		}
		if e := g.TypeOf(v).Elem; !e.IsFloat() && e != graph.Undefined {
			return nil, fmt.Errorf("models/dropout: %q: dropout of %s: want floats", name, e)
		}
		n := appendDropout(g, v, p)
		g.Replace(v, n.Outputs[0], n)
		out = append(out, n)
	}
	return out, sorted(g)
}

func appendDropout(g *graph.Graph, v graph.Value, p float64) *graph.Node {
	name := g.NameOf(v) + "_dropout"
	ratio := g.Scalar(graph.Float32, p)
	return g.Append(graph.Node{Name: name, Op: "Dropout", Inputs: []graph.Value{v, ratio}}, name)
}

func sorted(g *graph.Graph) error {
	if err := g.Err(); err != nil {
		return fmt.Errorf("models/dropout: %w", err)
	}
	if err := g.Sort(); err != nil {
		return fmt.Errorf("models/dropout: %w", err)
	}
	return nil
}

// named returns the first output of the node of a name, or the value of that name.
func named(g *graph.Graph, name string) (graph.Value, error) {
	for _, n := range g.Nodes() {
		if n.Name == name && name != "" {
			return n.Outputs[0], nil
		}
	}
	v := g.Lookup(name)
	if v == graph.None || g.Kind(v) == graph.Constant {
		return graph.None, fmt.Errorf("models/dropout: the network has no node or value %q", name)
	}
	return v, nil
}

// Head returns the layer that makes classes of features, which is the last matrix product (Gemm, MatMul) or convolution on the way to
// an output, and the index of the input through which the features come.
func Head(g *graph.Graph, output graph.Value) (n *graph.Node, input int, err error) {
	follows := dependent(g, func(*graph.Node) bool { return false })
	for v := output; ; {
		n, _ := g.Producer(v)
		if n == nil {
			return nil, 0, fmt.Errorf("models/dropout: no matrix product or convolution on the way to output %q: name the nodes", g.NameOf(output))
		}
		input := features(g, n, follows)
		if input < 0 {
			return nil, 0, fmt.Errorf("models/dropout: no single way back from output %q through %v: name the nodes", g.NameOf(output), n)
		}
		if n.Domain == "" && slices.Contains([]string{"Gemm", "MatMul", "Conv"}, n.Op) {
			return n, input, nil
		}
		v = n.Inputs[input]
	}
}

// features returns the index of the one input of a node that carries features: it follows from the network's inputs, as weights do not
// even where they are converted first, and is no integer, which are sizes. -1 if there are none or several.
func features(g *graph.Graph, n *graph.Node, follows map[graph.Value]bool) int {
	found := -1
	for i, v := range n.Inputs {
		if e := g.TypeOf(v).Elem; !follows[v] || e != graph.Undefined && !e.IsFloat() {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}
