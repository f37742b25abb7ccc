package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// What [Vet] allows. Real networks stay far below.
const (
	maxNodes  = 1 << 20 // nodes, each call of a function counted with all that it calls
	maxValues = 1 << 31 // elements of one value, for one item where the batch is open: 8 GiB in float32
)

// Vet refuses a decoded file with which an engine crashes or never ends, as far as that can be seen in the file: strides, kernels,
// dilations, groups and blocks that are not positive, whole numbers divided by a constant 0, functions that call themselves or unfold to
// more than 2^20 nodes, decision trees that lead nowhere, in a circle or to features beyond the input's, and values of more than 2^31
// elements, as repeated Concat, Expand or Tile make them. Other operators of other domains, and what depends on sizes that are chosen
// later, pass: an engine runs what the file says, and files of strangers are programs of
// strangers.
func Vet(p *onnxpb.ModelProto) error {
	if err := vetFunctions(p); err != nil {
		return err
	}
	if err := vetNodes(p.GetGraph().GetNode(), scopeOf(nil, p.GetGraph())); err != nil {
		return fmt.Errorf("onnx: %w", err)
	}
	for _, f := range p.GetFunctions() {
		if err := vetNodes(f.GetNode(), nil); err != nil {
			return fmt.Errorf("onnx: function %s: %w", f.GetName(), err)
		}
	}
	if err := vetForests(p.GetGraph()); err != nil {
		return err
	}
	return vetSizes(p)
}

// positive are attributes that divide something, or without which nothing moves on.
var positive = []string{"strides", "dilations", "kernel_shape", "group", "blocksize", "num_groups", "num_outputs", "size", "block_size"}

