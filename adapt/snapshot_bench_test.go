package adapt

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSnapshot measures writing into a buffer that is kept, reading back, and sealing; bytes are those of the snapshot.
func BenchmarkSnapshot(b *testing.B) {
	for _, gate := range []Gate{GateOff, GateAuto} {
		for _, classes := range []int{10, 100, 1000} {
			name := fmt.Sprintf("gate=%s/K=%d", gate, classes)
			f, err := New(classes, Settings{Gate: gate})
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]float64, classes)
			for _, q := range randomStream(rand.New(rand.NewPCG(1, 2)), classes, 20) {
				f.Step(dst, q)
			}
			data := marshalled(b, f)
			b.Run("write/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				var buf []byte
				for b.Loop() {
					buf, _ = f.AppendBinary(buf[:0])
				}
			})
			b.Run("restore/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Restore(data); err != nil {
						b.Fatal(err)
					}
				}
			})
			key := make([]byte, KeySize)
			b.Run("seal/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if _, err := Seal(key, "cam1", data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
