package autodiff_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
)

// filled returns the numbers that the reference gives a tensor of a name: FNV-1a of the name seeds SplitMix64, whose upper 24 bits become
// u in [-1, 1), and the kind of tensor says what becomes of u. They are exact in float32.
func filled(name string, dims ...int64) []float64 {
	seed := uint64(0xcbf29ce484222325)
	for _, b := range []byte(name) {
		seed = (seed ^ uint64(b)) * 0x100000001b3
	}
	count, fan := 1, 1.0
	for i, d := range dims {
		count *= int(d)
		if i > 0 {
			fan *= float64(d)
		}
	}
	out := make([]float64, count)
	for i := range out {
		x := seed + uint64(i+1)*0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		u := float64((x^x>>31)>>40)*0x1p-23 - 1
		out[i] = float64(float32(kindOf(name, len(dims), u, math.Sqrt(3/fan))))
	}
	return out
}

func kindOf(name string, rank int, u, spread float64) float64 {
	switch {
	case strings.HasPrefix(name, "input.") || strings.HasPrefix(name, "view."):
		return 2 * u
	case strings.HasSuffix(name, "running_mean"):
		return 0.1 * u
	case strings.HasSuffix(name, "running_var"):
		return 1 + 0.5*math.Abs(u)
	case rank >= 2:
		return u * spread
	case strings.HasSuffix(name, "bias"):
		return 0.1 * u
	}
	return 1 + 0.1*u
}

// backbone is a network of the reference: parameters are inputs of the graph, in the order in which they are first used.
type backbone struct {
	builder
	batchStatistics bool
	names           []string
	params          []graph.Value
	given           map[graph.Value]oracle.Tensor
}

func (b *backbone) param(name string, dims ...int64) graph.Value {
	v := b.Input(name, graph.Type{Elem: b.elem, Shape: graph.Of(dims...)})
	b.names, b.params = append(b.names, name), append(b.params, v)
	b.given[v] = oracle.FloatsOf(b.elem, filled(name, dims...), dims...)
	return v
}

func (b *backbone) conv(x graph.Value, name string, dims []int64, attrs ...graph.Attr) graph.Value {
	return b.do("Conv", []graph.Value{x, b.param(name+".weight", dims...)}, attrs...)
}

// bn normalises with the statistics of the source, which are constants, or of the batch.
func (b *backbone) bn(x graph.Value, name string, c int64) graph.Value {
	scale, bias := b.param(name+".weight", c), b.param(name+".bias", c)
	mean, variance := b.floats(filled(name+".running_mean", c), c), b.floats(filled(name+".running_var", c), c)
	if b.batchStatistics {
		axes := []int64{0, 2, 3}[:len(b.TypeOf(x).Shape)-1]
		over := b.Ints(axes...)
		m := b.do("ReduceMean", []graph.Value{x, over})
		d := b.do("Sub", []graph.Value{x, m})
		mean = b.do("Squeeze", []graph.Value{m, over})
		variance = b.do("ReduceMean", []graph.Value{b.do("Mul", []graph.Value{d, d}), over}, a("keepdims", 0))
	}
	return b.do("BatchNormalization", []graph.Value{x, scale, bias, mean, variance})
}

func (b *backbone) relu(x graph.Value) graph.Value { return b.do("Relu", []graph.Value{x}) }

func (b *backbone) fc(x graph.Value, name string, out, in int64) graph.Value {
	return b.do("Gemm", []graph.Value{x, b.param(name+".weight", out, in), b.param(name+".bias", out)}, a("transB", 1))
}

// resnet20: three stages of three blocks of 16, 32 and 64 channels, shortcuts of every other pixel with zero channels around.
func resnet20(b *backbone, x graph.Value) graph.Value {
	same := a("pads", []int{1, 1, 1, 1})
	h := b.relu(b.bn(b.conv(x, "conv1", []int64{16, 3, 3, 3}, same), "bn1", 16))
	width := int64(16)
	for stage := range 3 {
		for block := range 3 {
			name := fmt.Sprintf("layer%d.%d", stage+1, block)
			in, stride, shortcut := width, 1, h
			if stage > 0 && block == 0 {
				width, stride = 2*width, 2
				shortcut = b.do("Slice", []graph.Value{h, b.Ints(0, 0), b.Ints(32, 32), b.Ints(2, 3), b.Ints(2, 2)})
				shortcut = b.do("Pad", []graph.Value{shortcut, b.Ints(0, width/4, 0, 0, 0, width/4, 0, 0)})
			}
			h = b.conv(h, name+".conv1", []int64{width, in, 3, 3}, same, a("strides", []int{stride, stride}))
			h = b.relu(b.bn(h, name+".bn1", width))
			h = b.bn(b.conv(h, name+".conv2", []int64{width, width, 3, 3}, same), name+".bn2", width)
			h = b.relu(b.do("Add", []graph.Value{h, shortcut}))
		}
	}
	return b.fc(b.do("Flatten", []graph.Value{b.do("GlobalAveragePool", []graph.Value{h})}), "linear", 10, 64)
}

