package models

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// guessed loads a network that has no manifest, with the given files beside it.
func guessed(tb testing.TB, n network, files map[string]string) (*Model, error) {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		write(tb, dir, name, []byte(text))
	}
	return Load(write(tb, dir, "net.onnx", n.bytes(tb)))
}

// says reports whether one of the notes contains the text.
func says(m *Model, text string) bool {
	return slices.ContainsFunc(m.Guessed, func(note string) bool { return strings.Contains(note, text) })
}

// words prints values with one space between any two.
func words(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

func TestGuessPlainNetwork(t *testing.T) {
	m, err := guessed(t, classifier(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	in := m.Manifest.Input
	if got, want := words(in.Name, in.Height, in.Width, in.Layout, in.Color, in.Mean, in.Std, in.Resize, in.Interpolation, in.Stretch),
		"x 224 224 NCHW RGB [0.485 0.456 0.406] [0.229 0.224 0.225] 256 bilinear false"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if m.Manifest.Name != "net" || m.Manifest.Output.Kind != Logits || m.Manifest.Labels[9] != "class_9" {
		t.Errorf("%+v", m.Manifest)
	}
	for _, want := range []string{"labels: class_0 to class_9", "output.kind: logits", "input.mean, input.std: ImageNet's", "input.resize: 256", "input.color"} {
		if !says(m, want) {
			t.Errorf("nothing about %q in %q", want, m.Guessed)
		}
	}
}

func TestGuessFromTheGraph(t *testing.T) {
	for _, c := range []struct {
		name string
		net  network
		want string // of layout, height, width, resize, stretch, kind, number of labels, first label
		note string
	}{
		{"NHWC", network{in: []any{"N", 96, 96, 3}, out: []any{"N", 4}}, "NHWC 96 96 110 false logits 4 class_0", "input.resize: 110"},
		{"tiny", network{in: []any{"N", 3, 32, 32}, out: []any{"N", 4}}, "NCHW 32 32 32 false logits 4 class_0", "input.resize: 32"},
		{"oblong", network{in: []any{1, 3, 128, 256}, out: []any{1, 4}}, "NCHW 128 256 0 true logits 4 class_0", "input.stretch: true"},
		{"open size", network{in: []any{"N", 3, "H", "W"}, out: []any{"N", 4}}, "NCHW 224 224 256 false logits 4 class_0", "input.height, input.width: 224, 224 (the graph leaves it open"},
		{"open layout", network{in: []any{"a", "b", "c", "d"}, out: []any{"N", 4}}, "NCHW 224 224 256 false logits 4 class_0", "input.layout: NCHW"},
		{"softmax", network{in: []any{"N", 3, 224, 224}, out: []any{"N", 4}, op: "Softmax"}, "NCHW 224 224 256 false probabilities 4 class_0", "labels: class_0"},
		{"log-softmax", network{in: []any{"N", 3, 224, 224}, out: []any{"N", 4}, op: "LogSoftmax"}, "NCHW 224 224 256 false log-probabilities 4 class_0", "labels: class_0"},
		{"trailing ones", network{in: []any{1, 3, 224, 224}, out: []any{1, 1000, 1, 1}}, "NCHW 224 224 256 false logits 1000 tench", "labels: the 1000 of ImageNet-1k"},
	} {
		m, err := guessed(t, c.net, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		f := m.Manifest
		got := words(f.Input.Layout, f.Input.Height, f.Input.Width, f.Input.Resize, f.Input.Stretch, f.Output.Kind, len(f.Labels), f.Labels[0])
		if got != c.want || !says(m, c.note) {
			t.Errorf("%s: got %s, want %s; notes %q", c.name, got, c.want, m.Guessed)
		}
	}
}

func TestGuessRefuses(t *testing.T) {
	second := func(g *onnxpb.GraphProto) {
		g.Input = append(g.Input, port("mask", onnxpb.TensorProto_FLOAT, []any{1}))
	}
	for _, c := range []struct {
		name string
		net  network
		want string
	}{
		{"grey", network{in: []any{"N", 1, 28, 28}, out: []any{"N", 10}}, "x float32[N,1,28,28]: no size is 3"},
		{"four channels", network{in: []any{"N", 4, 28, 28}, out: []any{"N", 10}}, "no size is 3"},
		{"rank", network{in: []any{"N", 128}, out: []any{"N", 10}}, "want four sizes"},
		{"two inputs", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10}, edit: second}, "2 inputs (x, mask)"},
		{"no inputs", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10}, edit: func(g *onnxpb.GraphProto) { g.Input = nil }}, "0 inputs (none)"},
		{"no outputs", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10}, edit: func(g *onnxpb.GraphProto) { g.Output = nil }}, "no outputs"},
		{"no classes", classifier(0), "want 2 to"},
		{"float64", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10}, inType: onnxpb.TensorProto_DOUBLE}, "input x float64[N,3,8,8]: want float32 or float16"},
		{"unbatched", network{in: []any{"N", 3, 8, 8}, out: []any{10}}, "at least two sizes"},
		{"negative classes", classifier(-5), "leaves the number of classes open"},
		{"map of features", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10, 7, 7}}, "number of classes"},
		{"scalar output", network{in: []any{"N", 3, 8, 8}, out: []any{}}, "at least two sizes"},
		{"sigmoid", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10}, op: "Sigmoid"}, "comes from Sigmoid"},
		{"integers", network{in: []any{"N", 3, 8, 8}, out: []any{"N", 10}, inType: onnxpb.TensorProto_UINT8}, "want float32 or float16"},
		{"huge", network{in: []any{"N", 3, 1 << 40, 8}, out: []any{"N", 10}}, "input.height: 2147483647 pixels"},
		{"detector", network{
			in: []any{"N", 3, 8, 8}, out: []any{"N", 10},
			metadata: map[string]string{"author": "Ultralytics", "task": "detect"},
		}, `task is "detect"`},
	} {
		m, err := guessed(t, c.net, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "net.onnx") {
			t.Errorf("%s: got %v, %v, want an error with %q and the file's name", c.name, m, err, c.want)
		}
	}
}

