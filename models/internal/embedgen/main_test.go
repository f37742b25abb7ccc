package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// TestCommittedFilesAreCurrent makes the embedded files again and compares every byte.
func TestCommittedFilesAreCurrent(t *testing.T) {
	var files []string
	for _, s := range sources {
		files = append(files, s.file)
	}
	files = testdata.Some(t, "models/onnx", files...)
	for _, s := range sources {
		if !slices.Contains(files, s.file) {
			continue
		}
		data, err := os.ReadFile(testdata.Shared(t, "models", "onnx", s.file))
		if err != nil {
			t.Fatal(err)
		}
		model, manifest, _, err := build(s, data)
		if err != nil {
			t.Fatal(err)
		}
		for ext, want := range map[string][]byte{".onnx": model, ".json": manifest} {
			path := filepath.Join(testdata.Root(), "models", "embedded", s.manifest.Name+ext)
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, the generator makes %d others; run go generate ./models", path, len(got), len(want))
			}
		}
	}
}

func TestUnknownSourceIsRefused(t *testing.T) {
	if _, _, _, err := build(sources[0], []byte("another file")); err == nil || !strings.Contains(err.Error(), "want "+sources[0].sha256) {
		t.Errorf("got %v", err)
	}
}

func TestRepository(t *testing.T) {
	if got := repository(); got != testdata.Root() {
		t.Errorf("got %s, want %s", got, testdata.Root())
	}
}
