package backbone_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
)

func open(t *testing.T, path string) *weights.File {
	t.Helper()
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// loaded builds a network with the weights of a file.
func loaded(t *testing.T, name string, o backbone.Options, f *weights.File) (*backbone.Net, backbone.Report) {
	t.Helper()
	n, err := backbone.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.Load(f)
	if err != nil {
		t.Fatal(err)
	}
	if r.Loaded+len(r.Fresh) != len(n.Tensors) {
		t.Errorf("%s: %d tensors loaded, %d fresh, of %d", name, r.Loaded, len(r.Fresh), len(n.Tensors))
	}
	return n, r
}

// array reads one array of an npz or npy file.
func array(t *testing.T, path, name string) (values []float32, dims []int64) {
	t.Helper()
	x, err := open(t, path).Tensor(name)
	if err == nil {
		values, err = x.Float32s()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range x.Shape() {
		dims = append(dims, int64(d))
	}
	return values, dims
}

// cifar returns the first pictures of the test set, which lie in a PNG one a row, as a network takes them.
func cifar(t *testing.T, n int, r backbone.Recipe) runtime.Tensor {
	t.Helper()
	data, err := os.ReadFile(testdata.Asset(t, "cifar10", "test_batch.png"))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	pixels, ok := picture.(*image.RGBA)
	if !ok {
		t.Fatalf("pixels are %T", picture)
	}
	out := runtime.NewTensor[float32](int64(n), 3, 32, 32)
	x := out.Data.([]float32)
	for i := range n {
		for c := range 3 {
			for p := range 1024 {
				v := float64(pixels.Pix[pixels.PixOffset(p, i)+c]) / 255
				x[(3*i+c)*1024+p] = float32((v - r.Mean[c]) / r.Std[c])
			}
		}
	}
	return out
}

func recipe(t *testing.T, name string) backbone.Recipe {
	t.Helper()
	info, err := backbone.Describe(name)
	if err != nil || len(info.Recipes) == 0 {
		t.Fatalf("%s: recipes %v (%v)", name, info.Recipes, err)
	}
	return info.Recipes[0]
}

// TestTrainedResNet18 compares with logits that PyTorch computed in float32 from the same weights and pictures.
func TestTrainedResNet18(t *testing.T) {
	const pictures = 100
	for _, kind := range []string{"balanced", "imbalanced"} {
		n, _ := loaded(t, "cifar_resnet18", backbone.Options{}, open(t, testdata.Shared(t, "models", "cifar10-resnet18", kind+".fp16.safetensors")))
		want, _ := array(t, testdata.Shared(t, "data", "predictions", "cifar10_test_resnet18_"+kind+"_logits.npy"), "")
		got := run(t, session(t, n), cifar(t, pictures, recipe(t, n.Name)))
		near(t, kind, got, widen(want[:10*pictures]), 1e-4)
	}
}

// trainedResNet20 returns the file of weights of ResNet-20, or the weights of its export.
func trainedResNet20(t *testing.T) *weights.File {
	t.Helper()
	if testdata.Have(t, "models", "cifar10-resnet20", "resnet20.safetensors") {
		return open(t, testdata.Shared(t, "models", "cifar10-resnet20", "resnet20.safetensors"))
	}
	m, err := onnx.Read(testdata.Shared(t, "models", "onnx", "resnet20_cifar10.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	return fileOf(t, m.Graph)
}

// TestTrainedResNet20 counts right answers: 91.73 % of the whole test set, as published.
func TestTrainedResNet20(t *testing.T) {
	const pictures = 1000
	n, _ := loaded(t, "cifar_resnet20", backbone.Options{}, trainedResNet20(t))
	labels, err := os.ReadFile(testdata.Shared(t, "data", "cifar10", "test_labels.u8"))
	if err != nil {
		t.Fatal(err)
	}
	logits := run(t, session(t, n), cifar(t, pictures, recipe(t, n.Name)))
	right := 0
	for i := range pictures {
		best := 0
		for k, v := range logits[10*i : 10*i+10] {
			if v > logits[10*i+best] {
				best = k
			}
		}
		if best == int(labels[i]) {
			right++
		}
	}
	t.Logf("%d of %d right", right, pictures)
	if right < 900 || right > 935 { // two deviations of a thousand draws
		t.Errorf("%d of %d right", right, pictures)
	}
}

// TestExportsRebuilt builds the networks of ONNX files from nothing but their weights.
func TestExportsRebuilt(t *testing.T) {
	exports := map[string]string{"resnet20_cifar10.onnx": "cifar_resnet20", "resnet56_cifar10.onnx": "cifar_resnet56", "efficientnet_lite0_imagenet.onnx": "efficientnet_lite0"}
	for _, file := range testdata.Some(t, "models/onnx", slices.Sorted(maps.Keys(exports))...) {
		name, file := exports[file], strings.TrimSuffix(file, ".onnx")
		m, err := onnx.Read(testdata.Shared(t, "models", "onnx", file+".onnx"))
		if err != nil {
			t.Fatal(err)
		}
		n, r := loaded(t, name, backbone.Options{}, fileOf(t, m.Graph))
		if len(r.Fresh) > 0 {
			t.Errorf("%s: fresh: %v", name, r.Fresh)
		}
		ref := testdata.Shared(t, "models", "onnx", file+"_ref.npz")
		x, dims := array(t, ref, "input")
		want, _ := array(t, ref, "logits")
		near(t, name, run(t, session(t, n), runtime.TensorOf(x, dims...)), widen(want), 1e-4)
	}
}

// fileOf returns the parameters and running statistics of a graph as a file of weights.
func fileOf(t *testing.T, g *graph.Graph) *weights.File {
	t.Helper()
	var tensors []*weights.Tensor
	for _, v := range g.Values() {
		c := g.ConstOf(v)
		if c == nil || c.Elem() != graph.Float32 || len(c.Dims()) == 0 {
			continue
		}
		raw, err := c.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var shape []int
		for _, d := range c.Dims() {
			shape = append(shape, int(d))
		}
		w, err := weights.New(g.NameOf(v), weights.F32, shape, raw)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, w)
	}
	return inMemory(t, tensors)
}

// TestEfficientNetFromPyTorch loads Google's checkpoint as it was first ported.
func TestEfficientNetFromPyTorch(t *testing.T) {
	n, r := loaded(t, "efficientnet_lite0", backbone.Options{}, open(t, testdata.Asset(t, "efficientnet-lite0", "efficientnet-lite0-57934424.pth")))
	if len(r.Fresh) > 0 {
		t.Errorf("fresh: %v", r.Fresh)
	}
	ref := testdata.Shared(t, "models", "onnx", "efficientnet_lite0_imagenet_ref.npz")
	x, dims := array(t, ref, "input")
	want, _ := array(t, ref, "logits")
	near(t, n.Name, run(t, session(t, n), runtime.TensorOf(x, dims...)), widen(want), 1e-4)
}

// TestMiniLMEmbeddings compares with the embeddings that sentence-transformers gives, and adds padding, which must change nothing.
func TestMiniLMEmbeddings(t *testing.T) {
	n, r := loaded(t, "minilm", backbone.Options{Embed: true}, open(t, testdata.Asset(t, "minilm", "model.safetensors")))
	if len(r.Ignored) != 3 { // position_ids and the pooler
		t.Errorf("ignored: %v", r.Ignored)
	}
	data, err := os.ReadFile(testdata.Shared(t, "data", "tokenizer", "minilm_l6_golden_embeddings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		IDs  []int64
		Want []float64 `json:"mean_pooled_l2norm"`
	}
	if err := json.Unmarshal(data, &golden); err != nil || len(golden) == 0 {
		t.Fatal(err)
	}
	longest := 0
	for _, g := range golden {
		longest = max(longest, len(g.IDs))
	}
	var texts []backbonetest.Tokens
	for _, g := range golden {
		row := backbonetest.Tokens{IDs: make([]int64, longest+3), Mask: make([]int64, longest+3), Types: make([]int64, longest+3)}
		copy(row.IDs, g.IDs)
		for i := range g.IDs {
			row.Mask[i] = 1
		}
		texts = append(texts, row)
	}
	s := session(t, n)
	got := run(t, s, tokens(s, texts...)...)
	for i, g := range golden {
		if c := cosine(got[384*i:384*(i+1)], g.Want); !(c > 0.99999) {
			t.Errorf("text %d: cosine %v", i, c)
		}
	}
}

func cosine(a, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
	}
	return ab / math.Sqrt(aa*bb)
}
