// Package orttest loads the engine in tests.
package orttest

import (
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
)

// Engine loads ONNX Runtime from OATTA_ORT_LIB or from the folder of assets. A test that cannot have it is skipped, or fails in CI.
func Engine(tb testing.TB) runtime.Engine {
	tb.Helper()
	e, err := ort.Load(testdata.EngineLibrary(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return e
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
