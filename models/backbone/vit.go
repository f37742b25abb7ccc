package backbone

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/models/graph"
)

// vit is torchvision's vision transformer: patches, a token of the class in front, layers that normalise first.
type vit struct{ patch, width, inner, heads, layers int64 }

// vitStyle is for most layers; the head starts at 0.
var vitStyle = style{
	conv:   func(in, _ float64) distribution { return normal(math.Sqrt(1 / in)) },
	linear: xavier,
	bias:   noBias,
}

func (v vit) build(b *builder) graph.Value {
	x := b.embedded(v)
	for i := range v.layers {
		x = v.layer(b, x, fmt.Sprintf("encoder.layers.encoder_layer_%d", i))
	}
	x = b.layerNorm(x, "encoder.ln", 1e-6)
	first := b.op("class", "Gather", []graph.Value{x, b.g.Int(0)}, graph.A("axis", 1))
	b.style.linear = func(_, _ float64) distribution { return constant(0) } // of the head
	return b.head(first, "heads.head")
}

// embedded returns the patches with the class token in front and what stands for their places: [N, 1 + patches, D]. The token is added
// to a row of zeros, which needs no batch size.
func (b *builder) embedded(v vit) graph.Value {
	token := b.param("class_token", constant(0), 1, 1, v.width)
	x := b.conv(b.picture(), "conv_proj", conv{out: v.width, kernel: v.patch, stride: v.patch, bias: true})
	patches := b.size(x, 2) * b.size(x, 3)
	x = b.op("patches", "Reshape", []graph.Value{x, b.g.Ints(0, v.width, patches)})
	x = b.op("rows", "Transpose", []graph.Value{x}, graph.A("perm", []int64{0, 2, 1}))
	x = b.op("behind", "Pad", []graph.Value{x, b.g.Ints(0, 1, 0, 0, 0, 0)})
	place := b.param("encoder.pos_embedding", normal(0.02), 1, 1+patches, v.width)
	first := b.op("token", "Pad", []graph.Value{token, b.g.Ints(0, 0, 0, 0, patches, 0)})
	return b.add(b.add(x, first, "tokens"), place, "embedded")
}

func (v vit) layer(b *builder, x graph.Value, name string) graph.Value {
	y := v.attention(b, b.layerNorm(x, name+".ln_1", 1e-6), name+".self_attention")
	x = b.add(x, y, name+".attended")
	y = b.layerNorm(x, name+".ln_2", 1e-6)
	y = b.gelu(v.mlp(b, y, name+".mlp.0", v.inner), name+".mlp.1")
	return b.add(x, v.mlp(b, y, name+".mlp.3", v.width), name)
}

// mlp is a linear layer whose bias starts a little off 0.
func (v vit) mlp(b *builder, x graph.Value, name string, out int64) graph.Value {
	w := b.param(name+".weight", b.style.linear(float64(b.size(x, -1)), float64(out)), out, b.size(x, -1))
	return b.affine(x, name, w, b.param(name+".bias", normal(1e-6), out))
}

// attention has query, key and value stacked in one matrix.
func (v vit) attention(b *builder, x graph.Value, name string) graph.Value {
	d := v.width
	w := b.param(name+".in_proj_weight", xavier(float64(d), float64(3*d)), 3*d, d)
	x = b.affine(x, name+".in_proj", w, b.param(name+".in_proj_bias", constant(0), 3*d))
	parts := b.g.Ops("Split", 3, []graph.Value{x, b.g.Ints(d, d, d)}, graph.A("axis", -1))
	x = b.attend(name, parts[0], parts[1], parts[2], graph.None, v.heads)
	w = b.param(name+".out_proj.weight", byInputs(float64(d), 0), d, d)
	return b.affine(x, name+".out_proj", w, b.param(name+".out_proj.bias", constant(0), d))
}
