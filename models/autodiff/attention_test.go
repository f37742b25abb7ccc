package autodiff_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
)

// attentionCase is the fused operator beside the nodes that exporters write for it.
type attentionCase struct {
	name   string
	flat   bool // heads side by side
	causal bool
	mask   bool
	shared bool // queries, keys and values are one value
}

var attentionCases = []attentionCase{
	{name: "heads"},
	{name: "flat", flat: true},
	{name: "causal", causal: true},
	{name: "mask", mask: true},
	{name: "all", flat: true, causal: true, mask: true},
	{name: "one value thrice", shared: true},
}

func (c attentionCase) sizes() []int64 {
	if c.flat {
		return []int64{2, 3, 8}
	}
	return []int64{2, 2, 3, 4}
}

// inputs adds queries, keys and values, as far as they are several.
func (c attentionCase) inputs(b builder) (q, wrt []graph.Value) {
	for i := range 3 {
		if i > 0 && c.shared {
			q = append(q, q[0])
			continue
		}
		q = append(q, b.Input(fmt.Sprintf("x%d", i), graph.Type{Elem: b.elem, Shape: graph.Of(c.sizes()...)}))
		wrt = append(wrt, q[i])
	}
	return q, wrt
}

func (c attentionCase) maskOf(b builder) graph.Value {
	return b.Const("mask", graph.NewTensor([]bool{true, true, false, true, true, true, false, true, true}, 3, 3))
}

// fused returns the operator's result.
func (c attentionCase) fused(b builder, q []graph.Value) graph.Value {
	var attrs []graph.Attr
	if c.flat {
		attrs = append(attrs, a("q_num_heads", 2), a("kv_num_heads", 2))
	}
	if c.causal {
		attrs = append(attrs, a("is_causal", 1))
	}
	if c.mask {
		q = append(q[:3:3], c.maskOf(b))
	}
	return b.do("Attention", q, attrs...)
}

// plain returns the same from single nodes.
func (c attentionCase) plain(b builder, q []graph.Value) graph.Value {
	var heads []graph.Value
	for _, v := range q {
		if c.flat {
			v = b.do("Reshape", []graph.Value{v, b.Ints(2, 3, 2, 4)})
			v = b.do("Transpose", []graph.Value{v}, a("perm", []int{0, 2, 1, 3}))
		}
		heads = append(heads, v)
	}
	scores := b.do("MatMul", []graph.Value{heads[0], b.do("Transpose", heads[1:2], a("perm", []int{0, 1, 3, 2}))})
	scores = b.do("Div", []graph.Value{scores, b.Scalar(b.elem, 2)})
	if c.mask {
		scores = b.do("Where", []graph.Value{c.maskOf(b), scores, b.Scalar(b.elem, math.Inf(-1))})
	}
	if c.causal {
		lower := b.Const("lower", graph.NewTensor([]bool{true, false, false, true, true, false, true, true, true}, 3, 3))
		scores = b.do("Where", []graph.Value{lower, scores, b.Scalar(b.elem, math.Inf(-1))})
	}
	y := b.do("MatMul", []graph.Value{b.do("Softmax", []graph.Value{scores}), heads[2]})
	if c.flat {
		y = b.do("Reshape", []graph.Value{b.do("Transpose", []graph.Value{y}, a("perm", []int{0, 2, 1, 3})), b.Ints(2, 3, 8)})
	}
	return y
}

// gradients returns a graph of the derivatives of what build makes, and what it is given.
func (c attentionCase) gradients(t *testing.T, build func(b builder, q []graph.Value) graph.Value) (*graph.Graph, map[graph.Value]oracle.Tensor) {
	t.Helper()
	b := builder{graph.New("attention", 23), graph.Float64}
	q, wrt := c.inputs(b)
	dy := b.Input("dy", graph.Type{Elem: b.elem, Shape: graph.Of(c.sizes()...)})
	dx, err := autodiff.Pullback(b.Graph, []graph.Value{build(b, q)}, []graph.Value{dy}, wrt)
	if err != nil {
		t.Fatal(err)
	}
	b.SetOutputs(dx...)
	b.Prune()
	given := map[graph.Value]oracle.Tensor{}
	for i, v := range b.Inputs() {
		given[v] = oracle.Float64s(std(c.sizes()...).values(uint64(i)), c.sizes()...)
	}
	return b.Graph, given
}

// TestAttention compares the derivative of the fused operator with that of single nodes, whose rules TestRules compares with differences.
func TestAttention(t *testing.T) {
	for _, c := range attentionCases {
		t.Run(c.name, func(t *testing.T) {
			fused, given := c.gradients(t, c.fused)
			got, err := onOracle(fused, given)
			if err != nil {
				t.Fatal(err)
			}
			plain, given := c.gradients(t, c.plain)
			want, err := onOracle(plain, given)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				sameNumbers(t, fmt.Sprintf("gradient of input %d", i), got[i], want[i], 1e-13)
			}
		})
	}
}
