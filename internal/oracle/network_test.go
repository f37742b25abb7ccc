package oracle_test

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
)

// readNPZ returns the float32 arrays of a numpy archive, without their shapes, which the tests know.
func readNPZ(t *testing.T, path string) map[string][]float64 {
	t.Helper()
	f, err := weights.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string][]float64{}
	for _, w := range f.Tensors() {
		values, err := w.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			out[w.Name()] = append(out[w.Name()], float64(v))
		}
	}
	return out
}

// TestNetworks evaluates exported networks on the inputs of their references. PyTorch made these in float32, whose rounding is all that
// may differ.
func TestNetworks(t *testing.T) {
	cases := []struct {
		name      string
		rows      int64 // taken of the reference, since this is slow
		size      int64
		tolerance float64
	}{
		{"resnet20_cifar10", 16, 32, 2e-5},
		{"resnet56_cifar10", 4, 32, 5e-5},
		{"efficientnet_lite0_imagenet", 1, 224, 2e-5},
	}
	var files []string
	for _, c := range cases {
		files = append(files, c.name+".onnx")
	}
	files = testdata.Some(t, "models/onnx", files...)
	for _, c := range cases {
		if !slices.Contains(files, c.name+".onnx") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.size > 32 {
				t.Skip("slow")
			}
			m, err := onnx.Read(testdata.Shared(t, "models", "onnx", c.name+".onnx"))
			if err != nil {
				t.Fatal(err)
			}
			reference := readNPZ(t, testdata.Shared(t, "models", "onnx", c.name+"_ref.npz"))
			x := oracle.Float32s(reference["input"][:c.rows*3*c.size*c.size], c.rows, 3, c.size, c.size)
			out, err := oracle.Run(m.Graph, x)
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i, v := range out[0].F {
				worst = max(worst, math.Abs(v-reference["logits"][i]))
			}
			t.Logf("%v, largest difference %.2g", out[0].Dims, worst)
			if !(worst <= c.tolerance) || len(out[0].F) < 10 {
				t.Errorf("largest difference %v, want at most %v", worst, c.tolerance)
			}
		})
	}
}

// TestEmbeddedNetworks checks that the module's own networks are evaluated at all; engine_test compares them.
func TestEmbeddedNetworks(t *testing.T) {
	for _, path := range embedded(t) {
		m, err := onnx.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := oracle.Compile(m.Graph, oracle.Settings{}); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}

func embedded(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata.Root(), "models", "embedded", "*.onnx"))
	if err != nil || len(files) < 2 {
		t.Fatalf("embedded models: %v, %v", files, err)
	}
	return files
}

// sizes returns the sizes of an input, with a number in place of those that are open.
func sizes(s graph.Shape, open int64) []int64 {
	var out []int64
	for _, d := range s {
		n := d.Size
		if !d.Known() {
			n = open
		}
		out = append(out, n)
	}
	return out
}
