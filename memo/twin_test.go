package memo_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// small is a network of two convolutions with BatchNormalization, of which one has a bias, for inputs [N, 2, 4, 4]; in float64, with
// numbers by rule. end appends what follows the logits.
func small(end func(g *graph.Graph, logits graph.Value) graph.Value) *graph.Graph {
	g := graph.New("small", 18)
	param := func(name string, dims ...int64) graph.Value {
		single := backbonetest.Values(name, dims...)
		wide := make([]float64, len(single))
		for i, f := range single {
			wide[i] = float64(f)
		}
		return g.Param(name, graph.NewTensor(wide, dims...))
	}
	norm := func(x graph.Value, name string, c int64) graph.Value {
		in := []graph.Value{x}
		for _, s := range []string{"weight", "bias", "running_mean", "running_var"} {
			in = append(in, param(name+"."+s, c))
		}
		return g.Op("Relu", []graph.Value{g.Op("BatchNormalization", in)})
	}
	same := graph.A("pads", []int{1, 1, 1, 1})
	x := g.Input("x", graph.Type{Elem: graph.Float64, Shape: graph.Shape{graph.Sym("N"), graph.N(2), graph.N(4), graph.N(4)}})
	h := norm(g.Op("Conv", []graph.Value{x, param("conv1.weight", 8, 2, 3, 3)}, same), "bn1", 8)
	h = norm(g.Op("Conv", []graph.Value{h, param("conv2.weight", 4, 8, 3, 3), param("conv2.bias", 4)}, same), "bn2", 4)
	h = g.Op("Flatten", []graph.Value{g.Op("GlobalAveragePool", []graph.Value{h})})
	y := g.Op("Gemm", []graph.Value{h, param("fc.weight", 3, 4), param("fc.bias", 3)}, graph.A("transB", 1))
	if end != nil {
		y = end(g, y)
	}
	g.Output("y", y)
	return g
}

// item is an input of the small network with its views.
func item(name string, views int) []float64 {
	var out []float64
	for i := range views + 1 {
		for _, f := range backbonetest.Sample(fmt.Sprintf("view.%s.%d", name, i), 2, 4, 4) {
			out = append(out, float64(f))
		}
	}
	return out
}

// adapt runs a network's MEMO graph on an item, in float64.
func adapt(t *testing.T, net *graph.Graph, s memo.Settings, x []float64) result {
	t.Helper()
	s.Report = true
	m, err := memo.Build(onnx.New(net), s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := oracle.Run(m.Graph, oracle.Float64s(x, int64(s.Views)+1, 2, 4, 4))
	if err != nil {
		t.Fatalf("%v\n%v", err, m.Graph)
	}
	r := result{}
	for i, v := range m.Graph.Outputs() {
		r[m.Graph.NameOf(v)] = out[i].F
	}
	return r
}

// without returns a network in which constants have other numbers.
func without(net *graph.Graph, numbers map[string][]float64) *graph.Graph {
	g := net.Clone()
	for name, values := range numbers {
		v := g.Lookup(name)
		dims := g.ConstOf(v).Dims()
		g.ToInput(v)
		g.ToConstant(v, graph.NewTensor(values, dims...))
	}
	return g
}

// stepped returns the parameters of a network after a rule was applied to those that have a gradient in r.
func stepped(t *testing.T, net *graph.Graph, r result, rule func(p, d float64) float64) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for name, d := range r {
		param, ok := strings.CutPrefix(name, "gradient.")
		if !ok {
			continue
		}
		values, err := net.ConstOf(net.Lookup(param)).Float64s()
		if err != nil {
			t.Fatal(err)
		}
		values = slices.Clone(values)
		for i := range values {
			values[i] = rule(values[i], d[i])
		}
		out[param] = values
	}
	if len(out) == 0 {
		t.Fatal("no gradient was reported")
	}
	return out
}

// forward runs a network on rows.
func forward(t *testing.T, net *graph.Graph, x []float64) []float64 {
	t.Helper()
	out, err := oracle.Run(net, oracle.Float64s(x, int64(len(x)/32), 2, 4, 4))
	if err != nil {
		t.Fatal(err)
	}
	return out[0].F
}

