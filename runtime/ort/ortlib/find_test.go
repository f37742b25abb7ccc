package ortlib

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// here returns options for this machine, whose names of libraries the tests of Find use.
func here(t *testing.T) Options {
	t.Helper()
	o := fixture(t)
	o.Platform = ""
	if hostPlatform() != testPlatform && hostPlatform() != "linux/arm64" {
		t.Skip("the names in this test are those of Linux")
	}
	return o
}

func find1(t *testing.T, o Options) Library {
	t.Helper()
	lib, err := Find(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// cacheFolder is where the cache keeps a library for this machine.
func cacheFolder(o Options, version, device string) string {
	return filepath.Join(o.CacheDir, "ort", version+"-"+strings.ReplaceAll(hostPlatform(), "/", "-")+"-"+device)
}

func TestFindOrder(t *testing.T) {
	o := here(t)
	if _, err := Find(context.Background(), o); !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), o.CacheDir) {
		t.Errorf("nothing anywhere: %v", err)
	}
	o.system = []string{t.TempDir(), t.TempDir()}
	second := write(t, filepath.Join(o.system[1], "libonnxruntime.so.1.26.0"), native())
	if lib := find1(t, o); lib != (Library{second, "1.26.0", SourceSystem, runtime.DeviceCPU}) {
		t.Errorf("system: %+v", lib)
	}
	first := write(t, filepath.Join(o.system[0], "libonnxruntime.so"), native())
	if lib := find1(t, o); lib != (Library{first, "", SourceSystem, runtime.DeviceCPU}) {
		t.Errorf("system, first folder: %+v", lib)
	}
	inCache := write(t, filepath.Join(cacheFolder(o, "1.24.3", "cpu"), "libonnxruntime.so.1"), native())
	if lib := find1(t, o); lib != (Library{inCache, "1.24.3", SourceCache, runtime.DeviceCPU}) {
		t.Errorf("cache: %+v", lib)
	}
	mine := write(t, filepath.Join(t.TempDir(), "my-runtime.so"), native())
	t.Setenv(EnvLibrary, mine)
	if lib := find1(t, o); lib != (Library{mine, "", SourceEnv, runtime.DeviceCPU}) {
		t.Errorf("environment: %+v", lib)
	}
	o.Platform = "windows/arm64" // the variable and the system are this machine's
	if _, err := Find(context.Background(), o); !errors.Is(err, ErrNotFound) {
		t.Errorf("another platform: %v", err)
	}
}

func TestFindEnv(t *testing.T) {
	o := here(t)
	dir := t.TempDir()
	t.Setenv(EnvLibrary, dir)
	_, err := Find(context.Background(), o)
	expectError(t, err, EnvLibrary, "holds no libonnxruntime.so")
	old := write(t, filepath.Join(dir, "libonnxruntime.so.1.17.3"), native())
	_, err = Find(context.Background(), o)
	expectError(t, err, old, "version 1.17.3: want 1.24 or later")
	want := write(t, filepath.Join(dir, "libonnxruntime.so.1.24.4"), native())
	write(t, filepath.Join(dir, "libonnxruntime.so.backup"), native())
	if lib := find1(t, o); lib.Path != want || lib.Version != "1.24.4" {
		t.Errorf("%+v", lib)
	}
	o.Device = runtime.DeviceCUDA
	_, err = Find(context.Background(), o)
	expectError(t, err, "is a CPU library", "libonnxruntime_providers_cuda.so")
	write(t, filepath.Join(dir, "libonnxruntime_providers_cuda.so"), provider)
	if lib := find1(t, o); lib.Device != runtime.DeviceCUDA {
		t.Errorf("%+v", lib)
	}
	// What the variable says is what is meant: a wrong one must not lead to another library.
	o.system = []string{dir}
	t.Setenv(EnvLibrary, filepath.Join(dir, "gone.so"))
	if _, err := Find(context.Background(), o); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("a variable that names nothing: %v", err)
	}
	if _, err := Setup(context.Background(), o); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("Setup with a variable that names nothing: %v", err)
	}
}

