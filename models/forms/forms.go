package forms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/graph"
)

// The forms of a convolution.
const (
	Direct = "direct" // the operator itself
	Short  = "short"  // minimal filtering, as products of matrices
)

// Case is a convolution by a constant weight, with all that decides which of its forms is fastest.
type Case struct {
	Elem           graph.DType
	X              []int64 // [N, C, ...], N as runs mostly have it
	Weight         []int64 // [M, C/group, ...]
	Stride, Dilate []int64
	Pads           []int64 // at the begin of all axes, then at their ends
	Group          int64
	Needs          string // what is derived: "x", its input, or "xw", its weight as well
}

// Key names the case in caches and manifests.
func (c Case) Key() string {
	join := func(list []int64) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", "x"), "[]") }
	return fmt.Sprintf("conv %v %s by %s stride %s dilation %s pads %s group %d needs %s",
		c.Elem, join(c.X), join(c.Weight), join(c.Stride), join(c.Dilate), join(c.Pads), c.Group, c.Needs)
}

func (c Case) size(axis int) int { return int(c.X[2+axis]) }
func (c Case) channels() int     { return int(c.X[1]) }
func (c Case) results() int      { return int(c.Weight[0]) }

// hasShort tells whether minimal filtering applies.
func (c Case) hasShort() bool {
	ones := func(list []int64) bool { return !slices.ContainsFunc(list, func(n int64) bool { return n != 1 }) }
	return len(c.X) == 4 && slices.Equal(c.Weight[2:], []int64{taps, taps}) && ones(c.Stride) && ones(c.Dilate) && ones(c.Pads) && c.Group == 1 &&
		(c.Elem == graph.Float32 || c.Elem == graph.Float64)
}

// Minimal filtering pays where channels are many, since its transforms do not depend on them, where maps are small, since those are products
// with a matrix of a map's side, and where rows are enough to use a transformed weight, of four times the size, for. Rows are those of a
// product: the batch times the tiles along the last axis. Times are of one core of an AMD EPYC with AVX-512, forward, milliseconds:
//
//	batch, channels, side    the operator    minimal filtering
//	32, 128, 16              22.1            15.2
//	32, 256, 8               20.8            10.1
//	32, 512, 4               24.7            12.0
//	32, 64, 32               24.1            36 (in a form of less transforms)
//	8, 128, 16               5.5             3.4
//	8, 256, 8                5.3             3.5
//	8, 512, 4                6.5             7.3
//	1, 256, 14               2.4             3.4
const (
	shortChannels = 96
	shortSide     = 16
	shortRows     = 16
)

// Fixed is the choice where nothing was timed.
func Fixed(c Case) Choice {
	rows := c.X[0] * int64(tiles(int(c.X[len(c.X)-1])))
	if c.hasShort() && min(c.channels(), c.results()) >= shortChannels && max(c.size(0), c.size(1)) <= shortSide && rows >= shortRows {
		return Choice{Form: Short}
	}
	return Choice{Form: Direct}
}

// Apply writes the convolutions of a graph by constant weights in the forms that are chosen. rows is the batch that runs mostly have, where
// the graph leaves it open; 0: it is not known, and all stays as it is. needs is that of the cases.
func (p *Plan) Apply(g *graph.Graph, rows int64, needs string) error {
	r := &rewrite{g: g, axes: map[string][2]graph.Value{}, weights: map[graph.Value]graph.Value{}}
	for _, n := range slices.Clone(g.Nodes()) {
		c, ok := caseOf(g, n, rows, needs)
		if !ok || !c.hasShort() || g.IsOutput(n.Outputs[0]) {
			continue
		}
		if choice, err := p.choose(c); err != nil {
			return err
		} else if choice.Form != Short {
			continue
		}
		y := r.shortly(n, c)
		if r.err != nil {
			return fmt.Errorf("forms: %s: %w", c.Key(), r.err)
		}
		g.SetType(y, g.TypeOf(n.Outputs[0]))
		g.Replace(n.Outputs[0], y)
		g.Remove(n)
	}
	return g.Sort()
}

// rewrite holds what the convolutions of a graph share.
type rewrite struct {
	g       *graph.Graph
	axes    map[string][2]graph.Value
	weights map[graph.Value]graph.Value
	err     error
}

// caseOf reads a node. It is no case if it is no convolution by a constant, or if a size is open.
func caseOf(g *graph.Graph, n *graph.Node, rows int64, needs string) (c Case, ok bool) {
	if n.Op != "Conv" || n.Domain != "" {
		return c, false
	}
	t, x := g.ConstOf(n.Inputs[1]), g.TypeOf(n.Inputs[0])
	if t == nil || len(x.Shape) < 3 || len(x.Shape) != len(t.Dims()) {
		return c, false
	}
	places, known := x.Shape[1:].Sizes()
	if x.Shape[0].Known() {
		rows = x.Shape[0].Size
	}
	w, err := n.Window(t.Dims()[2:])
	if !known || rows < 1 || err != nil || w.Implied() {
		return c, false
	}
	return Case{
		Elem: x.Elem, X: append([]int64{rows}, places...), Weight: t.Dims(), Stride: w.Stride, Dilate: w.Dilation,
		Pads: slices.Concat(w.Begin, w.End), Group: n.Int("group", 1), Needs: needs,
	}, true
}