func same(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*(1+math.Abs(want[i]))) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// sgd is the rule of plain descent with decay as PyTorch has it.
func sgd(s memo.Settings) func(p, d float64) float64 {
	return func(p, d float64) float64 { return p - s.Rate*(d+s.Decay*p) }
}

// adamW is the first of PyTorch's steps, written out with its means.
func adamW(s memo.Settings) func(p, d float64) float64 {
	return func(p, d float64) float64 {
		const beta1, beta2 = 0.9, 0.999
		m, v := (1-beta1)*d, (1-beta2)*d*d
		p -= s.Rate * s.Decay * p
		return p - s.Rate/(1-beta1)*m/(math.Sqrt(v)/math.Sqrt(1-beta2)+1e-8)
	}
}

var plainStep = memo.Settings{Views: 5, Rate: 0.1}

// TestStep: the prediction is the network's with parameters that were moved by hand by the gradients reported, and these are the
// differences of the entropy.
func TestStep(t *testing.T) {
	decay, adam, norms := plainStep, plainStep, plainStep
	decay.Decay = 0.3
	adam.Method, adam.Rate, adam.Decay = memo.AdamW, 0.01, 0.3
	norms.Parameters = memo.Norms
	many := plainStep
	many.Views = 8
	for name, c := range map[string]struct {
		s      memo.Settings
		rule   func(p, d float64) float64
		params int
	}{
		"SGD":               {plainStep, sgd(plainStep), 9},
		"SGD on many views": {many, sgd(many), 9},
		"SGD with decay":    {decay, sgd(decay), 9},
		"AdamW":             {adam, adamW(adam), 9},
		"norms":             {norms, sgd(norms), 4},
	} {
		t.Run(name, func(t *testing.T) {
			net, x := small(nil), item("a", c.s.Views)
			r := adapt(t, net, c.s, x)
			moved := stepped(t, net, r, c.rule)
			if len(moved) != c.params {
				t.Errorf("%d parameters moved, want %d: %v", len(moved), c.params, slices.Sorted(maps.Keys(moved)))
			}
			same(t, "prediction", r["y"], forward(t, without(net, moved), x[:32]), 1e-12)
			same(t, "entropy", r["entropy"], []float64{marginal(forward(t, net, x[32:]))}, 1e-12)
			differences(t, net, r, x[32:])
		})
	}
}

// marginal is the entropy of the mean probability of rows of three logits.
func marginal(logits []float64) float64 {
	var mean [3]float64
	rows := float64(len(logits) / 3)
	for row := range slices.Chunk(logits, 3) {
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v)
		}
		for k, v := range row {
			mean[k] += math.Exp(v) / sum / rows
		}
	}
	h := 0.0
	for _, p := range mean {
		h -= p * math.Log(p)
	}
	return h
}

// differences compares the first element of every gradient with a central difference.
func differences(t *testing.T, net *graph.Graph, r result, views []float64) {
	t.Helper()
	const step = 1e-5
	for name, d := range r {
		param, ok := strings.CutPrefix(name, "gradient.")
		if !ok {
			continue
		}
		at := func(by float64) float64 {
			values, err := net.ConstOf(net.Lookup(param)).Float64s()
			if err != nil {
				t.Fatal(err)
			}
			values = slices.Clone(values)
			values[0] += by
			return marginal(forward(t, without(net, map[string][]float64{param: values}), views))
		}
		same(t, "first element of "+name, d[:1], []float64{(at(step) - at(-step)) / (2 * step)}, 1e-8)
	}
}

// TestNormsAreARestriction: the gradients of the norms' parameters are those among all parameters, though computed in another form.
func TestNormsAreARestriction(t *testing.T) {
	some := plainStep
	some.Parameters = memo.Norms
	all, norms := adapt(t, small(nil), plainStep, item("a", 5)), adapt(t, small(nil), some, item("a", 5))
	for _, p := range []string{"bn1.weight", "bn1.bias", "bn2.weight", "bn2.bias"} {
		same(t, p, norms["gradient."+p], all["gradient."+p], 1e-12)
	}
	if _, ok := norms["gradient.fc.weight"]; ok {
		t.Error("the head is no normalisation")
	}
}

