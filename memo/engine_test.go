package memo_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/models/forms/formstest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// open opens a model on one thread, to be closed with the test.
func open(tb testing.TB, m *onnx.Model) runtime.Session {
	tb.Helper()
	data, err := m.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return orttest.Open(tb, data)
}

// onEngine runs a session on rows of the reference.
func onEngine(t *testing.T, s runtime.Session, c backbonetest.Case, rows []string) result {
	t.Helper()
	var src []runtime.Tensor
	for _, p := range s.Inputs() {
		if p.Type == runtime.Int64 {
			ids, length := tokens(t, c, p.Name, rows)
			src = append(src, runtime.TensorOf(ids, int64(len(rows)), length))
			continue
		}
		src = append(src, runtime.TensorOf(backbonetest.Batch(c, rows...), append([]int64{int64(len(rows))}, c.InputShape...)...))
	}
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, src); err != nil {
		t.Fatal(err)
	}
	r := result{}
	for i, p := range s.Outputs() {
		for _, f := range dst[i].Data.([]float32) {
			r[p.Name] = append(r[p.Name], float64(f))
		}
	}
	return r
}

// TestGoldenOnEngine compares ONNX Runtime's float32 with PyTorch's float64, within what ARCH.md of the reference says float32 can do.
func TestGoldenOnEngine(t *testing.T) {
	// Eight rows of some: other forms of derivatives than four.
	goldenOnEngine(t, map[string]int{"cifar_resnet20": 2, "cifar_resnet18": 2, "cnn1d": 1, "tcn": 2, "resnet18_1d": 1, "tinybert": 1})
}

func TestLargeGoldenOnEngine(t *testing.T) {
	testdata.Heavy(t, "six large networks take minutes")
	goldenOnEngine(t, map[string]int{"resnet18": 1, "resnet50": 1, "vit_b_16": 1, "convnext_tiny": 1, "bert_base": 1, "distilbert_base": 1})
}

// goldenOnEngine does so with the named networks, each with so many times the rows of its record.
func goldenOnEngine(t *testing.T, networks map[string]int) {
	for name, repeat := range networks {
		t.Run(name, func(t *testing.T) {
			net, c := backbonetest.Golden(t, name)
			s, rows := goldenSettings(c, repeat)
			m, err := memo.Build(onnx.New(net.Graph), s)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, onEngine(t, open(t, m), c, rows), c, bounds{1e-4, 1e-3, 1e-2})
		})
	}
}

// TestFormsOfTheViews: minimal filtering, where the views are enough for it, changes rounding alone, whatever else is written into the graph.
func TestFormsOfTheViews(t *testing.T) {
	direct := forms.By(func(forms.Case) (forms.Choice, error) { return forms.Choice{Form: forms.Direct}, nil })
	x := backbonetest.Sample("input.forms", 1, 9*3*32*32)
	for _, s := range []memo.Settings{{}, {Prior: 16}, {Parameters: memo.Norms}, {Prior: 16, Parameters: memo.Norms}} {
		t.Run(fmt.Sprintf("prior %v, %v", s.Prior, s.Parameters), func(t *testing.T) {
			s.Views, s.Rate = 8, 0.05
			var out [2][]float32
			var convolutions [2]int
			for i, plan := range []*forms.Plan{direct, nil} {
				s.Forms = plan
				m, err := memo.Build(formstest.Network(), s)
				if err != nil {
					t.Fatal(err)
				}
				convolutions[i] = formstest.Convolutions(m)
				session, dst := open(t, m), make([]runtime.Tensor, 1)
				if err := session.Run(context.Background(), dst, []runtime.Tensor{runtime.TensorOf(x, 9, 3, 32, 32)}); err != nil {
					t.Fatal(err)
				}
				out[i] = dst[0].Data.([]float32)
			}
			if convolutions[1] >= convolutions[0] {
				t.Errorf("%d convolutions, and %d where all are direct", convolutions[1], convolutions[0])
			}
			for k, want := range out[0] {
				if got := out[1][k]; !(math.Abs(float64(got-want)) <= 1e-4*math.Max(1, math.Abs(float64(want)))) {
					t.Errorf("output %d: %v, want %v", k, got, want)
				}
			}
		})
	}
}

