package models_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// TestReferenceLogits runs every model on the inputs for which PyTorch's logits were stored. Exports in float32 agree within 1e-3.
// The embedded ones hold weights rounded to float16, which moves logits by less than 1e-2 here: 5e-2 is asked for, and the same
// five best classes.
func TestReferenceLogits(t *testing.T) {
	cases := []struct {
		model, reference string
		tolerance        float64
	}{
		{"efficientnet_lite0_imagenet.onnx", "efficientnet_lite0_imagenet", 1e-3},
		{"resnet20_cifar10.onnx", "resnet20_cifar10", 1e-3},
		{"resnet56_cifar10.onnx", "resnet56_cifar10", 1e-3},
		{"efficientnet-lite0", "efficientnet_lite0_imagenet", 5e-2},
		{"resnet20-cifar10", "resnet20_cifar10", 5e-2},
	}
	var files []string
	for _, c := range cases {
		files = append(files, c.reference+"_ref.npz")
	}
	files = testdata.Some(t, "models/onnx", files...)
	for _, c := range cases {
		if !slices.Contains(files, c.reference+"_ref.npz") {
			continue
		}
		t.Run(c.model, func(t *testing.T) {
			name := c.model
			if strings.HasSuffix(name, ".onnx") {
				name = testdata.Shared(t, "models", "onnx", name)
			}
			arrays := readNPZ(t, testdata.Shared(t, "models", "onnx", c.reference+"_ref.npz"))
			got := run(t, name, arrays["input"])
			compare(t, got, arrays["logits"], c.tolerance)
		})
	}
}

func run(t *testing.T, name string, input runtime.Tensor) runtime.Tensor {
	t.Helper()
	m, err := models.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Open(orttest.Engine(t), runtime.Config{IntraThreads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), out, []runtime.Tensor{input}); err != nil {
		t.Fatal(err)
	}
	_, at, err := m.Manifest.Match(s.Inputs(), s.Outputs())
	if err != nil {
		t.Fatal(err)
	}
	return out[at]
}

func compare(t *testing.T, got, want runtime.Tensor, tolerance float64) {
	t.Helper()
	if !slices.Equal(got.Shape, want.Shape) {
		t.Fatalf("shape %v, want %v", got.Shape, want.Shape)
	}
	a, b := got.Data.([]float32), want.Data.([]float32)
	worst := 0.0
	for i := range a {
		d := math.Abs(float64(a[i]) - float64(b[i]))
		if !(d <= tolerance) {
			t.Fatalf("logit %d: %v, want %v within %v", i, a[i], b[i], tolerance)
		}
		worst = max(worst, d)
	}
	t.Logf("largest difference %.2g", worst)
	classes := int(got.Shape[1])
	for i := 0; i < len(a); i += classes {
		if g, w := best(a[i:i+classes], 5), best(b[i:i+classes], 5); !slices.Equal(g, w) {
			t.Errorf("item %d: best classes %v, want %v", i/classes, g, w)
		}
	}
}

// best returns the indexes of the n largest values, as a set in ascending order: rounding may exchange two near ones.
func best(logits []float32, n int) []int {
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return -compareFloats(logits[i], logits[j]) })
	order = order[:n]
	slices.Sort(order)
	return order
}

func compareFloats(a, b float32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// readNPZ reads the float32 arrays of a numpy archive.
func readNPZ(t *testing.T, path string) map[string]runtime.Tensor {
	t.Helper()
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	arrays := map[string]runtime.Tensor{}
	for _, w := range f.Tensors() {
		values, err := w.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		var shape []int64
		for _, n := range w.Shape() {
			shape = append(shape, int64(n))
		}
		arrays[w.Name()] = runtime.TensorOf(values, shape...)
	}
	return arrays
}
