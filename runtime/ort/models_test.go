//go:build !noengine

package ort

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/npy"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
)

// npz reads the float32 arrays of a numpy archive: a zip of files, each of a header in Python's notation and the elements.
func npz(t *testing.T, path string) map[string]runtime.Tensor {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }() // opened for reading
	arrays := map[string]runtime.Tensor{}
	for _, f := range archive.File {
		tensor, err := array(f)
		if err != nil {
			t.Logf("%s: %s: %v", path, f.Name, err) // arrays of other types are not asked for
			continue
		}
		arrays[strings.TrimSuffix(f.Name, ".npy")] = tensor
	}
	return arrays
}

// array reads one array of float32.
func array(f *zip.File) (runtime.Tensor, error) {
	r, err := f.Open()
	if err != nil {
		return runtime.Tensor{}, err
	}
	defer func() { _ = r.Close() }() // opened for reading
	h, err := npy.ReadHeader(r, int64(f.UncompressedSize64))
	if err != nil {
		return runtime.Tensor{}, err
	}
	if h.Descr != "<f4" || h.Fortran {
		return runtime.Tensor{}, fmt.Errorf("header %+v", h)
	}
	var shape []int64
	for _, n := range h.Shape {
		shape = append(shape, int64(n))
	}
	out := runtime.NewTensor[float32](shape...)
	return out, binary.Read(r, binary.LittleEndian, out.Data.([]float32))
}

// TestRealModels compares logits with PyTorch's, from several goroutines, on 1 and 2 threads.
func TestRealModels(t *testing.T) {
	e := testEngine(t)
	for _, file := range testdata.Some(t, "models/onnx", "resnet20_cifar10.onnx", "resnet56_cifar10.onnx", "efficientnet_lite0_imagenet.onnx") {
		name := strings.TrimSuffix(file, ".onnx")
		model := testdata.Shared(t, "models", "onnx", file)
		reference := npz(t, testdata.Shared(t, "models", "onnx", name+"_ref.npz"))
		for threads := 1; threads <= 2; threads++ {
			t.Run(fmt.Sprintf("%s/%d threads", name, threads), func(t *testing.T) {
				s, err := e.OpenFile(model, runtime.Config{IntraThreads: threads})
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}()
				compareConcurrently(t, s, reference)
			})
		}
	}
}

// compareConcurrently runs the whole reference batch, and each of its rows alone, all at the same time.
func compareConcurrently(t *testing.T, s runtime.Session, reference map[string]runtime.Tensor) {
	x, want := reference["input"], reference["logits"]
	if x.Len() == 0 || want.Len() == 0 || x.Shape[0] != want.Shape[0] {
		t.Fatalf("reference of shapes %v and %v", x.Shape, want.Shape)
	}
	batch := x.Shape[0]
	errs := make(chan error, batch+1)
	var group sync.WaitGroup
	compare := func(from, to int64) {
		defer group.Done()
		errs <- compareLogits(s, rows(x, from, to), rows(want, from, to))
	}
	group.Add(1)
	go compare(0, batch)
	for i := range batch {
		group.Add(1)
		go compare(i, i+1)
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

func compareLogits(s runtime.Session, x, want runtime.Tensor) error {
	dst := make([]runtime.Tensor, 1)
	if err := s.Run(context.Background(), dst, []runtime.Tensor{x}); err != nil {
		return err
	}
	got, err := runtime.DataOf[float32](dst[0])
	if err != nil {
		return err
	}
	if len(got) != want.Len() {
		return errors.New("another number of logits")
	}
	for i, w := range want.Data.([]float32) {
		if d := math.Abs(float64(got[i] - w)); !(d <= 1e-3) {
			return fmt.Errorf("logit %d of shape %v is %g, want %g", i, dst[0].Shape, got[i], w)
		}
	}
	return nil
}

// rows cuts rows from..to out of a batch.
func rows(t runtime.Tensor, from, to int64) runtime.Tensor {
	width := int64(t.Len()) / t.Shape[0]
	shape := append([]int64{to - from}, t.Shape[1:]...)
	return runtime.TensorOf(t.Data.([]float32)[from*width:to*width], shape...)
}
