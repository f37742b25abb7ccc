package backbone

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
)

// Tensor is a named tensor of a network.
type Tensor struct {
	Name   string
	Dims   []int64
	Value  graph.Value // in Net.Graph
	Buffer bool        // a running statistic: saved with the weights, and no parameter
	Head   bool        // depends on what is classified: it may be missing from a file
	fresh  distribution
}

// Net is a network with its tensors.
type Net struct {
	Name    string
	Options Options // with all defaults filled in
	Graph   *graph.Graph
	Tensors []Tensor // in the order in which the network uses them

	spec *spec
}

// New builds a network by its name. It starts from a fresh initialisation.
func New(name string, o Options) (*Net, error) {
	s, err := specOf(name)
	if err != nil {
		return nil, err
	}
	if o, err = o.resolve(s); err != nil {
		return nil, fmt.Errorf("models/backbone: %s: %w", name, err)
	}
	n := &Net{Name: name, Options: o, Graph: graph.New(name, opset), spec: s}
	b := &builder{g: n.Graph, net: n, opts: o, style: s.style}
	output := "logits"
	if o.Embed {
		output = "embedding"
	}
	n.Graph.Output(output, s.net.build(b))
	if err := n.Graph.Check(); err != nil {
		return nil, fmt.Errorf("models/backbone: %s: %w", name, err)
	}
	return n, nil
}

// opset is the operator set whose forms all graphs of this module have (package onnx, Normal).
const opset = 18

// Tensor returns a tensor by its name.
func (n *Net) Tensor(name string) (Tensor, bool) {
	for _, t := range n.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// Init makes all tensors anew from a seed.
func (n *Net) Init(seed uint64) {
	n.Options.Seed = seed
	for _, t := range n.Tensors {
		n.replace(t, t.initial(seed))
	}
}

// Set gives a tensor its elements, in row-major order. They are not copied and must not change.
func (n *Net) Set(name string, values []float32) error {
	t, ok := n.Tensor(name)
	if !ok {
		return fmt.Errorf("models/backbone: %s: no tensor %q", n.Name, name)
	}
	made, err := graph.LazyTensor(graph.Float32, t.Dims, func() ([]byte, error) { return encode(values), nil })
	if err != nil || made.Len() != int64(len(values)) {
		return fmt.Errorf("models/backbone: %s: %s: %d elements for %v", n.Name, name, len(values), t.Dims)
	}
	n.replace(t, made)
	return nil
}

// replace puts another tensor in the place of a constant, which stays what it was to everyone who knows its handle.
func (n *Net) replace(t Tensor, with *graph.Tensor) {
	n.Graph.ToInput(t.Value)
	n.Graph.ToConstant(t.Value, with)
	n.Graph.SetParam(t.Value, !t.Buffer)
}

func encode(values []float32) []byte {
	raw := make([]byte, 0, 4*len(values))
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return raw
}
