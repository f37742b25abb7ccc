package backbone_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/norms"
)

func made(t *testing.T, name string, o backbone.Options) *backbone.Net {
	t.Helper()
	n, err := backbone.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func values(t *testing.T, n *backbone.Net, name string) []float64 {
	t.Helper()
	x, ok := n.Tensor(name)
	if !ok {
		t.Fatalf("%s: no tensor %s", n.Name, name)
	}
	v, err := n.Graph.ConstOf(x.Value).Float64s()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestInterface: every network has open batches, the outputs that its options say, and a graph in which all is known.
func TestInterface(t *testing.T) {
	for _, name := range backbone.Names() {
		info, err := backbone.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, embed := range []bool{false, true} {
			n := made(t, name, backbone.Options{Classes: 7, Embed: embed})
			g := n.Graph
			out := g.TypeOf(g.Outputs()[0])
			want := graph.Shape{graph.Sym("N"), graph.N(7)}
			if embed {
				want[1] = out.Shape[1]
			}
			if !out.Shape.Same(want) || out.Elem != graph.Float32 || len(g.Outputs()) != 1 {
				t.Errorf("%s: output %v, want %v", name, out, want)
			}
			if in := g.NameOf(g.Inputs()[0]); (in == "input_ids") != (info.Kind == backbone.Text) {
				t.Errorf("%s: input %s of a network of kind %s", name, in, info.Kind)
			}
			for _, node := range g.Nodes() {
				for _, v := range node.Outputs {
					if g.TypeOf(v).Shape == nil {
						t.Errorf("%s: %v: no shape", name, node)
					}
				}
			}
		}
	}
}

// TestParametersAreMarked: judging by use finds the same parameters as the description states.
func TestParametersAreMarked(t *testing.T) {
	for _, name := range backbone.Names() {
		g := made(t, name, backbone.Options{}).Graph
		stated := g.Params()
		g.MarkParams()
		if got := g.Params(); !slices.Equal(got, stated) {
			t.Errorf("%s: %d parameters by use, %d stated", name, len(got), len(stated))
		}
	}
}

// TestPublishedSizes compares the numbers of parameters with those that torchvision, Hugging Face and the papers state.
func TestPublishedSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		o    backbone.Options
		want int64
	}{
		{"resnet18", backbone.Options{}, 11689512},
		{"resnet50", backbone.Options{}, 25557032},
		{"convnext_tiny", backbone.Options{}, 28589128},
		{"vit_b_16", backbone.Options{}, 86567656},
		{"vit_s_16", backbone.Options{}, 22050664},
		{"efficientnet_lite0", backbone.Options{}, 4652008},
		{"cifar_resnet20", backbone.Options{}, 269722},
		{"cifar_resnet56", backbone.Options{}, 853018},
		{"cnn1d", backbone.Options{Channels: 6, Samples: 100}, 94214},
		{"tcn", backbone.Options{}, 137926},
		{"resnet18_1d", backbone.Options{}, 3846469},
		{"bert_base", backbone.Options{}, 109483778},
		{"distilbert_base", backbone.Options{}, 66955010},
	} {
		n, got := made(t, c.name, c.o), int64(0)
		for _, x := range n.Tensors {
			if !x.Buffer {
				got += n.Graph.ConstOf(x.Value).Len()
			}
		}
		if got != c.want {
			t.Errorf("%s: %d parameters, want %d", c.name, got, c.want)
		}
	}
}

// TestEveryGradientExists builds the derivative with respect to all parameters, as MEMO needs it: a rule is there for every operator.
func TestEveryGradientExists(t *testing.T) {
	for _, name := range backbone.Names() {
		g := made(t, name, backbone.Options{}).Graph
		params := g.Params()
		for _, v := range params {
			g.ToInput(v)
		}
		loss := g.Op("ReduceSum", []graph.Value{g.Outputs()[0]}, graph.A("keepdims", 0))
		grads, err := autodiff.Gradient(g, loss, params)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, d := range grads {
			if d == graph.None {
				t.Errorf("%s: no gradient of %s", name, g.NameOf(params[i]))
			}
		}
		if err := g.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		name string
		o    backbone.Options
		want string
	}{
		{"resnet51", backbone.Options{}, "there are resnet18"},
		{"resnet18", backbone.Options{Classes: 1}, "classes: 1, want 2"},
		{"resnet18", backbone.Options{Samples: 100}, "samples: 100, and the network has none"},
		{"resnet18", backbone.Options{Size: 16}, "size: 16, want 32"},
		{"vit_b_16", backbone.Options{Size: 100}, "size: 100, want a multiple of 16"},
		{"cnn1d", backbone.Options{Size: 32}, "size: 32, and the network has none"},
		{"cnn1d", backbone.Options{Levels: 6}, "levels: 6, and the network has none"},
		{"tcn", backbone.Options{Levels: 17}, "levels: 17, want 1 to 16"},
		{"tcn", backbone.Options{Dropout: 1}, "dropout: 1, want below 1"},
		{"tcn", backbone.Options{Dropout: math.NaN()}, "dropout: NaN"},
		{"bert_mini", backbone.Options{Channels: 3}, "channels: 3, and the network has none"},
	} {
		if _, err := backbone.New(c.name, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %q", c.name, c.o, err, c.want)
		}
	}
}

