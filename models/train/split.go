package train

import (
	"fmt"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// FeaturesName is the output of what comes before a head, and the input of the head.
const FeaturesName = "features"

// Split cuts a network before its head, the last matrix product or convolution on the way to an output ("": the first), or before the
// dropout in front of that. To train the head alone the features of all items are computed once, by an engine that runs the first network
// [N, ...] -> features [N, ...], and the second one, features -> the output, is given to [Build]. Tensors keep their names, by which [Join]
// puts a trained head back. What is stored in half precision becomes float32, as in [Build].
func Split(m *onnx.Model, name string) (features, head *onnx.Model, err error) {
	g := m.Graph.Clone()
	g.Widen()
	if len(g.Params()) == 0 {
		g.MarkParams()
	}
	if err := g.Infer(); err != nil {
		return nil, nil, fmt.Errorf("train: %w", err)
	}
	out, err := output(g, name)
	if err != nil {
		return nil, nil, fmt.Errorf("train: %w", err)
	}
	last, input, err := dropout.Head(g, out)
	if err != nil {
		return nil, nil, fmt.Errorf("train: %w", err)
	}
	at := last.Inputs[input]
	if n, _ := g.Producer(at); n != nil && n.Op == "Dropout" && n.Domain == "" {
		at = n.Inputs[0]
	}
	if g.Kind(at) != graph.Result {
		return nil, nil, fmt.Errorf("train: nothing comes before %v, the head", last)
	}
	before := g.Extract(g.Inputs(), []graph.Value{at})
	before.SetOutputs()
	before.Output(before.Fresh(FeaturesName), at)
	behind := g.Extract([]graph.Value{at}, []graph.Value{out})
	if len(behind.Inputs()) > 1 {
		return nil, nil, fmt.Errorf("train: the head %v needs input %q of the network besides its features", last, behind.NameOf(behind.Inputs()[1]))
	}
	behind.Rename(at, behind.Fresh(FeaturesName))
	for _, part := range []*graph.Graph{before, behind} {
		if err := part.Check(); err != nil {
			return nil, nil, fmt.Errorf("train: %w", err)
		}
	}
	return onnx.New(before), onnx.New(behind), nil
}

// Join returns a network with the parameters of a head that was trained apart, by their names. A parameter that the network does not have,
// or has in other sizes, is an error. What is stored in half precision becomes float32, as the head's is.
func Join(m, head *onnx.Model) (*onnx.Model, error) {
	out := m.Clone()
	g := out.Graph
	g.Widen()
	for _, v := range head.Graph.Params() {
		name, t := head.Graph.NameOf(v), head.Graph.ConstOf(v)
		old := g.Lookup(name)
		if old == graph.None || g.ConstOf(old) == nil || !g.TypeOf(old).Shape.Same(t.Type().Shape) {
			return nil, fmt.Errorf("train: the network has no constant %q of sizes %v", name, t.Dims())
		}
		replace(g, old, t)
	}
	if err := g.Err(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return out, nil
}

// replace puts another tensor in the place of a constant.
func replace(g *graph.Graph, v graph.Value, t *graph.Tensor) {
	param := g.IsParam(v)
	g.ToInput(v)
	g.ToConstant(v, t)
	g.SetParam(v, param)
}
