package norms_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/norms"
	"github.com/oatta/oatta/models/onnx"
)

// net is a small network under construction: every constant gets numbers of its own.
type net struct {
	*graph.Graph
	seed uint64
}

func newNet(shape ...int64) (*net, graph.Value) {
	n := &net{Graph: graph.New("net", 21)}
	return n, n.Input("x", graph.Type{Elem: graph.Float64, Shape: append(graph.Shape{graph.Sym("N")}, graph.Of(shape...)...)})
}

// numbers lie between -1 and 1 and depend on the seed alone.
func numbers(seed uint64, dims ...int64) []float64 {
	count := 1
	for _, d := range dims {
		count *= int(d)
	}
	out := make([]float64, count)
	for i := range out {
		x := seed*0x9e3779b97f4a7c15 + uint64(i+1)*0xbf58476d1ce4e5b9
		x = (x ^ x>>30) * 0x94d049bb133111eb
		out[i] = float64(float32(float64((x^x>>31)>>40)*0x1p-23 - 1))
	}
	return out
}

func (n *net) double(name string, offset float64, dims ...int64) graph.Value {
	n.seed++
	values := numbers(n.seed, dims...)
	for i := range values {
		values[i] = float64(float32(offset + 0.3*values[i])) // theta is float32
	}
	return n.ConstNamed(name, doubles(values, dims...))
}

func doubles(values []float64, dims ...int64) *graph.Tensor {
	t, err := oracle.Float64s(values, dims...).Graph()
	if err != nil {
		panic(err)
	}
	return t
}

func (n *net) do(op string, in []graph.Value, attrs ...graph.Attr) graph.Value {
	return n.Op(op, in, attrs...)
}

func (n *net) conv(x graph.Value, name string, out, in int64) graph.Value {
	return n.do("Conv", []graph.Value{x, n.double(name+".weight", 0, out, in, 3, 3)}, graph.A("pads", []int{1, 1, 1, 1}))
}

// head ends in logits of three classes.
func (n *net) head(x graph.Value, features int64) graph.Value {
	x = n.do("Tanh", []graph.Value{x})
	if rank := len(n.TypeOf(x).Shape); rank > 2 {
		x = n.do("ReduceMean", []graph.Value{x, n.Ints([]int64{2, 3, 4}[:rank-2]...)}, graph.A("keepdims", 0))
	}
	return n.Output("logits", n.do("Gemm", []graph.Value{x, n.double("head.weight", 0, 3, features)}, graph.A("transB", 1)))
}

func (n *net) mean(x graph.Value, axes ...int64) graph.Value {
	return n.do("ReduceMean", []graph.Value{x, n.Ints(axes...)}, graph.A("keepdims", 1))
}

// standardised writes d / sqrt(mean(d^2) + eps) as exporters do.
func (n *net) standardised(x graph.Value, axis int64) graph.Value {
	d := n.do("Sub", []graph.Value{x, n.mean(x, axis)})
	v := n.mean(n.do("Pow", []graph.Value{d, n.Scalar(graph.Float64, 2)}), axis)
	return n.do("Div", []graph.Value{d, n.do("Sqrt", []graph.Value{n.do("Add", []graph.Value{v, n.Scalar(graph.Float64, 1e-6)})})})
}

// example is a network with two layers of one kind.
type example struct {
	name   string
	kind   norms.Kind
	params int // numbers of scales and biases
	build  func() *net
}

