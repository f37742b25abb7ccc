package backbone_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/weights"
)

// stored returns the tensors that the reference gives a network, under the names that rename makes; "" leaves one out.
func stored(t *testing.T, n *backbone.Net, rename func(string) string) []*weights.Tensor {
	t.Helper()
	var out []*weights.Tensor
	for _, x := range n.Tensors {
		name := rename(x.Name)
		if name == "" {
			continue
		}
		shape := make([]int, len(x.Dims))
		for i, d := range x.Dims {
			shape[i] = int(d)
		}
		if strings.HasSuffix(name, ".gamma") {
			shape = shape[:1] // others have scales of layers as vectors
		}
		w, err := weights.NewFloat32(name, shape, backbonetest.Values(x.Name, x.Dims...))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
	return out
}

func inMemory(t *testing.T, tensors []*weights.Tensor) *weights.File {
	t.Helper()
	var b bytes.Buffer
	if err := weights.WriteSafetensors(&b, tensors, nil); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// renames replaces the keys of a table by its values, in order.
func renames(table ...string) func(string) string {
	return strings.NewReplacer(table...).Replace
}

// convnextNames returns the names of others, who count stages without what is between them.
func convnextNames(stem, between, stage string, parts ...string) func(string) string {
	return func(name string) string {
		name = strings.NewReplacer(parts...).Replace(name)
		for i := range 8 {
			rest, ok := strings.CutPrefix(name, fmt.Sprintf("features.%d.", i))
			switch {
			case ok && i == 0:
				return stem + rest
			case ok && i%2 == 0:
				return fmt.Sprintf(between, i/2) + rest
			case ok:
				return fmt.Sprintf(stage, i/2) + rest
			}
		}
		return name
	}
}

// TestPublishedNames loads one network from the names of every publisher.
func TestPublishedNames(t *testing.T) {
	for _, c := range []struct {
		net    string
		rename func(string) string
	}{
		{"cifar_resnet20", func(s string) string { return "module." + s }},
		{"cnn1d", func(s string) string { return "_orig_mod." + s }},
		{"bert_mini", renames("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta")},
		{"bert_mini", func(s string) string { return strings.TrimPrefix(s, "bert.") }},
		{"vit_s_16", renames("class_token", "cls_token", "encoder.pos_embedding", "pos_embed", "conv_proj", "patch_embed.proj", "encoder.layers.encoder_layer_", "blocks.",
			".ln_1", ".norm1", ".ln_2", ".norm2", ".self_attention.in_proj_", ".attn.qkv.", ".self_attention.out_proj", ".attn.proj", ".mlp.0", ".mlp.fc1", ".mlp.3", ".mlp.fc2",
			"encoder.ln", "norm", "heads.head", "head")},
		{"convnext_tiny", convnextNames("stem.", "stages.%d.downsample.", "stages.%d.blocks.", "block.0", "conv_dw", "block.2", "norm",
			"block.3", "mlp.fc1", "block.5", "mlp.fc2", "layer_scale", "gamma", "classifier.0", "head.norm", "classifier.2", "head.fc")},
		{"convnext_tiny", convnextNames("downsample_layers.0.", "downsample_layers.%d.", "stages.%d.", "block.0", "dwconv", "block.2", "norm",
			"block.3", "pwconv1", "block.5", "pwconv2", "layer_scale", "gamma", "classifier.0", "norm", "classifier.2", "head")},
		{"vit_s_16", renames(".mlp.0", ".mlp.linear_1", ".mlp.3", ".mlp.linear_2")},
	} {
		n := made(t, c.net, backbone.Options{})
		f := inMemory(t, stored(t, n, c.rename))
		if !slices.ContainsFunc(f.Names(), func(s string) bool { _, ours := n.Tensor(s); return !ours }) {
			t.Errorf("%s: the names are ours", c.net)
		}
		r, err := n.Load(f)
		if err != nil || r.Loaded != len(n.Tensors) || len(r.Fresh)+len(r.Interpolated) > 0 {
			t.Errorf("%s: %+v (%v)", c.net, r, err)
			continue
		}
		for _, x := range n.Tensors {
			got, err := n.Graph.ConstOf(x.Value).Bytes()
			if err != nil {
				t.Fatal(err)
			}
			want := backbonetest.Values(x.Name, x.Dims...)
			for _, i := range []int{0, len(want) / 2, len(want) - 1} {
				if math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])) != want[i] {
					t.Errorf("%s: %s: element %d is another", c.net, x.Name, i)
				}
			}
		}
	}
}

// TestHuggingFaceViT: query, key and value lie in tensors of their own there.
func TestHuggingFaceViT(t *testing.T) {
	n := made(t, "vit_s_16", backbone.Options{})
	rename := renames("class_token", "vit.embeddings.cls_token", "encoder.pos_embedding", "vit.embeddings.position_embeddings",
		"conv_proj", "vit.embeddings.patch_embeddings.projection", "encoder.layers.encoder_layer_", "vit.encoder.layer.", ".ln_1", ".layernorm_before", ".ln_2", ".layernorm_after",
		".self_attention.out_proj", ".attention.output.dense", ".mlp.0", ".intermediate.dense", ".mlp.3", ".output.dense", "encoder.ln", "vit.layernorm", "heads.head", "classifier")
	var tensors []*weights.Tensor
	for _, w := range stored(t, n, rename) {
		before, kind, stacked := strings.Cut(w.Name(), ".self_attention.in_proj_")
		if !stacked {
			tensors = append(tensors, w)
			continue
		}
		v, err := w.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		shape := w.Shape()
		shape[0] /= 3
		for i, part := range []string{"query", "key", "value"} {
			third, err := weights.NewFloat32(before+".attention.attention."+part+"."+kind, shape, v[i*len(v)/3:(i+1)*len(v)/3])
			if err != nil {
				t.Fatal(err)
			}
			tensors = append(tensors, third)
		}
	}
	if r, err := n.Load(inMemory(t, tensors)); err != nil || r.Loaded != len(n.Tensors) {
		t.Fatalf("%+v (%v)", r, err)
	}
	const name = "encoder.layers.encoder_layer_7.self_attention.in_proj_weight"
	if !slices.Equal(values(t, n, name), widen(backbonetest.Values(name, 3*384, 384))) {
		t.Error("query, key and value are stacked otherwise")
	}
}

