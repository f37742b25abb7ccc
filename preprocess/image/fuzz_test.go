package image

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// FuzzBytes looks for bytes that panic, hang or grow without bound: whatever they are, the outcome is an error or a tensor
// of finite numbers.
func FuzzBytes(f *testing.F) {
	files, err := filepath.Glob("testdata/pictures/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)*2/3])
	}
	f.Add([]byte("GIF89a"))
	f.Add([]byte{})
	tr := must(New(Settings{Resize: 10, Height: 8, Width: 8, Interpolation: Bicubic}, Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 16}))
	x := make([]float32, tr.size())
	f.Fuzz(func(t *testing.T, data []byte) {
		if tr.Bytes(x, data) != nil {
			return
		}
		for i, v := range x {
			if math.IsNaN(float64(v)) || v < 0 || v > 1 {
				t.Fatalf("element %d: %v", i, v)
			}
		}
	})
}
