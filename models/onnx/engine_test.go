package onnx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// rewritten reads a file into a graph and writes it again.
func rewritten(path string) ([]byte, *onnx.Model, error) {
	m, err := onnx.Read(path)
	if err != nil {
		return nil, nil, err
	}
	data, err := m.Bytes()
	return data, m, err
}

// runBoth runs a file and what was made of it on the same inputs, and returns both outputs. ok is false if the engine cannot run the
// original.
func runBoth(t *testing.T, e runtime.Engine, path string, made []byte, src []runtime.Tensor) (want, got []runtime.Tensor, ok bool) {
	t.Helper()
	want, err := runModel(func() (runtime.Session, error) { return e.OpenFile(path, runtime.Config{IntraThreads: 1}) }, src)
	if err != nil {
		return nil, nil, false
	}
	got, err = runModel(func() (runtime.Session, error) {
		return e.Open(made, runtime.Config{IntraThreads: 1, ExternalData: filepath.Dir(path)})
	}, src)
	if err != nil {
		t.Errorf("%s: the rewritten model: %v", path, err)
		return nil, nil, false
	}
	return want, got, true
}

func runModel(open func() (runtime.Session, error), src []runtime.Tensor) ([]runtime.Tensor, error) {
	s, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // nothing is left to write
	dst := make([]runtime.Tensor, len(s.Outputs()))
	return dst, s.Run(context.Background(), dst, src)
}

// engineTensor turns a tensor into the engine's; ok is false for a type that it does not take.
func engineTensor(t *graph.Tensor) (out runtime.Tensor, ok bool) {
	switch t.Elem() {
	case graph.Float32:
		out = runtime.NewTensor[float32](t.Dims()...)
	case graph.Float16:
		out = runtime.NewTensor[runtime.Half](t.Dims()...)
	case graph.Int64:
		out = runtime.NewTensor[int64](t.Dims()...)
	case graph.Int32:
		out = runtime.NewTensor[int32](t.Dims()...)
	case graph.Uint8:
		out = runtime.NewTensor[uint8](t.Dims()...)
	case graph.Bool:
		out = runtime.NewTensor[bool](t.Dims()...)
	default:
		return out, false
	}
	raw, err := t.Bytes()
	if err != nil {
		return out, false
	}
	return out, binary.Read(bytes.NewReader(raw), binary.LittleEndian, out.Data) == nil
}

// sameBits compares tensors by type, shape and bits, so that NaN equals itself.
func sameBits(a, b runtime.Tensor) bool {
	return a.Type() == b.Type() && reflect.DeepEqual(a.Shape, b.Shape) && fmt.Sprintf("%x", a.Data) == fmt.Sprintf("%x", b.Data)
}

// TestEngineOnOperatorTests runs each operator test before and after its way through the graph: outputs are equal to the bit.
func TestEngineOnOperatorTests(t *testing.T) {
	e := orttest.Engine(t)
	ran, refused := 0, 0
	for _, folder := range nodeTests(t) {
		path := filepath.Join(folder, "model.onnx")
		made, m, err := rewritten(path)
		if err != nil {
			continue // TestInferOperatorTests has a list of those
		}
		src, ok := engineInputs(testInputs(t, folder, len(m.Graph.Inputs())))
		if !ok {
			continue
		}
		want, got, ok := runBoth(t, e, path, made, src)
		if !ok {
			refused++
			continue
		}
		ran++
		for i := range want {
			if !sameBits(want[i], got[i]) {
				t.Errorf("%s: output %d is %v, was %v", filepath.Base(folder), i, got[i], want[i])
			}
		}
	}
	t.Logf("%d tests ran before and after; the engine refuses %d as they are", ran, refused)
	if ran < 700 {
		t.Errorf("only %d tests ran", ran)
	}
}

func engineInputs(in []*graph.Tensor) ([]runtime.Tensor, bool) {
	out := make([]runtime.Tensor, len(in))
	for i, t := range in {
		if t == nil {
			return nil, false
		}
		var ok bool
		if out[i], ok = engineTensor(t); !ok {
			return nil, false
		}
	}
	return out, true
}

// TestEngineOnRealModels runs the networks at hand before and after, with a batch of noise.
func TestEngineOnRealModels(t *testing.T) {
	e := orttest.Engine(t)
	var files []string
	for _, name := range testdata.Some(t, "models/onnx", "efficientnet_lite0_imagenet.onnx", "resnet20_cifar10.onnx", "resnet56_cifar10.onnx") {
		files = append(files, testdata.Shared(t, "models", "onnx", name))
	}
	embedded, err := filepath.Glob(filepath.Join(testdata.Root(), "models", "embedded", "*.onnx"))
	if err != nil || len(embedded) < 2 {
		t.Fatalf("embedded models: %v, %v", embedded, err)
	}
	for _, path := range append(files, embedded...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			made, m, err := rewritten(path)
			if err != nil {
				t.Fatal(err)
			}
			want, got, ok := runBoth(t, e, path, made, noise(m.Graph, 3))
			if !ok || len(want) != 1 || len(got) != 1 || !sameBits(want[0], got[0]) {
				t.Errorf("outputs %v, were %v", got, want)
			}
		})
	}
}

// noise makes inputs of a batch, with the same numbers each time.
func noise(g *graph.Graph, batch int64) []runtime.Tensor {
	random := rand.New(rand.NewPCG(1, 2))
	var out []runtime.Tensor
	for _, v := range g.Inputs() {
		var sizes []int64
		for _, d := range g.TypeOf(v).Shape {
			n := d.Size
			if !d.Known() {
				n = batch
			}
			sizes = append(sizes, n)
		}
		if g.TypeOf(v).Elem == graph.Int64 { // word pieces, or their mask
			x := runtime.NewTensor[int64](sizes...)
			for i := range x.Data.([]int64) {
				x.Data.([]int64)[i] = random.Int64N(2)
			}
			out = append(out, x)
			continue
		}
		x := runtime.NewTensor[float32](sizes...)
		for i := range x.Data.([]float32) {
			x.Data.([]float32)[i] = random.Float32()*4 - 2
		}
		out = append(out, x)
	}
	return out
}
