package main

import (
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// Networks that users had and no manifest fitted: what they say of a picture of one colour, by hand. All are linear in the mean of each
// channel, with 6 for its weight.
func TestCasesOfNetworks(t *testing.T) {
	needEngine(t)
	rgb := [3]float64{140. / 255, 120. / 255, 100. / 255}
	mean, std := [3]float64{0.485, 0.456, 0.406}, [3]float64{0.229, 0.224, 0.225}
	plain, imagenet, binary := 0.0, 0.0, 0.0 // probability of the first class of three, of the second of two
	for c := range 3 {
		plain += math.Exp(6 * (rgb[c] - rgb[0]))
		imagenet += math.Exp(6 * ((rgb[c]-mean[c])/std[c] - (rgb[0]-mean[0])/std[0]))
	}
	plain, imagenet = 1/plain, 1/imagenet
	binary = 1 / (1 + math.Exp(-6*((rgb[0]-mean[0])/std[0]-(rgb[1]-mean[1])/std[1])))

	picture := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range 256 * 256 {
		picture.SetNRGBA(i%256, i/256, color.NRGBA{140, 120, 100, 255})
	}
	path := filepath.Join(t.TempDir(), "plain.png")
	writePNG(t, path, picture)
	for name, want := range map[string]struct {
		label string
		prob  float64
	}{
		"k1.onnx":                    {"class_1", binary},
		"k1logit.onnx":               {"class_1", binary},
		"k1_manifest/m.onnx":         {"animal", binary},
		"nhwc255.onnx":               {"class_0", plain},
		"norm01.onnx":                {"class_0", imagenet},
		"foreign_config/m.onnx":      {"class_0", imagenet},
		"foreign_config_list/m.onnx": {"class_0", imagenet},
	} {
		out, _ := mustOatta(t, console.Fine, "run", "images", "--model", filepath.Join(testdata.Root(), "models", "testdata", "cases", name), path)
		if l := parseLines(t, out)[0]; l.Label != want.label || math.Abs(l.Prob-want.prob) > 5e-4 { // the mean of 50,176 pixels in float32
			t.Errorf("%s: %s %g, want %s %g", name, l.Label, l.Prob, want.label, want.prob)
		}
	}
}

// Graphs with which ONNX Runtime crashes or does not end, with each method that opens them.
func TestCasesThatCrashEngines(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 1)
	for name, want := range map[string]string{
		"stride0.onnx": "node 0 (Conv): strides [0 0]: want 1 or more", "func_recursive.onnx": "function F calls itself", "func_bomb.onnx": "functions unfold to more than",
	} {
		for _, method := range []string{"base", "tent", "memo"} {
			_, text := mustOatta(t, console.Nothing, "run", "images", dir, "--method", method, "--model", filepath.Join(testdata.Root(), "models", "onnx", "testdata", "cases", name))
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

// A network that gets values of a wrong range, by a manifest that says so, is noticed by what it predicts.
func TestUniformPredictionsAreTold(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	from := filepath.Join(testdata.Root(), "models", "testdata", "cases", "nhwc255.onnx")
	writeFile(t, filepath.Join(dir, "m.onnx"), readFile(t, from))
	manifest := func(mean, std string) {
		writeFile(t, filepath.Join(dir, "m.json"), `{"oatta_manifest": 1, "name": "m", "labels": ["a", "b", "c"], "output": {"name": "dense", "kind": "probabilities"},
			"input": {"name": "input_1", "layout": "NHWC", "height": 224, "width": 224, "mean": [`+mean+`], "std": [`+std+`]}}`)
	}
	args := []string{"run", "images", "--model", filepath.Join(dir, "m.onnx"), pictures(t, 10), "--output", filepath.Join(dir, "out.jsonl"), "--overwrite"}
	const warning = "predictions are nearly uniform over the 3 classes: the network may want other input values than it gets"
	manifest("0.485, 0.456, 0.406", "0.229, 0.224, 0.225")
	if _, text := mustOatta(t, console.Fine, args...); !strings.Contains(text, "the first 10 "+warning) {
		t.Error(text)
	}
	manifest("0, 0, 0", "0.00392156862745098, 0.00392156862745098, 0.00392156862745098")
	if _, text := mustOatta(t, console.Fine, args...); strings.Contains(text, warning) {
		t.Error(text)
	}
	if err := os.Remove(filepath.Join(dir, "m.json")); err != nil {
		t.Fatal(err)
	}
	if _, text := mustOatta(t, console.Fine, args...); strings.Contains(text, warning) || !strings.Contains(text, "the graph scales them itself") {
		t.Error(text)
	}
}
