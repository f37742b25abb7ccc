package backbone

import (
	"math"

	"github.com/oatta/oatta/models/graph"
)

// attend is softmax(q k' / sqrt(width) + mask) v over heads; q, k, v: [N, L, D]. mask broadcasts to [N, heads, L, L]; None: all are seen.
func (b *builder) attend(name string, q, k, v, mask graph.Value, heads int64) graph.Value {
	width := b.size(q, -1) / heads
	q = b.op(name+".scaled", "Mul", []graph.Value{q, b.g.Scalar(graph.Float32, 1/math.Sqrt(float64(width)))})
	q, v = b.split(q, name+".query", heads, width, 0, 2, 1, 3), b.split(v, name+".value", heads, width, 0, 2, 1, 3)
	scores := b.op(name+".scores", "MatMul", []graph.Value{q, b.split(k, name+".key", heads, width, 0, 2, 3, 1)})
	if mask != graph.None {
		scores = b.add(scores, mask, name+".masked")
	}
	seen := b.op(name+".seen", "MatMul", []graph.Value{b.op(name+".softmax", "Softmax", []graph.Value{scores}, graph.A("axis", -1)), v})
	seen = b.op(name+".turned", "Transpose", []graph.Value{seen}, graph.A("perm", []int64{0, 2, 1, 3}))
	return b.op(name, "Reshape", []graph.Value{seen, b.g.Ints(0, 0, heads*width)})
}

// split makes [N, L, heads, width] of [N, L, D], and turns its axes.
func (b *builder) split(x graph.Value, name string, heads, width int64, perm ...int64) graph.Value {
	x = b.op(name+".split", "Reshape", []graph.Value{x, b.g.Ints(0, 0, heads, width)})
	return b.op(name+".heads", "Transpose", []graph.Value{x}, graph.A("perm", perm))
}

// gelu is x (1 + erf(x/sqrt 2)) / 2, in the order of operations that engines know to fuse.
func (b *builder) gelu(x graph.Value, name string) graph.Value {
	scalar := func(v float64) graph.Value { return b.g.Scalar(graph.Float32, v) }
	e := b.op(name+".erf", "Erf", []graph.Value{b.op(name+".div", "Div", []graph.Value{x, scalar(math.Sqrt2)})})
	y := b.op(name+".mul", "Mul", []graph.Value{x, b.op(name+".plus", "Add", []graph.Value{e, scalar(1)})})
	return b.op(name, "Mul", []graph.Value{y, scalar(0.5)})
}