// resnet18: four stages of two blocks of 64 to 512 channels, for pictures of 32 x 32.
func resnet18(b *backbone, x graph.Value) graph.Value {
	same := a("pads", []int{1, 1, 1, 1})
	h := b.relu(b.bn(b.conv(x, "conv1", []int64{64, 3, 3, 3}, same), "bn1", 64))
	width := int64(64)
	for stage := range 4 {
		for block := range 2 {
			name := fmt.Sprintf("layer%d.%d", stage+1, block)
			in, strides, shortcut := width, a("strides", []int{1, 1}), h
			if stage > 0 && block == 0 {
				width, strides = 2*width, a("strides", []int{2, 2})
				shortcut = b.bn(b.conv(h, name+".downsample.0", []int64{width, in, 1, 1}, strides), name+".downsample.1", width)
			}
			h = b.relu(b.bn(b.conv(h, name+".conv1", []int64{width, in, 3, 3}, same, strides), name+".bn1", width))
			h = b.bn(b.conv(h, name+".conv2", []int64{width, width, 3, 3}, same), name+".bn2", width)
			h = b.relu(b.do("Add", []graph.Value{h, shortcut}))
		}
	}
	return b.fc(b.do("Flatten", []graph.Value{b.do("GlobalAveragePool", []graph.Value{h})}), "fc", 10, 512)
}

// cnn1d: three convolutions over time with pools between them.
func cnn1d(b *backbone, x graph.Value) graph.Value {
	in := b.TypeOf(x).Shape[1].Size
	for i, s := range []struct{ out, kernel int64 }{{64, 7}, {128, 5}, {128, 3}} {
		name := fmt.Sprintf("block%d", i+1)
		x = b.conv(x, name+".conv", []int64{s.out, in, s.kernel}, a("pads", []int64{s.kernel / 2, s.kernel / 2}))
		x = b.relu(b.bn(x, name+".bn", s.out))
		if in = s.out; i < 2 {
			x = b.do("MaxPool", []graph.Value{x}, a("kernel_shape", []int{2}), a("strides", []int{2}))
		}
	}
	return b.fc(b.do("ReduceMean", []graph.Value{x, b.Ints(2)}, a("keepdims", 0)), "fc", 6, 128)
}

// tcn: residual blocks of two causal convolutions whose dilation doubles from block to block.
func tcn(b *backbone, x graph.Value) graph.Value {
	in := b.TypeOf(x).Shape[1].Size
	for level := range 6 {
		name, d := fmt.Sprintf("blocks.%d", level), 1<<level
		causal := []graph.Attr{a("pads", []int{2 * d, 0}), a("dilations", []int{d})}
		y := b.relu(b.bn(b.conv(x, name+".conv1", []int64{64, in, 3}, causal...), name+".bn1", 64))
		y = b.relu(b.bn(b.conv(y, name+".conv2", []int64{64, 64, 3}, causal...), name+".bn2", 64))
		if in != 64 {
			x = b.do("Conv", []graph.Value{x, b.param(name+".downsample.weight", 64, in, 1), b.param(name+".downsample.bias", 64)})
		}
		x, in = b.relu(b.do("Add", []graph.Value{y, x})), 64
	}
	return b.fc(b.do("ReduceMean", []graph.Value{x, b.Ints(2)}, a("keepdims", 0)), "fc", 6, 64)
}

// record is what the reference says of one case; a gradient is its norm and its first elements.
type record struct {
	InputShape []int64 `json:"input_shape"`
	TentEval   step    `json:"tent_eval"`
	TentBatch  step    `json:"tent_batch"`
	Memo       step    `json:"memo"`
}

type step struct {
	Loss        float64     `json:"loss"`
	LR          float64     `json:"lr"`
	LogitsAfter [][]float64 `json:"logits_after"`
	Grads       map[string]struct {
		L2    float64   `json:"l2"`
		First []float64 `json:"first"`
	} `json:"grads"`
}

func reference(t *testing.T, name string) record {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "reference", "backbones", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Cases []record }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r.Cases[0]
}

// evaluator computes the outputs of a graph.
type evaluator func(g *graph.Graph, given map[graph.Value]oracle.Tensor) ([][]float64, error)

func onOracle(g *graph.Graph, given map[graph.Value]oracle.Tensor) ([][]float64, error) {
	p, err := oracle.Compile(g, oracle.Settings{})
	if err != nil {
		return nil, err
	}
	r, err := p.Eval(given, g.Outputs()...)
	var out [][]float64
	for _, t := range r {
		out = append(out, t.F)
	}
	return out, err
}

type network struct {
	name  string
	build func(b *backbone, x graph.Value) graph.Value
}

var backbones = []network{{"cifar_resnet20", resnet20}, {"cnn1d", cnn1d}, {"tcn", tcn}}