// TestKinds: a network that ends in probabilities, or in their logarithms, takes the same step as one that ends in logits.
func TestKinds(t *testing.T) {
	x := item("a", 5)
	want := adapt(t, small(nil), plainStep, x)
	for kind, end := range map[string]struct {
		op   string
		back func(v float64) float64
	}{"probabilities": {"Softmax", math.Log}, "log-probabilities": {"LogSoftmax", func(v float64) float64 { return v }}} {
		s := plainStep
		s.Kind = kind
		got := adapt(t, small(func(g *graph.Graph, v graph.Value) graph.Value {
			return g.Op(end.op, []graph.Value{v}, graph.A("axis", -1))
		}), s, x)
		same(t, kind+": entropy", got["entropy"], want["entropy"], 1e-12)
		same(t, kind+": gradient", got["gradient.conv1.weight"], want["gradient.conv1.weight"], 1e-12)
		shift := got["y"][0]
		for i := range got["y"] { // of logits only differences count
			same(t, kind+": prediction", []float64{end.back(got["y"][i]) - end.back(shift)}, []float64{want["y"][i] - want["y"][0]}, 1e-12)
		}
	}
}

// TestPriorByHand: with the statistics of each pass computed layer by layer and put into the network as its own, the gradient is that of
// given statistics, and the prediction has those of the plain input behind parameters that have moved.
func TestPriorByHand(t *testing.T) {
	s := plainStep
	s.Prior = 3
	net, x := small(nil), item("a", s.Views)
	got := adapt(t, net, s, x)

	onViews := blendedByHand(t, net, x[32:], s.Prior)
	want := adapt(t, without(net, onViews), plainStep, x)
	for name := range want {
		if name != "y" {
			same(t, name, got[name], want[name], 1e-12)
		}
	}
	after := without(net, stepped(t, net, got, sgd(s)))
	onPlain := blendedByHand(t, after, x[:32], s.Prior)
	same(t, "prediction", got["y"], forward(t, without(after, onPlain), x[:32]), 1e-12)

	s.Prior = 1e15
	same(t, "a prior without bound", adapt(t, net, s, x)["y"], adapt(t, net, plainStep, x)["y"], 1e-12)
}

// blendedByHand returns the statistics of the small network's norms for a batch, the first layer's before the second's input is known.
func blendedByHand(t *testing.T, net *graph.Graph, batch []float64, prior float64) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for _, layer := range []string{"bn1", "bn2"} {
		g := without(net, out)
		var x graph.Value
		for _, n := range g.Nodes() {
			if n.Op == "BatchNormalization" && g.NameOf(n.Inputs[1]) == layer+".weight" {
				x = n.Inputs[0]
			}
		}
		g.SetOutputs(x)
		values, channels := forward(t, g, batch), int(g.TypeOf(x).Shape[1].Size)
		mean, variance := moments(values, channels)
		for name, of := range map[string][]float64{layer + ".running_mean": mean, layer + ".running_var": variance} {
			source, err := net.ConstOf(net.Lookup(name)).Float64s()
			if err != nil {
				t.Fatal(err)
			}
			for c := range of {
				of[c] = (prior*source[c] + of[c]) / (prior + 1)
			}
			out[name] = of
		}
	}
	return out
}

// moments returns mean and unbiased variance of each channel of [N, channels, 4, 4].
func moments(values []float64, channels int) (mean, variance []float64) {
	mean, variance = make([]float64, channels), make([]float64, channels)
	n := float64(len(values) / channels)
	for i, v := range values {
		mean[i/16%channels] += v / n
	}
	for i, v := range values {
		d := v - mean[i/16%channels]
		variance[i/16%channels] += d * d / (n - 1)
	}
	return mean, variance
}
