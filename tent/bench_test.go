//go:build unix

package tent_test

import (
	"context"
	"slices"
	"syscall"
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

// cpu returns the processor time of the process in milliseconds, which other processes do not change.
func cpu(tb testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec)*1e3 + float64(u.Utime.Usec+u.Stime.Usec)/1e3
}

// contender is something that is timed beside the plain forward pass.
type contender struct {
	name  string
	rows  int
	times []float64 // a sample
	run   func() error
}

func (c *contender) once(b *testing.B) {
	b.Helper()
	start := cpu(b)
	if err := c.run(); err != nil {
		b.Fatal(err)
	}
	c.times = append(c.times, (cpu(b)-start)/float64(c.rows))
}

// plain is the network's forward pass.
func plain(b *testing.B, m *onnx.Model, rows int) *contender {
	s := open(b, m)
	in, out := s.Inputs()[0], s.Outputs()[0]
	shape := func(p runtime.Port) []int64 { return append([]int64{int64(rows)}, p.Shape[1:]...) }
	src, dst := runtime.NewTensor[float32](shape(in)...), runtime.NewTensor[float32](shape(out)...)
	copy(src.Data.([]float32), numbers(1, src.Len()))
	return &contender{name: "forward", rows: rows, run: func() error {
		return s.Run(context.Background(), []runtime.Tensor{dst}, []runtime.Tensor{src})
	}}
}

// adapting is a predictor's step, everything included.
func adapting(b *testing.B, name string, m *onnx.Model, rows int, s tent.Settings) *contender {
	p := predictorOf(b, build(b, m, s), tent.Options{})
	lanes := make([]int, rows)
	for i := range lanes {
		lanes[i] = i
		p.Begin(i)
	}
	src, dst := numbers(1, rows*p.InputLen()), make([]float32, rows*p.Classes())
	return &contender{name: name, rows: rows, run: func() error { return p.Step(context.Background(), dst, src, lanes) }}
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return s[len(s)/2]
}

// BenchmarkStep reports processor time for a sample and its median ratio to the plain forward pass, on one thread, all in turn within one
// process. tent3 predicts after the step, tent2 before it.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		net    string
		o      backbone.Options
		layers []string // the last stage
	}{
		{"cifar_resnet18", backbone.Options{}, []string{"layer4"}},
		{"cifar_resnet20", backbone.Options{}, []string{"layer3"}},
		{"resnet50", backbone.Options{Size: 224}, []string{"layer4"}},
		{"tcn", backbone.Options{}, []string{"blocks.5"}},
		{"vit_b_16", backbone.Options{Size: 64}, []string{"encoder.layers.encoder_layer_11", "encoder.ln"}},
	} {
		b.Run(c.net, func(b *testing.B) {
			net, err := backbone.New(c.net, c.o)
			if err != nil {
				b.Fatal(err)
			}
			m := onnx.New(net.Graph)
			all := []*contender{
				plain(b, m, 1),
				adapting(b, "tent3", m, 1, tent.Settings{}),
				adapting(b, "tent2", m, 1, tent.Settings{Before: true}),
				adapting(b, "tent3.S8", m, 8, tent.Settings{}),
				adapting(b, "tent3.last", m, 1, tent.Settings{Layers: c.layers}),
			}
			for range 3 {
				for _, x := range all {
					x.once(b)
				}
			}
			for _, x := range all {
				x.times = nil
			}
			for b.Loop() {
				for _, x := range all {
					x.once(b)
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, x := range all {
				ratios := make([]float64, len(x.times))
				for i, t := range x.times {
					ratios[i] = t / all[0].times[i]
				}
				b.ReportMetric(median(x.times), x.name+"-ms")
				b.ReportMetric(median(ratios), x.name+"-ratio")
			}
		})
	}
}
