package predict_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
)

// monteCarlo returns MC dropout of a network of pictures, and the graph that it runs.
func monteCarlo(tb testing.TB, m *onnx.Model, build dropout.Settings, s predict.MCDropoutSettings) (*predict.MCDropout, *onnx.Model) {
	tb.Helper()
	mc, err := dropout.Build(m, build)
	if err != nil {
		tb.Fatal(err)
	}
	d, err := predict.NewMCDropout(open(tb, mc), picture, 10, s)
	if err != nil {
		tb.Fatal(err)
	}
	return d, mc
}

// deep is the real network with dropout behind a convolution in its middle, [16, 32, 32], and before its head, [64].
func deep(tb testing.TB) *onnx.Model {
	tb.Helper()
	m := resnet20(tb)
	g := m.Graph
	if err := g.Infer(); err != nil {
		tb.Fatal(err)
	}
	y := g.Outputs()[0]
	for _, n := range g.Nodes() {
		if s := g.TypeOf(n.Outputs[0]).Shape; n.Op == "Relu" && s[1] == graph.N(16) {
			if _, err := dropout.Insert(g, y, 0.1, g.NameOf(n.Outputs[0])); err != nil {
				tb.Fatal(err)
			}
			break
		}
	}
	if _, err := dropout.Insert(g, y, 0.25); err != nil {
		tb.Fatal(err)
	}
	return m
}

// masked is a network with an input of masks [N, features...] in the place of each Dropout, to be run pass by pass.
func masked(tb testing.TB, m *onnx.Model) (*onnx.Model, []dropout.Layer) {
	tb.Helper()
	m = m.Clone()
	g := m.Graph
	if err := g.Infer(); err != nil {
		tb.Fatal(err)
	}
	layers := dropout.Find(g)
	for i, l := range layers {
		x := l.Node.Inputs[0]
		mask := g.Input(fmt.Sprint("mask", i), g.TypeOf(x))
		g.Replace(l.Node.Outputs[0], g.Op("Mul", []graph.Value{x, mask}))
		g.Remove(l.Node)
	}
	if err := g.Sort(); err != nil {
		tb.Fatal(err)
	}
	return m, layers
}

// passByPass is the mean over passes of one item's probabilities, by one run of the plain network for each pass.
func passByPass(tb testing.TB, m *onnx.Model, x []float32, seed uint64, passes int) []float64 {
	tb.Helper()
	twin, layers := masked(tb, m)
	session := open(tb, twin)
	src := []runtime.Tensor{runtime.TensorOf(x, append([]int64{1}, picture...)...)}
	for _, v := range twin.Graph.Inputs()[1:] {
		features, ok := twin.Graph.TypeOf(v).Shape[1:].Sizes()
		if !ok {
			tb.Fatalf("mask of %v", twin.Graph.TypeOf(v))
		}
		src = append(src, runtime.NewTensor[float32](append([]int64{1}, features...)...))
	}
	mean, q := make([]float64, 10), make([]float64, 10)
	for pass := range passes {
		for i, l := range layers {
			dropout.FillMask(src[1+i].Data.([]float32), l.P, seed, i, pass)
		}
		dst := []runtime.Tensor{{}}
		if err := session.Run(context.Background(), dst, src); err != nil {
			tb.Fatal(err)
		}
		if err := predict.Logits.Probabilities(q, dst[0].Data.([]float32)); err != nil {
			tb.Fatal(err)
		}
		for k := range q {
			mean[k] += q[k] / float64(passes)
		}
	}
	return mean
}

// One run is the mean of the plain network's runs with the same masks, also with dropout early in the network.
func TestMCDropoutEqualsPasses(t *testing.T) {
	const passes = 6
	m := deep(t)
	d, _ := monteCarlo(t, m, dropout.Settings{}, predict.MCDropoutSettings{Passes: passes})
	x, seeds := noise(3)
	got := inBatches(t, d, x, seeds, 3)
	for i, seed := range seeds {
		want := passByPass(t, m, x[i*3072:(i+1)*3072], seed, passes)
		if diff := apart(got[i*10:(i+1)*10], want); !(diff < 2e-6) {
			t.Errorf("item %d: %g apart: %v, want %v", i, diff, got[i*10:(i+1)*10], want)
		}
	}
}

// The engine and the oracle agree on all outputs of a graph with dropout before the head of a real network.
func TestMCDropoutOnOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("a real network in the oracle")
	}
	const passes = 4
	d, mc := monteCarlo(t, resnet20(t), dropout.Settings{Uncertainty: true}, predict.MCDropoutSettings{Passes: passes})
	x, seeds := noise(1)
	mask := make([]float32, passes*64)
	for pass := range passes {
		dropout.FillMask(mask[pass*64:(pass+1)*64], dropout.DefaultP, seeds[0], 0, pass)
	}
	want, err := oracle.Run(mc.Graph, oracle.Float32s(widened(x), 1, 3, 32, 32), oracle.Float32s(widened(mask), 1, passes, 64))
	if err != nil {
		t.Fatal(err)
	}
	if diff := apart(inBatches(t, d, x, seeds, 1), want[0].F); !(diff < 1e-5) {
		t.Errorf("probabilities %g apart", diff)
	}
	dst := make([]runtime.Tensor, 4)
	src := []runtime.Tensor{runtime.TensorOf(x, 1, 3, 32, 32), runtime.TensorOf(mask, 1, passes, 64)}
	if err := open(t, mc).Run(context.Background(), dst, src); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"probability", "variance", "entropy", "mutual information"} {
		if diff := apart(dst[i].Data.([]float32), want[i].F); !(diff < 1e-5) || want[i].F[0] == 0 {
			t.Errorf("%s %g apart: %v, want %v", name, diff, dst[i].Data, want[i].F)
		}
	}
}

