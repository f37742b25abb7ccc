package adapt

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkStep is the table of the README: one step, no allocation, by gate and number of classes. The predictions are peaked
// as those of a good classifier are: most of the mass on one class, the rest spread.
func BenchmarkStep(b *testing.B) {
	for _, gate := range Gates() {
		for _, classes := range []int{2, 10, 100, 1000} {
			b.Run(fmt.Sprintf("gate=%s/K=%d", gate, classes), func(b *testing.B) { benchmarkStep(b, gate, classes) })
		}
	}
}

func benchmarkStep(b *testing.B, gate Gate, classes int) {
	f, err := New(classes, Settings{Gate: gate})
	if err != nil {
		b.Fatal(err)
	}
	stream := randomStream(rand.New(rand.NewPCG(1, 2)), classes, 64)
	dst := make([]float64, classes)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Step(dst, stream[i%len(stream)])
	}
}