var examples = []example{
	{"BatchNormalization", norms.Batch, 20, func() *net {
		n, x := newNet(2, 4, 5)
		for i, c := range []int64{4, 6} {
			x = n.conv(x, fmt.Sprintf("conv%d", i), c, []int64{2, 4}[i])
			p := func(name string, at float64) graph.Value { return n.double(fmt.Sprintf("bn%d.%s", i, name), at, c) }
			x = n.do("BatchNormalization", []graph.Value{x, p("weight", 1), p("bias", 0), p("running_mean", 0), p("running_var", 1)})
		}
		n.head(x, 6)
		return n
	}},
	{"BatchNormalization of vectors", norms.Batch, 8, func() *net {
		n, x := newNet(4)
		p := func(name string, at float64) graph.Value { return n.double("bn."+name, at, 4) }
		n.head(n.do("BatchNormalization", []graph.Value{x, p("weight", 1), p("bias", 0), p("running_mean", 0), p("running_var", 1)}), 4)
		return n
	}},
	{"LayerNormalization", norms.LayerNorm, 15, func() *net {
		n, x := newNet(3, 5)
		x = n.do("LayerNormalization", []graph.Value{x, n.double("norm1.weight", 1, 5), n.double("norm1.bias", 0, 5)}, graph.A("axis", -1))
		x = n.do("Tanh", []graph.Value{n.do("MatMul", []graph.Value{x, n.double("w", 0, 5, 5)})})
		x = n.do("LayerNormalization", []graph.Value{x, n.double("norm2.weight", 1, 5)}, graph.A("axis", -1))
		n.head(n.do("Transpose", []graph.Value{x}, graph.A("perm", []int{0, 2, 1})), 5)
		return n
	}},
	{"LayerNorm in plain nodes", norms.LayerNorm, 10, func() *net {
		n, x := newNet(3, 5)
		y := n.standardised(x, 2)
		y = n.do("Mul", []graph.Value{n.double("norm.weight", 1, 5), y})
		y = n.do("Add", []graph.Value{y, n.double("norm.bias", 0, 5)})
		n.head(n.do("Transpose", []graph.Value{y}, graph.A("perm", []int{0, 2, 1})), 5)
		return n
	}},
	{"LayerNorm over channels in plain nodes", norms.LayerNorm, 8, func() *net {
		n, x := newNet(4, 2, 3)
		y := n.standardised(x, 1)
		wide := func(name string, at float64) graph.Value {
			return n.do("Unsqueeze", []graph.Value{n.double(name, at, 4), n.Ints(1, 2)})
		}
		y = n.do("Mul", []graph.Value{wide("norm.weight", 1), y})
		n.head(n.do("Add", []graph.Value{y, wide("norm.bias", 0)}), 4)
		return n
	}},
	{"GroupNormalization", norms.Group, 12, func() *net {
		n, x := newNet(6, 2, 3)
		n.head(n.do("GroupNormalization", []graph.Value{x, n.double("gn.weight", 1, 6), n.double("gn.bias", 0, 6)}, graph.A("num_groups", 2)), 6)
		return n
	}},
	{"GroupNorm in plain nodes", norms.Group, 12, func() *net {
		n, x := newNet(6, 2, 3)
		y := n.do("Reshape", []graph.Value{x, n.Ints(0, 2, -1)})
		y = n.do("InstanceNormalization", []graph.Value{y, n.Const("ones", doubles([]float64{1, 1}, 2)), n.Const("zeros", doubles([]float64{0, 0}, 2))})
		y = n.do("Reshape", []graph.Value{y, n.Ints(-1, 6, 2, 3)})
		y = n.do("Mul", []graph.Value{y, n.double("gn.weight", 1, 6, 1, 1)})
		n.head(n.do("Add", []graph.Value{y, n.double("gn.bias", 0, 6, 1, 1)}), 6)
		return n
	}},
	{"InstanceNormalization", norms.Instance, 8, func() *net {
		n, x := newNet(4, 2, 3)
		n.head(n.do("InstanceNormalization", []graph.Value{x, n.double("in.weight", 1, 4), n.double("in.bias", 0, 4)}), 4)
		return n
	}},
}

