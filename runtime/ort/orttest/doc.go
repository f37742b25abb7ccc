// Package orttest loads the engine in tests.
package orttest

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// Engine loads the ONNX Runtime that the program would take (of OATTA_ORT_LIB, of `oatta setup`, of the system), or else that in the folder
// of assets. A test that cannot have it is skipped, or fails in CI.
func Engine(tb testing.TB) runtime.Engine {
	tb.Helper()
	e, err := ort.Load(library(tb))
	if errors.Is(err, ort.ErrNoEngine) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func library(tb testing.TB) string {
	tb.Helper()
	lib, err := ortlib.Find(tb.Context(), ortlib.Options{Device: runtime.DeviceCPU})
	if err == nil {
		return lib.Path
	}
	if !errors.Is(err, ortlib.ErrNotFound) {
		tb.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(testdata.Asset(tb, "ort-cpu"), "libonnxruntime*"))
	if len(found) == 0 {
		testdata.Missing(tb, "no ONNX Runtime: %v", err)
	}
	return found[0]
}

// Open opens a model's bytes on one thread, to be closed with the test.
func Open(tb testing.TB, model []byte) runtime.Session {
	tb.Helper()
	s, err := Engine(tb).Open(model, runtime.Config{IntraThreads: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}
