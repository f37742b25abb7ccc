package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/x448/float16"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// halveMin is the number of elements from which a tensor is worth halving: below it the Cast node costs what the weights save.
const halveMin = 256

// Stats says what [Halve] did.
type Stats struct {
	Halved      int      // tensors now stored as float16
	Kept        []string // tensors that stay float32 because a value would overflow, by name
	BytesBefore int64    // of the tensors that were halved
	BytesAfter  int64
	MaxError    float64 // largest absolute difference that rounding made to a weight
}

// Halve returns a copy of a model whose large weights are stored as float16, each followed by a Cast to float32 under the weight's
// old name. The arithmetic stays float32: an engine that folds constants, as ONNX Runtime does from its basic level on, makes the
// cast once while it loads the model.
//
// Only float32 tensors of rank two or more and 256 or more elements are halved, initialisers and Constant nodes of the main graph
// alike. What is left out matters more than its size: scales, biases and the running variances of normalisations, some of which
// are smaller than float16 resolves, and which gradient steps later want to find as plain initialisers. Tensors in which a finite
// value exceeds float16's range (65504), that live in external files, that are also inputs of the graph (a caller may override
// them) or outputs keep their type. A model older than operator set 6, whose Cast is another operator, comes back unchanged.
func Halve(m *onnxpb.ModelProto) (*onnxpb.ModelProto, Stats) {
	out := proto.CloneOf(m)
	h := halver{graph: out.GetGraph(), used: valueNames(out.GetGraph()), fixed: map[string]bool{}}
	if opsets(out)[""] < 6 || h.graph == nil {
		return out, h.stats
	}
	for _, v := range slices.Concat(h.graph.GetInput(), h.graph.GetOutput()) {
		h.fixed[v.GetName()] = true
	}
	h.initialisers()
	h.constants()
	return out, h.stats
}

type halver struct {
	graph *onnxpb.GraphProto
	used  map[string]bool // names of values, anywhere in the model
	fixed map[string]bool // names that must keep their type
	stats Stats
}

// initialisers halves the initialisers. Their casts go to the front of the graph: nodes are in topological order.
func (h *halver) initialisers() {
	var casts []*onnxpb.NodeProto
	for _, t := range h.graph.GetInitializer() {
		name := t.GetName()
		if h.fixed[name] || !h.halve(t, name) {
			continue
		}
		t.Name = proto.String(h.fresh(name))
		casts = append(casts, castToFloat(t.GetName(), name))
	}
	h.graph.Node = append(casts, h.graph.Node...)
}

// constants halves the tensors of Constant nodes, putting each cast right behind its node.
func (h *halver) constants() {
	nodes := make([]*onnxpb.NodeProto, 0, len(h.graph.GetNode()))
	for _, n := range h.graph.GetNode() {
		nodes = append(nodes, n)
		t := constantTensor(n)
		if t == nil || h.fixed[n.GetOutput()[0]] || !h.halve(t, n.GetOutput()[0]) {
			continue
		}
		name := n.GetOutput()[0]
		n.Output[0] = h.fresh(name)
		nodes = append(nodes, castToFloat(n.Output[0], name))
	}
	h.graph.Node = nodes
}

func constantTensor(n *onnxpb.NodeProto) *onnxpb.TensorProto {
	if n.GetOpType() != "Constant" || n.GetDomain() != "" || len(n.GetOutput()) != 1 {
		return nil
	}
	for _, a := range n.GetAttribute() {
		if a.GetName() == "value" {
			return a.GetT()
		}
	}
	return nil
}

// halve rewrites the data of t and reports whether it did.
func (h *halver) halve(t *onnxpb.TensorProto, name string) bool {
	if len(t.GetDims()) < 2 {
		return false
	}
	values, err := Floats(t)
	if err != nil || len(values) < halveMin {
		return false
	}
	raw, worst, ok := halfBytes(values)
	if !ok {
		h.stats.Kept = append(h.stats.Kept, name)
		return false
	}
	t.DataType = proto.Int32(int32(onnxpb.TensorProto_FLOAT16))
	t.FloatData, t.RawData = nil, raw
	h.stats.Halved++
	h.stats.BytesBefore += int64(4 * len(values))
	h.stats.BytesAfter += int64(len(raw))
	h.stats.MaxError = max(h.stats.MaxError, worst)
	return true
}

// halfBytes rounds to nearest even. ok is false if a finite value became infinite.
func halfBytes(values []float32) (raw []byte, worst float64, ok bool) {
	raw = make([]byte, 0, 2*len(values))
	for _, v := range values {
		half := float16.Fromfloat32(v)
		if half.IsInf(0) && !math.IsInf(float64(v), 0) {
			return nil, 0, false
		}
		if d := math.Abs(float64(half.Float32()) - float64(v)); d > worst { // false for NaN and for infinity less itself
			worst = d
		}
		raw = binary.LittleEndian.AppendUint16(raw, half.Bits())
	}
	return raw, worst, true
}

// fresh returns a name for the stored half of a value that no value has yet.
func (h *halver) fresh(name string) string {
	half := name + "_half"
	for i := 2; h.used[half]; i++ {
		half = fmt.Sprintf("%s_half%d", name, i)
	}
	h.used[half] = true
	return half
}

func castToFloat(from, to string) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{
		OpType: proto.String("Cast"),
		Name:   proto.String(from + "_cast"),
		Input:  []string{from},
		Output: []string{to},
		Attribute: []*onnxpb.AttributeProto{{
			Name: proto.String("to"),
			Type: onnxpb.AttributeProto_INT.Enum(),
			I:    proto.Int64(int64(onnxpb.TensorProto_FLOAT)),
		}},
	}
}

// valueNames collects every name that a value of a graph or its subgraphs has or refers to: names of an outer graph are visible in
// an inner one, so a new name must be new everywhere.
func valueNames(g *onnxpb.GraphProto) map[string]bool {
	used := map[string]bool{}
	var add func(g *onnxpb.GraphProto)
	add = func(g *onnxpb.GraphProto) {
		for _, v := range slices.Concat(g.GetInput(), g.GetOutput(), g.GetValueInfo()) {
			used[v.GetName()] = true
		}
		for _, t := range g.GetInitializer() {
			used[t.GetName()] = true
		}
		for _, t := range g.GetSparseInitializer() {
			used[t.GetValues().GetName()] = true
		}
		for _, n := range g.GetNode() {
			for _, name := range slices.Concat(n.GetInput(), n.GetOutput()) {
				used[name] = true
			}
			for _, a := range n.GetAttribute() {
				for _, sub := range subgraphs(a) {
					add(sub)
				}
			}
		}
	}
	add(g)
	return used
}
