package onnx

import (
	"bytes"
	"testing"
)

// FuzzDecode holds what Decode takes against what it promises: whatever came through can be inspected, halved, encoded and decoded
// again, with the same bytes.
func FuzzDecode(f *testing.F) {
	for _, tail := range [][]string{nil, {"Softmax"}, {"LogSoftmax", "Reshape"}} {
		f.Add(encoded(f, small(tail...)))
	}
	f.Add(encoded(f, wide()))
	trees, _ := forest()
	f.Add(encoded(f, trees))
	f.Add([]byte("labels: cat, dog, heron\n"))
	f.Add([]byte{0x08, 0x08, 0x3a, 0x02, 0x0a, 0x00})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		Inspect(m)
		_ = Vet(m) // an error is as good as none: it must end
		first := encoded(t, m)
		again, err := Decode(first)
		if err != nil {
			t.Fatalf("decoding what was encoded: %v", err)
		}
		if second := encoded(t, again); !bytes.Equal(first, second) {
			t.Fatal("the bytes changed between two encodings")
		}
		half, _ := Halve(m)
		if _, err := Decode(encoded(t, half)); err != nil {
			t.Fatalf("decoding the halved model: %v", err)
		}
	})
}
