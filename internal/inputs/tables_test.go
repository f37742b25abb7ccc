package inputs

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/models"
)

func TestTables(t *testing.T) {
	m := textModel(t, 23, 8)
	if words, places, err := tables(m); err != nil || words != 23 || places != 16 {
		t.Errorf("%d pieces, %d places, %v", words, places, err)
	}
	if words, places, err := tables(&models.Model{}); err != nil || words+places > 0 {
		t.Errorf("no file: %d, %d, %v", words, places, err)
	}
}

// Whatever the bytes say, they are passed over or refused.
func FuzzTables(f *testing.F) {
	for _, seed := range []string{"", "\x3a\x02\x2a\x00", "\x3a\x08\x2a\x06\x08\x03\x08\x04\x42\x00", "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x0b", "\x3a\x04\x2a\x7f\x08\x01"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		graph := message{bufio.NewReader(bytes.NewReader(data)), int64(len(data))}
		seen := 0
		_ = graph.tensors(func(name string, dims []uint64) { seen += len(name) + len(dims) })
		if seen > len(data) {
			t.Errorf("%d bytes hold %d", len(data), seen)
		}
		path := filepath.Join(t.TempDir(), "x.onnx")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, _ = tables(&models.Model{Path: path})
	})
}
