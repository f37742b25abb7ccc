package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// oldest is the first operator set that can be brought up to [Normal]. Before it, types were not checked and many operators differed.
const oldest = 6

// unchanged lists operators that are the same from set 1 on, so that models of nothing else can be older than oldest.
var unchanged = []string{"Softplus", "Softsign", "Transpose", "Constant", "GlobalAveragePool", "GlobalMaxPool", "Conv", "Not"}

// Upgrade returns a copy of a model in the forms of operator set [Normal], or of 21 if it uses GroupNormalization, DFT or GridSample: what older sets give as attributes and newer ones as inputs
// (axes, pads, ratios, bounds, sizes) becomes inputs, operators that were renamed get their new names, and defaults that changed are
// spelled out, so that the results stay the same. Bodies and the model's own functions are upgraded with the graph. A model
// that is there already, or later, comes back as a copy with nothing changed.
//
// A form that has no equal in Normal, and a model older than operator set 6, is an error that names the node.
func Upgrade(m *onnxpb.ModelProto) (*onnxpb.ModelProto, error) {
	from := opsets(m)[""]
	out := shallow(m)
	to := target(m)
	if from >= to || from == 0 && !uses(m.GetGraph(), func(n *onnxpb.NodeProto) bool { return domain(n.GetDomain()) == "" }) {
		return out, nil
	}
	if from < oldest && !onlyUnchanged(m.GetGraph()) {
		return nil, fmt.Errorf("onnx: operator set %d is older than %d: export the model again, or convert it with onnx.version_converter", from, oldest)
	}
	u := upgrader{from: from, used: valueNames(m.GetGraph()), mixed: hasOtherFloats(m.GetGraph()), ranks: map[string]int{}, wanted: map[string]bool{}}
	u.want(m.GetGraph())
	g, err := u.graph(m.GetGraph())
	if err != nil {
		return nil, err
	}
	out.Graph = g
	out.OpsetImport = raised(m.GetOpsetImport(), to)
	out.IrVersion = proto.Int64(max(m.GetIrVersion(), irFor(to)))
	if m.GetIrVersion() < 4 {
		out.Graph.Input = withoutHeld(out.Graph)
	}
	for i, f := range m.GetFunctions() {
		if out.Functions[i], err = upgradeFunction(f, to); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shallow copies the message and its lists, not what they hold.
func shallow(m *onnxpb.ModelProto) *onnxpb.ModelProto {
	out := &onnxpb.ModelProto{
		IrVersion: m.IrVersion, ProducerName: m.ProducerName, ProducerVersion: m.ProducerVersion, Domain: m.Domain,
		ModelVersion: m.ModelVersion, DocString: m.DocString, Graph: m.Graph, OpsetImport: slices.Clone(m.OpsetImport),
		MetadataProps: slices.Clone(m.MetadataProps), TrainingInfo: m.TrainingInfo, Functions: slices.Clone(m.Functions),
	}
	out.ProtoReflect().SetUnknown(m.ProtoReflect().GetUnknown())
	return out
}

// target returns the operator set that a model is to be brought up to.
func target(m *onnxpb.ModelProto) int64 {
	changed := func(n *onnxpb.NodeProto) bool {
		return domain(n.GetDomain()) == "" && slices.Contains(lateOps, n.GetOpType())
	}
	if uses(m.GetGraph(), changed) {
		return late
	}
	for _, f := range m.GetFunctions() {
		if uses(&onnxpb.GraphProto{Node: f.GetNode()}, changed) {
			return late
		}
	}
	return Normal
}

// uses reports a graph with a node for which f is true, in itself or a body.
func uses(g *onnxpb.GraphProto, f func(*onnxpb.NodeProto) bool) bool {
	found := false
	walkNodes(g, func(n *onnxpb.NodeProto) { found = found || f(n) })
	return found
}

func onlyUnchanged(g *onnxpb.GraphProto) bool {
	return !uses(g, func(n *onnxpb.NodeProto) bool { return !slices.Contains(unchanged, n.GetOpType()) })
}

// hasOtherFloats reports tensors of half or double precision, whose constants must be made in their type.
func hasOtherFloats(g *onnxpb.GraphProto) bool {
	other := func(elem int32) bool { return isFloating(elem) && elem != int32(onnxpb.TensorProto_FLOAT) }
	found := false
	for _, v := range slices.Concat(g.GetInput(), g.GetOutput(), g.GetValueInfo()) {
		found = found || other(v.GetType().GetTensorType().GetElemType())
	}
	for _, t := range g.GetInitializer() {
		found = found || other(t.GetDataType())
	}
	walkNodes(g, func(n *onnxpb.NodeProto) {
		for _, a := range n.GetAttribute() {
			found = found || other(a.GetT().GetDataType()) || a.GetName() == "to" && other(int32(a.GetI()))
		}
	})
	return found
}

func raised(sets []*onnxpb.OperatorSetIdProto, to int64) []*onnxpb.OperatorSetIdProto {
	out := slices.Clone(sets)
	for i, o := range out {
		if domain(o.GetDomain()) == "" {
			out[i] = proto.CloneOf(o)
			out[i].Version = proto.Int64(to)
		}
	}
	return out
}

// withoutHeld returns the inputs that are no initialisers: up to IR version 3 those had to be listed too.
func withoutHeld(g *onnxpb.GraphProto) []*onnxpb.ValueInfoProto {
	held := map[string]bool{}
	for _, t := range g.GetInitializer() {
		held[t.GetName()] = true
	}
	return slices.DeleteFunc(slices.Clone(g.GetInput()), func(v *onnxpb.ValueInfoProto) bool { return held[v.GetName()] })
}

func upgradeFunction(f *onnxpb.FunctionProto, to int64) (*onnxpb.FunctionProto, error) {
	from := int64(0)
	for _, o := range f.GetOpsetImport() {
		if domain(o.GetDomain()) == "" {
			from = o.GetVersion()
		}
	}
	if from == 0 || from >= to {
		return f, nil
	}
	if from < oldest {
		return nil, fmt.Errorf("onnx: function %s.%s: operator set %d is older than %d", f.GetDomain(), f.GetName(), from, oldest)
	}
	body := &onnxpb.GraphProto{Node: f.GetNode()}
	u := upgrader{from: from, used: valueNames(body), mixed: true, ranks: map[string]int{}}
	for _, name := range slices.Concat(f.GetInput(), f.GetOutput()) {
		u.used[name] = true
	}
	nodes, err := u.nodes(f.GetNode())
	if err != nil {
		return nil, fmt.Errorf("onnx: function %s.%s: %w", f.GetDomain(), f.GetName(), err)
	}
	out := proto.CloneOf(f)
	out.Node, out.OpsetImport = nodes, raised(f.GetOpsetImport(), to)
	return out, nil
}

// upgrader brings nodes of one operator set up to a later one. While it works on a node, it collects what comes before it and behind.
type upgrader struct {
	from   int64
	used   map[string]bool // names of values, anywhere in the model
	wanted map[string]bool // values that a node or an output uses; nil: any may be
	mixed  bool            // floats may be of other types than float32
	ranks  map[string]int  // of values whose rank is certain

	before, after []*onnxpb.NodeProto
}

// want collects the values that are used.
func (u *upgrader) want(g *onnxpb.GraphProto) {
	for _, o := range g.GetOutput() {
		u.wanted[o.GetName()] = true
	}
	for _, n := range g.GetNode() {
		for _, name := range n.GetInput() {
			u.wanted[name] = true
		}
		for _, a := range n.GetAttribute() {
			for _, sub := range subgraphs(a) {
				u.want(sub)
			}
		}
	}
}

// graph returns a copy of a graph with its nodes upgraded.
func (u *upgrader) graph(g *onnxpb.GraphProto) (*onnxpb.GraphProto, error) {
	for _, v := range slices.Concat(g.GetInput(), g.GetOutput(), g.GetValueInfo()) {
		if s := v.GetType().GetTensorType().GetShape(); s != nil {
			u.ranks[v.GetName()] = len(s.GetDim())
		}
	}
	for _, t := range g.GetInitializer() {
		u.ranks[t.GetName()] = len(t.GetDims())
	}
	out := &onnxpb.GraphProto{
		Name: g.Name, Initializer: g.Initializer, DocString: g.DocString, Input: g.Input, Output: g.Output, ValueInfo: g.ValueInfo,
		QuantizationAnnotation: g.QuantizationAnnotation, SparseInitializer: g.SparseInitializer, MetadataProps: g.MetadataProps,
	}
	out.ProtoReflect().SetUnknown(g.ProtoReflect().GetUnknown())
	var err error
	out.Node, err = u.nodes(g.GetNode())
	return out, err
}

func (u *upgrader) nodes(nodes []*onnxpb.NodeProto) ([]*onnxpb.NodeProto, error) {
	out := make([]*onnxpb.NodeProto, 0, len(nodes))
	for i, n := range nodes {
		n, err := u.bodies(n)
		if err != nil {
			return nil, err
		}
		if domain(n.GetDomain()) == "" {
			if err := u.node(n); err != nil {
				return nil, fmt.Errorf("onnx: %s: operator set %d: %w", nodeName(i, n), u.from, err)
			}
		}
		out = append(append(append(out, u.before...), n), u.after...)
		u.before, u.after = nil, nil
	}
	return out, nil
}

// bodies returns a copy of a node, with its bodies upgraded. Tensors are shared.
func (u *upgrader) bodies(n *onnxpb.NodeProto) (*onnxpb.NodeProto, error) {
	out := &onnxpb.NodeProto{
		Input: slices.Clone(n.Input), Output: slices.Clone(n.Output), Name: n.Name, OpType: n.OpType, Attribute: slices.Clone(n.Attribute),
		DocString: n.DocString, Domain: n.Domain, Overload: n.Overload, MetadataProps: n.MetadataProps,
	}
	out.ProtoReflect().SetUnknown(n.ProtoReflect().GetUnknown())
	for i, a := range out.GetAttribute() {
		if len(subgraphs(a)) == 0 {
			continue
		}
		c := &onnxpb.AttributeProto{Name: a.Name, Type: a.Type, DocString: a.DocString, RefAttrName: a.RefAttrName}
		c.ProtoReflect().SetUnknown(a.ProtoReflect().GetUnknown())
		var err error
		if a.G != nil {
			if c.G, err = u.graph(a.G); err != nil {
				return nil, err
			}
		}
		for _, g := range a.GetGraphs() {
			body, err := u.graph(g)
			if err != nil {
				return nil, err
			}
			c.Graphs = append(c.Graphs, body)
		}
		out.Attribute[i] = c
	}
	return out, nil
}

// node upgrades a node in place, step by step.
func (u *upgrader) node(n *onnxpb.NodeProto) error {
	for _, s := range steps[n.GetOpType()] {
		if u.from < s.since {
			if err := s.f(u, n); err != nil {
				return err
			}
		}
	}
	u.follow(n)
	return nil
}

// keepsRank lists operators whose output has the rank of their first input, among those that lead to a softmax.
var keepsRank = []string{
	"AveragePool", "BatchNormalization", "Cast", "Clip", "Conv", "Dropout", "GlobalAveragePool", "Identity", "MaxPool", "Relu", "Softmax",
	"Transpose",
}

// follow notes the rank of a node's output where it is certain.
func (u *upgrader) follow(n *onnxpb.NodeProto) {
	if len(n.GetOutput()) == 0 || len(n.GetInput()) == 0 {
		return
	}
	y := n.GetOutput()[0]
	rank, known := u.ranks[n.GetInput()[0]]
	switch op := n.GetOpType(); {
	case op == "Flatten" || op == "Gemm":
		u.ranks[y] = 2
	case slices.Contains(keepsRank, op) && known:
		u.ranks[y] = rank
	case (op == "Add" || op == "Mul" || op == "MatMul") && len(n.GetInput()) == 2 && known:
		// Vectors lose an axis in MatMul; broadcasting takes the higher rank.
		if other, ok := u.ranks[n.GetInput()[1]]; ok && (op != "MatMul" || min(rank, other) > 1) {
			u.ranks[y] = max(rank, other)
		}
	}
}

// fresh returns a name that no value has.
func (u *upgrader) fresh(hint string) string {
	name := hint
	for i := 1; u.used[name] || name == ""; i++ {
		name = hint + "_" + strconv.Itoa(i)
	}
	u.used[name] = true
	return name
}

// take removes an attribute and returns it, or nil.
func take(n *onnxpb.NodeProto, name string) *onnxpb.AttributeProto {
	i := slices.IndexFunc(n.Attribute, func(a *onnxpb.AttributeProto) bool { return a.GetName() == name })
	if i < 0 {
		return nil
	}
	a := n.Attribute[i]
	n.Attribute = slices.Delete(n.Attribute, i, i+1)
	return a
}

func find(n *onnxpb.NodeProto, name string) *onnxpb.AttributeProto {
	for _, a := range n.GetAttribute() {
		if a.GetName() == name {
			return a
		}
	}
	return nil
}

func number(n *onnxpb.NodeProto, name string, def int64) int64 {
	if a := find(n, name); a != nil {
		return a.GetI()
	}
	return def
}

// put sets input i of a node, leaving out those between.
func put(n *onnxpb.NodeProto, i int, name string) {
	for len(n.Input) <= i {
		n.Input = append(n.Input, "")
	}
	n.Input[i] = name
}

// constant puts a Constant node before the current one and returns its output. The attribute may refer to one of a function.
func (u *upgrader) constant(n *onnxpb.NodeProto, kind string, a *onnxpb.AttributeProto) string {
	hint := a.GetName()
	if len(n.GetOutput()) > 0 {
		hint = n.GetOutput()[0] + "_" + hint
	}
	name := u.fresh(hint)
	c := proto.CloneOf(a)
	c.Name = proto.String(kind)
	u.before = append(u.before, &onnxpb.NodeProto{OpType: proto.String("Constant"), Output: []string{name}, Attribute: []*onnxpb.AttributeProto{c}})
	return name
}

func intsAttr(name string, values ...int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INTS.Enum(), Ints: values}
}

func intAttr(name string, value int64) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_INT.Enum(), I: proto.Int64(value)}
}

func stringAttr(name, value string) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_STRING.Enum(), S: []byte(value)}
}

// scalar is constant for a float attribute that becomes an input of the type of the node's first input.
func (u *upgrader) scalar(n *onnxpb.NodeProto, a *onnxpb.AttributeProto) string {
	name := u.constant(n, "value_float", a)
	if !u.mixed {
		return name
	}
	return u.op("CastLike", name+"_like", []string{name, n.GetInput()[0]})
}

// op puts a node with one output before the current one and returns its output.
func (u *upgrader) op(op, hint string, inputs []string, attrs ...*onnxpb.AttributeProto) string {
	name := u.fresh(hint)
	u.before = append(u.before, &onnxpb.NodeProto{OpType: proto.String(op), Input: inputs, Output: []string{name}, Attribute: attrs})
	return name
}

// errNoEqual says that an old form means something that no new form does.
var errNoEqual = errors.New("this form has no equal in later operator sets")
