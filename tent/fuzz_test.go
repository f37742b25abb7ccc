package tent_test

import (
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// FuzzBuild: no file makes Build panic, and what it accepts becomes a file that reads again.
func FuzzBuild(f *testing.F) {
	for kind := range smallNets {
		data, err := smallNet(kind, graph.Sym("N")).Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, 0.0, uint8(1), false)
		f.Add(data, 0.5, uint8(2), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, batch float64, steps uint8, together bool) {
		m, err := onnx.Parse(data, "")
		if err != nil {
			return
		}
		adapted, err := tent.Build(m, tent.Settings{Batch: batch, Steps: int(steps % 4), Together: together})
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
