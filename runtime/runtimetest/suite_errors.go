package runtimetest

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/runtime"
)

func checkRefusedTensors(t *testing.T, f fixture) {
	s := f.open(t, "add")
	ok := ramp(1, 2, 4)
	in := func(ts ...runtime.Tensor) []runtime.Tensor { return ts }
	for name, c := range map[string]struct {
		dst, src []runtime.Tensor
		want     []string
	}{
		"too few inputs":        {in(ok, ok), in(ok), []string{"1 inputs, want 2", "a float32[?,4]"}},
		"too many inputs":       {in(ok, ok), in(ok, ok, ok), []string{"3 inputs, want 2"}},
		"no inputs":             {in(ok, ok), nil, []string{"0 inputs, want 2"}},
		"input type":            {in(ok, ok), in(ok, runtime.NewTensor[int64](2, 4)), []string{`input "b": type int64, want float32`}},
		"input rank":            {in(ok, ok), in(ramp(0, 4), ok), []string{`input "a": shape [4], want [?,4]`}},
		"input size":            {in(ok, ok), in(ok, ramp(0, 2, 3)), []string{`input "b": shape [2 3], want [?,4]`}},
		"input half full":       {in(ok, ok), in(ok, runtime.Tensor{Shape: []int64{2, 4}, Data: make([]float32, 7)}), []string{`input "b"`, "holds 7 elements, want 8"}},
		"input without data":    {in(ok, ok), in(runtime.Tensor{Shape: []int64{2, 4}}, ok), []string{`input "a"`, "<nil>"}},
		"input of another kind": {in(ok, ok), in(runtime.Tensor{Shape: []int64{1, 4}, Data: make([]float64, 4)}, ok), []string{`input "a"`, "[]float64"}},
		"too few outputs":       {in(ok), in(ok, ok), []string{"1 outputs, want 2"}},
		"output type":           {in(runtime.Tensor{}, runtime.NewTensor[uint8](2, 4)), in(ok, ok), []string{`output "twice": type uint8, want float32`}},
		"output size":           {in(ramp(0, 2, 5), runtime.Tensor{}), in(ok, ok), []string{`output "sum": shape [2 5], want [?,4]`}},
		"output batch":          {in(ramp(0, 3, 4), runtime.Tensor{}), in(ok, ok), []string{`output "sum"`, "[3 4]"}},
	} {
		expectError(t, name, s.Run(context.Background(), c.dst, c.src), c.want...)
	}
	expect(t, "a run after all of these", run(t, s, ok, ok)[1], runtime.TensorOf([]float32{2, 4, 6, 8, 10, 12, 14, 16}, 2, 4))
}

// checkFailingNode runs a model whose ports take what its node cannot.
func checkFailingNode(t *testing.T, f fixture) {
	s := f.open(t, "mismatch")
	err := s.Run(context.Background(), make([]runtime.Tensor, 1), []runtime.Tensor{ramp(0, 3), ramp(0, 4)})
	expectError(t, "3 + 4 elements", err, "the_add", "3", "4")
	expect(t, "a run after that", run(t, s, ramp(0, 2), ramp(5, 1))[0], runtime.TensorOf([]float32{5, 6}, 2))
}

func checkNothingRetained(t *testing.T, f fixture) {
	model := slices.Clone(ONNX("identity_int64"))
	s, err := f.engine.Open(model, f.config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	clear(model)
	src := runtime.TensorOf([]int64{1, 2, 3}, 1, 3)
	first := run(t, s, src)[0]
	expect(t, "source after a run", src, runtime.TensorOf([]int64{1, 2, 3}, 1, 3))
	src.Data.([]int64)[0] = 9
	second := run(t, s, src)[0]
	expect(t, "first result", first, runtime.TensorOf([]int64{1, 2, 3}, 1, 3))
	expect(t, "second result", second, runtime.TensorOf([]int64{9, 2, 3}, 1, 3))
}

func checkRefusedModels(t *testing.T, f fixture) {
	add := ONNX("add")
	for name, model := range map[string][]byte{
		"nil": nil, "empty": {}, "text": []byte("this is no model"), "truncated": add[:len(add)/2], "zeros": make([]byte, 100),
	} {
		s, err := f.engine.Open(model, f.config)
		expectError(t, name, err)
		if s != nil {
			t.Errorf("%s: a session beside the error", name)
		}
	}
	for _, name := range []string{"strings", "sequence"} {
		_, err := f.engine.Open(ONNX(name), f.config)
		expectError(t, name, err)
	}
	missing := filepath.Join(t.TempDir(), "missing.onnx")
	_, err := f.engine.OpenFile(missing, f.config)
	expectError(t, "missing file", err, "missing.onnx")
	bad := f.config
	bad.IntraThreads = -1
	_, err = f.engine.Open(add, bad)
	expectError(t, "bad configuration", err, "intra threads")
}

func checkExternalData(t *testing.T, f fixture) {
	path := writeModel(t, "external", "external.bin")
	src := ramp(1, 1, 3, 2, 2)
	// y[o][p] = sum over c of x[c][p] (3 o + c) / 4, with x[c][p] = 1 + 4 c + p
	want := runtime.TensorOf([]float32{5.75, 6.5, 7.25, 8, 17, 20, 23, 26}, 1, 2, 2, 2)

	fromFile, err := f.engine.OpenFile(path, f.config)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "opened from a file", run(t, fromFile, src)[0], want)
	cfg := f.config
	cfg.ExternalData = filepath.Dir(path)
	fromBytes, err := f.engine.Open(ONNX("external"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "opened from bytes", run(t, fromBytes, src)[0], want)
	for _, s := range []runtime.Session{fromFile, fromBytes} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err = f.engine.Open(ONNX("external"), f.config)
	expectError(t, "opened from bytes without a folder", err, "external")
	_, err = f.engine.OpenFile(writeModel(t, "external"), f.config)
	expectError(t, "opened without its data", err, "external.bin")
}
