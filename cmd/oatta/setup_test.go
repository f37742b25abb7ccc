package main

import (
	"context"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/setup"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// realLibrary returns the path of the library that the tests run on.
func realLibrary(t *testing.T) string {
	t.Helper()
	needEngine(t)
	lib, err := ortlib.Find(context.Background(), ortlib.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lib.Device != runtime.DeviceCPU || goruntime.GOOS != "linux" {
		t.Skip("the test is of a CPU library under the names of Linux")
	}
	return lib.Path
}

// beginning copies the beginning of a file, of at most n bytes.
func beginning(t *testing.T, to, from string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	data := readFile(t, from)
	writeFile(t, to, data[:min(n, len(data))])
}

// TestCUDAWithoutProvider has a CPU library in the cache and asks for CUDA: what it says to do must help.
func TestCUDAWithoutProvider(t *testing.T) {
	lib := realLibrary(t)
	cache := t.TempDir()
	t.Setenv(ortlib.EnvLibrary, "")
	t.Setenv(ortlib.EnvCache, cache)
	cached := filepath.Join(cache, "ort", "1.99.0-linux-"+goruntime.GOARCH+"-cpu", "libonnxruntime.so")
	if err := os.MkdirAll(filepath.Dir(cached), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(lib, cached); err != nil {
		t.Fatal(err)
	}
	_, errOut := mustOatta(t, console.Nothing, "run", "images", "--device", "cuda", pictures(t, 1))
	for _, want := range []string{cached + " is a CPU library: CUDA needs libonnxruntime_providers_cuda.so beside it", "Run `oatta setup --device cuda`"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("%q, want %q", errOut, want)
		}
	}
}

// TestWithoutHome has no cache folder: a library that is named needs none.
func TestWithoutHome(t *testing.T) {
	t.Setenv(ortlib.EnvLibrary, realLibrary(t))
	for _, name := range []string{ortlib.EnvCache, "HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	if _, err := setup.LoadEngine(context.Background(), runtime.DeviceCPU); err != nil {
		t.Error(err)
	}
	out, _ := mustOatta(t, console.Fine, "setup", "--check")
	if !strings.Contains(out, "found by   env") || !strings.Contains(out, "cache      none (") {
		t.Errorf("%q", out)
	}
}

// TestSetupOfDamaged expects the problem, and what there is all the same, for a library that is not whole. It runs as a process of its
// own: this one has loaded a library, and a fault would end it.
func TestSetupOfDamaged(t *testing.T) {
	lib := realLibrary(t)
	cache := t.TempDir()
	t.Setenv(ortlib.EnvCache, cache)
	broken := filepath.Join(t.TempDir(), "broken.so")
	beginning(t, broken, lib, 5_000_000)
	cached := filepath.Join(cache, "ort", "1.99.0-linux-"+goruntime.GOARCH+"-cpu", "libonnxruntime.so")
	beginning(t, cached, lib, 5_000_000)
	for name, c := range map[string]struct {
		env  string
		args []string
		want []string
	}{
		"named":   {broken, []string{"setup", "--check"}, []string{broken, "truncated or damaged", "found by: env", "cache  ", "models "}},
		"cached":  {"", []string{"setup", "--check"}, []string{cached, "truncated or damaged", "`oatta setup` fetches it anew", "cache  ", "models "}},
		"from":    {"", []string{"setup", "--from", broken, "--trust"}, []string{broken, "truncated or damaged", "give another file"}},
		"run on":  {broken, []string{"run", "images", pictures(t, 1)}, []string{broken, "truncated or damaged"}},
		"run off": {"", []string{"run", "images", pictures(t, 1)}, []string{cached, "`oatta setup` fetches it anew"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(ortlib.EnvLibrary, c.env)
			out, _ := program(t, c.args...).CombinedOutput() // that it fails shows in what it prints
			for _, want := range c.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("%s\nwant %q", out, want)
				}
			}
			if strings.Contains(string(out), "SIG") {
				t.Errorf("a fault: %s", out)
			}
		})
	}
}
