package models_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A picture in, the classes of an ONNX file out: its manifest says how.
func ExampleModel_OpenBase() {
	ctx := context.Background()
	library, err := ortlib.Find(ctx, ortlib.Options{}) // that `oatta setup` fetched, or the system's
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	m, err := models.Load("embedded/efficientnet-lite0.onnx") // or the name of an embedded model
	check(err)
	transform, err := m.Transform()
	check(err)
	p, err := m.OpenBase(engine, runtime.Config{})
	check(err)
	defer p.Close()
	x, logits, q := make([]float32, p.InputLen()), make([]float32, p.Classes()), make([]float64, p.Classes())
	check(transform.File(x, "../datasets/samples/heron/20210531082538-RCNX0032.JPG"))
	check(p.Predict(ctx, logits, x, nil))
	check(predict.Kind(m.Manifest.Output.Kind).Probabilities(q, logits))
	best := 0
	for i := range q {
		if q[i] > q[best] {
			best = i
		}
	}
	fmt.Printf("%s %.1f\n", m.Manifest.Labels[best], q[best])
	// Output:
	// pelican 0.2
}

// What is in the binary, and what a model says of itself.
func ExampleLoad() {
	for _, info := range models.Embedded() {
		m, err := models.Load(info.Name)
		check(err)
		fmt.Println(info.Name, m.Graph.Inputs[0], m.Graph.Outputs[0], len(m.Guessed), "guesses")
	}
	// Output:
	// efficientnet-lite0 input float32[N,3,224,224] logits float32[N,1000] 0 guesses
	// har-waist input float32[N,3,128] logits float32[N,6] 0 guesses
	// resnet20-cifar10 input float32[N,3,32,32] logits float32[N,10] 0 guesses
	// tweet-sentiment input_ids int64[N,L] logits float32[N,2] 0 guesses
	// yasa-eeg features float32[?,65] probabilities float32[?,5] 0 guesses
	// yasa-eeg-emg features float32[?,98] probabilities float32[?,5] 0 guesses
	// yasa-eeg-eog features float32[?,116] probabilities float32[?,5] 0 guesses
	// yasa-eeg-eog-emg features float32[?,149] probabilities float32[?,5] 0 guesses
}

// A network that was built here, with a manifest of its own.
func ExampleNew() {
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 2, Samples: 64})
	check(err)
	m, err := models.New(onnx.New(net.Graph), models.Manifest{
		Name: "steps", Task: models.SignalClassification, Labels: []string{"rest", "walking"},
		Signal: &models.Signal{Name: "input", Modality: models.Motion, Channels: []string{"x", "y", "z"}, Rate: 32, Samples: 64},
		Output: models.Output{Name: "logits"},
	})
	check(err)
	fmt.Println(m.Manifest.Shape(), m.Manifest.Signal.Windows().Unit, len(m.Hash()))
	// Output:
	// [3 64] g 64
}

// moods writes an untrained network for texts with its vocabulary and its manifest, and returns its path.
func moods(dir string) string {
	net, err := backbone.New("bert_mini", backbone.Options{Classes: 2, Vocabulary: 7, Positions: 16})
	check(err)
	file := filepath.Join(dir, "net.onnx")
	check(onnx.New(net.Graph).Save(file, onnx.SaveSettings{}))
	check(os.WriteFile(filepath.Join(dir, "vocab.txt"), []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\nbad\nday\n"), 0o600))
	check(os.WriteFile(models.ManifestPath(file), []byte(`{"oatta_manifest": 1, "name": "moods", "task": "text-classification", "labels": ["bad", "good"],
		"text": {"ids": "input_ids", "mask": "attention_mask", "types": "token_type_ids"}, "output": {"name": "logits"}}`), 0o600))
	return file
}

// A model of texts hands out its tokenizer, held against the network.
func ExampleModel_Tokenizer() {
	dir, err := os.MkdirTemp("", "texts")
	check(err)
	defer os.RemoveAll(dir)
	m, err := models.Load(moods(dir))
	check(err)
	t, notes, err := m.Tokenizer()
	check(err)
	ids, cut := t.Append(nil, "Good day")
	fmt.Println(ids, cut, notes)
	// Output:
	// [2 4 6 3] false [texts are cut at 16 tokens: the network has no place for more, though 512 are asked for]
}

// A network for texts has several inputs of integers; behind Rows it is fed like all others.
func ExampleModel_Rows() {
	library, err := ortlib.Find(context.Background(), ortlib.Options{})
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	dir, err := os.MkdirTemp("", "texts")
	check(err)
	defer os.RemoveAll(dir)
	m, err := models.Load(moods(dir))
	check(err)
	session, err := m.Open(engine, runtime.Config{})
	check(err)
	rows, shape, err := m.Rows(session)
	check(err)
	defer rows.Close()
	fmt.Println(len(session.Inputs()), "inputs, now", rows.Inputs(), shape)
	// Output:
	// 3 inputs, now [input_ids float32[?,?]] [16]
}
