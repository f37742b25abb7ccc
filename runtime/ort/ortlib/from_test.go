package ortlib

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// from sets up from a file of these bytes.
func from(t *testing.T, o Options, name string, data []byte) (Library, error) {
	t.Helper()
	o.From = write(t, filepath.Join(t.TempDir(), name), data)
	return Setup(context.Background(), o)
}

func TestFromKnownLibrary(t *testing.T) {
	useTable(t)
	nupkg := zipOf(t,
		member{"runtimes/linux-arm64/native/libonnxruntime.so", elfOf(183, "another")},
		member{"runtimes/linux-x64/native/libonnxruntime.so", library},
		member{"runtimes/osx-arm64/native/libonnxruntime.dylib", []byte("another")},
		member{"runtimes/win-x64/native/onnxruntime.dll", []byte("another")})
	for name, data := range map[string][]byte{
		"libonnxruntime.so.1.24.4":         library,
		"a.bin":                            library,
		"microsoft.ml.onnxruntime.nupkg":   nupkg,
		"onnxruntime-linux-x64-1.24.4.tgz": releaseArchive(t),
		"onnxruntime-1.24.4-cp39-abi3.whl": zipOf(t, member{"onnxruntime/capi/libonnxruntime.so.1.24.4", library},
			member{"onnxruntime/capi/libonnxruntime_providers_shared.so", elfOf(62, "of no use without a provider")}),
		"onnxruntime-node-1.24.3.tar.gz":     tgzOf(t, member{"package/bin/napi-v6/linux/arm64/libonnxruntime.so.1", elfOf(183, "x")}, member{"package/bin/napi-v6/linux/x64/libonnxruntime.so.1", library}),
		"two names of one in a folder.zip":   zipOf(t, member{"lib/libonnxruntime.so", library}, member{"lib/libonnxruntime.so.1.24.4", library}),
		"named by its ending alone, not.txt": nupkg,
	} {
		t.Run(name, func(t *testing.T) {
			o := fixture(t)
			lib, err := from(t, o, name, data)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(lib.Path); err != nil || string(got) != string(library) || lib.Version != "1.24.4" {
				t.Errorf("%+v, %v", lib, err)
			}
			if !isFile(filepath.Join(filepath.Dir(lib.Path), "LICENSE")) {
				t.Error("no licence beside the library")
			}
			expectClean(t, o, "1.24.4-linux-amd64-cpu")
		})
	}
}

// TestFromUnknownLibrary covers who may vouch for a library that is not in the table.
func TestFromUnknownLibrary(t *testing.T) {
	useTable(t)
	other := elfOf(62, "a newer one")
	pkg := zipOf(t, member{"lib/libonnxruntime.so.1.25.0", other})
	wrong := strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		set func(*Options)
		err string
	}{
		"nobody":               {func(*Options) {}, "has SHA-256 " + hashOf(other) + ", which is in no table of oatta's"},
		"library's hash":       {func(o *Options) { o.SHA256 = strings.ToUpper(hashOf(other)) }, ""},
		"package's hash":       {func(o *Options) { o.SHA256 = hashOf(pkg) }, ""},
		"one of several":       {func(o *Options) { o.SHA256 = wrong + "," + hashOf(other) }, ""},
		"trust":                {func(o *Options) { o.Trust = true }, ""},
		"wrong hash":           {func(o *Options) { o.SHA256 = wrong }, "which is not the one given"},
		"wrong hash and trust": {func(o *Options) { o.SHA256, o.Trust = wrong, true }, "which is not the one given"},
	} {
		t.Run(name, func(t *testing.T) {
			o := fixture(t)
			c.set(&o)
			lib, err := from(t, o, "any.zip", pkg)
			if c.err != "" {
				expectError(t, err, c.err, "any.zip")
				expectClean(t, o)
				return
			}
			if err != nil || lib.Version != "1.25.0" {
				t.Errorf("%+v, %v", lib, err)
			}
			expectClean(t, o, "1.25.0-linux-amd64-cpu")
		})
	}
}

// TestFromWrongHashOfKnown holds the user's hash above the table.
func TestFromWrongHashOfKnown(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.SHA256 = strings.Repeat("0", 64)
	_, err := from(t, o, "libonnxruntime.so", library)
	expectError(t, err, hashOf(library), "not the one given")
}

