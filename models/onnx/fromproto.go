package onnx

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// FromProto turns a decoded file into a model in the normal form. External data is looked up in the folder dir, when it is first needed;
// with dir "" it cannot be read. The message is not changed, and the model shares its tensors' bytes.
//
// What the graph cannot say is remembered and written back by [Model.Proto]: descriptions, metadata, denotations, annotations, functions,
// fields of later versions. Constant nodes become constants like initialisers; initialisers that an old file (IR version 3) had to list
// as inputs are no inputs any more.
func FromProto(p *onnxpb.ModelProto, dir string) (*Model, error) {
	p, err := Upgrade(p)
	if err != nil {
		return nil, err
	}
	m := &Model{
		IRVersion: p.GetIrVersion(), Producer: p.GetProducerName(), ProducerVersion: p.GetProducerVersion(), Domain: p.GetDomain(),
		Version: p.GetModelVersion(), Doc: p.GetDocString(), Graph: new(graph.Graph), rest: restOfModel(p),
	}
	for _, kv := range p.GetMetadataProps() {
		m.Metadata = append(m.Metadata, Property{kv.GetKey(), kv.GetValue()})
	}
	for _, o := range p.GetOpsetImport() {
		m.Graph.SetOpset(domain(o.GetDomain()), o.GetVersion())
	}
	r := reader{dir: dir}
	if err := r.graph(m.Graph, p.GetGraph()); err != nil {
		return nil, err
	}
	if err := m.Graph.Check(); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	m.Graph.MarkParams()
	return m, nil
}

func domain(d string) string {
	if d == "ai.onnx" { // an alias of ""
		return ""
	}
	return d
}

// restOfModel returns what FromProto does not take out, or nil.
func restOfModel(p *onnxpb.ModelProto) *onnxpb.ModelProto {
	rest := &onnxpb.ModelProto{TrainingInfo: p.GetTrainingInfo(), Functions: p.GetFunctions()}
	rest.ProtoReflect().SetUnknown(p.ProtoReflect().GetUnknown())
	if proto.Size(rest) == 0 {
		return nil
	}
	return rest
}

// reader turns the messages of one file into graphs.
type reader struct{ dir string }

// graph fills an empty graph. Names are defined before nodes are wired, because files need not be in order, and bodies refer to names
// around them.
func (r *reader) graph(g *graph.Graph, p *onnxpb.GraphProto) error {
	g.Name = p.GetName()
	g.Keep = restOfGraph(p)
	if err := r.sources(g, p); err != nil {
		return err
	}
	wired, err := r.results(g, p)
	if err != nil {
		return err
	}
	if err := r.declare(g, p); err != nil {
		return err
	}
	for _, n := range wired {
		if err := r.node(g, n); err != nil {
			return err
		}
	}
	outputs := make([]graph.Value, len(p.GetOutput()))
	for i, o := range p.GetOutput() {
		v, err := resolve(g, o.GetName())
		if err != nil || v == graph.None {
			return fmt.Errorf("onnx: output %q of graph %q is computed by nothing", o.GetName(), g.Name)
		}
		r.output(g, v, o)
		outputs[i] = v
	}
	g.SetOutputs(outputs...)
	if err := g.Sort(); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return nil
}

func restOfGraph(p *onnxpb.GraphProto) any {
	rest := &onnxpb.GraphProto{DocString: p.DocString, QuantizationAnnotation: p.GetQuantizationAnnotation(), MetadataProps: p.GetMetadataProps()}
	rest.ProtoReflect().SetUnknown(p.ProtoReflect().GetUnknown())
	if proto.Size(rest) == 0 {
		return nil
	}
	return rest
}

// sources defines inputs and initialisers.
func (r *reader) sources(g *graph.Graph, p *onnxpb.GraphProto) error {
	held := map[string]*graph.Tensor{}
	var order []string
	hold := func(name string, t *graph.Tensor, err error) error {
		if err != nil {
			return fmt.Errorf("onnx: initialiser %q: %w", name, err)
		}
		if _, twice := held[name]; twice || name == "" {
			return fmt.Errorf("onnx: two initialisers, or one without a name: %q", name)
		}
		held[name] = t
		order = append(order, name)
		return nil
	}
	for _, t := range p.GetInitializer() {
		tensor, err := r.tensor(t)
		if err := hold(t.GetName(), tensor, err); err != nil {
			return err
		}
	}
	for _, s := range p.GetSparseInitializer() {
		tensor, err := graph.ForeignTensor(graph.DType(s.GetValues().GetDataType()), s.GetDims(), s)
		if err := hold(s.GetValues().GetName(), tensor, err); err != nil {
			return err
		}
	}
	for _, in := range p.GetInput() {
		name := in.GetName()
		if name == "" || g.Lookup(name) != graph.None {
			return fmt.Errorf("onnx: two inputs, or one without a name: %q", name)
		}
		t, err := typeOf(in.GetType())
		if err != nil {
			return fmt.Errorf("onnx: input %q: %w", name, err)
		}
		v := g.InputWithDefault(name, t, held[name])
		g.SetKeep(v, in)
	}
	for _, name := range order {
		if g.Lookup(name) == graph.None {
			g.ConstNamed(name, held[name])
		}
	}
	return nil
}

