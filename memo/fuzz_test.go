package memo_test

import (
	"testing"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/onnx"
)

// FuzzBuild: no file makes Build panic, and what it accepts becomes a file that reads again.
func FuzzBuild(f *testing.F) {
	for _, m := range []*onnx.Model{onnx.New(small(nil)), onnx.New(mlp("Softmax")), onnx.New(mlp("Identity"))} {
		data, err := m.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(3), 0.0)
		f.Add(data, uint8(1), 16.0)
	}
	f.Fuzz(func(t *testing.T, data []byte, views uint8, prior float64) {
		m, err := onnx.Parse(data, "")
		if err != nil {
			return
		}
		adapted, err := memo.Build(m, memo.Settings{Views: int(views % 8), Rate: 0.1, Prior: prior})
		if err != nil {
			return
		}
		out, err := adapted.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := onnx.Parse(out, ""); err != nil {
			t.Fatal(err)
		}
	})
}