func TestGuessPicksAmongOutputs(t *testing.T) {
	n := classifier(5)
	n.edit = func(g *onnxpb.GraphProto) {
		g.Output = []*onnxpb.ValueInfoProto{
			port("features", onnxpb.TensorProto_FLOAT, []any{"N", 8, 7, 7}), port("best", onnxpb.TensorProto_INT64, []any{"N", 1}), g.Output[0],
		}
	}
	m, err := guessed(t, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Manifest.Output.Name != "y" || !says(m, "output.name: y (the first of 3") {
		t.Errorf("output %q, notes %q", m.Manifest.Output.Name, m.Guessed)
	}
}

func TestGuessUltralyticsClassifier(t *testing.T) {
	n := network{
		in: []any{"batch", 3, "height", "width"}, out: []any{"batch", 2}, op: "Softmax",
		metadata: map[string]string{"author": "Ultralytics", "task": "classify", "names": "{0: 'fox', 1: \"Geoffroy's cat\"}", "imgsz": "[160, 160]", "license": "AGPL-3.0"},
	}
	m, err := guessed(t, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Manifest
	if got, want := words(f.Labels, f.Input.Height, f.Input.Width, f.Input.Resize, f.Input.Mean, f.Input.Std, f.Output.Kind, f.License),
		"[fox Geoffroy's cat] 160 160 160 [0 0 0] [1 1 1] probabilities AGPL-3.0"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !says(m, `2 from the model's metadata "names"`) || !says(m, "as Ultralytics trains") {
		t.Errorf("notes %q", m.Guessed)
	}
}

func TestGuessFromMetadata(t *testing.T) {
	n := classifier("classes")
	n.metadata = map[string]string{"class_names": `["a", "a"]`, "standardization_mean": "[0.1, 0.2, 0.3]", "standardization_std": "[1, 2, 3]"}
	m, err := guessed(t, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(m.Manifest.Labels, m.Manifest.Input.Mean, m.Manifest.Input.Std), "[a a (2)] [0.1 0.2 0.3] [1 2 3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !says(m, `labels[1]: "a" was made "a (2)"`) {
		t.Errorf("notes %q", m.Guessed)
	}
}

func TestGuessFindsClassesBehindAnOpenOutput(t *testing.T) {
	n := classifier("Gemmlogits_dim_1")
	n.edit = func(g *onnxpb.GraphProto) {
		g.Initializer = []*onnxpb.TensorProto{{Name: proto.String("w"), Dims: []int64{2, 6}, DataType: proto.Int32(1), FloatData: make([]float32, 12)}}
	}
	m, err := guessed(t, n, nil)
	if err != nil || len(m.Manifest.Labels) != 6 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestGuessRealExports(t *testing.T) {
	all := map[string]string{
		"efficientnet_lite0_imagenet.onnx": "input 224 224 logits 1000 4694024",
		"resnet20_cifar10.onnx":            "input 32 32 logits 10 271098",
		"resnet56_cifar10.onnx":            "input 32 32 logits 10 857082",
	}
	for _, file := range testdata.Some(t, "models/onnx", slices.Sorted(maps.Keys(all))...) {
		want := all[file]
		m, err := Load(testdata.Shared(t, "models", "onnx", file))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Manifest
		if got := words(f.Input.Name, f.Input.Height, f.Input.Width, f.Output.Name, len(f.Labels), f.Parameters); got != want {
			t.Errorf("%s: got %s, want %s", file, got, want)
		}
		if len(m.Guessed) == 0 || f.SHA256 != m.Hash() {
			t.Errorf("%s: notes %q, hash %s in the manifest, %s", file, m.Guessed, f.SHA256, m.Hash())
		}
	}
}

// A graph that puts its features out first is a classifier all the same.
func TestGuessPicksTheOutputOfTheClasses(t *testing.T) {
	n := classifier(3)
	n.edit = func(g *onnxpb.GraphProto) {
		features := port("features", onnxpb.TensorProto_FLOAT, []any{"N", 512})
		g.Output[0].Name = proto.String("class_logits")
		g.Node[0].Output[0] = "class_logits"
		g.Output = []*onnxpb.ValueInfoProto{features, g.Output[0]}
		g.Node = append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Identity"), Input: []string{"x"}, Output: []string{"features"}})
	}
	m, err := guessed(t, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Manifest.Output.Name != "class_logits" || len(m.Manifest.Labels) != 3 || !says(m, "output.name: class_logits") {
		t.Errorf("%+v, %q", m.Manifest.Output, m.Guessed)
	}
}
