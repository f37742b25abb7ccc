//go:build !noengine

package ort

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/runtimetest"
)

// libraryPath finds a library as a user's program does, or among the assets.
func libraryPath(tb testing.TB) string {
	tb.Helper()
	if lib, err := ortlib.Find(context.Background(), ortlib.Options{}); err == nil {
		return lib.Path
	}
	found, err := filepath.Glob(filepath.Join(testdata.Asset(tb, "ort-cpu"), "*onnxruntime*"))
	if err != nil || len(found) == 0 {
		testdata.Missing(tb, "no ONNX Runtime library: run oatta setup")
	}
	return found[0]
}

func testEngine(tb testing.TB) *Engine {
	tb.Helper()
	e, err := Load(libraryPath(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func open(tb testing.TB, e *Engine, name string, cfg runtime.Config) runtime.Session {
	tb.Helper()
	s, err := e.Open(runtimetest.ONNX(name), cfg)
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

func TestConformance(t *testing.T) {
	e := testEngine(t)
	for name, cfg := range map[string]runtime.Config{
		"zero value":  {},
		"one thread":  {IntraThreads: 1},
		"parallel":    {IntraThreads: 1, InterThreads: 2},
		"spin":        {IntraThreads: 2, Spin: true},
		"sparing":     {IntraThreads: 1, Sparing: true},
		"no rewrites": {IntraThreads: 1, Optimization: runtime.OptimizeNone},
		"basic":       {IntraThreads: 1, Optimization: runtime.OptimizeBasic},
		"extended":    {IntraThreads: 1, Optimization: runtime.OptimizeExtended},
		"auto":        {IntraThreads: 1, Device: runtime.DeviceAuto},
	} {
		t.Run(name, func(t *testing.T) { runtimetest.TestEngine(t, e, cfg) })
	}
}

func TestLoadOnce(t *testing.T) {
	path := libraryPath(t)
	engines := make([]*Engine, 8)
	var group sync.WaitGroup
	for i := range engines {
		group.Add(1)
		go func() {
			defer group.Done()
			e, err := Load(path)
			if err != nil {
				t.Error(err)
			}
			engines[i] = e
		}()
	}
	group.Wait()
	if !slices.Equal(engines, slices.Repeat(engines[:1], len(engines))) {
		t.Error("several engines")
	}
	link := filepath.Join(t.TempDir(), "link.so")
	if err := os.Symlink(engines[0].Library(), link); err != nil {
		t.Skip(err)
	}
	if e, err := Load(link); err != nil || e != engines[0] {
		t.Errorf("the same library by another name: %v, %v", e, err)
	}
}

func TestLoadAnother(t *testing.T) {
	e := testEngine(t)
	other := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(other, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(other); err == nil || !strings.Contains(err.Error(), e.Library()) || !strings.Contains(err.Error(), other) {
		t.Errorf("error %v, want both paths", err)
	}
}

// TestLoadTruncated takes the beginning of the real library, as an interrupted copy leaves it.
func TestLoadTruncated(t *testing.T) {
	data, err := os.ReadFile(libraryPath(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(path, data[:min(len(data)/2, 5_000_000)], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(path); err == nil || !strings.Contains(err.Error(), path+": it is truncated or damaged") {
		t.Errorf("error %v", err)
	}
}

func TestEngineTellsAboutItself(t *testing.T) {
	e := testEngine(t)
	if minor, ok := minorVersion(e.Version()); !ok || minor < apiVersion {
		t.Errorf("version %q", e.Version())
	}
	if version, err := Version(e.Library()); err != nil || version != e.Version() {
		t.Errorf("the library alone is of version %q, %v: want %q", version, err, e.Version())
	}
	if version, err := Version("ort_test.go"); err == nil || version != "" || !strings.Contains(err.Error(), "ort_test.go") {
		t.Errorf("a file that is no library: %q, %v", version, err)
	}
	if !slices.Contains(e.Providers(), "CPUExecutionProvider") {
		t.Errorf("providers %v", e.Providers())
	}
	e.Providers()[0] = "mine"
	if slices.Contains(e.Providers(), "mine") {
		t.Error("Providers returned the engine's own slice")
	}
	if !filepath.IsAbs(e.Library()) {
		t.Errorf("library %q", e.Library())
	}
}

func TestCUDAMissingIsAnError(t *testing.T) {
	e := testEngine(t)
	if slices.Contains(e.Providers(), cudaProvider) {
		t.Skip("this library has the CUDA provider")
	}
	_, err := e.Open(runtimetest.ONNX("add"), runtime.Config{Device: runtime.DeviceCUDA})
	for _, want := range []string{"has no CUDA provider", "CPUExecutionProvider", e.Library()} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to have %q", err, want)
		}
	}
	s := open(t, e, "add", runtime.Config{Device: runtime.DeviceAuto})
	if got := s.(runtime.Inspector).Device(); got != "cpu" {
		t.Errorf("device %q", got)
	}
	if got := DeviceReason(s); !strings.Contains(got, "has no CUDA provider") {
		t.Errorf("reason %q", got)
	}
	if got := DeviceReason(open(t, e, "add", runtime.Config{})); got != "the CPU was asked for" {
		t.Errorf("reason %q", got)
	}
}

func TestRefusedPortsAreNamed(t *testing.T) {
	e := testEngine(t)
	for name, want := range map[string]string{
		"strings":  `input "x" is of ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, want float32`,
		"sequence": `output "y" is ONNX_TYPE_SEQUENCE, want a tensor`,
	} {
		if _, err := e.Open(runtimetest.ONNX(name), runtime.Config{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestProfile asks for a profile and expects the run of the one node in it.
func TestProfile(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "profile")
	s, err := testEngine(t).Open(runtimetest.ONNX("mismatch"), runtime.Config{Profile: prefix, IntraThreads: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := runtime.NewTensor[float32](3)
	if err := s.Run(context.Background(), make([]runtime.Tensor, 1), []runtime.Tensor{x, x}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(prefix + "*.json")
	if err != nil || len(files) != 1 {
		t.Fatalf("profiles %v, %v", files, err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || !bytes.Contains(data, []byte("the_add_kernel_time")) {
		t.Errorf("profile of %d bytes does not tell of the node, %v", len(data), err)
	}
}

// TestRunAllocates bounds the allocations of a run: none where the caller gives the destination and no context can end it.
func TestRunAllocates(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	s := open(t, testEngine(t), "add", runtime.Config{IntraThreads: 1})
	x := runtime.NewTensor[float32](2, 4)
	src, dst := []runtime.Tensor{x, x}, []runtime.Tensor{runtime.NewTensor[float32](2, 4), runtime.NewTensor[float32](2, 4)}
	if n := testing.AllocsPerRun(200, func() {
		if err := s.Run(context.Background(), dst, src); err != nil {
			t.Fatal(err)
		}
	}); n > 0.5 { // a garbage collection may empty the pool now and then
		t.Errorf("%g allocations a run", n)
	}
}

func BenchmarkRun(b *testing.B) {
	s := open(b, testEngine(b), "add", runtime.Config{IntraThreads: 1})
	x := runtime.NewTensor[float32](1, 4)
	src, given := []runtime.Tensor{x, x}, []runtime.Tensor{runtime.NewTensor[float32](1, 4), runtime.NewTensor[float32](1, 4)}
	cancellable, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		dst  func() []runtime.Tensor
	}{
		{"given", context.Background(), func() []runtime.Tensor { return given }},
		{"given, cancellable", cancellable, func() []runtime.Tensor { return given }},
		{"allocated", context.Background(), func() []runtime.Tensor { return make([]runtime.Tensor, 2) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Run(c.ctx, c.dst(), src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