// TestFindTellsWhatItPassedOver asks for CUDA where there are libraries without it, and others that cannot serve.
func TestFindTellsWhatItPassedOver(t *testing.T) {
	o := here(t)
	o.system = []string{t.TempDir()}
	inCache := write(t, filepath.Join(cacheFolder(o, "1.24.4", "cpu"), "libonnxruntime.so.1.24.4"), native())
	plain := write(t, filepath.Join(o.system[0], "libonnxruntime.so"), native())
	old := write(t, filepath.Join(o.system[0], "libonnxruntime.so.1.17.3"), native())
	o.Device = runtime.DeviceCUDA
	_, err := Find(context.Background(), o)
	const want = " is a CPU library: CUDA needs libonnxruntime_providers_cuda.so beside it"
	expectError(t, err, ErrNotFound.Error(), inCache+want, plain+want, old+" is of version 1.17.3")
	o.Device = runtime.DeviceCPU
	if err := os.RemoveAll(filepath.Dir(inCache)); err != nil {
		t.Fatal(err)
	}
	if lib := find1(t, o); lib.Path != plain {
		t.Errorf("%+v", lib)
	}
	write(t, plain, native()[:100]) // one that could not be loaded must not stand in the way of a fetch
	_, err = Find(context.Background(), o)
	expectError(t, err, ErrNotFound.Error(), plain+": it is truncated or damaged")
}

// TestFindWithoutCache has no home and so no cache folder: what lies elsewhere is found, and only a fetch fails.
func TestFindWithoutCache(t *testing.T) {
	o := here(t)
	o.CacheDir = ""
	o.system = []string{t.TempDir()}
	for _, name := range []string{EnvCache, "HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, "")
	}
	t.Chdir(t.TempDir()) // a store below no cache folder would be one below this
	write(t, filepath.Join("ort", filepath.Base(cacheFolder(o, "1.24.4", "cpu")), "libonnxruntime.so"), native())
	_, err := Find(context.Background(), o)
	expectError(t, err, ErrNotFound.Error(), "set OATTA_CACHE")
	_, err = Setup(context.Background(), o)
	expectError(t, err, "no cache folder: set OATTA_CACHE")
	inSystem := write(t, filepath.Join(o.system[0], "libonnxruntime.so"), native())
	if lib := find1(t, o); lib.Path != inSystem {
		t.Errorf("%+v", lib)
	}
	if lib, err := Setup(context.Background(), o); err != nil || lib.Path != inSystem {
		t.Errorf("Setup: %+v, %v", lib, err)
	}
	mine := write(t, filepath.Join(t.TempDir(), "mine.so"), native())
	t.Setenv(EnvLibrary, mine)
	if lib := find1(t, o); lib.Path != mine {
		t.Errorf("%+v", lib)
	}
	if r, err := Check(context.Background(), o); err != nil || !r.Found || r.CacheDir != "" {
		t.Errorf("Check: %+v, %v", r, err)
	}
}

func TestFindByLink(t *testing.T) {
	o := here(t)
	o.system = []string{t.TempDir()}
	write(t, filepath.Join(o.system[0], "real", "libonnxruntime.so.1.27.1"), native())
	link := filepath.Join(o.system[0], "libonnxruntime.so")
	if err := os.Symlink(filepath.Join("real", "libonnxruntime.so.1.27.1"), link); err != nil {
		t.Skip(err)
	}
	if lib := find1(t, o); lib.Path != link || lib.Version != "1.27.1" {
		t.Errorf("%+v", lib)
	}
}

