package ortlib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/runtime"
)

func pipWheel(t *testing.T, data []byte) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), "onnxruntime-1.24.4-cp312-cp312-manylinux_2_28_x86_64.whl"), zipOf(t,
		member{"onnxruntime/LICENSE", []byte("theirs")},
		member{"onnxruntime/ThirdPartyNotices.txt", []byte("notices")},
		member{"onnxruntime/capi/other.so", []byte("x")},
		member{"onnxruntime/capi/libonnxruntime.so.1.24.4", data},
		member{"onnxruntime/deep/LICENSE", []byte("of something bundled")}))
}

func nodePackage(t *testing.T) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), "onnxruntime-node-1.24.3.tgz"), tgzOf(t,
		member{"package/bin/napi-v6/linux/arm64/libonnxruntime.so.1", elfOf(183, "another")},
		member{"package/bin/napi-v6/linux/x64/libonnxruntime.so.1", library}))
}

// releases serves archives by their paths and counts the requests.
func releases(t *testing.T, archives map[string][]byte) (url string, count *atomic.Int32) {
	t.Helper()
	count = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		if data, ok := archives[r.URL.Path]; ok {
			_, _ = w.Write(data) // the client's error is the test's
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, count
}

const releasePath = "/v1.24.4/onnxruntime-linux-x64-1.24.4.tgz"

func releaseArchive(t *testing.T) []byte {
	t.Helper()
	return tgzOf(t,
		member{"onnxruntime-linux-x64-1.24.4/LICENSE", []byte("theirs")},
		member{"onnxruntime-linux-x64-1.24.4/lib/libonnxruntime.so", nil},
		member{"onnxruntime-linux-x64-1.24.4/lib/libonnxruntime.so.1.24.4", library})
}

func TestSetupByPip(t *testing.T) {
	useTable(t)
	o := fixture(t)
	useTools(t, map[string]string{"python3": pipScript(pipWheel(t, library))})
	lib := setup(t, o)
	if lib.Version != "1.24.4" || lib.Device != runtime.DeviceCPU || filepath.Base(lib.Path) != "libonnxruntime.so.1.24.4" {
		t.Errorf("%+v", lib)
	}
	expectClean(t, o, "1.24.4-linux-amd64-cpu")
	dir := filepath.Dir(lib.Path)
	for name, want := range map[string]string{"LICENSE": "theirs", "ThirdPartyNotices.txt": "notices"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	var origin obtained
	data, err := os.ReadFile(filepath.Join(dir, "origin.json"))
	if err := errors.Join(err, json.Unmarshal(data, &origin)); err != nil {
		t.Fatal(err)
	}
	if origin.Method != MethodPip || origin.Package != "onnxruntime==1.24.4" || origin.Files["libonnxruntime.so.1.24.4"] != hashOf(library) {
		t.Errorf("origin %+v", origin)
	}
	args, err := os.ReadFile(filepath.Join(os.Getenv("PATH"), "python3.args"))
	for _, want := range []string{"-m pip download", "--no-deps", "--only-binary=:all:", "--platform manylinux_2_28_x86_64", "--abi cp312", "onnxruntime==1.24.4"} {
		if err != nil || !strings.Contains(string(args), want) {
			t.Errorf("pip was called with %q, %v; want %q", args, err, want)
		}
	}
	if again, err := Find(context.Background(), o); err != nil || again != lib {
		t.Errorf("found %+v, %v after %+v", again, err, lib)
	}
}

func TestSetupGoesOnToNpm(t *testing.T) {
	useTable(t)
	o := fixture(t)
	var log []string
	o.Log = func(line string) { log = append(log, line) }
	useTools(t, map[string]string{
		"python3": `echo "ERROR: no matching distribution" >&2; exit 1`,
		"npm":     `cp "` + nodePackage(t) + `" .`,
	})
	lib := setup(t, o)
	if lib.Version != "1.24.3" || filepath.Base(lib.Path) != "libonnxruntime.so.1" {
		t.Errorf("%+v", lib)
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(lib.Path), "LICENSE")); err != nil || !strings.Contains(string(text), "Microsoft") {
		t.Errorf("licence %q, %v: the npm package has none, ours must be there", text, err)
	}
	if all := strings.Join(log, "\n"); !strings.Contains(all, "no matching distribution") || !strings.Contains(all, "onnxruntime-node@1.24.3") {
		t.Errorf("log %q", all)
	}
}

func TestSetupByRelease(t *testing.T) {
	useTable(t)
	o := fixture(t)
	useTools(t, nil)
	o.ReleaseURL, _ = releases(t, map[string][]byte{releasePath: releaseArchive(t)})
	setup(t, o)
	expectClean(t, o, "1.24.4-linux-amd64-cpu")
}

func TestSetupCUDA(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Device, o.Method = runtime.DeviceCUDA, MethodRelease
	o.ReleaseURL, _ = releases(t, map[string][]byte{"/v1.24.4/onnxruntime-linux-x64-gpu-1.24.4.tgz": tgzOf(t,
		member{"gpu/libonnxruntime.so.1.24.4", library}, member{"gpu/libonnxruntime_providers_cuda.so", provider})})
	if lib := setup(t, o); lib.Device != runtime.DeviceCUDA {
		t.Errorf("%+v", lib)
	}
	expectClean(t, o, "1.24.4-linux-amd64-cuda")
}

// TestSetupFails expects, for each method, the reason.
func TestSetupFails(t *testing.T) {
	useTable(t)
	o := fixture(t)
	useTools(t, map[string]string{
		"python3": `echo "/usr/bin/python3: No module named pip" >&2; exit 1`,
		"python":  `echo "Python was not found; run without arguments to install from the Microsoft Store" >&2; exit 9`, // as Windows does
	})
	o.ReleaseURL, _ = releases(t, nil)
	_, err := Setup(context.Background(), o)
	var failed *FetchError
	if !errors.As(err, &failed) || len(failed.Causes) != 3 {
		t.Fatalf("error %v", err)
	}
	expectError(t, err, "linux/amd64, cpu", "pip: there is no pip on this machine (tried python3 -m pip,", "npm: there is no npm", "release: GET http", "404", EnvLibrary)
	expectClean(t, o)
	o.Method = MethodNpm
	if _, err := Setup(context.Background(), o); !errors.As(err, &failed) || len(failed.Causes) != 1 {
		t.Errorf("one method: %v", err)
	}
	o.Platform, o.Method = "plan9/mips", ""
	_, err = Setup(context.Background(), o)
	expectError(t, err, "no package is pinned for plan9/mips, cpu", "linux/amd64 cpu")
}

func TestSetupRefusesAnotherHash(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Method = MethodPip
	other := elfOf(62, "tampered with")
	useTools(t, map[string]string{"python3": pipScript(pipWheel(t, other))})
	_, err := Setup(context.Background(), o)
	expectError(t, err, "onnxruntime==1.24.4", hashOf(other), hashOf(library))
	expectClean(t, o)
}

func TestSetupRefusesIncompletePackages(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Method = MethodRelease
	for name, data := range map[string][]byte{
		"there is no onnxruntime-linux": tgzOf(t, member{"onnxruntime-linux-x64-1.24.4/lib/other.so", library}),
		"neither a zip nor a tar.gz":    []byte("<html>not found</html>"),
		"tar.gz":                        releaseArchive(t)[:100],
		"zip":                           append([]byte("PK\x03\x04"), make([]byte, 50)...),
	} {
		o.ReleaseURL, _ = releases(t, map[string][]byte{releasePath: data})
		_, err := Setup(context.Background(), o)
		expectError(t, err, name)
		expectClean(t, o)
	}
}

// TestSetupAtOnce starts several programs' worth of fetches: one downloads, all get the library.
func TestSetupAtOnce(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Method = MethodRelease
	url, count := releases(t, map[string][]byte{releasePath: releaseArchive(t)})
	o.ReleaseURL = url
	var group sync.WaitGroup
	for range 6 {
		group.Add(1)
		go func() {
			defer group.Done()
			if _, err := Setup(context.Background(), o); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	if count.Load() != 1 {
		t.Errorf("%d downloads", count.Load())
	}
	expectClean(t, o, "1.24.4-linux-amd64-cpu")
}

// TestSetupInterrupted breaks a download off in the middle, by its context and by its timeout.
func TestSetupInterrupted(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Method = MethodRelease
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(make([]byte, 1000))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	o.ReleaseURL = server.URL
	left := write(t, filepath.Join(o.CacheDir, "ort", tempPrefix+"old", "library", "libonnxruntime.so"), library)
	if _, err := Setup(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if isFile(left) {
		t.Error("the remains of an earlier fetch are still there")
	}
	expectClean(t, o)
	o.Timeout = 50 * time.Millisecond
	_, err := Setup(context.Background(), o)
	expectError(t, err, "it took longer than 50ms")
	expectClean(t, o)
	if _, err := Find(context.Background(), o); !errors.Is(err, ErrNotFound) {
		t.Errorf("found after failed fetches: %v", err)
	}
}

func TestSetupTakesWhatIsThere(t *testing.T) {
	useTable(t)
	o := here(t)
	o.system = []string{t.TempDir()}
	path := write(t, filepath.Join(o.system[0], "libonnxruntime.so"), native())
	lib, err := Setup(context.Background(), o)
	if err != nil || lib.Path != path || lib.Source != SourceSystem {
		t.Errorf("%+v, %v", lib, err)
	}
	if _, err := os.Stat(o.CacheDir + "/ort"); err == nil {
		t.Error("the store was made although nothing was fetched")
	}
}

func TestExplainFullDisk(t *testing.T) {
	err := explain(&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, Options{CacheDir: "/cache"})
	expectError(t, err, "disk with the cache folder /cache is full", EnvCache)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error("the cause is lost")
	}
}

func TestDownloadLimit(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush() // so that no length is sent
		}
		_, _ = w.Write(make([]byte, 2000))
	}))
	defer server.Close()
	for path, want := range map[string]string{"/plain": "2000 bytes, want at most 1000", "/chunked": "more than 1000 bytes"} {
		to := filepath.Join(t.TempDir(), "file")
		expectError(t, download(context.Background(), newClient(), server.URL+path, to, 1000), want)
	}
}

func TestValidate(t *testing.T) {
	for want, o := range map[string]Options{
		"":                         {Device: runtime.DeviceAuto, Platform: "linux/arm64", SHA256: " " + strings.Repeat("AB", 32) + ", "},
		`device "tpu"`:             {Device: "tpu"},
		`platform "linux"`:         {Platform: "linux"},
		`platform "../x"`:          {Platform: "../x"},
		`method "apt"`:             {Method: "apt"},
		`method "pip" does not go`: {Method: MethodPip, From: "x.whl"},
		`method "from" does not`:   {Method: MethodFrom},
		`sha256 "abc"`:             {SHA256: "abc"},
		"timeout -1s":              {Timeout: -time.Second},
	} {
		err := o.Validate()
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err == nil {
			continue // to set up would be to fetch
		}
		if _, setupErr := Setup(context.Background(), o); fmt.Sprint(setupErr) != err.Error() {
			t.Errorf("Setup: %v, want %v", setupErr, err)
		}
	}
}
