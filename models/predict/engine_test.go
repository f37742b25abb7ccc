package predict_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// open opens a model in the engine, on one thread.
func open(tb testing.TB, m *onnx.Model) runtime.Session {
	tb.Helper()
	e := orttest.Engine(tb)
	data, err := m.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := e.Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// resnet20 is a real network of pictures, [N, 3, 32, 32] to 10 logits.
func resnet20(tb testing.TB) *onnx.Model {
	tb.Helper()
	m, err := onnx.Read(testdata.Shared(tb, "models", "onnx", "resnet20_cifar10.onnx"))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

var picture = []int64{3, 32, 32}

func base(tb testing.TB, m *onnx.Model) *predict.Base {
	tb.Helper()
	b, err := predict.NewBase(open(tb, m), picture, 0, 10)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// noise returns n pictures of noise, and a seed for each.
func noise(n int) (x []float32, seeds []uint64) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n * 3 * 32 * 32 {
		x = append(x, float32(r.NormFloat64()))
	}
	for i := range n {
		seeds = append(seeds, uint64(i))
	}
	return x, seeds
}

// inBatches predicts all items, some at a time.
func inBatches(tb testing.TB, p predict.Predictor, x []float32, seeds []uint64, batch int) []float32 {
	tb.Helper()
	one, k := p.InputLen(), p.Classes()
	out := make([]float32, len(seeds)*k)
	for from := 0; from < len(seeds); from += batch {
		to := min(from+batch, len(seeds))
		if err := p.Predict(context.Background(), out[from*k:to*k], x[from*one:to*one], seeds[from:to]); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

// apart returns the largest difference, NaN if there is one.
func apart[T float32 | float64](a []float32, b []T) (most float64) {
	for i := range a {
		most = max(most, math.Abs(float64(a[i])-float64(b[i])))
	}
	return most
}

// Two views of each picture, itself and its mirror image, give the mean of what the network says of each.
func TestAugmentedOnEngine(t *testing.T) {
	b := base(t, resnet20(t))
	a, err := predict.NewAugmented(b, predict.AugmentSettings{Views: 2, Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	const n = 5
	plain, seeds := noise(n)
	views := make([]float32, 0, 2*len(plain))
	for i := range n {
		one := plain[i*3072 : (i+1)*3072]
		views = append(views, one...)
		for j := range one {
			views = append(views, one[j/32*32+31-j%32])
		}
	}
	got, raw := inBatches(t, a, views, seeds, 2), inBatches(t, b, views, make([]uint64, 2*n), 1)
	want, q := make([]float64, n*10), make([]float64, 10)
	for v := range 2 * n {
		if err := predict.Logits.Probabilities(q, raw[v*10:(v+1)*10]); err != nil {
			t.Fatal(err)
		}
		for k := range q {
			want[v/2*10+k] += q[k] / 2
		}
	}
	if d := apart(got, want); !(d < 1e-6) {
		t.Errorf("%g apart", d)
	}
}

// BenchmarkAugmented gives the time of eight views of each of four pictures relative to thirty-two plain forwards.
func BenchmarkAugmented(b *testing.B) {
	plain := base(b, resnet20(b))
	a, err := predict.NewAugmented(plain, predict.AugmentSettings{Views: 8})
	if err != nil {
		b.Fatal(err)
	}
	x, seeds := noise(32)
	inPairs(b, "x-forwards", func() { inBatches(b, plain, x, seeds, 1) }, func() { inBatches(b, a, x, seeds[:4], 4) })
}

// inPairs reports the time of one function relative to another's: the median of pairs that run in turn.
func inPairs(b *testing.B, unit string, plain, other func()) {
	timed := func(f func()) float64 {
		start := time.Now()
		f()
		return float64(time.Since(start))
	}
	var ratios []float64
	for b.Loop() {
		of := timed(plain)
		ratios = append(ratios, timed(other)/of)
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], unit)
}
