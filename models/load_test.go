package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/onnx/onnxpb"
	"github.com/oatta/oatta/runtime"
)

const smallManifest = `{
  "oatta_manifest": 1, "name": "two", "labels": ["cat", "dog"],
  "input": {"name": "x", "height": 224, "width": 224, "mean": [0, 0, 0], "std": [1, 1, 1]}, "output": {"name": "y"}
}`

func TestEmbeddedModels(t *testing.T) {
	infos := Embedded()
	names := []string{Default, DefaultMotion, "resnet20-cifar10", DefaultText, "yasa-eeg", "yasa-eeg-emg", "yasa-eeg-eog", "yasa-eeg-eog-emg"}
	if !slices.EqualFunc(infos, names, func(i Info, name string) bool { return i.Name == name }) {
		t.Fatalf("embedded: %+v", infos)
	}
	for _, info := range infos {
		m, err := Load(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := m.Data()
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		if m.Hash() != hex.EncodeToString(sum[:]) || int64(len(data)) != info.Bytes {
			t.Errorf("%s: hash %s and %d bytes, the file has %x and %d", info.Name, m.Hash(), info.Bytes, sum, len(data))
		}
		if err := m.checkGraph(); err != nil {
			t.Error(err)
		}
		if m.Path != "" || len(m.Guessed) != 0 || m.Manifest.License == "" || m.Graph.Parameters != info.Parameters || m.Graph.FoldedConvolution {
			t.Errorf("%s: path %q, guessed %q, %+v", info.Name, m.Path, m.Guessed, info)
		}
		signal := info.Task == SignalClassification
		if trees := m.Graph.Forest.Trees > 0; trees != (info.Stored < info.Bytes) || trees != (signal && info.Name != DefaultMotion) || (info.Task != ImageClassification) != (Card(info.Name) != "") {
			t.Errorf("%s: %+v, of %d trees", info.Name, info, m.Graph.Forest.Trees)
		}
	}
}

func TestLoadWithManifest(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "net.onnx", classifier(2).bytes(t))
	manifest := write(t, dir, "net.json", []byte(smallManifest))
	for _, name := range []string{path, manifest, dir} {
		m, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Manifest.Name != "two" || m.Path != path || len(m.Guessed) != 0 || len(m.Hash()) != 64 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestLoadWithFileOfLabels(t *testing.T) {
	for text, want := range map[string]string{
		"cat\ndog\n":               "",
		"\ufeffcat\r\n dog \r\n\n": "",
		"cat\n\ndog\n":             "labels[1]: \"\" is empty",
		"cat\ncat":                 "labels[1]: \"cat\" is labels[0] already",
		"":                         "0 labels",
		"cat\ndog\nfox":            "2 classes; the manifest has 3 labels",
	} {
		dir := t.TempDir()
		write(t, dir, "names/l.txt", []byte(text))
		write(t, dir, "net.json", []byte(strings.Replace(smallManifest, `"labels": ["cat", "dog"]`, `"labels_file": "names/l.txt"`, 1)))
		m, err := Load(write(t, dir, "net.onnx", classifier(2).bytes(t)))
		if want == "" {
			if err != nil || fmt.Sprint(m.Manifest.Labels) != "[cat dog]" {
				t.Errorf("%q: %v, %v", text, m, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	manifest := func(old, with string) string { return strings.Replace(smallManifest, old, with, 1) }
	for _, c := range []struct {
		name     string
		data     []byte
		manifest string
		want     string
	}{
		{"truncated", classifier(2).bytes(t)[:60], "", "damaged"},
		{"text", []byte("this is not a network"), "", "looks like text"},
		{"empty", nil, "", "the file is empty"},
		{"bad manifest", classifier(2).bytes(t), "{", "models: DIR/net.json: line 1"},
		{"manifest of another program", classifier(2).bytes(t), `{"epochs": 3}`, `unknown field "epochs"`},
		{"other hash", classifier(2).bytes(t), manifest(`"name": "two"`, `"name": "two", "sha256": "`+strings.Repeat("ab", 32)+`"`), "the manifest is for a file with hash abab"},
		{"other input", classifier(2).bytes(t), manifest(`"name": "x"`, `"name": "pixels"`), `the manifest's input is "pixels", the model's are "x"`},
		{"other output", classifier(2).bytes(t), manifest(`"name": "y"`, `"name": "scores"`), `the manifest's output is "scores", the model's are "y"`},
		{"other size", classifier(2).bytes(t), manifest(`"height": 224`, `"height": 192`), "x float32[?,3,224,224], the manifest's is NCHW of 192 x 224"},
		{"other layout", classifier(2).bytes(t), manifest(`"name": "x"`, `"name": "x", "layout": "NHWC"`), "NHWC"},
		{"other classes", classifier(3).bytes(t), smallManifest, "y float32[?,3], 3 classes; the manifest has 2 labels"},
		{"missing labels", classifier(2).bytes(t), manifest(`"labels": ["cat", "dog"]`, `"labels_file": "none.txt"`), "labels_file: open"},
		{"labels elsewhere", classifier(2).bytes(t), manifest(`"labels": ["cat", "dog"]`, `"labels_file": "../l.txt"`), "not a path below"},
		{"rank", network{in: []any{"N", 3}, out: []any{"N", 2}}.bytes(t), smallManifest, "needs four sizes"},
		{"external data elsewhere", network{in: []any{"N", 3, 224, 224}, out: []any{"N", 2}, external: "/etc/passwd"}.bytes(t), smallManifest, "not a path below"},
		{"no external data", network{in: []any{"N", 3, 224, 224}, out: []any{"N", 2}, external: "w.bin"}.bytes(t), smallManifest, "external data: open"},
	} {
		dir := t.TempDir()
		if c.manifest != "" {
			write(t, dir, "net.json", []byte(c.manifest))
		}
		_, err := Load(write(t, dir, "net.onnx", c.data))
		if err == nil || !strings.Contains(strings.ReplaceAll(filepath.ToSlash(err.Error()), filepath.ToSlash(dir), "DIR"), c.want) || !strings.Contains(err.Error(), "net.") {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func TestLoadNoSuchModel(t *testing.T) {
	for _, name := range []string{"", "efficientnet-lite9", "none.onnx", "none.json"} {
		if _, err := Load(name); err == nil || !strings.Contains(err.Error(), "efficientnet-lite0, har-waist, resnet20-cifar10") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds 0 ONNX files") {
		t.Errorf("empty folder: %v", err)
	}
	dir := t.TempDir()
	if _, err := Load(write(t, dir, "net.json", []byte(smallManifest))); err == nil || !strings.Contains(err.Error(), "net.onnx") {
		t.Errorf("manifest alone: %v", err)
	}
}

func TestHashCoversExternalData(t *testing.T) {
	dir := t.TempDir()
	n := classifier(2)
	n.external = "weights/w.bin"
	data := n.bytes(t)
	path := write(t, dir, "net.onnx", data)
	load := func(weights string) string {
		t.Helper()
		write(t, dir, "weights/w.bin", []byte(weights))
		m, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		return m.Hash()
	}
	first := load("0123456789abcdef")
	list := fmt.Sprintf("%x  model\n%x  weights/w.bin\n", sha256.Sum256(data), sha256.Sum256([]byte("0123456789abcdef")))
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(list))); first != want {
		t.Errorf("got %s, want %s", first, want)
	}
	if load("0123456789abcdeF") == first {
		t.Error("other weights, same hash")
	}
}

// fakeEngine opens every model as a session with the given ports.
type fakeEngine struct {
	in, out []runtime.Port
	from    string // "bytes" or the path of the last Open
	folder  string // of external data, of the last Open
	closed  bool
	err     error
}

func (e *fakeEngine) Open(_ []byte, cfg runtime.Config) (runtime.Session, error) {
	e.from, e.folder = "bytes", cfg.ExternalData
	return e, e.err
}

func (e *fakeEngine) OpenFile(path string, _ runtime.Config) (runtime.Session, error) {
	e.from = path
	return e, e.err
}
func (e *fakeEngine) Inputs() []runtime.Port                                        { return e.in }
func (e *fakeEngine) Outputs() []runtime.Port                                       { return e.out }
func (e *fakeEngine) Run(context.Context, []runtime.Tensor, []runtime.Tensor) error { return nil }
func (e *fakeEngine) Close() error                                                  { e.closed = true; return nil }

func TestOpenChecksThePorts(t *testing.T) {
	m, err := Load(Default)
	if err != nil {
		t.Fatal(err)
	}
	good := func() *fakeEngine {
		return &fakeEngine{
			in:  []runtime.Port{{Name: "input", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, 3, 224, 224}}},
			out: []runtime.Port{{Name: "logits", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, 1000}}},
		}
	}
	e := good()
	if s, err := m.Open(e, runtime.Config{}); err != nil || s != runtime.Session(e) || e.from != "bytes" || e.closed {
		t.Errorf("%v, %v, from %q", s, err, e.from)
	}
	for want, edit := range map[string]func(e *fakeEngine){
		`input is "input", the model's are "x"`:      func(e *fakeEngine) { e.in[0].Name = "x" },
		"2 inputs":                                   func(e *fakeEngine) { e.in = append(e.in, runtime.Port{Name: "mask"}) },
		"want float32 or float16":                    func(e *fakeEngine) { e.in[0].Type = runtime.Uint8 },
		"output logits int64":                        func(e *fakeEngine) { e.out[0].Type = runtime.Int64 },
		"1001 classes; the manifest has 1000 labels": func(e *fakeEngine) { e.out[0].Shape[1] = 1001 },
		"input float32[?,1,224,224]":                 func(e *fakeEngine) { e.in[0].Shape[1] = 1 },
		"none":                                       func(e *fakeEngine) { e.out = nil },
	} {
		e := good()
		edit(e)
		if _, err := m.Open(e, runtime.Config{}); err == nil || !strings.Contains(err.Error(), want) || !e.closed {
			t.Errorf("got %v, closed %v, want an error with %q", err, e.closed, want)
		}
	}
	e = good()
	e.err = errors.New("no memory")
	if _, err := m.Open(e, runtime.Config{}); !errors.Is(err, e.err) || !strings.Contains(err.Error(), m.Manifest.Name) {
		t.Errorf("engine's error became %v", err)
	}
}

// What was checked is what is opened, and it is read once, whatever becomes of the file: by name only where the weights lie beside it.
func TestFileIsReadOnce(t *testing.T) {
	dir, n := t.TempDir(), classifier(2)
	n.edit = func(g *onnxpb.GraphProto) { g.Node[0].OpType, g.Node[0].Input = proto.String("Relu"), []string{"x"} }
	path := write(t, dir, "net.onnx", n.bytes(t))
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	e := &fakeEngine{in: graphPorts(m.Graph.Inputs), out: graphPorts(m.Graph.Outputs)}
	if _, err := m.Open(e, runtime.Config{}); err != nil || e.from != "bytes" {
		t.Errorf("%v, from %q", err, e.from)
	}
	if net, err := m.Network(); err != nil || len(net.Graph.Nodes()) != 1 {
		t.Errorf("%v", err)
	}
	m.Release()
	if _, err := m.Data(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("bytes that were let go of came from somewhere: %v", err)
	}
}

func TestExternalDataAreTheEnginesToRead(t *testing.T) {
	dir, n := t.TempDir(), classifier(2)
	n.external = "weights.bin"
	write(t, dir, n.external, make([]byte, 16))
	path := write(t, dir, "net.onnx", n.bytes(t))
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	e := &fakeEngine{in: graphPorts(m.Graph.Inputs), out: graphPorts(m.Graph.Outputs)}
	if _, err := m.Open(e, runtime.Config{}); err != nil || e.from != path {
		t.Errorf("%v, from %q", err, e.from)
	}
	_, err = m.OpenGraph(e, runtime.Config{}, func(net *onnx.Model) (*onnx.Model, error) { return net, nil })
	if err != nil || e.from != "bytes" || e.folder != dir {
		t.Errorf("%v, from %q, weights in %q", err, e.from, e.folder)
	}
}

func TestMatchReturnsPlaces(t *testing.T) {
	m, err := read(minimal)
	if err != nil {
		t.Fatal(err)
	}
	ports := graphPorts([]onnx.Value{{Name: "best", Type: "int64"}, {Name: "y", Type: "float16", Dims: []onnx.Dim{{Size: -1}, {Size: 2}}}})
	in, out, err := m.Match([]runtime.Port{{Name: "x", Type: runtime.Float16, Shape: []int64{1, 3, 8, 8}}}, ports)
	if in != 0 || out != 1 || err != nil {
		t.Errorf("%d, %d, %v", in, out, err)
	}
}

func TestUnknownShapesMatchAnyManifest(t *testing.T) {
	n := classifier(2)
	n.edit = func(g *onnxpb.GraphProto) {
		g.Input[0].Type.GetTensorType().Shape = nil
		g.Output[0].Type.GetTensorType().Shape = nil
	}
	dir := t.TempDir()
	path := write(t, dir, "net.onnx", n.bytes(t))
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "input x float32[...]: want four sizes") {
		t.Errorf("guessed: %v", err)
	}
	write(t, dir, "net.json", []byte(smallManifest))
	m, err := Load(path)
	if err != nil || m.Graph.Inputs[0].Dims != nil || graphPorts(m.Graph.Inputs)[0].Shape != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestGuessedManifestCanBeWrittenAndLoaded(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "net.onnx", classifier(1000).bytes(t))
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(ManifestPath(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Manifest.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := Load(path)
	if err != nil || len(again.Guessed) != 0 || again.Hash() != m.Hash() || fmt.Sprint(again.Manifest) != fmt.Sprint(m.Manifest) {
		t.Errorf("%v: %+v, was %+v", err, again, m.Manifest)
	}
}

func TestNew(t *testing.T) {
	n := classifier(2)
	n.edit = func(g *onnxpb.GraphProto) { g.Node[0].OpType, g.Node[0].Input = proto.String("Relu"), []string{"x"} }
	net, err := onnx.Parse(n.bytes(t), "")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := read(smallManifest)
	if err != nil {
		t.Fatal(err)
	}
	manifest.Version, manifest.Input.Layout = 0, ""
	m, err := New(net, manifest)
	if err != nil {
		t.Fatal(err)
	}
	m.Release() // it has no file to read again
	data, err := m.Data()
	if sum := sha256.Sum256(data); err != nil || m.Hash() != hex.EncodeToString(sum[:]) || m.Manifest.SHA256 != m.Hash() || m.Manifest.Input.Layout != NCHW {
		t.Errorf("%v, %+v", err, m.Manifest)
	}
	if _, err := m.OpenGraph(&fakeEngine{}, runtime.Config{}, func(*onnx.Model) (*onnx.Model, error) { return nil, errors.New("not this") }); err == nil || !strings.Contains(err.Error(), "not this") {
		t.Errorf("%v", err)
	}
	manifest.Labels = manifest.Labels[:1]
	if _, err := New(net, manifest); err == nil || !strings.Contains(err.Error(), "labels") {
		t.Errorf("one class: %v", err)
	}
	manifest.Labels = []string{"a", "b", "c"}
	if _, err := New(net, manifest); err == nil || !strings.Contains(err.Error(), "two: the model's output is") {
		t.Errorf("three classes: %v", err)
	}
}