// results defines what nodes compute, and returns the nodes that are to be wired: all but constants.
func (r *reader) results(g *graph.Graph, p *onnxpb.GraphProto) ([]*onnxpb.NodeProto, error) {
	var wired []*onnxpb.NodeProto
	for i, n := range p.GetNode() {
		for _, name := range n.GetOutput() {
			if name != "" && g.Lookup(name) != graph.None {
				return nil, fmt.Errorf("onnx: %s: output %q is defined twice", nodeName(i, n), name)
			}
		}
		t, err := r.constant(n)
		if err != nil {
			return nil, fmt.Errorf("onnx: %s: %w", nodeName(i, n), err)
		}
		if t != nil {
			g.ConstNamed(n.GetOutput()[0], t)
			continue
		}
		for _, name := range n.GetOutput() {
			if name == "" {
				continue
			}
			if g.Lookup(name) != graph.None {
				return nil, fmt.Errorf("onnx: %s: output %q is defined twice", nodeName(i, n), name)
			}
			g.Reserve(name)
		}
		wired = append(wired, n)
	}
	return wired, nil
}

func nodeName(i int, n *onnxpb.NodeProto) string {
	if n.GetName() != "" {
		return fmt.Sprintf("node %q (%s)", n.GetName(), n.GetOpType())
	}
	return fmt.Sprintf("node %d (%s)", i, n.GetOpType())
}

// declare takes over what the file says about values between nodes.
func (r *reader) declare(g *graph.Graph, p *onnxpb.GraphProto) error {
	for _, info := range p.GetValueInfo() {
		v := g.Lookup(info.GetName())
		if g.Kind(v) != graph.Result {
			continue
		}
		t, err := typeOf(info.GetType())
		if err != nil {
			return fmt.Errorf("onnx: value %q: %w", info.GetName(), err)
		}
		g.Declare(v, t)
		g.SetKeep(v, info)
	}
	return nil
}

// output takes over what the file says about an output. One that is an input or a constant is described there.
func (r *reader) output(g *graph.Graph, v graph.Value, info *onnxpb.ValueInfoProto) {
	if g.Kind(v) != graph.Result {
		return
	}
	if t, err := typeOf(info.GetType()); err == nil && info.GetType() != nil {
		g.SetType(v, t)
	}
	g.SetKeep(v, info)
}

// resolve finds a name in a graph or in those around it; "" is None.
func resolve(g *graph.Graph, name string) (graph.Value, error) {
	if name == "" {
		return graph.None, nil
	}
	if v := g.Lookup(name); v != graph.None {
		return v, nil
	}
	if g.Outer() == nil {
		return graph.None, fmt.Errorf("%q is defined nowhere", name)
	}
	v, err := resolve(g.Outer(), name)
	if err != nil {
		return graph.None, err
	}
	return g.Capture(v), nil
}

func (r *reader) node(g *graph.Graph, p *onnxpb.NodeProto) error {
	n := graph.Node{
		Name: p.GetName(), Op: p.GetOpType(), Domain: domain(p.GetDomain()), Overload: p.GetOverload(), Keep: restOfNode(p),
		Inputs: make([]graph.Value, len(p.GetInput())), Outputs: make([]graph.Value, len(p.GetOutput())),
	}
	fail := func(err error) error { return fmt.Errorf("onnx: %v: %w", &n, err) }
	if n.Op == "" {
		return fail(errors.New("no operator"))
	}
	for i, name := range p.GetInput() {
		v, err := resolve(g, name)
		if err != nil {
			return fail(fmt.Errorf("input %d: %w", i, err))
		}
		n.Inputs[i] = v
	}
	for i, name := range p.GetOutput() {
		n.Outputs[i] = g.Lookup(name) // reserved by results; "" is None
	}
	for _, a := range p.GetAttribute() {
		attr, err := r.attr(g, a)
		if err != nil {
			return fail(fmt.Errorf("attribute %s: %w", a.GetName(), err))
		}
		n.Attrs = append(n.Attrs, attr)
	}
	if err := g.Wire(n); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	return nil
}

func restOfNode(p *onnxpb.NodeProto) any {
	rest := &onnxpb.NodeProto{DocString: p.DocString, MetadataProps: p.GetMetadataProps()}
	rest.ProtoReflect().SetUnknown(p.ProtoReflect().GetUnknown())
	if proto.Size(rest) == 0 {
		return nil
	}
	return rest
}

// typeOf reads a type. What is no dense tensor is kept as it is.
func typeOf(p *onnxpb.TypeProto) (graph.Type, error) {
	if p.GetValue() == nil {
		return graph.Type{}, nil
	}
	t := p.GetTensorType()
	if t == nil {
		return graph.Type{Foreign: p}, nil
	}
	out := graph.Type{Elem: graph.DType(t.GetElemType())}
	if t.GetShape() == nil {
		return out, nil
	}
	if len(t.GetShape().GetDim()) > maxRank {
		return out, fmt.Errorf("%d sizes, more than %d", len(t.GetShape().GetDim()), maxRank)
	}
	out.Shape = graph.Shape{}
	for _, d := range t.GetShape().GetDim() {
		dim := graph.Sym(d.GetDimParam())
		if n, ok := d.GetValue().(*onnxpb.TensorShapeProto_Dimension_DimValue); ok && n.DimValue >= 0 {
			dim = graph.N(n.DimValue)
		}
		out.Shape = append(out.Shape, dim)
	}
	return out, nil
}
