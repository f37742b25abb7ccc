package pipeline

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
)

// noop is a stream predictor that does nothing, to see what everything around it costs.
type noop struct{ lanes int }

func (p noop) InputLen() int                                                 { return classes }
func (p noop) Classes() int                                                  { return classes }
func (p noop) Lanes(int) int                                                 { return p.lanes }
func (p noop) Begin(int)                                                     {}
func (p noop) Step(context.Context, []float32, []float32, []int) error       { return nil }
func (p noop) Size(int) int                                                  { return p.lanes }
func (p noop) Predict(context.Context, []float32, []float32, []uint64) error { return nil }

// silent is a format that writes nothing.
type silent struct{}

func (silent) Header(dst []byte) ([]byte, error)                           { return dst, nil }
func (silent) Record(dst []byte, _ int, _ *results.Record) ([]byte, error) { return dst, nil }
func (silent) Footer(dst []byte, _ int) ([]byte, error)                    { return dst, nil }

// BenchmarkSources shows what an item costs beside loading and the network, the filter included, which the last line times
// alone, and the format of the output not.
func BenchmarkSources(b *testing.B) {
	measure := func(b *testing.B, change func(*Job)) {
		world := named(slices.Repeat([]int{500}, 1+b.N/500)...)
		world.items = world.items[:b.N]
		job := world.job(b)
		job.Load = func([]float32, int, uint64) error { return nil }
		job.Loaders, job.Stream, job.Format, job.Predictor, job.Filter = 1, io.Discard, silent{}, nil, streams.Options{Classes: classes}
		change(&job)
		b.ReportAllocs()
		b.ResetTimer()
		if _, err := Run(context.Background(), job); err != nil {
			b.Fatal(err)
		}
	}
	for _, n := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("lanes/%d", n), func(b *testing.B) { measure(b, func(j *Job) { j.Streams = noop{n} }) })
		b.Run(fmt.Sprintf("stages/%d", n), func(b *testing.B) { measure(b, func(j *Job) { j.Predictor = noop{n} }) })
	}
	b.Run("stepper", func(b *testing.B) {
		world := named(500)
		job := world.job(b)
		r := &run{Job: job}
		r.Stream, r.Format, r.Filter.Times = io.Discard, silent{}, nil
		var err error
		if r.step, err = newStepper(&r.Job, r.give); err != nil {
			b.Fatal(err)
		}
		outcomes := slices.Repeat([]outcome{{raw: make([]float32, classes)}}, 100)
		b.ReportAllocs()
		b.ResetTimer()
		for i := 0; i < b.N; i += 100 {
			if err := r.take(0, outcomes); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A step of a causal filter takes no memory.
func TestStepsTakeNoMemory(t *testing.T) {
	job := named(500).job(t)
	r := &run{Job: job}
	r.Stream, r.Format, r.Filter.Times = io.Discard, silent{}, nil
	var err error
	if r.step, err = newStepper(&r.Job, r.give); err != nil {
		t.Fatal(err)
	}
	outcomes := slices.Repeat([]outcome{{raw: make([]float32, classes)}}, 100)
	if n := testing.AllocsPerRun(20, func() {
		if err := r.take(0, outcomes); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%g allocations in 100 steps", n)
	}
}