func TestFromCUDA(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Device = runtime.DeviceCUDA
	both := func(p []byte) []byte {
		return tgzOf(t, member{"x/lib/libonnxruntime_providers_cuda.so", p}, member{"x/lib/libonnxruntime.so.1.24.4", library})
	}
	lib, err := from(t, o, "gpu.tgz", both(provider))
	if err != nil || lib.Device != runtime.DeviceCUDA || !isFile(filepath.Join(filepath.Dir(lib.Path), "libonnxruntime_providers_cuda.so")) {
		t.Errorf("%+v, %v", lib, err)
	}
	// A provider is loaded like the library: it needs a hash as well.
	other := elfOf(62, "another provider")
	_, err = from(t, o, "gpu.tgz", both(other))
	expectError(t, err, "libonnxruntime_providers_cuda.so has SHA-256 "+hashOf(other))
	_, err = from(t, o, "cpu.tgz", releaseArchive(t))
	expectError(t, err, "it has no CUDA provider")
}

func TestFromRefuses(t *testing.T) {
	useTable(t)
	for name, c := range map[string]struct {
		data []byte
		err  string
	}{
		"text.whl":    {[]byte("this is no package"), "neither a zip nor a tar.gz"},
		"empty":       {nil, "neither a zip nor a tar.gz"},
		"other.zip":   {zipOf(t, member{"readme.txt", []byte("x")}), "there is no libonnxruntime.so in it"},
		"arm.so":      {elfOf(183, "for another processor"), "it is for linux/arm64, want linux/amd64"},
		"arm.zip":     {zipOf(t, member{"lib/libonnxruntime.so", elfOf(183, "x")}), "it is for linux/arm64, want linux/amd64"},
		"no.zip":      {zipOf(t, member{"lib/libonnxruntime.so", []byte("text")}), "not a 64-bit shared library"},
		"several.zip": {zipOf(t, member{"a/libonnxruntime.so", library}, member{"b/libonnxruntime.so", library}), "it holds several libraries for linux/amd64: a/libonnxruntime.so, b/libonnxruntime.so"},
		"climb.zip":   {zipOf(t, member{"../../libonnxruntime.so", library}), "there is no libonnxruntime.so in it"},
		"link.tgz":    {tgzOf(t, member{"lib/libonnxruntime.so", nil}), "there is no libonnxruntime.so in it"},
	} {
		t.Run(name, func(t *testing.T) {
			o := fixture(t)
			o.Trust = true
			_, err := from(t, o, name, c.data)
			expectError(t, err, c.err)
			expectClean(t, o)
		})
	}
	o := fixture(t)
	o.From = t.TempDir()
	_, err := Setup(context.Background(), o)
	expectError(t, err, "it is a folder", EnvLibrary)
	o.From = filepath.Join(o.From, "missing.whl")
	_, err = Setup(context.Background(), o)
	expectError(t, err, "missing.whl")
}

func TestFromURL(t *testing.T) {
	useTable(t)
	o := fixture(t)
	url, _ := releases(t, map[string][]byte{"/any.tgz": releaseArchive(t)})
	o.From = url + "/any.tgz?token=secret"
	lib := setup(t, o)
	origin, err := os.ReadFile(filepath.Join(filepath.Dir(lib.Path), "origin.json"))
	if err != nil || strings.Contains(string(origin), "secret") || !strings.Contains(string(origin), url+"/any.tgz") {
		t.Errorf("origin %s, %v", origin, err)
	}
	o.From, o.Trust = "http://example.com/lib.so", true
	_, err = Setup(context.Background(), o)
	expectError(t, err, "trust over plain http")
}

// TestFromReplaces sets up twice from different packages of one version: the second is there after that.
func TestFromReplaces(t *testing.T) {
	useTable(t)
	o := fixture(t)
	o.Trust = true
	for _, text := range []string{"first", "second"} {
		lib, err := from(t, o, "libonnxruntime.so.1.30.0", elfOf(62, text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(lib.Path); err != nil || !strings.HasSuffix(string(got), text) {
			t.Errorf("%q, %v", got, err)
		}
	}
	expectClean(t, o, "1.30.0-linux-amd64-cpu")
}
