//go:build unix

package train_test

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// BenchmarkStep takes steps of AdamW on 64 windows of three seconds of two accelerometers, as those of HARTH: 6 channels at 50 Hz.
// OATTA_PROFILE is a prefix for profiles of ONNX Runtime.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"cnn1d", "tcn", "resnet18_1d"} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
				const items = 64
				n, err := backbone.New(name, backbone.Options{Channels: 6, Samples: 150, Classes: 12})
				if err != nil {
					b.Fatal(err)
				}
				p, err := train.Build(onnx.New(n.Graph), train.Settings{Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.01}})
				if err != nil {
					b.Fatal(err)
				}
				t, err := p.Open(orttest.Engine(b), runtime.Config{IntraThreads: threads, Profile: os.Getenv("OATTA_PROFILE")})
				if err != nil {
					b.Fatal(err)
				}
				defer func() {
					if err := t.Close(); err != nil {
						b.Error(err)
					}
				}()
				batch := train.Batch{Inputs: []runtime.Tensor{runtime.NewTensor[float32](items, 6, 150)}, Labels: make([]int, items)}
				for i := range batch.Labels {
					batch.Labels[i] = i % 12
				}
				x := batch.Inputs[0].Data.([]float32)
				for i := range x {
					x[i] = float32(i*7919%1000)/500 - 1
				}
				step(b, t, batch, 1e-3)
				b.ReportAllocs()
				before := processTime(b)
				for b.Loop() {
					step(b, t, batch, 1e-3)
				}
				b.ReportMetric(float64((processTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
				b.ReportMetric(items*float64(b.N)/b.Elapsed().Seconds(), "items/s")
			})
		}
	}
}

// processTime is what all threads of the process have taken of the processors.
func processTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
