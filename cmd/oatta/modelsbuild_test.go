package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

// built runs `models build` and loads what it made.
func built(t *testing.T, args ...string) (*models.Model, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.onnx")
	out, _ := mustOatta(t, console.Fine, append([]string{"models", "build", "-o", path}, args...)...)
	m, err := models.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Manifest.SHA256 != m.Hash() || len(m.Guessed) > 0 {
		t.Errorf("%v: hash %s, manifest %s; guessed %v", args, m.Hash(), m.Manifest.SHA256, m.Guessed)
	}
	return m, out
}

func writeText(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// resnet20Weights returns the file of weights of ResNet-20, or one that is taken out of its export and says the same of itself.
func resnet20Weights(t *testing.T) string {
	t.Helper()
	if testdata.Have(t, "models", "cifar10-resnet20", "resnet20.safetensors") {
		return testdata.Shared(t, "models", "cifar10-resnet20", "resnet20.safetensors")
	}
	path := filepath.Join(t.TempDir(), "resnet20.safetensors")
	mustOatta(t, console.Fine, "models", "convert", testdata.Shared(t, "models", "onnx", "resnet20_cifar10.onnx"), "-o", path)
	file := readFile(t, path)
	header, rest := file[8:8+binary.LittleEndian.Uint64([]byte(file))], file[8+binary.LittleEndian.Uint64([]byte(file)):]
	header = `{"__metadata__":{"source":"akamaster/pytorch_resnet_cifar10@d5489e8"},` + header[1:]
	return writeText(t, path, string(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))+header+rest)
}

// TestBuildFromWeights: a trained network becomes the model that it was, with the preparation of its weights.
func TestBuildFromWeights(t *testing.T) {
	weights := resnet20Weights(t)
	m, out := built(t, "cifar_resnet20", "--weights", weights, "--name", "little", "--license", "BSD-2-Clause")
	in := m.Manifest.Input
	if in.Resize != 32 || in.Mean[0] != 0.485 || m.Manifest.Labels[9] != "truck" || m.Manifest.Name != "little" || m.Manifest.License != "BSD-2-Clause" {
		t.Errorf("manifest %+v", m.Manifest)
	}
	if m.Manifest.Parameters != 269722 || !strings.Contains(m.Manifest.Source, "akamaster") || m.Manifest.Notes != "" {
		t.Errorf("manifest %+v", m.Manifest)
	}
	if !strings.Contains(out, "97 tensors of resnet20.safetensors") || strings.Contains(out, "untrained") {
		t.Errorf("output\n%s", out)
	}
}

// TestBuildWithOtherClasses: the labels decide the number, and the new head is said to be untrained.
func TestBuildWithOtherClasses(t *testing.T) {
	weights := resnet20Weights(t)
	labels := writeText(t, filepath.Join(t.TempDir(), "labels.txt"), "deer\r\nempty\r\nfox\r\n\r\n")
	m, out := built(t, "cifar_resnet20", "--weights", weights, "--labels", labels, "--dropout", "0.2")
	if !slices.Equal(m.Manifest.Labels, []string{"deer", "empty", "fox"}) || m.Graph.Outputs[0].Dims[1].Size != 3 {
		t.Errorf("labels %q, output %v", m.Manifest.Labels, m.Graph.Outputs[0])
	}
	if !strings.Contains(out, "untrained: the file does not have linear.bias, linear.weight") || m.Manifest.Notes == "" {
		t.Errorf("output\n%s", out)
	}
	if !slices.ContainsFunc(m.Graph.Ops, func(o onnx.OpCount) bool { return o.Op == "Dropout" }) {
		t.Errorf("operators %v", m.Graph.Ops)
	}
}

// TestBuildPictures: the resize goes with the size, and the weights' name tells which recipe was used.
func TestBuildPictures(t *testing.T) {
	for _, c := range []struct {
		args   []string
		resize int
		filter string
	}{
		{[]string{"vit_s_16", "--size", "64"}, 73, models.Bicubic},
		{[]string{"resnet50", "--size", "64", "--recipe", "IMAGENET1K_V1", "--half"}, 73, models.Bilinear},
		{[]string{"resnet50", "--half"}, 232, models.Bilinear},
	} {
		m, _ := built(t, append(c.args, "--init", "1", "--classes", "5")...)
		if in := m.Manifest.Input; in.Resize != c.resize || in.Interpolation != c.filter {
			t.Errorf("%v: resize %d, %s", c.args, in.Resize, in.Interpolation)
		}
	}
}

func TestBuildSignals(t *testing.T) {
	m, _ := built(t, "tcn", "--init", "3", "--channels", "6", "--window", "250", "--rate", "50", "--hop", "125")
	if s := m.Manifest.Signal; s == nil || s.Modality != models.Motion || s.Samples != 250 || s.Hop != 125 || s.Channels[5] != "thigh_z" || m.Manifest.Labels[5] != "Cycling" {
		t.Errorf("manifest %+v %+v", m.Manifest, s)
	}
	m, out := built(t, "cnn1d", "--init", "3", "--task", "sleep", "--channels", "EEG Fpz-Cz|C4-M1, EOG", "--rate", "128")
	if s := m.Manifest.Signal; s == nil || s.Samples != 3840 || s.Channels[0] != "EEG Fpz-Cz|C4-M1" || s.Channels[1] != "EOG" || m.Manifest.Labels[4] != "R" {
		t.Errorf("manifest %+v %+v", m.Manifest, s)
	}
	if !strings.Contains(out, "untrained: all weights are fresh, from seed 3") {
		t.Errorf("output\n%s", out)
	}
}