func widened(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// The seed of an item determines its result: to the bit whatever the batch, and whatever else runs at the same time.
func TestMCDropoutRepeats(t *testing.T) {
	m := resnet20(t)
	d, _ := monteCarlo(t, m, dropout.Settings{}, predict.MCDropoutSettings{})
	x, seeds := noise(9)
	want := inBatches(t, d, x, seeds, 1)
	for _, batch := range []int{2, 4, 9} {
		if got := inBatches(t, d, x, seeds, batch); !slices.Equal(got, want) {
			t.Errorf("batches of %d: %g apart", batch, apart(got, want))
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got := make([]float32, len(want))
			if err := d.Predict(context.Background(), got, x, seeds); err != nil || !slices.Equal(got, want) {
				t.Errorf("at the same time as others: %v, %g apart", err, apart(got, want))
			}
		})
	}
	all.Wait()
	for i := range seeds {
		seeds[i] += 1000
	}
	if got := inBatches(t, d, x, seeds, 9); slices.Equal(got, want) {
		t.Error("other seeds give the same")
	}
}

// Passes in parts add up to the same mean within float32; how they are cut depends on no batch, so that the bits do not either.
func TestMCDropoutInParts(t *testing.T) {
	m := deep(t)
	whole, _ := monteCarlo(t, m, dropout.Settings{}, predict.MCDropoutSettings{Passes: 7})
	x, seeds := noise(3)
	want := inBatches(t, whole, x, seeds, 3)
	for _, bound := range []int{1, 3 * (16*32*32 + 64), 16 * (16*32*32 + 64)} { // one pass, three passes, two items
		d, _ := monteCarlo(t, m, dropout.Settings{}, predict.MCDropoutSettings{Passes: 7, MaskNumbers: bound})
		got := inBatches(t, d, x, seeds, 3)
		if diff := apart(got, want); !(diff < 1e-6) {
			t.Errorf("%d elements of masks: %g apart", bound, diff)
		}
		if one := inBatches(t, d, x, seeds, 1); !slices.Equal(one, got) {
			t.Errorf("%d elements of masks: %g apart from one item at a time", bound, apart(got, one))
		}
	}
}

// A file whose batch is fixed, as exporters write it unless they are told otherwise, is opened.
func TestMCDropoutOfFixedBatch(t *testing.T) {
	m := resnet20(t)
	open, _ := monteCarlo(t, m, dropout.Settings{}, predict.MCDropoutSettings{})
	g := m.Graph
	g.SetType(g.Inputs()[0], graph.Type{Elem: graph.Float32, Shape: graph.Of(1, 3, 32, 32)})
	g.Forget()
	if err := g.Infer(); err != nil {
		t.Fatal(err)
	}
	g.Fold()
	if s := g.TypeOf(g.Outputs()[0]).Shape; !s.Same(graph.Of(1, 10)) {
		t.Fatalf("output %v of a fixed batch", s)
	}
	fixed, _ := monteCarlo(t, m, dropout.Settings{}, predict.MCDropoutSettings{})
	x, seeds := noise(3)
	if got, want := inBatches(t, fixed, x, seeds, 3), inBatches(t, open, x, seeds, 3); !slices.Equal(got, want) {
		t.Errorf("%g apart", apart(got, want))
	}
}

// A picture that is not a number spoils its own prediction, and no other.
func TestMCDropoutOfNaN(t *testing.T) {
	d, _ := monteCarlo(t, resnet20(t), dropout.Settings{}, predict.MCDropoutSettings{})
	x, seeds := noise(3)
	want := inBatches(t, d, x, seeds, 3)
	for i := range 3072 {
		x[3072+i] = float32(math.NaN())
	}
	got, q := inBatches(t, d, x, seeds, 3), make([]float64, 10)
	if err := d.Kind().Probabilities(q, got[10:20]); err == nil {
		t.Errorf("a picture of NaN is predicted %v", q)
	}
	if !slices.Equal(got[:10], want[:10]) || !slices.Equal(got[20:], want[20:]) {
		t.Error("the other pictures are predicted otherwise")
	}
}

// Views of views: test-time augmentation over MC dropout gives each view masks of its own.
func TestAugmentedMCDropout(t *testing.T) {
	d, _ := monteCarlo(t, resnet20(t), dropout.Settings{}, predict.MCDropoutSettings{})
	a, err := predict.NewAugmented(d, predict.AugmentSettings{Views: 2, Kind: d.Kind()})
	if err != nil {
		t.Fatal(err)
	}
	x, seeds := noise(1)
	one, two := inBatches(t, d, x, seeds, 1), inBatches(t, a, slices.Concat(x, x), seeds, 1)
	if diff := apart(one, two); !(diff > 0 && diff < 0.2) {
		t.Errorf("two views of the same picture: %g apart from one", diff)
	}
}

// BenchmarkMCDropout gives the time of thirty passes relative to one plain forward, as the median of pairs that run in turn. ResNet-18
// has dropout before its head; ResNet-20 is given one.
func BenchmarkMCDropout(b *testing.B) {
	net, err := backbone.New("cifar_resnet18", backbone.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, m := range map[string]*onnx.Model{"resnet18": onnx.New(net.Graph), "resnet20": resnet20(b)} {
		for _, n := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/batch=%d", name, n), func(b *testing.B) { benchmarkPair(b, m, n) })
		}
	}
}

func benchmarkPair(b *testing.B, m *onnx.Model, n int) {
	plain := base(b, m)
	d, _ := monteCarlo(b, m, dropout.Settings{}, predict.MCDropoutSettings{})
	x, seeds := noise(n)
	inPairs(b, "x-forward", func() { inBatches(b, plain, x, seeds, n) }, func() { inBatches(b, d, x, seeds, n) })
}
