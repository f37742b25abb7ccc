package train

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// Program is the graphs of a network's training.
type Program struct {
	Step     *onnx.Model // a whole step; nil if several batches make one
	Gradient *onnx.Model // the sum of gradients, and
	Apply    *onnx.Model // the step by it; nil unless several batches make one
	Evaluate *onnx.Model // the logits without training

	// Parameters lists what is trained, in the order of the vectors; Statistics what BatchNormalization measures.
	Parameters, Statistics []Part
	// Classes is the number of classes, K.
	Classes int

	settings Settings
	base     *onnx.Model // the network, with the constants to be replaced at the end
	data     []graph.Type
	masks    []mask
	cells    []cell
	plans    plans
	smallest []layer // by how few numbers a channel of one item has, for each BatchNormalization in training
}

// Part is a tensor of the network that lies in one of the long vectors.
type Part struct {
	Name   string
	Dims   []int64
	value  graph.Value // in the base graph
	cell   int
	offset int
}

// layer is a normalisation in training: a batch must give it two numbers per channel.
type layer struct {
	name   string
	places int64 // numbers of a channel in one item; 0: not known
}

// Build returns the graphs that train a network, which is not changed. It must be a classifier: inputs [N, ...], and an output [N, K] of
// logits in float32. Constants that are parameters (models/graph, MarkParams, unless the graph has them marked already) and that
// Settings.Frozen does not hold are trained; those that are stored in half precision behind a Cast become float32.
//
// An operator without a derivative between a parameter and the loss is an autodiff.MissingError that names the node.
func Build(m *onnx.Model, s Settings) (*Program, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.Accumulate = max(1, s.Accumulate)
	p := &Program{settings: s, base: m.Clone()}
	b := &builder{p: p, s: s}
	if err := b.build(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return p, nil
}

// length is the number of elements of a part.
func (p Part) length() int {
	n := 1
	for _, d := range p.Dims {
		n *= int(d)
	}
	return n
}
