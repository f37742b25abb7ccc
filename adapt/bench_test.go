package adapt

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkStep is the table of the README: one step of one stream or of 64, by gate, number of classes and kind of prediction. Dense
// predictions are softmaxes, peaked ones have five classes that are not zero. The time is that of one step of one stream. No step
// allocates.
func BenchmarkStep(b *testing.B) {
	for _, gate := range []Gate{GateOff, GateEWMA, GateAuto} {
		for _, classes := range []int{2, 10, 64, 100, 1000} {
			for _, kind := range []string{"dense", "peaked"} {
				if kind == "peaked" && classes < 100 {
					continue
				}
				name := fmt.Sprintf("gate=%s/K=%d/q=%s/streams=", gate, classes, kind)
				b.Run(name+"1", func(b *testing.B) { benchmarkStep(b, gate, benchStream(kind, classes)) })
				b.Run(name+"64", func(b *testing.B) { benchmarkBatch(b, gate, benchStream(kind, classes), 64) })
			}
		}
	}
}

// benchStream is a stream of 1024 items that shows twenty classes, or all if there are fewer.
func benchStream(kind string, classes int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	if kind == "dense" {
		return randomStream(r, classes, 1024)
	}
	return topStream(r, classes, 1024, min(classes, 20), 5)
}

// topStream draws predictions of which only the top few classes are not zero, as some classifiers give them: those beside the first are
// what the class is taken for. The stream shows some of the classes.
func topStream(r *rand.Rand, classes, steps, shown, few int) [][]float64 {
	out, y := make([][]float64, steps), 0
	for t := range out {
		if r.Float64() < 0.3 {
			y = r.IntN(shown)
		}
		q := make([]float64, classes)
		for k := range min(few, classes) {
			q[(y*classes/shown+k*k*7)%classes] += r.ExpFloat64() / float64(1+8*k)
		}
		scale(q, 1/sum(q))
		out[t] = q
	}
	return out
}

func benchmarkStep(b *testing.B, gate Gate, stream [][]float64) {
	f := newFilter(b, len(stream[0]), Settings{Gate: gate})
	dst := make([]float64, len(stream[0]))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f.Step(dst, stream[i%len(stream)])
	}
}

// benchmarkBatch takes one step of each of many streams at a time. Their states together are beyond the caches.
func benchmarkBatch(b *testing.B, gate Gate, stream [][]float64, streams int) {
	classes := len(stream[0])
	filters, diags := make([]*Filter, streams), make([]Diagnostics, streams)
	dst, q := rows(streams, classes), make([][]float64, streams)
	for s := range filters {
		filters[s] = newFilter(b, classes, Settings{Gate: gate})
	}
	b.ReportAllocs()
	for t := 0; b.Loop(); t++ {
		for s := range q {
			q[s] = stream[(t+16*s)%len(stream)]
		}
		StepBatch(filters, dst, q, diags)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*streams), "ns/step")
}

// BenchmarkFloor compares the dense step of the paper's modes with the bandwidth of memory: it reads and writes the K x K counts once,
// as does a copy of as many bytes between two halves. Both are timed in turn, and the metric is the ratio of the times.
func BenchmarkFloor(b *testing.B) {
	const classes = 1000
	stream := benchStream("dense", classes)
	f := newFilter(b, classes, Settings{Gate: GateOff})
	from, to, dst := make([]float64, classes*classes), make([]float64, classes*classes), make([]float64, classes)
	fill(from, 1)
	var step, move time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		f.Step(dst, stream[i%len(stream)])
		between := time.Now()
		copy(to, from)
		step, move = step+between.Sub(start), move+time.Since(between)
	}
	b.ReportMetric(step.Seconds()/move.Seconds(), "x-floor")
	b.ReportMetric(2*8*classes*classes*float64(b.N)/move.Seconds()/1e9, "GB/s")
}

// BenchmarkSmooth is the time of a recording's item, by edition.
func BenchmarkSmooth(b *testing.B) {
	for _, a := range []Auto{FirstAuto(), DefaultAuto()} {
		for _, classes := range []int{2, 6, 10, 100} {
			b.Run(fmt.Sprintf("edition=%d/K=%d", a.Edition, classes), func(b *testing.B) {
				q := randomStream(rand.New(rand.NewPCG(7, 47)), classes, 1000)
				dst := rows(len(q), classes)
				for b.Loop() {
					if _, err := Smooth(classes, Settings{Auto: &a}, dst, q); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(q)), "µs/item")
			})
		}
	}
}
