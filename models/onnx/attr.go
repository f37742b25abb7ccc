package onnx

import (
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// attr reads an attribute. Kinds that the graph does not know, as references to attributes of a function, are kept whole.
func (r *reader) attr(g *graph.Graph, p *onnxpb.AttributeProto) (graph.Attr, error) {
	a := graph.Attr{Name: p.GetName(), Keep: restOfAttr(p)}
	if p.GetRefAttrName() != "" {
		a.Keep = p
		return a, nil
	}
	var err error
	switch attrKind(p) {
	case onnxpb.AttributeProto_FLOAT:
		a.Value = p.GetF()
	case onnxpb.AttributeProto_INT:
		a.Value = p.GetI()
	case onnxpb.AttributeProto_STRING:
		a.Value = string(p.GetS())
	case onnxpb.AttributeProto_FLOATS:
		a.Value = append([]float32{}, p.GetFloats()...)
	case onnxpb.AttributeProto_INTS:
		a.Value = append([]int64{}, p.GetInts()...)
	case onnxpb.AttributeProto_STRINGS:
		a.Value = texts(p.GetStrings())
	case onnxpb.AttributeProto_TENSOR:
		if p.GetT() == nil {
			return a, errors.New("no tensor")
		}
		a.Value, err = r.named(p.GetT())
	case onnxpb.AttributeProto_TENSORS:
		tensors := make([]*graph.Tensor, len(p.GetTensors()))
		for i, t := range p.GetTensors() {
			if tensors[i], err = r.named(t); err != nil {
				return a, err
			}
		}
		a.Value = tensors
	case onnxpb.AttributeProto_GRAPH:
		if p.GetG() == nil {
			return a, errors.New("no graph")
		}
		a.Value, err = r.body(g, p.GetG())
	case onnxpb.AttributeProto_GRAPHS:
		bodies := make([]*graph.Graph, len(p.GetGraphs()))
		for i, b := range p.GetGraphs() {
			if bodies[i], err = r.body(g, b); err != nil {
				return a, err
			}
		}
		a.Value = bodies
	default:
		a.Keep = p
	}
	return a, err
}

func (r *reader) body(g *graph.Graph, p *onnxpb.GraphProto) (*graph.Graph, error) {
	body := g.NewBody(p.GetName())
	return body, r.graph(body, p)
}

// restOfAttr returns what the graph does not say about an attribute.
func restOfAttr(p *onnxpb.AttributeProto) any {
	rest := &onnxpb.AttributeProto{DocString: p.DocString}
	rest.ProtoReflect().SetUnknown(p.ProtoReflect().GetUnknown())
	if proto.Size(rest) == 0 {
		return nil
	}
	return rest
}

// attrKind returns the kind of an attribute; files of IR version 1 do not state it.
func attrKind(p *onnxpb.AttributeProto) onnxpb.AttributeProto_AttributeType {
	switch {
	case p.GetType() != onnxpb.AttributeProto_UNDEFINED:
		return p.GetType()
	case p.F != nil:
		return onnxpb.AttributeProto_FLOAT
	case p.I != nil:
		return onnxpb.AttributeProto_INT
	case p.S != nil:
		return onnxpb.AttributeProto_STRING
	case p.T != nil:
		return onnxpb.AttributeProto_TENSOR
	case p.G != nil:
		return onnxpb.AttributeProto_GRAPH
	case len(p.GetFloats()) > 0:
		return onnxpb.AttributeProto_FLOATS
	case len(p.GetInts()) > 0:
		return onnxpb.AttributeProto_INTS
	case len(p.GetStrings()) > 0:
		return onnxpb.AttributeProto_STRINGS
	case len(p.GetTensors()) > 0:
		return onnxpb.AttributeProto_TENSORS
	case len(p.GetGraphs()) > 0:
		return onnxpb.AttributeProto_GRAPHS
	}
	return onnxpb.AttributeProto_UNDEFINED
}

func texts(in [][]byte) []string {
	out := make([]string, len(in))
	for i, b := range in {
		out[i] = string(b)
	}
	return out
}

// attrProto writes an attribute.
func (w *writer) attr(a graph.Attr) (*onnxpb.AttributeProto, error) {
	p := new(onnxpb.AttributeProto)
	if rest, ok := a.Keep.(*onnxpb.AttributeProto); ok {
		p = proto.CloneOf(rest)
	}
	p.Name = proto.String(a.Name)
	if a.Value == nil {
		return p, nil
	}
	var err error
	switch v := a.Value.(type) {
	case float32:
		p.Type, p.F = onnxpb.AttributeProto_FLOAT.Enum(), proto.Float32(v)
	case int64:
		p.Type, p.I = onnxpb.AttributeProto_INT.Enum(), proto.Int64(v)
	case string:
		p.Type, p.S = onnxpb.AttributeProto_STRING.Enum(), []byte(v)
	case []float32:
		p.Type, p.Floats = onnxpb.AttributeProto_FLOATS.Enum(), v
	case []int64:
		p.Type, p.Ints = onnxpb.AttributeProto_INTS.Enum(), v
	case []string:
		p.Type, p.Strings = onnxpb.AttributeProto_STRINGS.Enum(), blobs(v)
	case *graph.Tensor:
		p.Type = onnxpb.AttributeProto_TENSOR.Enum()
		p.T, err = w.inline(v)
	case []*graph.Tensor:
		p.Type = onnxpb.AttributeProto_TENSORS.Enum()
		for _, t := range v {
			tensor, err := w.inline(t)
			if err != nil {
				return nil, err
			}
			p.Tensors = append(p.Tensors, tensor)
		}
	case *graph.Graph:
		p.Type = onnxpb.AttributeProto_GRAPH.Enum()
		p.G, err = w.graph(v)
	case []*graph.Graph:
		p.Type = onnxpb.AttributeProto_GRAPHS.Enum()
		for _, b := range v {
			body, err := w.graph(b)
			if err != nil {
				return nil, err
			}
			p.Graphs = append(p.Graphs, body)
		}
	}
	return p, err
}

func blobs(in []string) [][]byte {
	out := make([][]byte, len(in))
	for i, s := range in {
		out[i] = []byte(s)
	}
	return out
}
