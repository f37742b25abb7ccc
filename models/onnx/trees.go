package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// treeDomain is that of the operators of classical machine learning.
const treeDomain = "ai.onnx.ml"

// isForest tells an ensemble of decision trees as scikit-learn, LightGBM and XGBoost export it. The later TreeEnsemble has other
// attributes.
func isForest(n *onnxpb.NodeProto) bool {
	return n.GetDomain() == treeDomain && slices.Contains([]string{"TreeEnsembleClassifier", "TreeEnsembleRegressor"}, n.GetOpType())
}

// Forest is what the trees of a network are together.
type Forest struct {
	Trees int
	Nodes int // leaves included
}

// forestOf sums up the trees of a network, zero where it has none.
func forestOf(g *onnxpb.GraphProto) (f Forest) {
	walkNodes(g, func(n *onnxpb.NodeProto) {
		if !isForest(n) {
			return
		}
		ids := ints(n, "nodes_treeids")
		f.Nodes += len(ids)
		ids = slices.Clone(ids)
		slices.Sort(ids)
		f.Trees += len(slices.Compact(ids))
	})
	return f
}

func attribute(n *onnxpb.NodeProto, name string) *onnxpb.AttributeProto {
	for _, a := range n.GetAttribute() {
		if a.GetName() == name {
			return a
		}
	}
	return nil
}

func ints(n *onnxpb.NodeProto, name string) []int64 { return attribute(n, name).GetInts() }

// treeNode names a node of a forest.
type treeNode struct{ tree, node int64 }

// vetForest follows every tree from its nodes to their leaves, as engines do: without a look whether there is such a node, such a feature of
// an input, or an end.
func vetForest(n *onnxpb.NodeProto, width int64) error {
	trees, ids := ints(n, "nodes_treeids"), ints(n, "nodes_nodeids")
	yes, no, features := ints(n, "nodes_truenodeids"), ints(n, "nodes_falsenodeids"), ints(n, "nodes_featureids")
	modes := attribute(n, "nodes_modes").GetStrings()
	for _, other := range []int{len(ids), len(yes), len(no), len(features), len(modes)} {
		if other != len(trees) {
			return nil // which engines refuse
		}
	}
	place := make(map[treeNode]int, len(trees))
	for i := range trees {
		at := treeNode{trees[i], ids[i]}
		if _, twice := place[at]; twice {
			return fmt.Errorf("node %d of tree %d is there twice", ids[i], trees[i])
		}
		place[at] = i
	}
	below := make([][]int, len(trees))
	for i, mode := range modes {
		if string(mode) == "LEAF" {
			continue
		}
		if features[i] < 0 || width > 0 && features[i] >= width {
			return fmt.Errorf("node %d of tree %d asks for feature %d of %d", ids[i], trees[i], features[i], width)
		}
		for _, id := range []int64{yes[i], no[i]} {
			child, ok := place[treeNode{trees[i], id}]
			if !ok {
				return fmt.Errorf("node %d of tree %d leads to node %d, which is not there", ids[i], trees[i], id)
			}
			below[i] = append(below[i], child)
		}
	}
	return endless(below)
}

// endless looks for a node that leads back to itself.
func endless(below [][]int) error {
	parents := make([]int, len(below))
	for _, children := range below {
		for _, child := range children {
			parents[child]++
		}
	}
	var free []int
	for i, n := range parents {
		if n == 0 {
			free = append(free, i)
		}
	}
	for at := 0; at < len(free); at++ { // Kahn's order: what is in a circle never becomes free
		for _, child := range below[free[at]] {
			if parents[child]--; parents[child] == 0 {
				free = append(free, child)
			}
		}
	}
	if len(free) < len(below) {
		return errors.New("a tree goes in a circle")
	}
	return nil
}

// widths are the numbers of features of the inputs [N, features] that say so.
func widths(g *onnxpb.GraphProto) map[string]int64 {
	out := map[string]int64{}
	for _, v := range g.GetInput() {
		if dims := value(v).Dims; len(dims) == 2 {
			out[v.GetName()] = max(dims[1].Size, 0)
		}
	}
	return out
}

// vetForests checks the trees of a graph.
func vetForests(g *onnxpb.GraphProto) (err error) {
	width := widths(g)
	walkNodes(g, func(n *onnxpb.NodeProto) {
		if err != nil || !isForest(n) || len(n.GetInput()) != 1 {
			return
		}
		if err = vetForest(n, width[n.GetInput()[0]]); err != nil {
			err = fmt.Errorf("onnx: node %q (%s): %w", n.GetName(), n.GetOpType(), err)
		}
	})
	return err
}
