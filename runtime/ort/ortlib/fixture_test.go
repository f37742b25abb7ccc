package ortlib

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

// elfOf returns an ELF library for a processor (62: amd64, 183: arm64), whole but for having nothing in it than text, to tell it
// apart, in its one segment.
func elfOf(machine uint16, text string) []byte {
	const header, entry = 64, 56 // bytes of the file's header and of the segment's
	b := make([]byte, header+entry)
	le := binary.LittleEndian
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[16:], 3) // shared library
	le.PutUint16(b[18:], machine)
	le.PutUint32(b[20:], 1)      // version of the format
	le.PutUint64(b[32:], header) // where the segments' headers are
	le.PutUint16(b[52:], header)
	le.PutUint16(b[54:], entry)
	le.PutUint16(b[56:], 1)           // segments
	le.PutUint32(b[header:], 1)       // to load
	le.PutUint64(b[header+8:], 64+56) // its offset
	le.PutUint64(b[header+32:], uint64(len(text)))
	return append(b, text...)
}

// native is a library for this machine, if it is one of those that the tests have a number for.
func native() []byte {
	if archOf(hostPlatform()) == "arm64" {
		return elfOf(183, "the library")
	}
	return library
}

func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// member is a file of a package, in order.
type member struct {
	name string
	data []byte
}

func zipOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m.name)
		if err == nil {
			_, err = w.Write(m.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tgzOf packs files; one without data becomes a symbolic link to /etc/passwd.
func tgzOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.data)), Typeflag: tar.TypeReg}
		if m.data == nil {
			h.Typeflag, h.Linkname = tar.TypeSymlink, "/etc/passwd"
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write(m.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{w.Close(), g.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func write(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// testPlatform is the one that the tests fetch for, whatever they run on.
const testPlatform = "linux/amd64"

var (
	library  = elfOf(62, "the library")
	provider = elfOf(62, "the CUDA provider")
)

// useTable puts a table of small files in place of the real one.
func useTable(t *testing.T) {
	t.Helper()
	old := table
	t.Cleanup(func() { table = old })
	file := func(name string, data []byte) pinned { return pinned{name, hashOf(data)} }
	table = []pin{
		wheel(testPlatform, []string{"manylinux_2_28_x86_64"}, file("libonnxruntime.so.1.24.4", library)),
		node(testPlatform, "linux/x64/", file("libonnxruntime.so.1", library)),
		release(testPlatform, "onnxruntime-linux-x64-1.24.4", ".tgz", file("libonnxruntime.so.1.24.4", library)),
		{
			MethodRelease, runtime.DeviceCUDA, testPlatform, version, "onnxruntime-linux-x64-gpu-1.24.4.tgz", nil,
			[]pinned{file("gpu/libonnxruntime.so.1.24.4", library), file("gpu/libonnxruntime_providers_cuda.so", provider)},
		},
	}
}

// fixture returns options on an empty cache, with no environment and no system around them.
func fixture(t *testing.T) Options {
	t.Helper()
	t.Setenv(EnvLibrary, "")
	return Options{Platform: testPlatform, CacheDir: t.TempDir(), system: []string{}}
}

// useTools makes PATH a folder with only these shell scripts in it, beside what they need.
func useTools(t *testing.T, scripts map[string]string) {
	t.Helper()
	if goruntime.GOOS == "windows" {
		t.Skip("the stand-ins for pip and npm are shell scripts")
	}
	dir := t.TempDir()
	for name, script := range scripts {
		write(t, filepath.Join(dir, name), []byte("#!/bin/sh\nPATH=/bin:/usr/bin\n"+script+"\n"))
	}
	t.Setenv("PATH", dir)
}

// pipScript copies a file to where pip was told to, and leaves its arguments beside the script.
func pipScript(wheel string) string {
	return `echo "$@" > "$0.args"; while [ $# -gt 1 ]; do [ "$1" = --dest ] && cp "` + wheel + `" "$2"; shift; done`
}

// expectClean fails the test if anything lies in the store but the lock and these folders.
func expectClean(t *testing.T, o Options, folders ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(o.CacheDir, "ort"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.Name() != ".lock" {
			got = append(got, e.Name())
		}
	}
	if !slices.Equal(got, folders) {
		t.Errorf("the store holds %q, want %q", got, folders)
	}
}

func expectError(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want it to have %q", err, text)
		}
	}
}

// setup fetches and expects the library of the fixture in the cache.
func setup(t *testing.T, o Options) Library {
	t.Helper()
	lib, err := Setup(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(lib.Path)
	if err != nil || !bytes.Equal(data, library) || lib.Source != SourceCache {
		t.Errorf("%+v holds %d bytes, %v", lib, len(data), err)
	}
	return lib
}