// TestDropout: the node is there at the network's own rate, at a chosen one, and not at all.
func TestDropout(t *testing.T) {
	for _, c := range []struct {
		name          string
		asked, expect float64
	}{{"cnn1d", 0, 0.2}, {"cnn1d", 0.5, 0.5}, {"cnn1d", -1, 0}, {"resnet50", 0, 0}, {"resnet50", 0.3, 0.3}, {"bert_mini", 0, 0.1}, {"vit_s_16", 0.1, 0.1}} {
		g, rate := made(t, c.name, backbone.Options{Dropout: c.asked}).Graph, 0.0
		for _, n := range g.Nodes() {
			if n.Op == "Dropout" {
				v, err := g.ConstOf(n.Inputs[1]).Float64s()
				if err != nil {
					t.Fatal(err)
				}
				rate = v[0]
			}
		}
		if math.Abs(rate-c.expect) > 1e-7 {
			t.Errorf("%s, asked for %v: rate %v, want %v", c.name, c.asked, rate, c.expect)
		}
	}
}

// TestOthersFindTheirPlaces: Tent finds every normalisation, and MC dropout the place of its mask.
func TestOthersFindTheirPlaces(t *testing.T) {
	for _, name := range backbone.Names() {
		n := made(t, name, backbone.Options{Dropout: 0.2})
		want := 0
		for _, x := range n.Tensors {
			if !x.Buffer && n.Graph.ConstOf(x.Value).Len() > 1 && strings.HasSuffix(x.Name, ".weight") && len(x.Dims) == 1 {
				want++ // vectors are the scales of normalisations; all else called a weight is a kernel or a table
			}
		}
		if got := len(norms.Find(n.Graph)); got != want || want == 0 {
			t.Errorf("%s: %d normalisations, want %d", name, got, want)
		}
		if err := norms.Explain(n.Graph, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(dropout.Find(n.Graph)); got != 1 {
			t.Errorf("%s: %d places for masks, want 1", name, got)
		}
	}
}

func TestTCNSeesItsWindow(t *testing.T) {
	for samples, want := range map[int]int{8: 6, 253: 6, 254: 8, 3000: 8} {
		if got := made(t, "tcn", backbone.Options{Samples: samples}).Options.Levels; got != want {
			t.Errorf("%d samples: %d levels, want %d", samples, got, want)
		}
	}
}

// TestFreshTensors compares means and deviations with what the reference implementations draw from.
func TestFreshTensors(t *testing.T) {
	for _, c := range []struct {
		net, tensor     string
		mean, deviation float64
	}{
		{"resnet18", "layer4.1.conv2.weight", 0, math.Sqrt(2.0 / (512 * 9))},
		{"resnet18", "layer1.0.conv1.weight", 0, math.Sqrt(2.0 / (64 * 9))},
		{"resnet18", "fc.weight", 0, 1 / math.Sqrt(3*512)},
		{"resnet18", "bn1.weight", 1, 0},
		{"resnet18", "bn1.running_var", 1, 0},
		{"cifar_resnet20", "layer3.0.conv1.weight", 0, math.Sqrt(2.0 / (32 * 9))},
		{"tcn", "blocks.1.conv1.weight", 0, 1 / math.Sqrt(3*64*3)},
		{"vit_s_16", "conv_proj.weight", 0, math.Sqrt(1.0 / 768)},
		{"vit_s_16", "encoder.pos_embedding", 0, 0.02},
		{"vit_s_16", "encoder.layers.encoder_layer_3.mlp.0.weight", 0, math.Sqrt(2.0 / (384 + 1536))},
		{"vit_s_16", "heads.head.weight", 0, 0},
		{"convnext_tiny", "features.1.0.layer_scale", 1e-6, 0},
		{"convnext_tiny", "features.7.0.block.3.weight", 0, 0.02},
		{"bert_mini", "bert.embeddings.word_embeddings.weight", 0, 0.02},
	} {
		v := values(t, made(t, c.net, backbone.Options{}), c.tensor)
		mean, square := 0.0, 0.0
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			square += (x - mean) * (x - mean) / float64(len(v))
		}
		// Four standard errors of each.
		room := 4 / math.Sqrt(float64(len(v)))
		if d := math.Sqrt(square); math.Abs(mean-c.mean) > room*c.deviation+1e-12 || math.Abs(d-c.deviation) > room*c.deviation {
			t.Errorf("%s %s: mean %v, deviation %v, want %v, %v", c.net, c.tensor, mean, d, c.mean, c.deviation)
		}
	}
	if row := values(t, made(t, "bert_mini", backbone.Options{}), "bert.embeddings.word_embeddings.weight")[:64]; slices.Max(row) != 0 || slices.Min(row) != 0 {
		t.Error("the row of padding is not 0")
	}
}

func TestSeeds(t *testing.T) {
	a, b := made(t, "cnn1d", backbone.Options{Seed: 1}), made(t, "cnn1d", backbone.Options{Seed: 1, Classes: 9})
	const name = "block2.conv.weight"
	first := values(t, a, name)
	if !slices.Equal(first, values(t, b, name)) {
		t.Error("a head of another size changed the tensors before it")
	}
	a.Init(2)
	if slices.Equal(first, values(t, a, name)) {
		t.Error("another seed gives the same tensor")
	}
	a.Init(1)
	if !slices.Equal(first, values(t, a, name)) {
		t.Error("the same seed gives another tensor")
	}
	if v, _ := a.Tensor(name); !a.Graph.IsParam(v.Value) {
		t.Error("a parameter is none after Init")
	}
}

func TestSetChecksLength(t *testing.T) {
	n := made(t, "cnn1d", backbone.Options{})
	if err := n.Set("fc.bias", make([]float32, 5)); err == nil {
		t.Error("five elements for six")
	}
	if err := n.Set("nothing", nil); err == nil {
		t.Error("no such tensor")
	}
	if err := errors.Join(n.Set("fc.bias", []float32{1, 2, 3, 4, 5, 6}), n.Graph.Check()); err != nil {
		t.Error(err)
	}
	if got := values(t, n, "fc.bias"); got[5] != 6 {
		t.Errorf("elements %v", got)
	}
}