// TestBuildTexts: the tokenizer comes along.
func TestBuildTexts(t *testing.T) {
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n")
	m, _ := built(t, "bert_mini", "--init", "3", "--tokenizer", folder, "--max-tokens", "64")
	text := m.Manifest.Text
	if text == nil || text.IDs != "input_ids" || text.Mask != "attention_mask" || text.Types != "token_type_ids" || text.MaxTokens != 64 {
		t.Fatalf("manifest %+v", text)
	}
	if got := readFile(t, filepath.Join(m.TokenizerDir(), "vocab.txt")); !strings.HasSuffix(got, "hello\n") {
		t.Errorf("vocabulary %q", got)
	}
}

func TestBuildRefusals(t *testing.T) {
	folder := t.TempDir()
	there := writeText(t, filepath.Join(folder, "there.onnx"), "x")
	fresh := filepath.Join(folder, "fresh.onnx")
	bad := writeText(t, filepath.Join(folder, "bad.pt"), "no weights")
	for want, args := range map[string][]string{
		"want one network: resnet18":               {"-o", fresh, "--init", "1"},
		`no network "resnet19"`:                    {"resnet19", "-o", fresh, "--init", "1"},
		"no output":                                {"cnn1d", "--init", "1"},
		"ends in .onnx":                            {"cnn1d", "--init", "1", "-o", "net.json"},
		"no weights":                               {"cnn1d", "-o", fresh},
		"exists: --overwrite":                      {"cnn1d", "--init", "1", "-o", there},
		"--size means nothing for cnn1d":           {"cnn1d", "--init", "1", "-o", fresh, "--size", "32"},
		"--window means nothing for resnet18":      {"resnet18", "--init", "1", "-o", fresh, "--window", "32"},
		"--recipe V9: resnet18 has IMAGENET1K_V1":  {"resnet18", "--init", "1", "-o", fresh, "--recipe", "V9"},
		"--task dance":                             {"cnn1d", "--init", "1", "-o", fresh, "--task", "dance"},
		"classes: 1, want 2":                       {"cnn1d", "--init", "1", "-o", fresh, "--classes", "1"},
		"--max-tokens 600: the network has 512":    {"bert_mini", "--init", "1", "-o", fresh, "--max-tokens", "600"},
		"neither tokenizer.json nor vocab.txt":     {"bert_mini", "--init", "1", "-o", fresh, "--tokenizer", folder},
		"bad.pt":                                   {"cnn1d", "-o", fresh, "--weights", bad},
		"signal.samples: 150 at 100 Hz are 1.5 se": {"cnn1d", "-o", fresh, "--init", "1", "--task", "sleep", "--window", "150"},
	} {
		_, errOut := mustOatta(t, console.Nothing, append([]string{"models", "build"}, args...)...)
		if !strings.Contains(errOut, want) {
			t.Errorf("%v: %s, want %q", args, errOut, want)
		}
		if _, err := os.Stat(fresh); err == nil {
			t.Fatalf("%v: wrote %s", args, fresh)
		}
	}
}

// TestConvert goes around: weights to ONNX, its weights to npz and back, and to the same ONNX.
func TestConvert(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	weights := resnet20Weights(t)
	mustOatta(t, console.Fine, "models", "build", "cifar_resnet20", "-w", weights, "-o", at("a.onnx"))
	mustOatta(t, console.Fine, "models", "convert", at("a.onnx"), "-o", at("b.npz"))
	mustOatta(t, console.Fine, "models", "convert", at("b.npz"), "-o", at("c.safetensors"))
	mustOatta(t, console.Fine, "models", "build", "cifar_resnet20", "-w", at("c.safetensors"), "-o", at("d.onnx"))
	if readFile(t, at("a.onnx")) != readFile(t, at("d.onnx")) {
		t.Error("another network came back")
	}
	out, _ := mustOatta(t, console.Fine, "models", "convert", at("c.safetensors"), "-o", at("half.safetensors"), "--type", "f16")
	if !strings.Contains(out, "97 tensors, 77 of them as they were") { // 18 kernels of 3x3, the stem and the head are halved
		t.Errorf("output %s", out)
	}
	mustOatta(t, console.Fine, "models", "convert", at("a.onnx"), "-o", at("half.onnx"), "--type", "f16")
	mustOatta(t, console.Fine, "models", "convert", at("half.onnx"), "-o", at("half2.safetensors"))
	mustOatta(t, console.Fine, "models", "build", "cifar_resnet20", "-w", at("half.safetensors"), "-o", at("e.onnx"))
	mustOatta(t, console.Fine, "models", "build", "cifar_resnet20", "-w", at("half2.safetensors"), "-o", at("f.onnx"))
	if readFile(t, at("e.onnx")) != readFile(t, at("f.onnx")) {
		t.Error("float16 in safetensors and in ONNX are not the same")
	}
	for want, args := range map[string][]string{
		"want one FILE":       {at("a.onnx")},
		"want f32 or f16":     {at("a.onnx"), "-o", at("x.npz"), "--type", "f8"},
		"exists: --overwrite": {at("a.onnx"), "-o", at("b.npz")},
		"ends in .safetensors": {
			at("a.onnx"), "-o", at("x.pt"),
		},
		"oatta models build": {at("b.npz"), "-o", at("x.onnx")},
		"the input":          {at("b.npz"), "-o", at("b.npz"), "--overwrite"},
	} {
		if _, errOut := mustOatta(t, console.Nothing, append([]string{"models", "convert"}, args...)...); !strings.Contains(errOut, want) {
			t.Errorf("%v: %s, want %q", args, errOut, want)
		}
	}
}