// large takes the oracle too long.
var large = []network{{"cifar_resnet18", resnet18}}

// TestReference compares Tent's gradients, those of MEMO for all parameters, and the logits after a step with PyTorch's.
func TestReference(t *testing.T) {
	if testing.Short() {
		t.Skip("the oracle takes its time")
	}
	compareReference(t, backbones, graph.Float64, onOracle, 1e-7, 1e-7) // the records have 9 digits
}

func compareReference(t *testing.T, nets []network, elem graph.DType, run evaluator, tolerance, batchTolerance float64) {
	for _, net := range nets {
		r := reference(t, net.name)
		for _, c := range []struct {
			name      string
			batch     bool
			memo      bool
			rows      []string
			want      step
			tolerance float64
		}{
			{"tent on one sample", false, false, []string{"input.0"}, r.TentEval, tolerance},
			{"tent on a batch", true, false, []string{"input.0", "input.1", "input.2", "input.3"}, r.TentBatch, batchTolerance},
			{"memo", false, true, []string{"view.0", "view.1", "view.2", "view.3"}, r.Memo, tolerance},
		} {
			t.Run(net.name+" "+c.name, func(t *testing.T) {
				b := &backbone{builder: builder{graph.New(net.name, 18), elem}, batchStatistics: c.batch, given: map[graph.Value]oracle.Tensor{}}
				x := b.Input("x", graph.Type{Elem: elem, Shape: append(graph.Shape{graph.Sym("N")}, graph.Of(r.InputShape...)...)})
				logits := net.build(b, x)
				loss := b.entropy(logits)
				if c.memo {
					p := b.do("ReduceMean", []graph.Value{b.do("Softmax", []graph.Value{logits}), b.Ints(0)}, a("keepdims", 0))
					loss = b.do("Neg", []graph.Value{b.do("ReduceSum", []graph.Value{b.do("Mul", []graph.Value{p, b.do("Log", []graph.Value{p})})}, a("keepdims", 0))})
				}
				b.step(t, r, c.rows, x, logits, loss, c.memo, c.want, run, c.tolerance)
			})
		}
	}
}

// rows returns inputs of the reference as one batch.
func rows(elem graph.DType, shape []int64, names []string) oracle.Tensor {
	var all []float64
	for _, n := range names {
		all = append(all, filled(n, shape...)...)
	}
	return oracle.FloatsOf(elem, all, append([]int64{int64(len(names))}, shape...)...)
}

// step compares the loss, its gradients, and the logits after p <- p - rate dp.
func (b *backbone) step(t *testing.T, r record, names []string, x, logits, loss graph.Value, memo bool, want step, run evaluator, tolerance float64) {
	t.Helper()
	var wrt []graph.Value
	var of []string
	for i, n := range b.names {
		if _, ok := want.Grads[n]; ok {
			wrt, of = append(wrt, b.params[i]), append(of, n)
		}
	}
	if len(wrt) != len(want.Grads) || len(wrt) == 0 {
		t.Fatalf("%d gradients, the reference has %d", len(wrt), len(want.Grads))
	}
	forward := b.Clone()
	forward.SetOutputs(logits)
	forward.Prune()
	dx, err := autodiff.Gradient(b.Graph, loss, wrt)
	if err != nil {
		t.Fatal(err)
	}
	b.SetOutputs(append([]graph.Value{loss}, dx...)...)
	b.Prune()
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	b.given[x] = rows(b.elem, r.InputShape, names)
	got, err := run(b.Graph, b.given)
	if err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "loss", got[0], []float64{want.Loss}, tolerance)
	for i, n := range of {
		g := want.Grads[n]
		norm := 0.0
		for _, v := range got[i+1] {
			norm += v * v
		}
		norm = math.Sqrt(norm)
		if !(math.Abs(norm-g.L2) <= tolerance*(g.L2+1e-3)) {
			t.Errorf("gradient of %s has norm %v, want %v", n, norm, g.L2)
		}
		for j, v := range g.First {
			if typical := g.L2 / math.Sqrt(float64(len(got[i+1]))); !(math.Abs(got[i+1][j]-v) <= tolerance*(math.Abs(v)+typical+1e-3)) {
				t.Errorf("gradient of %s: element %d is %v, want %v", n, j, got[i+1][j], v)
			}
		}
		old := b.given[wrt[i]]
		moved := make([]float64, len(old.F))
		for j := range moved {
			moved[j] = old.F[j] - want.LR*got[i+1][j]
		}
		b.given[wrt[i]] = oracle.FloatsOf(b.elem, moved, old.Dims...)
	}
	if memo {
		b.given[x] = rows(b.elem, r.InputShape, []string{"input.0"})
	}
	after, err := run(forward, b.given)
	if err != nil {
		t.Fatal(err)
	}
	var flat []float64
	for _, row := range want.LogitsAfter {
		flat = append(flat, row...)
	}
	sameNumbers(t, "logits after the step", after[0], flat, tolerance)
}
