package models

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

func mustDecode(t *testing.T, m *Model) *onnxpb.ModelProto {
	t.Helper()
	data, err := m.Data()
	if err != nil {
		t.Fatal(err)
	}
	p, err := onnx.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Another program's config.json is passed over, and said.
func TestForeignConfig(t *testing.T) {
	for text, want := range map[string]string{
		`{"model": "resnet50", "image_size": "224", "label_names": "labels.txt"}`: "(label_names is a JSON string)",
		`{"id2label": ["deer", "fox"]}`:                                           "(id2label is a JSON array)",
		`[1, 2]`:                                                                  "(the whole is a JSON array)",
	} {
		m, err := guessed(t, classifier(2), map[string]string{"config.json": text})
		if err != nil || !says(m, "config.json beside the model was passed over: it is not what Hugging Face's programs write "+want) {
			t.Errorf("%s: %v, %v", text, err, m)
		} else if fmt.Sprint(m.Manifest.Labels) != "[class_0 class_1]" {
			t.Errorf("%s: %q", text, m.Manifest.Labels)
		}
	}
}

// A file of labels beside the model is used where it fits, and said either way.
func TestLabelsBeside(t *testing.T) {
	for _, c := range []struct {
		files  map[string]string
		net    network
		labels string
		note   string
	}{
		{map[string]string{"labels.txt": "deer\nfox\n"}, classifier(2), "[deer fox]", "labels: 2 from labels.txt beside the model"},
		{map[string]string{"classes.txt": "\ufeffdeer\r\nfox\r\n"}, classifier("K"), "[deer fox]", "labels: 2 from classes.txt beside the model"},
		{map[string]string{"labels.txt": "empty\nanimal"}, classifier(1), "[empty animal]", "labels: 2 from labels.txt"},
		{map[string]string{"labels.txt": "deer\nfox\nboar\n"}, classifier(2), "[class_0 class_1]", "labels: labels.txt beside the model was not used: 3 lines for 2 classes"},
		{map[string]string{"labels.txt": "deer\nfox\n", "config.json": `{"id2label": {"0": "a", "1": "b"}}`}, classifier(2), "[a b]", "config.json"},
	} {
		m, err := guessed(t, c.net, c.files)
		if err != nil || fmt.Sprint(m.Manifest.Labels) != c.labels || !says(m, c.note) {
			t.Errorf("%v: %v, %+v", c.files, err, m)
		}
	}
}

// A graph that scales its input itself gets plain values.
func TestGuessSeesScaling(t *testing.T) {
	scaled := func(dims []int64, ops ...any) func(g *onnxpb.GraphProto) {
		return func(g *onnxpb.GraphProto) {
			at := "x"
			for i := 0; i < len(ops); i += 2 {
				name := fmt.Sprint("s", i)
				g.Initializer = append(g.Initializer, &onnxpb.TensorProto{Name: proto.String(name + "c"), DataType: proto.Int32(1), Dims: dims, FloatData: ops[i+1].([]float32)})
				g.Node = append(g.Node, node(ops[i].(string), name, at, name+"c"))
				at = name
			}
			g.Node[0].Input[0] = at
		}
	}
	for _, c := range []struct {
		edit      func(g *onnxpb.GraphProto)
		mean, std string
		note      string
	}{
		{scaled(nil, "Div", []float32{255}), "[0 0 0]", "[0.00392156862745098 0.00392156862745098 0.00392156862745098]", "plain values of 0 to 255 (the graph scales them itself: x*0.003922 + 0)"},
		{scaled(nil, "Mul", []float32{1 / 127.5}, "Sub", []float32{1}), "[0 0 0]", "[0.00392156862745098 0.00392156862745098 0.00392156862745098]", "plain values of 0 to 255 (the graph scales them itself: x*0.007843 + -1)"},
		{scaled([]int64{1, 3, 1, 1}, "Sub", []float32{.485, .456, .406}, "Div", []float32{.229, .224, .225}), "[0 0 0]", "[1 1 1]", "plain values of 0 to 1"},
		{scaled([]int64{3, 1, 1}, "Sub", []float32{103.9, 116.8, 123.7}), "[0 0 0]", "[0.00392156862745098 0.00392156862745098 0.00392156862745098]", "plain values of 0 to 255"},
		{scaled(nil, "Mul", []float32{0.1}), "[0.485 0.456 0.406]", "[0.229 0.224 0.225]", "the graph scales its input (x*0.1 + 0), and what values it wants is not clear from that"},
	} {
		net := classifier(2)
		net.edit = c.edit
		m, err := guessed(t, net, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := words(m.Manifest.Input.Mean, m.Manifest.Input.Std); got != c.mean+" "+c.std || !says(m, c.note) {
			t.Errorf("%s, want %s %s; %q", got, c.mean, c.std, m.Guessed)
		}
	}
	net := classifier(2)
	net.edit = scaled(nil, "Div", []float32{255})
	m, err := guessed(t, net, map[string]string{"preprocessor_config.json": `{"size": 224, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}`})
	if err != nil || !says(m, "the graph scales its input too (x*0.003922 + 0)") {
		t.Error(err, m)
	}
}

// The cases that users met: what each is taken for.
func TestCasesOfUsers(t *testing.T) {
	dir := filepath.Join(testdata.Root(), "models", "testdata", "cases")
	for name, want := range map[string]string{
		"k1.onnx":                    "probabilities [class_0 class_1] [0.485 0.456 0.406]",
		"k1logit.onnx":               "logits [class_0 class_1] [0.485 0.456 0.406]",
		"k1_manifest/m.onnx":         "probabilities [empty animal] [0.485 0.456 0.406]",
		"nhwc255.onnx":               "probabilities [class_0 class_1 class_2] [0 0 0]",
		"norm01.onnx":                "logits [class_0 class_1 class_2] [0 0 0]",
		"foreign_config/m.onnx":      "logits [class_0 class_1 class_2] [0.485 0.456 0.406]",
		"foreign_config_list/m.onnx": "logits [class_0 class_1 class_2] [0.485 0.456 0.406]",
	} {
		m, err := Load(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := words(m.Manifest.Output.Kind, m.Manifest.Labels, m.Manifest.Input.Mean); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if strings.HasPrefix(name, "foreign") && !says(m, "was passed over") {
			t.Errorf("%s: %q", name, m.Guessed)
		}
	}
}
