//go:build cgo

package models_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// TestReferenceLogits runs every model on the inputs for which PyTorch's logits were stored. Exports in float32 agree within 1e-3.
// The embedded ones hold weights rounded to float16, which moves logits by less than 1e-2 here: 5e-2 is asked for, and the same
// five best classes.
func TestReferenceLogits(t *testing.T) {
	for _, c := range []struct {
		model, reference string
		tolerance        float64
	}{
		{"efficientnet_lite0_imagenet.onnx", "efficientnet_lite0_imagenet", 1e-3},
		{"resnet20_cifar10.onnx", "resnet20_cifar10", 1e-3},
		{"resnet56_cifar10.onnx", "resnet56_cifar10", 1e-3},
		{"efficientnet-lite0", "efficientnet_lite0_imagenet", 5e-2},
		{"resnet20-cifar10", "resnet20_cifar10", 5e-2},
	} {
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

// readNPZ reads numpy's zip of .npy files, as far as these references need it: little-endian float32 in C order.
func readNPZ(t *testing.T, path string) map[string]runtime.Tensor {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	arrays := map[string]runtime.Tensor{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if arrays[strings.TrimSuffix(f.Name, ".npy")], err = parseNPY(data); err != nil {
			t.Fatalf("%s: %s: %v", path, f.Name, err)
		}
	}
	return arrays
}

// parseNPY follows https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0.
func parseNPY(data []byte) (runtime.Tensor, error) {
	if !bytes.HasPrefix(data, []byte("\x93NUMPY\x01\x00")) {
		return runtime.Tensor{}, fmt.Errorf("not an npy file of version 1.0")
	}
	size := int(binary.LittleEndian.Uint16(data[8:]))
	header, body := string(data[10:10+size]), data[10+size:]
	if !strings.Contains(header, "'descr': '<f4'") || !strings.Contains(header, "'fortran_order': False") {
		return runtime.Tensor{}, fmt.Errorf("header %s", header)
	}
	_, rest, _ := strings.Cut(header, "'shape': (")
	inner, _, _ := strings.Cut(rest, ")")
	var shape []int64
	for _, part := range strings.Split(strings.Trim(inner, " ,"), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return runtime.Tensor{}, err
		}
		shape = append(shape, n)
	}
	values := make([]float32, len(body)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	return runtime.TensorOf(values, shape...), nil
}
