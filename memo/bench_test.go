//go:build unix

package memo_test

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// BenchmarkMemo compares an item with the plain network's forward pass of its views, in pairs on one thread, by the process's CPU time.
// Run it with -benchtime 15x or so; the median of the pairs is reported as "forwards".
func BenchmarkMemo(b *testing.B) {
	for _, n := range []struct {
		name    string
		options backbone.Options
		input   []int64
		preset  string
	}{
		{"cifar_resnet18", backbone.Options{}, []int64{3, 32, 32}, "cifar"},
		{"cifar_resnet20", backbone.Options{}, []int64{3, 32, 32}, "cifar"},
		{"resnet18", backbone.Options{Size: 64}, []int64{3, 64, 64}, "cifar"},
		{"resnet50", backbone.Options{Size: 64}, []int64{3, 64, 64}, "cifar"},
		{"vit_b_16", backbone.Options{Size: 64}, []int64{3, 64, 64}, "transformer"},
		{"cnn1d", backbone.Options{Channels: 6, Samples: 100, Classes: 6}, []int64{6, 100}, "signal"},
		{"tcn", backbone.Options{Channels: 3, Samples: 150, Classes: 6}, []int64{3, 150}, "signal"},
	} {
		net, err := backbone.New(n.name, n.options)
		if err != nil {
			b.Fatal(err)
		}
		for _, which := range []memo.Parameters{memo.All, memo.Norms} {
			b.Run(n.name+"/"+string(which), func(b *testing.B) {
				s, err := memo.Preset(n.preset)
				if err != nil {
					b.Fatal(err)
				}
				s.Parameters = which
				m, err := memo.Build(onnx.New(net.Graph), s)
				if err != nil {
					b.Fatal(err)
				}
				rows := int64(s.Views)
				x := backbonetest.Sample("input.bench", append([]int64{rows + 1}, n.input...)...)
				plain := run(b, onnx.New(net.Graph), x[len(x)/int(rows+1):], append([]int64{rows}, n.input...))
				step := run(b, m, x, append([]int64{rows + 1}, n.input...))
				plain() // the first runs allocate
				step()
				var ratios, forwards []float64
				for b.Loop() {
					f, m := plain(), step()
					ratios, forwards = append(ratios, m/f), append(forwards, f)
				}
				slices.Sort(ratios)
				slices.Sort(forwards)
				b.ReportMetric(ratios[len(ratios)/2], "forwards")
				b.ReportMetric(1e3*forwards[len(forwards)/2], "ms/forward")
			})
		}
	}
}

// run returns what runs a model on an input and returns the seconds of CPU time that it took.
func run(b *testing.B, m *onnx.Model, x []float32, shape []int64) func() float64 {
	b.Helper()
	s := open(b, m)
	src, dst := []runtime.Tensor{runtime.TensorOf(x, shape...)}, make([]runtime.Tensor, len(s.Outputs()))
	return func() float64 {
		before := cpu(b)
		if err := s.Run(context.Background(), dst, src); err != nil {
			b.Fatal(err)
		}
		return (cpu(b) - before).Seconds()
	}
}

func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