func TestFind(t *testing.T) {
	for _, e := range examples {
		n := e.build()
		if err := n.Infer(); err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		layers := norms.Find(n.Graph)
		if len(layers) == 0 {
			t.Errorf("%s: none found in\n%v", e.name, n.Graph)
			continue
		}
		total := int64(0)
		for _, v := range norms.Params(layers) {
			total += n.TypeOf(v).Shape.Elements().Size
		}
		for _, l := range layers {
			if l.Kind != e.kind || strings.Contains(l.Name, "weight") || l.Name == "" {
				t.Errorf("%s: found %v %q", e.name, l.Kind, l.Name)
			}
		}
		if total != int64(e.params) {
			t.Errorf("%s: %d numbers, want %d", e.name, total, e.params)
		}
		if err := norms.Explain(n.Graph, ""); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

// TestFindInExports: real exports have the layers that their papers say.
func TestFindInExports(t *testing.T) {
	layers := map[string]int{"resnet20_cifar10.onnx": 19, "resnet56_cifar10.onnx": 55, "efficientnet_lite0_imagenet.onnx": 49}
	for _, name := range testdata.Some(t, "models/onnx", slices.Sorted(maps.Keys(layers))...) {
		want := layers[name]
		m, err := onnx.Read(testdata.Shared(t, "models", "onnx", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Graph.Infer(); err != nil {
			t.Fatal(err)
		}
		if got := norms.Find(m.Graph); len(got) != want {
			t.Errorf("%s: %d layers, want %d", name, len(got), want)
		}
	}
}

func TestExplain(t *testing.T) {
	n, x := newNet(2, 4, 5)
	w := n.double("conv.weight", 0, 4, 2, 3, 3)
	n.head(n.do("Conv", []graph.Value{x, w, n.double("conv.bias", 0, 4)}), 4)
	err := norms.Explain(n.Graph, "pytorch 2.9")
	for _, part := range []string{"pytorch 2.9", "the 1 convolutions", "TrainingMode.PRESERVE", "oatta models build"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: want %q in it", err, part)
		}
	}
	n, x = newNet(4)
	n.head(x, 4)
	if err := norms.Explain(n.Graph, ""); err == nil || strings.Contains(err.Error(), "folded") {
		t.Errorf("a network without convolutions: %v", err)
	}
}

// run evaluates the outputs of a graph at inputs by name.
func run(t *testing.T, g *graph.Graph, given map[string]oracle.Tensor) []oracle.Tensor {
	t.Helper()
	if err := g.Check(); err != nil {
		t.Fatalf("%v\n%v", err, g)
	}
	p, err := oracle.Compile(g, oracle.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	in := map[graph.Value]oracle.Tensor{}
	for name, v := range given {
		in[g.Lookup(name)] = v
	}
	out, err := p.Eval(in, g.Outputs()...)
	if err != nil {
		t.Fatalf("%v\n%v", err, g)
	}
	return out
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// batchOf returns an input of the network with the given number of rows.
func batchOf(g *graph.Graph, rows int64, seed uint64) oracle.Tensor {
	dims, _ := g.TypeOf(g.Inputs()[0]).Shape[1:].Sizes()
	dims = append([]int64{rows}, dims...)
	return oracle.Float64s(numbers(seed, dims...), dims...)
}

// TestExpose: fed with the source's numbers the network is what it was, and their gradient is that of the constants.
func TestExpose(t *testing.T) {
	for _, e := range examples {
		n := e.build()
		x := batchOf(n.Graph, 3, 7)
		want := run(t, n.Graph, map[string]oracle.Tensor{"x": x})[0]
		theta, flat, err := norms.Expose(n.Graph, norms.Params(norms.Find(n.Graph)), "theta")
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		if flat.Len() != e.params || len(flat.Names) != len(flat.Offsets) || len(flat.Shapes) != len(flat.Offsets) {
			t.Errorf("%s: %+v", e.name, flat)
		}
		got := run(t, n.Graph, map[string]oracle.Tensor{"x": x, "theta": initial(flat, 1)})[0]
		near(t, e.name, got.F, want.F)
		if _, err := autodiff.Pullback(n.Graph, n.Outputs(), n.Outputs(), []graph.Value{theta}); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

func initial(f norms.Flat, rows int) oracle.Tensor {
	var all []float64
	for range rows {
		for _, v := range f.Initial {
			all = append(all, float64(v))
		}
	}
	if rows == 1 {
		return oracle.Float64s(all, int64(len(all)))
	}
	return oracle.Float64s(all, int64(rows), int64(f.Len()))
}

// TestExposeRows: every row of a batch is what the network returns for it alone under the row's own parameters.
func TestExposeRows(t *testing.T) {
	const rows = 3
	for _, e := range examples {
		for _, weight := range []float64{0, 0.25, 1} {
			if weight > 0 && e.kind != norms.Batch || weight == 1 && e.name == "BatchNormalization of vectors" {
				continue
			}
			t.Run(fmt.Sprintf("%s at %v", e.name, weight), func(t *testing.T) {
				single, many := e.build().Graph, e.build().Graph
				layers := norms.Find(single)
				if err := norms.Restate(single, layers, weight); err != nil {
					t.Fatal(err)
				}
				_, flat, err := norms.Expose(single, norms.Params(layers), "theta")
				if err != nil {
					t.Fatal(err)
				}
				_, wide, err := norms.ExposeRows(many, norms.Find(many), "theta", graph.Sym("N"), weight)
				if err != nil {
					t.Fatal(err)
				}
				if got := many.TypeOf(many.Outputs()[0]).Shape; !got[0].Same(graph.Sym("N")) {
					t.Errorf("predictions %v, want one per row", got)
				}
				x, theta := batchOf(many, rows, 5), initial(wide, rows)
				for i := range theta.F {
					theta.F[i] += 0.1 * numbers(uint64(i), 1)[0]
				}
				got := run(t, many, map[string]oracle.Tensor{"x": x, "theta": theta})[0]
				size, p := len(x.F)/rows, flat.Len()
				for i := range rows {
					dims := append([]int64{1}, x.Dims[1:]...)
					want := run(t, single, map[string]oracle.Tensor{
						"x":     oracle.Float64s(x.F[i*size:(i+1)*size], dims...),
						"theta": oracle.Float64s(reordered(flat, wide, theta.F[i*p:(i+1)*p]), int64(p)),
					})[0]
					near(t, fmt.Sprintf("row %d", i), got.F[i*3:(i+1)*3], want.F)
				}
			})
		}
	}
}

// reordered returns parameters in the order of one vector from that of another.
func reordered(to, from norms.Flat, values []float64) []float64 {
	out := make([]float64, len(values))
	for i, name := range from.Names {
		size := int(from.Shapes[i][0]) // the first axis has all there is
		copy(out[to.Offsets[slices.Index(to.Names, name)]:], values[from.Offsets[i]:from.Offsets[i]+size])
	}
	return out
}

// TestRowsThatAreNone: a network with a fixed batch, and statistics of a single number, are refused with the layer's name.
func TestRowsThatAreNone(t *testing.T) {
	n := examples[0].build()
	_, _, err := norms.ExposeRows(n.Graph, norms.Find(n.Graph), "theta", graph.Sym("S"), 0)
	if err == nil || !strings.Contains(err.Error(), "bn0") {
		t.Errorf("rows of another name: %v", err)
	}
	n = examples[1].build()
	_, _, err = norms.ExposeRows(n.Graph, norms.Find(n.Graph), "theta", graph.Sym("N"), 1)
	if err == nil || !strings.Contains(err.Error(), "deviation") {
		t.Errorf("statistics of one number: %v", err)
	}
}

// TestRestate compares with the formula on a network that is one normalisation.
func TestRestate(t *testing.T) {
	for _, weight := range []float64{0, 0.3, 1} {
		n, x := newNet(2, 2)
		p := func(name string, v ...float64) graph.Value { return n.ConstNamed(name, doubles(v, int64(len(v)))) }
		y := n.do("BatchNormalization", []graph.Value{x, p("g", 2, 3), p("b", 1, -1), p("m", 0.5, -0.5), p("v", 4, 9)}, graph.A("epsilon", 0.25))
		n.Output("y", y)
		if err := norms.Restate(n.Graph, norms.Find(n.Graph), weight); err != nil {
			t.Fatal(err)
		}
		in := []float64{1, 2, 5, 6, 3, 4, 9, 0} // rows of two channels of two places
		var want []float64
		for i, v := range in {
			c := i / 2 % 2
			batchMean, batchVar := []float64{2.5, 5}[c], []float64{1.25, 10.5}[c]
			mean := weight*batchMean + (1-weight)*[]float64{0.5, -0.5}[c]
			variance := weight*batchVar + (1-weight)*[]float64{4, 9}[c]
			want = append(want, []float64{2, 3}[c]*(v-mean)/math.Sqrt(variance+0.25)+[]float64{1, -1}[c])
		}
		got := run(t, n.Graph, map[string]oracle.Tensor{"x": oracle.Float64s(in, 2, 2, 2)})[0]
		near(t, fmt.Sprint("weight ", weight), got.F, want)
	}
	n := examples[0].build()
	if err := norms.Restate(n.Graph, norms.Find(n.Graph), 1.5); err == nil {
		t.Error("weight 1.5 was taken")
	}
}

// TestEntropy: the three kinds of output give the same numbers, from a Softmax in the graph or without one.
func TestEntropy(t *testing.T) {
	logits := []float64{1, 2, 3, 0, 0, 4}
	p := func(row, class int) float64 {
		sum := 0.0
		for _, z := range logits[3*row : 3*row+3] {
			sum += math.Exp(z)
		}
		return math.Exp(logits[3*row+class]) / sum
	}
	var each []float64
	marginal := 0.0
	for row := range 2 {
		h := 0.0
		for class := range 3 {
			h -= p(row, class) * math.Log(p(row, class))
		}
		each = append(each, h)
	}
	for class := range 3 {
		m := (p(0, class) + p(1, class)) / 2
		marginal -= m * math.Log(m)
	}
	identity := func(n *net, x graph.Value) graph.Value { return x }
	for _, c := range []struct {
		kind   string
		shown  bool // the graph shows the logits
		output func(n *net, x graph.Value) graph.Value
		given  func(z float64, i int) float64
	}{
		{"logits", true, identity, func(z float64, _ int) float64 { return z }},
		{"probabilities", true, func(n *net, x graph.Value) graph.Value {
			return n.do("Identity", []graph.Value{n.do("Softmax", []graph.Value{x})})
		}, func(z float64, _ int) float64 { return z }},
		{"log-probabilities", true, func(n *net, x graph.Value) graph.Value {
			return n.do("LogSoftmax", []graph.Value{x}, graph.A("axis", 1))
		}, func(z float64, _ int) float64 { return z }},
		{"log-probabilities", true, func(n *net, x graph.Value) graph.Value {
			return n.do("Log", []graph.Value{n.do("Softmax", []graph.Value{x})})
		}, func(z float64, _ int) float64 { return z }},
		{"probabilities", false, identity, func(_ float64, i int) float64 { return p(i/3, i%3) }},
		{"log-probabilities", false, identity, func(_ float64, i int) float64 { return math.Log(p(i/3, i%3)) }},
	} {
		n, x := newNet(3)
		y := c.output(n, x)
		entropy, before, err := norms.Entropy(n.Graph, y, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		loss, _, err := norms.MarginalEntropy(n.Graph, y, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		if (before == x) != c.shown {
			t.Errorf("%s: logits %q", c.kind, n.NameOf(before))
		}
		n.SetOutputs(entropy, loss)
		var in []float64
		for i, z := range logits {
			in = append(in, c.given(z, i))
		}
		got := run(t, n.Graph, map[string]oracle.Tensor{"x": oracle.Float64s(in, 2, 3)})
		near(t, c.kind, got[0].F, each)
		near(t, c.kind+", marginal", got[1].F, []float64{marginal})
		if !slices.Equal(got[0].Dims, []int64{2}) || len(got[1].Dims) != 0 {
			t.Errorf("%s: shapes %v and %v", c.kind, got[0].Dims, got[1].Dims)
		}
	}
	n, x := newNet(3)
	if _, _, err := norms.Entropy(n.Graph, x, "scores"); err == nil {
		t.Error("an unknown kind was taken")
	}
}

// TestEntropyOfCertainty: where a probability underflows, loss and gradient stay numbers.
func TestEntropyOfCertainty(t *testing.T) {
	for _, kind := range []string{"logits", "probabilities"} {
		n, x := newNet(2)
		y := x
		if kind == "probabilities" {
			y = n.do("Mul", []graph.Value{x, n.Scalar(graph.Float64, 1)})
		}
		entropy, _, err := norms.Entropy(n.Graph, y, kind)
		if err != nil {
			t.Fatal(err)
		}
		loss := n.do("ReduceSum", []graph.Value{entropy}, graph.A("keepdims", 0))
		dx, err := autodiff.Gradient(n.Graph, loss, []graph.Value{x})
		if err != nil {
			t.Fatal(err)
		}
		n.SetOutputs(loss, dx[0])
		in := map[string][]float64{"logits": {2000, -2000}, "probabilities": {1, 0}}[kind]
		for _, out := range run(t, n.Graph, map[string]oracle.Tensor{"x": oracle.Float64s(in, 1, 2)}) {
			for _, v := range out.F {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s: %v", kind, out.F)
				}
			}
		}
	}
}
