package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// BenchmarkRunAgainstBareLoop runs the same pictures through the whole of `oatta run` and through a bare loop over the same session
// on inputs that lie ready in memory, in turn, and reports pictures a second of both and their ratio. What it shows is how much of
// decoding, resizing, filtering and writing hides beside the network.
//
// CPU time, which all threads of the process computed, is told besides: on a busy machine its ratio says what times on the clock cannot.
//
// runs=1 leaves the other cores to decoding; runs=cores has the network on all of them, where everything else costs its own time.
func BenchmarkRunAgainstBareLoop(b *testing.B) {
	orttest.Engine(b)
	model := os.Getenv("OATTA_BENCH_MODEL")
	if model == "" {
		model = models.Default
	}
	l := manyHerons(b, 400)
	for _, gate := range []string{"auto", "ewma"} {
		for _, runs := range []int{1, goruntime.NumCPU()} {
			b.Run(fmt.Sprintf("gate=%s/runs=%d", gate, runs), func(b *testing.B) { compareWithBareLoop(b, l, model, gate, runs) })
		}
	}
}

// manyHerons lists the sample pictures again and again, under other names.
func manyHerons(b *testing.B, n int) *datasets.Listing {
	dir := b.TempDir()
	files, err := filepath.Glob(filepath.Join(testdata.Root(), "datasets/samples/heron", "*.JPG"))
	if err != nil || len(files) != 10 {
		b.Fatal(len(files), err)
	}
	for i := range n {
		data, err := os.ReadFile(files[i%len(files)])
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.jpg", i)), data, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	l, err := datasets.List(context.Background(), dir, datasets.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

func compareWithBareLoop(b *testing.B, l *datasets.Listing, model, gate string, runs int) {
	withFlags(b, []string{"--model", model, "--gate", gate, "--runs", fmt.Sprint(runs)}, func(c *cli.Context) error {
		m, err := models.Load(model)
		if err != nil {
			return err
		}
		in, err := picturesOf(c, l, nil, m)
		if err != nil {
			return err
		}
		k, err := openNetwork(c, m, in, nil)
		if err != nil {
			return err
		}
		defer k.Close()
		s, err := k.share(c)
		if err != nil {
			return err
		}
		ready, err := k.prepare(s.batch)
		if err != nil {
			return err
		}
		var whole, bare, wholeCPU, bareCPU time.Duration
		for b.Loop() {
			start := cpuTime()
			whole += k.timeRun(b, c, s)
			between := cpuTime()
			bare += k.timeBare(b, ready, s)
			wholeCPU, bareCPU = wholeCPU+between-start, bareCPU+cpuTime()-between
		}
		n := float64(b.N * len(l.Pictures))
		b.ReportMetric(n/whole.Seconds(), "run-pictures/s")
		b.ReportMetric(n/bare.Seconds(), "bare-pictures/s")
		b.ReportMetric(bare.Seconds()/whole.Seconds(), "ratio")
		b.ReportMetric(1000*wholeCPU.Seconds()/n, "run-CPU-ms/picture")
		b.ReportMetric(1000*bareCPU.Seconds()/n, "bare-CPU-ms/picture")
		b.ReportMetric(0, "ns/op")
		return nil
	})
}

// withFlags runs fn inside the command line's own parser.
func withFlags(b *testing.B, args []string, fn func(c *cli.Context) error) {
	app := &cli.App{Flags: append(imageFlags(), resultFlags()...), Action: fn}
	if err := app.Run(append([]string{"oatta"}, args...)); err != nil {
		b.Fatal(err)
	}
}

// prepare decodes every picture into batches [size, input...].
func (k *network) prepare(size int) (ready [][]float32, err error) {
	load, err := k.input.Loader(inputs.Views(k.predictor.Views), 1)
	if err != nil {
		return nil, err
	}
	one := k.predictor.InputLen()
	for i := range k.input.Items() {
		if i%size == 0 {
			ready = append(ready, make([]float32, size*one))
		}
		if err := load(ready[len(ready)-1][i%size*one:][:one], i, 0); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

func (k *network) timeRun(b *testing.B, c *cli.Context, s share) time.Duration {
	settings, _, err := filterOf(c, k.model, k.input)
	if err != nil {
		b.Fatal(err)
	}
	format, err := results.New("jsonl", results.Options{Labels: k.model.Manifest.Labels})
	if err != nil {
		b.Fatal(err)
	}
	load, err := k.input.Loader(inputs.Views(k.predictor.Views), 1)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	report, err := pipeline.Run(context.Background(), pipeline.Job{
		Items: k.input.Items(), Load: load, Predictor: k.predictor.Any, Kind: k.predictor.Kind, Filter: streams.Options{Classes: len(k.model.Manifest.Labels), Settings: settings}, Format: format,
		Batch: s.batch, Loaders: s.loaders, Runners: s.runs, Stream: io.Discard,
	})
	if err != nil || report.Failures > 0 {
		b.Fatal(report, err)
	}
	return time.Since(start)
}

func (k *network) timeBare(b *testing.B, ready [][]float32, s share) time.Duration {
	work := make(chan []float32, len(ready))
	for _, x := range ready {
		work <- x
	}
	close(work)
	start := time.Now()
	var wg sync.WaitGroup
	for range s.runs {
		wg.Go(func() {
			dst := make([]float32, s.batch*k.predictor.Classes())
			for x := range work {
				if err := k.predictor.Any.Predict(context.Background(), dst, x, make([]uint64, s.batch)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}