func TestFindPrefers(t *testing.T) {
	o := here(t)
	for _, folder := range []string{cacheFolder(o, "1.24.4", "cpu"), cacheFolder(o, "1.9.0", "cpu"), cacheFolder(o, "1.30.0", "cuda"), cacheFolder(o, "custom", "cpu")} {
		write(t, filepath.Join(folder, "libonnxruntime.so"), native())
	}
	write(t, filepath.Join(cacheFolder(o, "1.31.0", "cpu"), "something.else"), native())
	write(t, filepath.Join(o.CacheDir, "ort", tempPrefix+"1.32.0", "libonnxruntime.so"), native())
	for device, want := range map[runtime.Device]Library{
		"":                 {Version: "1.24.4", Device: runtime.DeviceCPU},
		runtime.DeviceCPU:  {Version: "1.24.4", Device: runtime.DeviceCPU},
		runtime.DeviceCUDA: {Version: "1.30.0", Device: runtime.DeviceCUDA},
		runtime.DeviceAuto: {Version: "1.30.0", Device: runtime.DeviceCUDA},
	} {
		o.Device = device
		if lib := find1(t, o); lib.Version != want.Version || lib.Device != want.Device {
			t.Errorf("%q: %+v, want %+v", device, lib, want)
		}
	}
	if err := os.RemoveAll(cacheFolder(o, "1.24.4", "cpu")); err != nil {
		t.Fatal(err)
	}
	o.Device = runtime.DeviceCPU
	if lib := find1(t, o); lib.Version != "" || lib.Device != runtime.DeviceCPU { // the one of unknown version, not the old one
		t.Errorf("%+v", lib)
	}
}

func TestUsableFolders(t *testing.T) {
	root := string(filepath.Separator)
	if filepath.IsAbs(`C:\`) {
		root = `C:\`
	}
	abs := func(elem ...string) string { return filepath.Join(append([]string{root}, elem...)...) }
	got := usable([]string{abs("lib"), "", ".", "relative", abs("windows", "system32"), abs("Windows"), abs("lib", "."), abs("windowsy")}, abs("Windows"))
	if want := []string{abs("lib"), abs("windowsy")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSystemDirs(t *testing.T) {
	if osOf(hostPlatform()) != "linux" {
		t.Skip("the variable is that of Linux")
	}
	dir := t.TempDir()
	t.Setenv("LD_LIBRARY_PATH", dir)
	t.Setenv("HOMEBREW_PREFIX", "/home/ann/brew")
	if got := (Options{}).systemDirs(); got[0] != dir || got[1] != "/home/ann/brew/lib" || !slices.Contains(got, "/usr/lib/x86_64-linux-gnu") {
		t.Errorf("%q", got)
	}
}

func TestCacheDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvCache, dir)
	if got, err := CacheDir(); err != nil || got != dir {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv(EnvCache, "")
	t.Setenv("XDG_CACHE_HOME", dir)
	if got, err := CacheDir(); err != nil || filepath.Base(got) != "oatta" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCheck(t *testing.T) {
	useTable(t)
	o := fixture(t)
	r, err := Check(context.Background(), o)
	if err != nil || r.Found || !strings.Contains(r.Problem, ErrNotFound.Error()) || r.CacheDir != o.CacheDir {
		t.Errorf("%+v, %v", r, err)
	}
	path := write(t, filepath.Join(o.CacheDir, "ort", "1.24.4-linux-amd64-cpu", "libonnxruntime.so.1.24.4"), library)
	r, err = Check(context.Background(), o)
	if err != nil || !r.Found || r.Problem != "" || r.Library.Path != path || r.SHA256 != hashOf(library) || r.Pinned != "onnxruntime==1.24.4" || len(r.Cached) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	write(t, path, elfOf(183, "damaged"))
	r, err = Check(context.Background(), o)
	if err != nil || r.Pinned != "" || !strings.Contains(r.Problem, "linux/arm64") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Check(context.Background(), Options{Device: "tpu"}); err == nil {
		t.Error("options out of range: no error")
	}
}