// tiny is the MEMO graph of a small network in float32, with three views of two channels of 16 samples.
func tiny(tb testing.TB) *onnx.Model {
	tb.Helper()
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 3, Channels: 2, Samples: 16})
	if err != nil {
		tb.Fatal(err)
	}
	m, err := memo.Build(onnx.New(net.Graph), memo.Settings{Views: 3, Rate: 0.1})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// items are inputs of tiny.
func items(n int) []float32 { return backbonetest.Sample("input.tiny", int64(n), 4*2*16) }

// TestEpisodic: what an item gives depends on the item alone, bit for bit, in any order, any company and any number of goroutines.
func TestEpisodic(t *testing.T) {
	p, err := memo.New(open(t, tiny(t)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	const n = 8
	src, one := items(n), p.InputLen()
	want := make([]float32, n*p.Classes())
	if err := p.Predict(context.Background(), want, src, nil); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			got := make([]float32, p.Classes())
			for i := range 3 * n {
				at := (n - 1 - i%n*3%n + n) % n // backwards, in strides
				if err := p.Predict(context.Background(), got, src[at*one:(at+1)*one], []uint64{uint64(i)}); err != nil {
					t.Error(err)
				}
				if !slices.Equal(got, want[at*p.Classes():(at+1)*p.Classes()]) {
					t.Errorf("item %d: %v, want %v", at, got, want[at*p.Classes():(at+1)*p.Classes()])
				}
			}
		})
	}
	group.Wait()
}

// TestNonFiniteStaysWithItsItem: an item that no step can take leaves the others as they are.
func TestNonFiniteStaysWithItsItem(t *testing.T) {
	p, err := memo.New(open(t, tiny(t)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	src, k := items(3), p.Classes()
	clean, got := make([]float32, 3*k), make([]float32, 3*k)
	if err := p.Predict(context.Background(), clean, src, nil); err != nil {
		t.Fatal(err)
	}
	src[p.InputLen()+40] = float32(math.NaN()) // in a view of the second
	if err := p.Predict(context.Background(), got, src, nil); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if middle := i/k == 1; middle != math.IsNaN(float64(got[i])) || !middle && got[i] != clean[i] {
			t.Fatalf("%v, of clean items %v", got, clean)
		}
	}
}

// TestOpen: a file that Save wrote tells what it is; one of a plain network is refused with what to do.
func TestOpen(t *testing.T) {
	e, dir := orttest.Engine(t), t.TempDir()
	file := filepath.Join(dir, "memo.onnx")
	if err := tiny(t).Save(file, onnx.SaveSettings{}); err != nil {
		t.Fatal(err)
	}
	p, s, err := memo.Open(e, file, runtime.Config{IntraThreads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := (memo.Settings{Views: 3, Method: memo.SGD, Rate: 0.1, Parameters: memo.All, Kind: "logits"}); s != want || p.Views() != 3 {
		t.Errorf("%+v and %d views, want %+v", s, p.Views(), want)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	plain := filepath.Join(dir, "plain.onnx")
	if err := onnx.New(mlp32()).Save(plain, onnx.SaveSettings{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := memo.Open(e, plain, runtime.Config{}); err == nil || !strings.Contains(err.Error(), "build its MEMO graph first") {
		t.Error(err)
	}
	if _, _, err := memo.Open(e, filepath.Join(dir, "none.onnx"), runtime.Config{}); err == nil {
		t.Error("no file: no error")
	}
}

// mlp32 is a plain network in float32.
func mlp32() *graph.Graph {
	g := graph.New("plain", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(4)}})
	g.Output("y", g.Op("Relu", []graph.Value{x}))
	return g
}

// TestMemoryIsFlat: 10,000 items, or as many as a quick run may take, leave the process at the size that it had after the first ones.
func TestMemoryIsFlat(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		testdata.Missing(t, "no /proc to read the resident size from")
	}
	p, err := memo.New(open(t, tiny(t)), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	total := 2_000
	if os.Getenv("OATTA_HEAVY") == "1" {
		total = 10_000
	}
	src, dst := items(1), make([]float32, p.Classes())
	run := func(n int) {
		for range n {
			if err := p.Predict(context.Background(), dst, src, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(500)
	before := resident(t)
	run(total)
	if after := resident(t); float64(after) > 1.05*float64(before) {
		t.Errorf("%d pages resident after 500 items, %d after %d more", before, after, total)
	}
}

// resident returns the pages that the process holds, after a collection.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(data), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages
}