func vetNodes(nodes []*onnxpb.NodeProto, s *scope) error {
	for i, n := range nodes {
		if err := vetNode(n, s); err != nil {
			return fmt.Errorf("node %d (%s): %w", i, n.GetOpType(), err)
		}
		for _, a := range n.GetAttribute() {
			for _, body := range subgraphs(a) {
				if err := vetNodes(body.GetNode(), scopeOf(s, body)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// scope is the constants of a graph, and those of the graphs around it.
type scope struct {
	outer *scope
	held  map[string]*onnxpb.TensorProto
}

func scopeOf(outer *scope, g *onnxpb.GraphProto) *scope {
	s := &scope{outer, map[string]*onnxpb.TensorProto{}}
	for _, t := range g.GetInitializer() {
		s.held[t.GetName()] = t
	}
	for _, n := range g.GetNode() {
		if a := n.GetAttribute(); n.GetOpType() == "Constant" && len(a) == 1 && a[0].GetT() != nil && len(n.GetOutput()) == 1 {
			s.held[n.GetOutput()[0]] = a[0].GetT()
		}
	}
	return s
}

func (s *scope) lookup(name string) *onnxpb.TensorProto {
	for ; s != nil; s = s.outer {
		if t := s.held[name]; t != nil {
			return t
		}
	}
	return nil
}

func vetNode(n *onnxpb.NodeProto, s *scope) error {
	if d := domain(n.GetDomain()); d != "" && d != "com.microsoft" {
		return nil
	}
	for _, a := range n.GetAttribute() {
		if !slices.Contains(positive, a.GetName()) || a.GetRefAttrName() != "" {
			continue
		}
		values := a.GetInts()
		if a.I != nil || a.GetType() == onnxpb.AttributeProto_INT {
			values = append([]int64{a.GetI()}, values...)
		}
		if slices.ContainsFunc(values, func(v int64) bool { return v < 1 }) {
			return fmt.Errorf("%s %v: want 1 or more", a.GetName(), values)
		}
	}
	if op := n.GetOpType(); (op == "Div" || op == "Mod") && len(n.GetInput()) == 2 && hasZero(s.lookup(n.GetInput()[1])) {
		return errors.New("whole numbers divided by 0")
	}
	return nil
}

// hasZero tells whether a tensor of whole numbers holds a 0.
func hasZero(p *onnxpb.TensorProto) bool {
	if p == nil || isExternal(p) || isFloating(p.GetDataType()) {
		return false
	}
	t, err := (&reader{}).tensor(p)
	if err != nil {
		return false
	}
	values, err := t.Int64s()
	return err == nil && slices.Contains(values, 0)
}

// call names a function.
type call struct{ domain, name, overload string }

// unfolding counts the nodes of functions, unfolded.
type unfolding struct {
	functions map[call]*onnxpb.FunctionProto
	nodes     map[call]int // -1: under way
	depth     int
}

func vetFunctions(p *onnxpb.ModelProto) error {
	u := unfolding{functions: map[call]*onnxpb.FunctionProto{}, nodes: map[call]int{}}
	for _, f := range p.GetFunctions() {
		u.functions[call{domain(f.GetDomain()), f.GetName(), f.GetOverload()}] = f
	}
	if len(u.functions) == 0 {
		return nil
	}
	if _, err := u.count(p.GetGraph().GetNode()); err != nil {
		return err
	}
	for _, f := range p.GetFunctions() { // also of those that nobody calls
		if _, err := u.unfold(call{domain(f.GetDomain()), f.GetName(), f.GetOverload()}); err != nil {
			return err
		}
	}
	return nil
}

func (u *unfolding) count(nodes []*onnxpb.NodeProto) (total int, err error) {
	g := &onnxpb.GraphProto{Node: nodes}
	walkNodes(g, func(n *onnxpb.NodeProto) {
		if err != nil {
			return
		}
		k := 0
		if k, err = u.unfold(call{domain(n.GetDomain()), n.GetOpType(), n.GetOverload()}); err != nil {
			return
		}
		if total += 1 + k; total > maxNodes {
			err = fmt.Errorf("onnx: functions unfold to more than %d nodes", maxNodes)
		}
	})
	return total, err
}

// unfold counts the nodes of a call, 0 for an operator.
func (u *unfolding) unfold(c call) (int, error) {
	f := u.functions[c]
	if f == nil {
		return 0, nil
	}
	n, known := u.nodes[c]
	if n < 0 {
		return 0, fmt.Errorf("onnx: function %s calls itself", c.name)
	}
	if known {
		return n, nil
	}
	if u.depth == maxCalls {
		return 0, fmt.Errorf("onnx: functions call each other more than %d deep", maxCalls)
	}
	u.nodes[c] = -1
	u.depth++
	n, err := u.count(f.GetNode())
	u.depth--
	u.nodes[c] = n
	return n, err
}

// maxCalls bounds how deep functions call each other, as engines follow them by recursion.
const maxCalls = 256

// vetSizes looks at what is known of the sizes of values. What cannot be brought into a graph, or contradicts itself, is the engine's to
// refuse.
func vetSizes(p *onnxpb.ModelProto) error {
	m, err := FromProto(p, "")
	if err != nil {
		return nil // an engine reads more than a graph can hold
	}
	_ = m.Graph.Infer() // what was found before an error counts
	return vetValues(m.Graph)
}

func vetValues(g *graph.Graph) error {
	for _, v := range g.Values() {
		if g.Kind(v) == graph.Result && least(g.TypeOf(v).Shape) > maxValues {
			return fmt.Errorf("onnx: value %q of sizes %v has more than %d elements", g.NameOf(v), g.TypeOf(v).Shape, int64(maxValues))
		}
	}
	for _, n := range g.Nodes() {
		for _, body := range n.Bodies() {
			if err := vetValues(body); err != nil {
				return err
			}
		}
	}
	return nil
}

// least is the number of elements where sizes that are not known are 1, up to a bit more than maxValues.
func least(s graph.Shape) int64 {
	n := int64(1)
	for _, d := range s {
		switch {
		case d.Size == 0:
			return 0
		case d.Size > 0 && n > maxValues/d.Size:
			n = maxValues + 1
		case d.Size > 0:
			n *= d.Size
		}
	}
	return n
}
