package runtimetest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// check is one promise of package runtime.
type check struct {
	name string
	run  func(t *testing.T, f fixture)
}

// checks is the suite. To be in the table is to be tested, on every engine.
var checks = []check{
	{"ports and metadata", checkMetadata},
	{"every element type", checkTypes},
	{"scalars", checkScalars},
	{"dynamic batch", checkBatches},
	{"several ports", checkSeveralPorts},
	{"unknown rank", checkUnknownRank},
	{"shape that depends on the data", checkNonZero},
	{"refused tensors", checkRefusedTensors},
	{"failing node", checkFailingNode},
	{"nothing is retained", checkNothingRetained},
	{"refused models", checkRefusedModels},
	{"external data", checkExternalData},
	{"concurrent runs", checkConcurrency},
	{"cancelled before", checkCancelledBefore},
	{"cancelled during", checkCancelledDuring},
	{"close", checkClose},
	{"close waits", checkCloseWaits},
}

// TestEngine checks that an engine keeps the contract of package runtime. cfg is the configuration under which it opens the
// models; the suite changes only its ExternalData.
func TestEngine(t *testing.T, e runtime.Engine, cfg runtime.Config) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(t, fixture{e, cfg}) })
	}
}

// fixture is the engine under test and how it is to open models.
type fixture struct {
	engine runtime.Engine
	config runtime.Config
}

// open opens a model of the suite and closes it when the test ends.
func (f fixture) open(t *testing.T, name string) runtime.Session {
	t.Helper()
	s, err := f.engine.Open(ONNX(name), f.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run runs a session on sources and returns what it allocated.
func run(t *testing.T, s runtime.Session, src ...runtime.Tensor) []runtime.Tensor {
	t.Helper()
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, src); err != nil {
		t.Fatal(err)
	}
	return dst
}

// expect fails the test where two tensors differ.
func expect(t *testing.T, what string, got, want runtime.Tensor) {
	t.Helper()
	if d := Diff(got, want); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// expectError fails the test unless err has every one of the texts.
func expectError(t *testing.T, what string, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one with %q", what, texts)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %q, want it to have %q", what, err, text)
		}
	}
}

// writeModel puts a model of the suite into a new folder, with its external data where it has some, and returns its path.
func writeModel(t *testing.T, name string, extra ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, file := range append(extra, name+".onnx") {
		if err := os.WriteFile(filepath.Join(folder, file), read(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, name+".onnx")
}
