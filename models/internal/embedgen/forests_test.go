package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// The embedded trees are made again; what the compressor of another version of Go does is its own.
func TestCommittedForestsAreCurrent(t *testing.T) {
	shared := filepath.Dir(filepath.Dir(testdata.Shared(t, "models", "yasa")))
	for i, s := range forests() {
		data, err := readForest(shared, s.file)
		if err != nil {
			t.Fatal(err)
		}
		model, manifest, err := buildForest(s, data)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(testdata.Root(), "models", "embedded", s.manifest.Name)
		if got, err := os.ReadFile(base + ".json"); err != nil || !bytes.Equal(got, manifest) {
			t.Errorf("%s.json: %v; run go generate ./models", base, err)
		}
		packed, err := os.ReadFile(base + ".onnx.gz")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(inflated(t, packed), model) {
			t.Errorf("%s: it holds something else; run go generate ./models", base)
		}
		if i == 0 && !bytes.Equal(inflated(t, mustCompress(t, model)), model) { // one is enough: it takes a second
			t.Error("what was compressed is not what comes out")
		}
	}
	if _, _, err := buildForest(forests()[0], []byte("another file")); err == nil || !strings.Contains(err.Error(), "want "+forests()[0].sha256) {
		t.Errorf("got %v", err)
	}
}

func mustCompress(t *testing.T, data []byte) []byte {
	t.Helper()
	out, err := compress(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func inflated(t *testing.T, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
