package onnx

import (
	"fmt"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// walkTensors calls visit for every dense tensor that a graph and its subgraphs hold: initialisers, tensor attributes and the two
// parts of sparse tensors. where names the place for an error message. The first error ends the walk.
func walkTensors(g *onnxpb.GraphProto, visit func(where string, t *onnxpb.TensorProto) error) error {
	for _, t := range g.GetInitializer() {
		if err := visit(fmt.Sprintf("initialiser %q", t.GetName()), t); err != nil {
			return err
		}
	}
	for _, s := range g.GetSparseInitializer() {
		if err := visitSparse(fmt.Sprintf("sparse initialiser %q", s.GetValues().GetName()), s, visit); err != nil {
			return err
		}
	}
	for i, n := range g.GetNode() {
		for _, a := range n.GetAttribute() {
			if err := walkAttribute(i, n, a, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func walkAttribute(i int, n *onnxpb.NodeProto, a *onnxpb.AttributeProto, visit func(string, *onnxpb.TensorProto) error) error {
	where := func() string { return fmt.Sprintf("node %d (%s): attribute %s", i, n.GetOpType(), a.GetName()) }
	tensors := a.GetTensors()
	if a.T != nil {
		tensors = append([]*onnxpb.TensorProto{a.T}, tensors...)
	}
	for _, t := range tensors {
		if err := visit(where(), t); err != nil {
			return err
		}
	}
	sparse := a.GetSparseTensors()
	if a.SparseTensor != nil {
		sparse = append([]*onnxpb.SparseTensorProto{a.SparseTensor}, sparse...)
	}
	for _, s := range sparse {
		if err := visitSparse(where(), s, visit); err != nil {
			return err
		}
	}
	for _, g := range subgraphs(a) {
		if err := walkTensors(g, visit); err != nil {
			return err
		}
	}
	return nil
}

func visitSparse(where string, s *onnxpb.SparseTensorProto, visit func(string, *onnxpb.TensorProto) error) error {
	for _, t := range []*onnxpb.TensorProto{s.GetValues(), s.GetIndices()} {
		if t == nil {
			continue
		}
		if err := visit(where, t); err != nil {
			return err
		}
	}
	return nil
}

// subgraphs returns the graphs that an attribute holds, as the branches of If.
func subgraphs(a *onnxpb.AttributeProto) []*onnxpb.GraphProto {
	graphs := a.GetGraphs()
	if a.G != nil {
		graphs = append([]*onnxpb.GraphProto{a.G}, graphs...)
	}
	return graphs
}

// walkNodes calls visit for every node of a graph and its subgraphs, outer nodes before the nodes inside them.
func walkNodes(g *onnxpb.GraphProto, visit func(*onnxpb.NodeProto)) {
	for _, n := range g.GetNode() {
		visit(n)
		for _, a := range n.GetAttribute() {
			for _, sub := range subgraphs(a) {
				walkNodes(sub, visit)
			}
		}
	}
}
