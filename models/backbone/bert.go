package backbone

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// bert is an encoder of texts: BERT, or with other names of its modules DistilBERT.
type bert struct {
	width, inner, heads, layers int64
	names                       *bertNames
}

// bertNames are how Hugging Face calls the modules.
type bertNames struct {
	embeddings                         string
	types                              bool   // there is a table of token types
	layer                              string // format of a layer's number
	query, key, value, out             string // below a layer, as the next ones
	attendedNorm, inner, outer, normed string
	pooler                             string // before the head
	tanh                               bool   // behind the pooler; else Relu
}

var (
	bertModules = bertNames{
		"bert.embeddings", true, "bert.encoder.layer.%d",
		".attention.self.query", ".attention.self.key", ".attention.self.value", ".attention.output.dense",
		".attention.output.LayerNorm", ".intermediate.dense", ".output.dense", ".output.LayerNorm", "bert.pooler.dense", true,
	}
	distilbertModules = bertNames{
		"distilbert.embeddings", false, "distilbert.transformer.layer.%d",
		".attention.q_lin", ".attention.k_lin", ".attention.v_lin", ".attention.out_lin",
		".sa_layer_norm", ".ffn.lin1", ".ffn.lin2", ".output_layer_norm", "pre_classifier", false,
	}
)

// epsilon of the normalisations of BERT.
const bertEpsilon = 1e-12

func (t bert) build(b *builder) graph.Value {
	input := func(name string) graph.Value {
		return b.g.Input(name, graph.Type{Elem: graph.Int64, Shape: graph.Shape{graph.Sym("N"), graph.Sym("L")}})
	}
	ids, mask, types := input("input_ids"), input("attention_mask"), graph.None
	if t.names.types {
		types = input("token_type_ids")
	}
	seen := b.op("mask.float", "Cast", []graph.Value{mask}, graph.A("to", int64(graph.Float32)))
	bias := b.maskBias(seen)
	x := t.embed(b, ids, types)
	for i := range t.layers {
		x = t.layer(b, x, bias, fmt.Sprintf(t.names.layer, i))
	}
	if b.opts.Embed {
		return b.meanOverTokens(x, seen)
	}
	return b.headed(func() graph.Value { return t.classify(b, x) })
}

// maskBias is 0 where a token is and -10000 at padding, whose weight exp makes exactly 0: [N, 1, 1, L].
func (b *builder) maskBias(seen graph.Value) graph.Value {
	seen = b.op("mask.wide", "Unsqueeze", []graph.Value{seen, b.g.Ints(1, 2)})
	absent := b.op("mask.absent", "Sub", []graph.Value{b.g.Scalar(graph.Float32, 1), seen})
	return b.op("mask.bias", "Mul", []graph.Value{absent, b.g.Scalar(graph.Float32, -10000)})
}

// embed sums the rows of tokens, places and types. A text longer than the table of places has no sum, which is an error of the engine.
func (t bert) embed(b *builder, ids, types graph.Value) graph.Value {
	name, rows := t.names.embeddings, distribution{normal: 0.02, padFirst: true}
	words := b.param(name+".word_embeddings.weight", rows, int64(b.opts.Vocabulary), t.width)
	x := b.op(name+".words", "Gather", []graph.Value{words, ids})
	places := b.param(name+".position_embeddings.weight", normal(0.02), int64(b.opts.Positions), t.width)
	length := b.op(name+".length", "Shape", []graph.Value{ids}, graph.A("start", 1), graph.A("end", 2))
	x = b.add(x, b.op(name+".places", "Slice", []graph.Value{places, b.g.Ints(0), length, b.g.Ints(0)}), name+".placed")
	if types != graph.None {
		table := b.param(name+".token_type_embeddings.weight", normal(0.02), 2, t.width)
		x = b.add(x, b.op(name+".types", "Gather", []graph.Value{table, types}), name+".typed")
	}
	return b.layerNorm(x, name+".LayerNorm", bertEpsilon)
}

// layer normalises after each sum.
func (t bert) layer(b *builder, x, mask graph.Value, name string) graph.Value {
	n := t.names
	q, k, v := b.linear(x, name+n.query, t.width), b.linear(x, name+n.key, t.width), b.linear(x, name+n.value, t.width)
	y := b.linear(b.attend(name+".attention", q, k, v, mask, t.heads), name+n.out, t.width)
	x = b.layerNorm(b.add(x, y, name+".attended"), name+n.attendedNorm, bertEpsilon)
	y = b.gelu(b.linear(x, name+n.inner, t.inner), name+".activation")
	y = b.linear(y, name+n.outer, t.width)
	return b.layerNorm(b.add(x, y, name+".sum"), name+n.normed, bertEpsilon)
}

// classify reads the first token.
func (t bert) classify(b *builder, x graph.Value) graph.Value {
	x = b.op("first", "Gather", []graph.Value{x, b.g.Int(0)}, graph.A("axis", 1))
	activation := "Relu"
	if t.names.tanh {
		activation = "Tanh"
	}
	x = b.op("pooled", activation, []graph.Value{b.linear(x, t.names.pooler, t.width)})
	return b.linear(b.dropout(x), "classifier", int64(b.opts.Classes))
}

// meanOverTokens is the mean over the tokens of a text, made one unit long: [N, D].
func (b *builder) meanOverTokens(x, seen graph.Value) graph.Value {
	weight := b.op("embedding.weight", "Unsqueeze", []graph.Value{seen, b.g.Ints(2)})
	sum := b.op("embedding.sum", "ReduceSum", []graph.Value{b.op("embedding.seen", "Mul", []graph.Value{x, weight}), b.g.Ints(1)}, graph.A("keepdims", 0))
	length := b.op("embedding.length", "ReduceL2", []graph.Value{sum, b.g.Ints(1)})
	// As torch's normalize does, so that a text without tokens is 0 and not NaN. The number of tokens cancels.
	length = b.op("embedding.least", "Max", []graph.Value{length, b.g.Scalar(graph.Float32, 1e-12)})
	return b.op("embedding", "Div", []graph.Value{sum, length})
}
