package onnx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// Summary is what a file says about its network.
type Summary struct {
	IRVersion         int64
	Producer          string           // name and version of the exporter; "" if it left none
	GraphName         string           //
	Description       string           // doc_string of the model, or of the graph
	Opsets            map[string]int64 // operator set version by domain; "" is ONNX's own
	Inputs            []Value          // what a caller must give; initialisers that old files list as inputs are left out
	Outputs           []Value
	Nodes             int               // subgraphs included
	Ops               []OpCount         // most frequent first, then by name
	Parameters        int64             // elements of floating-point initialisers: weights, and the statistics of normalisations
	ConstantElements  int64             // elements of floating-point tensors in Constant nodes
	Metadata          map[string]string // metadata_props, where exporters put class names
	External          []string          // files that hold external data, as the model names them; sorted
	Scaling           Scaling           // of the first input
	Forest            Forest            // zero but for decision trees
	FoldedConvolution bool              // there are convolutions but no normalisation: an exporter has folded it away
}

// Value is an input or output of a network.
type Value struct {
	Name string
	Type string // element type in numpy's words, as "float32"; "" if the value is no tensor
	Dims []Dim  // empty for a scalar; nil if the file does not tell even the number of sizes
	// Op is, for an output, the operator that computes it, and Via the operators behind that which do not change the numbers, as
	// Reshape: a softmax that is cast and reshaped has Op Softmax and Via [Cast Reshape].
	Op  string
	Via []string
}

// Dim is one size of a value: a number, or a name for a size that is chosen when the network runs.
type Dim struct {
	Size int64  // -1 if it is chosen later
	Name string // as "N" or "batch"; may be "" for a size that is chosen later
}

// OpCount says how often an operator occurs.
type OpCount struct {
	Op    string // with its domain, if that is not ONNX's own: "com.microsoft.FusedConv"
	Count int
}

// String returns the size, its name, or "?".
func (d Dim) String() string {
	switch {
	case d.Size >= 0:
		return fmt.Sprint(d.Size)
	case d.Name != "":
		return d.Name
	}
	return "?"
}

// String returns name, type and sizes as "input float32[N,3,224,224]", with [...] where the sizes are unknown.
func (v Value) String() string {
	dims := make([]string, len(v.Dims))
	for i, d := range v.Dims {
		dims[i] = d.String()
	}
	switch {
	case v.Type == "":
		return v.Name + " (not a tensor)"
	case v.Dims == nil:
		dims = []string{"..."}
	}
	return fmt.Sprintf("%s %s[%s]", v.Name, v.Type, strings.Join(dims, ","))
}

// Inspect summarises a decoded model. It reads no tensor data.
func Inspect(m *onnxpb.ModelProto) Summary {
	g := m.GetGraph()
	s := Summary{
		IRVersion:   m.GetIrVersion(),
		Producer:    strings.TrimSpace(m.GetProducerName() + " " + m.GetProducerVersion()),
		GraphName:   g.GetName(),
		Description: cmp.Or(m.GetDocString(), g.GetDocString()),
		Opsets:      opsets(m),
		Metadata:    map[string]string{},
	}
	for _, p := range m.GetMetadataProps() {
		s.Metadata[p.GetKey()] = p.GetValue()
	}
	s.Inputs = inputs(g)
	s.Outputs = outputs(g)
	s.Scaling = identity()
	if len(s.Inputs) > 0 {
		s.Scaling = scaling(g, s.Inputs[0].Name)
	}
	s.Nodes, s.Ops = countOps(g)
	s.countTensors(g)
	s.Forest = forestOf(g)
	s.FoldedConvolution = folded(s.Ops)
	return s
}

func opsets(m *onnxpb.ModelProto) map[string]int64 {
	sets := map[string]int64{}
	for _, o := range m.GetOpsetImport() {
		domain := o.GetDomain()
		if domain == "ai.onnx" { // an alias of ""
			domain = ""
		}
		sets[domain] = o.GetVersion()
	}
	return sets
}

func inputs(g *onnxpb.GraphProto) []Value {
	held := map[string]bool{} // up to IR version 3 every initialiser had to be listed as an input too
	for _, t := range g.GetInitializer() {
		held[t.GetName()] = true
	}
	for _, t := range g.GetSparseInitializer() {
		held[t.GetValues().GetName()] = true
	}
	var in []Value
	for _, v := range g.GetInput() {
		if !held[v.GetName()] {
			in = append(in, value(v))
		}
	}
	return in
}

func outputs(g *onnxpb.GraphProto) []Value {
	nodes := producers(g)
	var out []Value
	for _, v := range g.GetOutput() {
		o := value(v)
		o.Op, o.Via = origin(nodes, o.Name)
		if n := len(o.Dims); n > 0 && o.Dims[n-1].Size < 0 {
			o.Dims[n-1].Size = cmp.Or(lastSize(g, nodes, o.Name), -1)
		}
		out = append(out, o)
	}
	return out
}

func value(v *onnxpb.ValueInfoProto) Value {
	out := Value{Name: v.GetName()}
	t := v.GetType().GetTensorType()
	if t == nil {
		return out
	}
	out.Type = typeName(t.GetElemType())
	if t.GetShape() != nil {
		out.Dims = []Dim{}
	}
	for _, d := range t.GetShape().GetDim() {
		dim := Dim{Size: -1, Name: d.GetDimParam()}
		if n, ok := d.GetValue().(*onnxpb.TensorShapeProto_Dimension_DimValue); ok && n.DimValue >= 0 {
			dim.Size = n.DimValue
		}
		out.Dims = append(out.Dims, dim)
	}
	return out
}

func countOps(g *onnxpb.GraphProto) (nodes int, ops []OpCount) {
	counts := map[string]int{}
	walkNodes(g, func(n *onnxpb.NodeProto) {
		nodes++
		op := n.GetOpType()
		if d := n.GetDomain(); d != "" && d != "ai.onnx" {
			op = d + "." + op
		}
		counts[op]++
	})
	for _, op := range slices.Sorted(maps.Keys(counts)) {
		ops = append(ops, OpCount{op, counts[op]})
	}
	slices.SortStableFunc(ops, func(a, b OpCount) int { return cmp.Compare(b.Count, a.Count) })
	return nodes, ops
}

func (s *Summary) countTensors(g *onnxpb.GraphProto) {
	external := map[string]bool{}
	// The visitor returns no error, and so the walk returns none.
	_ = walkTensors(g, func(where string, t *onnxpb.TensorProto) error {
		if n, err := elements(t); err == nil && isFloating(t.GetDataType()) {
			if strings.HasPrefix(where, "node") {
				s.ConstantElements += n
			} else {
				s.Parameters += n
			}
		}
		if isExternal(t) {
			external[location(t)] = true
		}
		return nil
	})
	s.External = slices.Sorted(maps.Keys(external))
}

func location(t *onnxpb.TensorProto) string {
	for _, e := range t.GetExternalData() {
		if e.GetKey() == "location" {
			return e.GetValue()
		}
	}
	return ""
}

// folded reports what the Tent predictor must know: a convolutional network whose normalisation was multiplied into its weights
// has no affine parameters left to adapt.
func folded(ops []OpCount) bool {
	conv := false
	for _, o := range ops {
		switch {
		case strings.HasSuffix(o.Op, "Normalization"):
			return false
		case o.Op == "Conv":
			conv = true
		}
	}
	return conv
}
