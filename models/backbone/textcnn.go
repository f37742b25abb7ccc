package backbone

import "github.com/oatta/oatta/models/graph"

// textCNN is what is left of Kim's network for sentences (Convolutional Neural Networks for Sentence Classification, 2014) when it is to be small:
// convolutions of one width over word pieces, and beside their largest and mean answers the mean of the pieces themselves. They are normalised, so that Tent has something to adapt.
type textCNN struct{ width, filters, kernel, hidden int64 }

func (t textCNN) build(b *builder) graph.Value {
	tokens := graph.Type{Elem: graph.Int64, Shape: graph.Shape{graph.Sym("N"), graph.Sym("L")}}
	ids, mask := b.g.Input("input_ids", tokens), b.g.Input("attention_mask", tokens)
	seen := b.op("mask.float", "Cast", []graph.Value{mask}, graph.A("to", int64(graph.Float32)))
	seen = b.op("mask.wide", "Unsqueeze", []graph.Value{seen, b.g.Ints(1)})
	words := b.param(wordTable, distribution{normal: 0.1, padFirst: true}, int64(b.opts.Vocabulary), t.width)
	x := b.op("words", "Gather", []graph.Value{words, ids})
	x = b.hide(b.op("words.turned", "Transpose", []graph.Value{x}, graph.A("perm", []int64{0, 2, 1})), seen, "words")
	over := same(t.filters, t.kernel, 1)
	over.bias = true
	y := b.hide(b.relu(b.conv(x, "conv", over), "conv.relu"), seen, "conv")
	z := b.op("pooled", "Concat", []graph.Value{
		b.meanOf(x, seen, "words"), b.op("conv.largest", "ReduceMax", []graph.Value{y, b.g.Ints(2)}, graph.A("keepdims", 0)), b.meanOf(y, seen, "conv"),
	}, graph.A("axis", 1))
	z = b.relu(b.linear(b.dropout(b.layerNorm(z, "norm", 1e-5)), "hidden", t.hidden), "hidden.relu")
	if b.opts.Embed {
		return z
	}
	return b.headed(func() graph.Value { return b.linear(z, "classifier", int64(b.opts.Classes)) })
}

// hide makes the places of padding 0.
func (b *builder) hide(x, seen graph.Value, name string) graph.Value {
	return b.op(name+".seen", "Mul", []graph.Value{x, seen})
}

// meanOf is the mean over the places that are seen, which are not 0 alone: [N, C]. Of no place it is 0.
func (b *builder) meanOf(x, seen graph.Value, name string) graph.Value {
	sum := b.op(name+".sum", "ReduceSum", []graph.Value{x, b.g.Ints(2)}, graph.A("keepdims", 0))
	count := b.op(name+".count", "ReduceSum", []graph.Value{seen, b.g.Ints(2)}, graph.A("keepdims", 0))
	count = b.op(name+".least", "Max", []graph.Value{count, b.g.Scalar(graph.Float32, 1)})
	return b.op(name+".mean", "Div", []graph.Value{sum, count})
}
