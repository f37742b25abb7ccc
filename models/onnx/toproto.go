package onnx

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// Proto turns a model into a message, with all tensors inside. The message shares their bytes. Equal models give equal messages: nothing
// depends on the order of a map.
func (m *Model) Proto() (*onnxpb.ModelProto, error) { return m.proto(&writer{}) }

// Bytes returns the model as one file, of at most [MaxBytes].
func (m *Model) Bytes() ([]byte, error) {
	p, err := m.Proto()
	if err != nil {
		return nil, err
	}
	return Encode(p)
}

func (m *Model) proto(w *writer) (*onnxpb.ModelProto, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	p := new(onnxpb.ModelProto)
	if m.rest != nil {
		p = &onnxpb.ModelProto{TrainingInfo: m.rest.GetTrainingInfo(), Functions: m.rest.GetFunctions()}
		p.ProtoReflect().SetUnknown(m.rest.ProtoReflect().GetUnknown())
	}
	p.IrVersion = proto.Int64(max(m.IRVersion, irFor(m.Graph.Opset(""))))
	p.ProducerName, p.ProducerVersion, p.Domain, p.DocString = text(m.Producer), text(m.ProducerVersion), text(m.Domain), text(m.Doc)
	if m.Version != 0 {
		p.ModelVersion = proto.Int64(m.Version)
	}
	for _, kv := range m.Metadata {
		p.MetadataProps = append(p.MetadataProps, &onnxpb.StringStringEntryProto{Key: proto.String(kv.Key), Value: proto.String(kv.Value)})
	}
	for _, o := range m.Graph.Opsets() {
		p.OpsetImport = append(p.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(o.Domain), Version: proto.Int64(o.Version)})
	}
	var err error
	if p.Graph, err = w.graph(m.Graph); err != nil {
		return nil, err
	}
	if len(p.Graph.GetNode()) == 0 {
		constantsToNodes(p.Graph)
	}
	if len(p.Graph.GetNode()) == 0 {
		return nil, fmt.Errorf("onnx: graph %q has no nodes", m.Graph.Name)
	}
	return p, nil
}

// constantsToNodes makes the initialisers of a graph without nodes Constant nodes, as they may have been: no reader takes a graph without
// nodes for a network.
func constantsToNodes(g *onnxpb.GraphProto) {
	for _, t := range g.GetInitializer() {
		if slices.ContainsFunc(g.GetInput(), func(v *onnxpb.ValueInfoProto) bool { return v.GetName() == t.GetName() }) || isExternal(t) {
			return
		}
	}
	for _, t := range g.GetInitializer() {
		name := t.GetName()
		t.Name = nil
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Constant"), Output: []string{name}, Attribute: []*onnxpb.AttributeProto{
			{Name: proto.String("value"), Type: onnxpb.AttributeProto_TENSOR.Enum(), T: t},
		}})
	}
	g.Initializer = nil
}

// text leaves out a field that says nothing.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// writer turns the graphs of one model into messages. store takes the elements of initialisers, if it is set; it returns nil for a
// tensor that is to stay inside.
type writer struct {
	store func(name string, t *graph.Tensor) (*onnxpb.TensorProto, error)
}

func (w *writer) graph(g *graph.Graph) (*onnxpb.GraphProto, error) {
	p := new(onnxpb.GraphProto)
	if rest, ok := g.Keep.(*onnxpb.GraphProto); ok {
		p = proto.CloneOf(rest)
	}
	p.Name = proto.String(g.Name)
	for _, v := range g.Inputs() {
		p.Input = append(p.Input, infoProto(g, v))
	}
	for _, v := range g.Outputs() {
		p.Output = append(p.Output, infoProto(g, v))
	}
	for _, v := range g.Values() {
		if err := w.initialiser(p, g, v); err != nil {
			return nil, err
		}
	}
	for _, n := range g.Nodes() {
		node, err := w.node(g, n)
		if err != nil {
			return nil, err
		}
		p.Node = append(p.Node, node)
		for _, v := range n.Outputs {
			if v != graph.None && g.Declared(v) && !g.IsOutput(v) {
				p.ValueInfo = append(p.ValueInfo, infoProto(g, v))
			}
		}
	}
	return p, nil
}

func (w *writer) initialiser(p *onnxpb.GraphProto, g *graph.Graph, v graph.Value) error {
	t := g.ConstOf(v)
	if g.Kind(v) == graph.Captured {
		return nil
	}
	if t == nil {
		if t = g.Default(v); t == nil {
			return nil
		}
	}
	name := g.NameOf(v)
	if s, ok := t.Keep.(*onnxpb.SparseTensorProto); ok {
		s = proto.CloneOf(s)
		s.Values.Name = proto.String(name)
		p.SparseInitializer = append(p.SparseInitializer, s)
		return nil
	}
	if w.store != nil {
		if stored, err := w.store(name, t); err != nil || stored != nil {
			p.Initializer = append(p.Initializer, stored)
			return err
		}
	}
	tensor, err := w.named(name, t)
	p.Initializer = append(p.Initializer, tensor)
	return err
}

func (w *writer) node(g *graph.Graph, n *graph.Node) (*onnxpb.NodeProto, error) {
	p := new(onnxpb.NodeProto)
	if rest, ok := n.Keep.(*onnxpb.NodeProto); ok {
		p = proto.CloneOf(rest)
	}
	p.Name, p.OpType, p.Domain, p.Overload = text(n.Name), proto.String(n.Op), text(n.Domain), text(n.Overload)
	for _, v := range n.Inputs {
		p.Input = append(p.Input, g.NameOf(v))
	}
	for _, v := range n.Outputs {
		p.Output = append(p.Output, g.NameOf(v))
	}
	for _, a := range n.Attrs {
		attr, err := w.attr(a)
		if err != nil {
			return nil, fmt.Errorf("onnx: %v: attribute %s: %w", n, a.Name, err)
		}
		p.Attribute = append(p.Attribute, attr)
	}
	return p, nil
}

// infoProto describes a value. The file's own description of its type is written back unless the type has changed since, because it may
// say more: denotations.
func infoProto(g *graph.Graph, v graph.Value) *onnxpb.ValueInfoProto {
	p := new(onnxpb.ValueInfoProto)
	kept, ok := g.KeepOf(v).(*onnxpb.ValueInfoProto)
	if ok {
		p = proto.CloneOf(kept)
	}
	p.Name = proto.String(g.NameOf(v))
	now := g.TypeOf(v)
	if was, err := typeOf(kept.GetType()); !ok || err != nil || !equalTypes(was, now) {
		p.Type = typeProto(now)
	}
	return p
}

func equalTypes(a, b graph.Type) bool {
	return a.Elem == b.Elem && a.Foreign == b.Foreign && (a.Shape == nil) == (b.Shape == nil) && slices.Equal(a.Shape, b.Shape)
}

// typeProto writes a type, nil for one of which nothing is known.
func typeProto(t graph.Type) *onnxpb.TypeProto {
	if p, ok := t.Foreign.(*onnxpb.TypeProto); ok {
		return p
	}
	if t.Elem == graph.Undefined {
		return nil // a shape alone is no type
	}
	tensor := &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(t.Elem))}
	if t.Shape != nil {
		tensor.Shape = new(onnxpb.TensorShapeProto)
	}
	for _, d := range t.Shape {
		dim := new(onnxpb.TensorShapeProto_Dimension)
		switch {
		case d.Known():
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: d.Size}
		case d.Name != "":
			dim.Value = &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: d.Name}
		}
		tensor.Shape.Dim = append(tensor.Shape.Dim, dim)
	}
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: tensor}}
}
