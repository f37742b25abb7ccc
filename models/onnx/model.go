package onnx

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// Normal is the operator set in whose forms every graph is: files of older sets are brought up to it by [Upgrade], and later ones keep
// theirs, whose operators have the same forms. It is not the newest, because engines have their fastest kernels and most of their fusions
// for sets of some age (AveragePool of set 19 leaves ONNX Runtime's fast path); ONNX Runtime knows it since 1.14.
const Normal = 18

// late is the set that a graph is brought up to instead if it uses one of the operators that changed after Normal, so that these too
// have one form: [lateOps].
const late = 21

var lateOps = []string{"GroupNormalization", "DFT", "GridSample"}

// irFor returns the IR version that came with an operator set, from the table in ONNX's Versioning.md.
func irFor(opset int64) int64 {
	switch {
	case opset <= 18:
		return 8
	case opset <= 20:
		return 9
	case opset <= 22:
		return 10
	case opset <= 23:
		return 11
	}
	return 12
}

// Model is a network with what its file says about it.
type Model struct {
	IRVersion       int64
	Producer        string
	ProducerVersion string
	Domain          string
	Version         int64
	Doc             string
	Metadata        []Property // in the order of the file
	Graph           *graph.Graph

	rest *onnxpb.ModelProto // functions, training information and fields of later versions, as they were
}

// Property is one entry of a model's metadata.
type Property struct{ Key, Value string }

// New returns a model around a graph. A graph that does not say which operator set it means is taken to be in the normal form.
func New(g *graph.Graph) *Model {
	if g.Opset("") == 0 {
		g.SetOpset("", Normal)
	}
	return &Model{IRVersion: irFor(g.Opset("")), Producer: "oatta", Graph: g}
}

// Meta returns the value of a property, or "".
func (m *Model) Meta(key string) string {
	for _, p := range m.Metadata {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// SetMeta sets or adds a property.
func (m *Model) SetMeta(key, value string) {
	for i, p := range m.Metadata {
		if p.Key == key {
			m.Metadata[i].Value = value
			return
		}
	}
	m.Metadata = append(m.Metadata, Property{key, value})
}

// Functions returns the names of the model's own operators, with their domains. They are kept as they are: their nodes call one another
// by name and are no part of the graph.
func (m *Model) Functions() []string {
	var out []string
	for _, f := range m.rest.GetFunctions() {
		out = append(out, f.GetDomain()+"."+f.GetName())
	}
	return out
}

// Clone returns a copy whose graph can be changed without changing this one.
func (m *Model) Clone() *Model {
	out := *m
	out.Metadata = append([]Property(nil), m.Metadata...)
	out.Graph = m.Graph.Clone()
	return &out
}

// Check reports the first thing that is not as engines expect it: see [graph.Graph.Check]. It also wants a version of every domain that a
// node uses, one that has the operator, and outputs.
func (m *Model) Check() error {
	if err := m.Graph.Check(); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	if len(m.Graph.Outputs()) == 0 {
		return fmt.Errorf("onnx: graph %q has no outputs", m.Graph.Name)
	}
	return m.checkDomains(m.Graph)
}

func (m *Model) checkDomains(g *graph.Graph) error {
	for _, n := range g.Nodes() {
		if g.Opset(n.Domain) == 0 {
			return fmt.Errorf("onnx: %v: the model does not say which version of domain %q it uses", n, n.Domain)
		}
		if need := since[n.Op]; n.Domain == "" && g.Opset("") < need {
			return fmt.Errorf("onnx: %v needs operator set %d, the model says %d", n, need, g.Opset(""))
		}
		for _, body := range n.Bodies() {
			if err := m.checkDomains(body); err != nil {
				return err
			}
		}
	}
	return nil
}

// since lists operators that came, or took their present form, after operator set 17, which a graph built here may use unaware.
var since = map[string]int64{
	"BitwiseAnd": 18, "BitwiseNot": 18, "BitwiseOr": 18, "BitwiseXor": 18, "CenterCropPad": 18, "Col2Im": 18, "Mish": 18, "OptionalGetElement": 15,
	"DeformConv": 19, "AffineGrid": 20, "DFT": 20, "Gelu": 20, "GridSample": 20, "ImageDecoder": 20, "RegexFullMatch": 20, "StringConcat": 20,
	"StringSplit": 20, "GroupNormalization": late, "Attention": 23, "RMSNormalization": 23, "RotaryEmbedding": 23, "Swish": 24, "TensorScatter": 24,
}
