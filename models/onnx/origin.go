package onnx

import (
	"slices"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// producers maps the name of a value to the node that computes it. In a malformed graph with two of them the first counts.
func producers(g *onnxpb.GraphProto) map[string]*onnxpb.NodeProto {
	nodes := make(map[string]*onnxpb.NodeProto, len(g.GetNode()))
	for _, n := range g.GetNode() {
		for _, name := range n.GetOutput() {
			if _, ok := nodes[name]; !ok && name != "" {
				nodes[name] = n
			}
		}
	}
	return nodes
}

// passing lists the operators that hand their first input on with the numbers unchanged, up to order and precision.
var passing = map[string]bool{
	"Cast": true, "Dropout": true, "Flatten": true, "Identity": true, "Reshape": true, "Squeeze": true, "Unsqueeze": true,
}

// origin finds the operator that computes a value, looking through those that pass numbers on; these come back in the order in
// which they run. The operator is "" if they pass on an input of the network. Each node is looked at once, so a (malformed) cycle
// ends.
func origin(nodes map[string]*onnxpb.NodeProto, name string) (op string, via []string) {
	for range len(nodes) + 1 {
		n := nodes[name]
		if n == nil {
			break
		}
		if !passing[n.GetOpType()] || len(n.GetInput()) == 0 {
			op = n.GetOpType()
			break
		}
		via = append(via, n.GetOpType())
		name = n.GetInput()[0]
	}
	slices.Reverse(via)
	return op, via
}

// lastSize works out the last size of a value whose exporter left it open, as torch.onnx.export does behind dynamic shapes: the
// classifier at the end of a network has as many rows as there are classes. It returns 0 where that cannot be told.
func lastSize(g *onnxpb.GraphProto, nodes map[string]*onnxpb.NodeProto, name string) int64 {
	weights := map[string][]int64{}
	for _, t := range g.GetInitializer() {
		weights[t.GetName()] = t.GetDims()
	}
	for range len(nodes) + 1 {
		n := nodes[name]
		if n == nil {
			return 0
		}
		in := n.GetInput()
		switch n.GetOpType() {
		case "Softmax", "LogSoftmax", "Sigmoid", "Cast", "Identity", "Dropout":
			if len(in) == 0 {
				return 0
			}
			name = in[0]
		case "Gemm":
			return gemmColumns(n, weights)
		case "MatMul":
			return sizeAt(weights, in, 1, -1)
		case "Add": // MatMul + bias
			return max(sizeAt(weights, in, 0, -1), sizeAt(weights, in, 1, -1))
		default:
			return 0
		}
	}
	return 0
}

// gemmColumns returns the columns of A·B, which are the columns of B, or its rows if B is transposed first.
func gemmColumns(n *onnxpb.NodeProto, weights map[string][]int64) int64 {
	for _, a := range n.GetAttribute() {
		if a.GetName() == "transB" && a.GetI() != 0 {
			return sizeAt(weights, n.GetInput(), 1, 0)
		}
	}
	return sizeAt(weights, n.GetInput(), 1, -1)
}

// sizeAt returns size axis (from the end, if negative) of the initialiser that is input i of a node, or 0.
func sizeAt(weights map[string][]int64, in []string, i, axis int) int64 {
	if i >= len(in) {
		return 0
	}
	dims := weights[in[i]]
	if axis < 0 {
		axis += len(dims)
	}
	if axis < 0 || axis >= len(dims) {
		return 0
	}
	return dims[axis]
}