// TestHeadOfOtherClasses: the head alone may be missing or of another number of classes.
func TestHeadOfOtherClasses(t *testing.T) {
	for _, c := range []struct {
		net    string
		rename func(string) string
		fresh  string
	}{
		{"cnn1d", renames(), "[fc.bias fc.weight]"},
		{"bert_mini", renames(), "[classifier.bias classifier.weight]"},
		{"bert_mini", func(s string) string {
			if strings.HasPrefix(s, "classifier") || strings.HasPrefix(s, "bert.pooler") {
				return ""
			}
			return s
		}, "[bert.pooler.dense.bias bert.pooler.dense.weight classifier.bias classifier.weight]"},
	} {
		f := inMemory(t, stored(t, made(t, c.net, backbone.Options{}), c.rename))
		n := made(t, c.net, backbone.Options{Classes: 9})
		before := values(t, n, headOf(n))
		r, err := n.Load(f)
		if err != nil || fmt.Sprint(r.Fresh) != c.fresh {
			t.Errorf("%s: %+v (%v), want fresh %s", c.net, r, err, c.fresh)
			continue
		}
		if !slices.Equal(before, values(t, n, headOf(n))) {
			t.Errorf("%s: the head changed", c.net)
		}
	}
}

func headOf(n *backbone.Net) string {
	var name string
	for _, t := range n.Tensors {
		if t.Head {
			name = t.Name
		}
	}
	return name
}

// TestMisfits: everything that does not fit is told at once, and nothing is changed.
func TestMisfits(t *testing.T) {
	source := made(t, "cnn1d", backbone.Options{})
	for name, c := range map[string]struct {
		o      backbone.Options
		rename func(string) string
		want   string
	}{
		"missing and unexpected": {
			backbone.Options{},
			renames("block2.conv.weight", "block2.convolution.weight"),
			"models/backbone: the weights are not those of cnn1d: missing: block2.conv.weight; unexpected: block2.convolution.weight",
		},
		"shape": {
			backbone.Options{Channels: 6}, renames(), "not those of cnn1d (they are those of cnn1d with its usual options): of another shape: block1.conv.weight [64 3 7], want [64 6 7]",
		},
		"half a head": {backbone.Options{}, func(s string) string { return strings.TrimPrefix(s, "fc.bias") }, "missing: fc.bias"},
		"all":         {backbone.Options{}, func(s string) string { return "x." + s }, "and 3 more; unexpected: x.block1.bn.bias,"},
	} {
		n := made(t, "cnn1d", c.o)
		before := values(t, n, "block3.conv.weight")
		_, err := n.Load(inMemory(t, stored(t, source, c.rename)))
		var odd *backbone.MismatchError
		if !errors.As(err, &odd) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if !slices.Equal(before, values(t, n, "block3.conv.weight")) {
			t.Errorf("%s: the network changed", name)
		}
	}
}

// TestDamagedElements: what is no number is no weight.
func TestDamagedElements(t *testing.T) {
	n := made(t, "cnn1d", backbone.Options{})
	tensors := stored(t, n, renames())
	bias, err := weights.NewFloat32("fc.bias", []int{6}, []float32{0, 0, float32(math.NaN()), 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	counts, err := weights.New("fc.bias", weights.U8, []int{6}, make([]byte, 6))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bad  *weights.Tensor
		want string
	}{{bias, "fc.bias: element 2 is NaN"}, {counts, "fc.bias: elements of type U8"}} {
		tensors[len(tensors)-1] = c.bad
		if _, err := n.Load(inMemory(t, tensors)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestPlacesAreInterpolated compares with ONNX's bicubic Resize, which has PyTorch's curve and corners here.
func TestPlacesAreInterpolated(t *testing.T) {
	const from, to, width = 14, 24, 384
	f := inMemory(t, stored(t, made(t, "vit_s_16", backbone.Options{}), renames()))
	n := made(t, "vit_s_16", backbone.Options{Size: 16 * to})
	r, err := n.Load(f)
	if err != nil || fmt.Sprint(r.Interpolated) != "[encoder.pos_embedding]" {
		t.Fatalf("%+v (%v)", r, err)
	}
	table := widen(backbonetest.Values("encoder.pos_embedding", 1, 1+from*from, width))
	g := graph.New("resize", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float64, Shape: graph.Of(1, from, from, width)})
	x2 := g.Op("Transpose", []graph.Value{x}, graph.A("perm", []int64{0, 3, 1, 2}))
	y := g.Op("Resize", []graph.Value{x2, graph.None, graph.None, g.Ints(1, width, to, to)},
		graph.A("mode", "cubic"), graph.A("coordinate_transformation_mode", "align_corners"), graph.A("cubic_coeff_a", -0.75))
	g.Output("y", g.Op("Transpose", []graph.Value{y}, graph.A("perm", []int64{0, 2, 3, 1})))
	want, err := oracle.Run(g, oracle.Float64s(table[width:], 1, from, from, width))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "table of places", values(t, n, "encoder.pos_embedding"), append(slices.Clone(table[:width]), want[0].F...), 1e-6)
}
