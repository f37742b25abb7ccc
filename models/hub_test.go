package models

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGuessFromHuggingFaceFiles(t *testing.T) {
	const means = `"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]`
	const config = `{"id2label": {"1": "dog", "0": "cat"}, "architectures": ["X"], "image_size": 160}`
	open := network{in: []any{"N", 3, "H", "W"}, out: []any{"N", 2}}
	fixed := classifier(2)
	for _, c := range []struct {
		name string
		net  network
		pre  string
		want string // of height, width, resize, interpolation, stretch, mean, std
	}{
		{"ViT", open, `{"image_processor_type": "ViTImageProcessor", "size": {"height": 192, "width": 192}, "resample": 2, ` + means + `}`, "192 192 0 bilinear true [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"ViT, plain number", open, `{"feature_extractor_type": "ViTFeatureExtractor", "size": 192, "resample": 3, ` + means + `}`, "192 192 0 bicubic true [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"shortest edge and crop", fixed, `{"image_processor_type": "BitImageProcessor", "size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224}, "do_center_crop": true, "resample": 3, ` + means + `}`, "224 224 256 bicubic false [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"plain number and crop", fixed, `{"size": 256, "crop_size": 224, "do_center_crop": true, "resample": "bicubic", ` + means + `}`, "224 224 256 bicubic false [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"ConvNeXt", fixed, `{"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": 224}, "crop_pct": 0.875, ` + means + `}`, "224 224 256 bilinear false [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"ConvNeXt, large", open, `{"image_processor_type": "ConvNextImageProcessor", "size": {"shortest_edge": 384}, ` + means + `}`, "384 384 0 bilinear true [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"Lanczos", fixed, `{"size": {"shortest_edge": 224}, "resample": 1, ` + means + `}`, "224 224 224 lanczos false [0.5 0.5 0.5] [0.5 0.5 0.5]"},
		{"no rescaling", fixed, `{"size": {"shortest_edge": 224}, "do_rescale": false, "image_mean": [127.5, 127.5, 127.5], "image_std": [51, 51, 51]}`, "224 224 224 bilinear false [0.5 0.5 0.5] [0.2 0.2 0.2]"},
		{"no normalisation", fixed, `{"size": {"shortest_edge": 224}, "do_normalize": false, ` + means + `}`, "224 224 224 bilinear false [0 0 0] [1 1 1]"},
		{"size from config.json", open, `{` + means + `}`, "160 160 0 bilinear true [0.5 0.5 0.5] [0.5 0.5 0.5]"},
	} {
		m, err := guessed(t, c.net, map[string]string{"config.json": config, "preprocessor_config.json": c.pre})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		in := m.Manifest.Input
		got := words(in.Height, in.Width, in.Resize, in.Interpolation, in.Stretch, in.Mean, in.Std)
		if got != c.want || fmt.Sprint(m.Manifest.Labels) != "[cat dog]" {
			t.Errorf("%s: got %s, want %s; labels %q", c.name, got, c.want, m.Manifest.Labels)
		}
		if !says(m, "preprocessing from ") || !says(m, "labels: 2 from ") {
			t.Errorf("%s: notes %q", c.name, m.Guessed)
		}
	}
}

func TestGuessFromTimm(t *testing.T) {
	const config = `{"architecture": "efficientnet_b0", "num_classes": 2, "label_names": ["cat", "dog"], "pretrained_cfg": {
		"input_size": [3, 224, 224], "interpolation": "bicubic", "crop_pct": 0.9, "crop_mode": "center", "mean": [0.1, 0.2, 0.3], "std": [0.4, 0.5, 0.6]}}`
	m, err := guessed(t, network{in: []any{"N", 3, "H", "W"}, out: []any{"N", 2}}, map[string]string{"config.json": config})
	if err != nil {
		t.Fatal(err)
	}
	in := m.Manifest.Input
	if got, want := words(in.Height, in.Resize, in.Interpolation, in.Mean, in.Std, m.Manifest.Labels), "224 248 bicubic [0.1 0.2 0.3] [0.4 0.5 0.6] [cat dog]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	squash := strings.Replace(config, `"center"`, `"squash"`, 1)
	m, err = guessed(t, classifier(2), map[string]string{"config.json": squash})
	if err != nil || !m.Manifest.Input.Stretch || m.Manifest.Input.Resize != 0 {
		t.Errorf("squash: %+v, %v", m.Manifest.Input, err)
	}
}

func TestHubFilesOfTheFolderAbove(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "config.json", []byte(`{"id2label": {"0": "cat", "1": "dog"}}`))
	m, err := Load(write(t, dir, "onnx/model.onnx", classifier(2).bytes(t)))
	if err != nil || fmt.Sprint(m.Manifest.Labels) != "[cat dog]" {
		t.Errorf("%v, %v", m, err)
	}
}

func TestHubFilesThatDoNotHelp(t *testing.T) {
	for name, text := range map[string]string{
		"other number of labels": `{"id2label": {"0": "a", "1": "b", "2": "c"}}`,
		"gap":                    `{"id2label": {"0": "a", "2": "b"}}`,
		"no number":              `{"id2label": {"0": "a", "x": "b"}}`,
		"nothing":                `{}`,
	} {
		m, err := guessed(t, classifier(2), map[string]string{"config.json": text})
		if err != nil || fmt.Sprint(m.Manifest.Labels) != "[class_0 class_1]" {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := guessed(t, classifier(2), map[string]string{"config.json": `{"id2label": [`}); err == nil || !strings.Contains(err.Error(), "config.json") {
		t.Errorf("damaged file: %v", err)
	}
	_, err := guessed(t, classifier(2), map[string]string{"preprocessor_config.json": `{"size": 224, "image_mean": [1, 2, 3], "image_std": [1, 0, 1]}`})
	if err == nil || !strings.Contains(err.Error(), "input.std[1]") {
		t.Errorf("zero deviation: %v", err)
	}
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := readHub(filepath.Dir(path)); err == nil {
		t.Error("a folder was read as config.json")
	}
}

// FuzzHub: whatever lies beside a network, it is an error, or a manifest that is valid.
func FuzzHub(f *testing.F) {
	f.Add([]byte(`{"id2label": {"1": "dog", "0": "cat"}, "image_size": 160}`), []byte(`{"size": 224, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}`), []byte("cat\ndog\n"), 2)
	f.Add([]byte(`{"label_names": ["a", "b"], "pretrained_cfg": {"input_size": [3, 224, 224], "crop_pct": 0.9, "mean": [0, 0, 0], "std": [1, 1, 1]}}`), []byte(`{}`), []byte(""), 1)
	f.Add([]byte(`[]`), []byte(`{"image_mean": [], "size": {"shortest_edge": -1}, "crop_size": [1]}`), []byte("\xff\x00"), 0)
	f.Fuzz(func(t *testing.T, config, pre, labels []byte, classes int) {
		var k any = classes
		if classes < 1 {
			k = "K"
		}
		m, err := guessed(t, network{in: []any{"N", 3, "H", "W"}, out: []any{"N", k}}, map[string]string{
			"config.json": string(config), "preprocessor_config.json": string(pre), "labels.txt": string(labels),
		})
		if err != nil {
			return
		}
		if err := m.Manifest.Validate(); err != nil {
			t.Error(err)
		}
	})
}
