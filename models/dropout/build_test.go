package dropout_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// weights returns a tensor of numbers that are the same for the same sizes.
func weights(dims ...int64) *graph.Tensor {
	n, seed := int64(1), uint64(7)
	for _, d := range dims {
		n, seed = n*d, seed*31+uint64(d)
	}
	r, out := rand.New(rand.NewPCG(seed, 1)), make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64()) / 2
	}
	return graph.NewTensor(out, dims...)
}

func input(g *graph.Graph, shape ...graph.Dim) graph.Value {
	return g.Input("x", graph.Type{Elem: graph.Float32, Shape: shape})
}

func gemm(g *graph.Graph, name string, x graph.Value, from, to int64) graph.Value {
	inputs := []graph.Value{x, g.Param(name+".weight", weights(to, from)), g.Param(name+".bias", weights(to))}
	return g.Append(graph.Node{Name: name, Op: "Gemm", Inputs: inputs, Attrs: []graph.Attr{graph.A("transB", true)}}, name).Outputs[0]
}

func drop(g *graph.Graph, name string, x graph.Value, p float64) graph.Value {
	return g.Append(graph.Node{Name: name, Op: "Dropout", Inputs: []graph.Value{x, g.Scalar(graph.Float32, p)}}, name).Outputs[0]
}

// The networks: one dropout at the end; dropout over channels and places in the middle and a second one behind it, with a shortcut
// around both, so that a result of the shared part is needed by the other; attention with the arithmetic of shapes that exporters
// write, dropout everywhere; a recurrent order of axes behind dropout.
var networks = map[string]struct {
	build func(g *graph.Graph)
	one   []int64
	masks int
}{
	"last": {func(g *graph.Graph) {
		x := g.Op("Relu", []graph.Value{gemm(g, "a", input(g, graph.Sym("N"), graph.N(6)), 6, 8)})
		g.Output("y", gemm(g, "b", drop(g, "d", x, 0.25), 8, 3))
	}, []int64{6}, 1},
	"fixed": {func(g *graph.Graph) {
		x := g.Op("Reshape", []graph.Value{input(g, graph.N(1), graph.N(2), graph.N(3)), g.Ints(1, 6)})
		x = g.Op("Reshape", []graph.Value{gemm(g, "a", x, 6, 8), g.Ints(1, 8)})
		g.Output("y", gemm(g, "b", drop(g, "d", x, 0.25), 8, 3))
	}, []int64{2, 3}, 1},
	"unnamed": {func(g *graph.Graph) {
		x := gemm(g, "a", input(g, graph.Any, graph.N(6)), 6, 8)
		g.Output("y", gemm(g, "b", drop(g, "d", x, 0.25), 8, 3))
	}, []int64{6}, 1},
	"none": {func(g *graph.Graph) {
		x := gemm(g, "a", input(g, graph.Sym("N"), graph.N(6)), 6, 8)
		x = g.Op("MatMul", []graph.Value{g.Op("Relu", []graph.Value{x}), g.Param("w", weights(8, 3))})
		g.Output("y", g.Op("Add", []graph.Value{x, g.Param("bias", weights(3))}))
	}, []int64{6}, 1},
	"stored as half": {func(g *graph.Graph) {
		w := g.Op("Cast", []graph.Value{g.Op("Cast", []graph.Value{g.Param("w", weights(8, 3))}, graph.A("to", 10))}, graph.A("to", 1))
		g.Output("y", g.Op("MatMul", []graph.Value{gemm(g, "a", input(g, graph.Sym("N"), graph.N(6)), 6, 8), w}))
	}, []int64{6}, 1},
	"shortcut": {func(g *graph.Graph) {
		x := input(g, graph.Sym("batch"), graph.N(2), graph.N(4), graph.N(4))
		c := g.Op("Conv", []graph.Value{x, g.Param("k", weights(3, 2, 3, 3))}, graph.A("pads", []int{1, 1, 1, 1}))
		d := drop(g, "d0", g.Op("Relu", []graph.Value{c}), 0.3)
		e := g.Op("Conv", []graph.Value{d, g.Param("l", weights(3, 3, 1, 1))})
		sum := g.Op("Add", []graph.Value{g.Op("Sigmoid", []graph.Value{e}), c})
		f := g.Op("Flatten", []graph.Value{g.Op("GlobalAveragePool", []graph.Value{sum})}, graph.A("axis", 1))
		g.Output("y", gemm(g, "b", drop(g, "d1", f, 0.5), 3, 4))
	}, []int64{2, 4, 4}, 2},
	"attention":   {attention(graph.N(5)), []int64{5, 4}, 3},
	"open length": {attention(graph.Sym("L")), []int64{5, 4}, 3},
	"half": {func(g *graph.Graph) {
		half := func(v graph.Value) graph.Value {
			return g.Op("Cast", []graph.Value{v}, graph.A("to", int64(graph.Float16)))
		}
		x := g.Input("x", graph.Type{Elem: graph.Float16, Shape: graph.Shape{graph.Sym("N"), graph.N(6)}})
		h := g.Op("MatMul", []graph.Value{drop(g, "d0", x, 0.25), half(g.Param("w", weights(6, 8)))})
		g.Output("y", g.Op("MatMul", []graph.Value{drop(g, "d1", h, 0.5), half(g.Param("v", weights(8, 3)))}))
	}, []int64{6}, 2},
	"time first": {func(g *graph.Graph) {
		x := input(g, graph.Sym("N"), graph.N(5), graph.N(4))
		first := g.Op("Transpose", []graph.Value{x}, graph.A("perm", []int{1, 0, 2})) // [5, N, 4]
		h := drop(g, "d", g.Op("ReduceMax", []graph.Value{x, g.Ints(1)}, graph.A("keepdims", false)), 0.4)
		all := g.Op("Add", []graph.Value{first, h})
		g.Output("y", gemm(g, "b", g.Op("ReduceMean", []graph.Value{all, g.Ints(0)}, graph.A("keepdims", false)), 4, 3))
	}, []int64{5, 4}, 1},
}

// attention is self-attention of two heads on [N, length, 4] as an exporter writes it, with dropout on the features, on the attention,
// and before the head.
func attention(length graph.Dim) func(g *graph.Graph) {
	return func(g *graph.Graph) { attend(g, length) }
}

func attend(g *graph.Graph, length graph.Dim) {
	x := drop(g, "embedded", input(g, graph.Sym("N"), length, graph.N(4)), 0.1)
	sizes := g.Op("Shape", []graph.Value{g.Lookup("x")})
	size := func(i int64) graph.Value {
		return g.Op("Unsqueeze", []graph.Value{g.Op("Gather", []graph.Value{sizes, g.Int(i)}, graph.A("axis", 0)), g.Ints(0)})
	}
	heads := func(name string) graph.Value {
		v := g.Op("MatMul", []graph.Value{x, g.Param(name, weights(4, 4))})
		sizes := g.Op("Concat", []graph.Value{size(0), size(1), g.Ints(2, 2)}, graph.A("axis", 0))
		return g.Op("Transpose", []graph.Value{g.Op("Reshape", []graph.Value{v, sizes})}, graph.A("perm", []int{0, 2, 1, 3}))
	}
	k := g.Op("Transpose", []graph.Value{heads("wk")}, graph.A("perm", []int{0, 1, 3, 2}))
	p := g.Op("Softmax", []graph.Value{g.Op("MatMul", []graph.Value{heads("wq"), k})}, graph.A("axis", -1))
	o := g.Op("MatMul", []graph.Value{drop(g, "attention", p, 0.2), heads("wv")})
	o = g.Op("Transpose", []graph.Value{o}, graph.A("perm", []int{0, 2, 1, 3}))
	o = g.Op("Reshape", []graph.Value{o, g.Op("Concat", []graph.Value{size(0), size(1), g.Ints(4)}, graph.A("axis", 0))})
	pooled := g.Op("ReduceMean", []graph.Value{g.Op("Add", []graph.Value{o, x}), g.Ints(1)}, graph.A("keepdims", false))
	g.Output("y", gemm(g, "b", drop(g, "pooled", pooled, 0.3), 4, 3))
}

func network(t *testing.T, name string) *onnx.Model {
	t.Helper()
	g := graph.New(name, onnx.Normal)
	networks[name].build(g)
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	return onnx.New(g)
}

func build(t *testing.T, m *onnx.Model, s dropout.Settings) (*onnx.Model, dropout.Spec) {
	t.Helper()
	out, err := dropout.Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	meta := map[string]string{}
	for _, p := range out.Metadata {
		meta[p.Key] = p.Value
	}
	spec, err := dropout.Open(meta)
	if err != nil {
		t.Fatal(err)
	}
	return out, spec
}

func numbers(n int, seed uint64) []float64 {
	r, out := rand.New(rand.NewPCG(seed, 2)), make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func product(sizes []int64) int {
	n := 1
	for _, d := range sizes {
		n *= int(d)
	}
	return n
}

func draw(spec dropout.Spec, n, passes int, seed uint64) (masks [][]float64) {
	r := rand.New(rand.NewPCG(seed, 3))
	for _, m := range spec.Masks {
		mask := make([]float64, n*passes*product(m.Features))
		for i := range mask {
			if r.Float64() >= m.P {
				mask[i] = 1 / (1 - m.P)
			}
		}
		masks = append(masks, mask)
	}
	return masks
}

// twin is the plain network with a Mul in the place of each Dropout, by masks [N, features...] that are further inputs.
func twin(t *testing.T, m *onnx.Model, p float64) *graph.Graph {
	t.Helper()
	g := m.Clone().Graph
	if len(dropout.Find(g)) == 0 {
		if _, err := dropout.Insert(g, g.Outputs()[0], p); err != nil {
			t.Fatal(err)
		}
	}
	for i, l := range dropout.Find(g) {
		x := l.Node.Inputs[0]
		mask := g.Input(fmt.Sprint("m", i), g.TypeOf(x))
		y := g.Op("Mul", []graph.Value{x, mask})
		g.Replace(l.Node.Outputs[0], y)
		g.Remove(l.Node)
		if err := g.Sort(); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// passes runs the twin once for each item and pass, and returns the class probabilities [n][passes][classes].
func passes(t *testing.T, m *onnx.Model, spec dropout.Spec, x []float64, one []int64, masks [][]float64, n, count int) (out [][][]float64) {
	t.Helper()
	program, err := oracle.Compile(twin(t, m, dropout.DefaultP), oracle.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		var rows [][]float64
		for j := range count {
			k := product(one)
			in := []oracle.Tensor{oracle.Float32s(x[i*k:(i+1)*k], append([]int64{1}, one...)...)}
			for l, mask := range masks {
				k, at := product(spec.Masks[l].Features), i*count+j
				in = append(in, oracle.Float32s(mask[at*k:(at+1)*k], append([]int64{1}, spec.Masks[l].Features...)...))
			}
			y, err := program.Run(in...)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, softmax(y[0].F))
		}
		out = append(out, rows)
	}
	return out
}

func softmax(logits []float64) []float64 {
	out, sum := make([]float64, len(logits)), 0.0
	for i, v := range logits {
		out[i] = math.Exp(v - slices.Max(logits))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// expected are the four outputs, by their definitions.
func expected(probabilities [][][]float64) (mean, variance, entropies, information []float64) {
	h := func(p []float64) (sum float64) {
		for _, v := range p {
			sum -= v * math.Log(v)
		}
		return sum
	}
	for _, rows := range probabilities {
		classes, count := len(rows[0]), float64(len(rows))
		m, v, e := make([]float64, classes), make([]float64, classes), 0.0
		for _, p := range rows {
			e += h(p) / count
			for k := range m {
				m[k] += p[k] / count
			}
		}
		for _, p := range rows {
			for k := range m {
				v[k] += (p[k] - m[k]) * (p[k] - m[k]) / count
			}
		}
		mean, variance = append(mean, m...), append(variance, v...)
		entropies, information = append(entropies, h(m)), append(information, h(m)-e)
	}
	return mean, variance, entropies, information
}

// closeLength puts the length of the tests' inputs where a network leaves it open.
func closeLength(spec dropout.Spec) {
	for _, m := range spec.Masks {
		for i, d := range m.Features {
			if d < 0 {
				m.Features[i] = 5
			}
		}
	}
}

func tensors(x []float64, one []int64, spec dropout.Spec, masks [][]float64, n, count int64) []oracle.Tensor {
	in := []oracle.Tensor{oracle.Float32s(x, append([]int64{n}, one...)...)}
	for l, m := range spec.Masks {
		in = append(in, oracle.Float32s(masks[l], append([]int64{n, count}, m.Features...)...))
	}
	return in
}

func far(got, want []float64, tolerance float64) bool {
	if len(got) != len(want) {
		return true
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			return true
		}
	}
	return false
}

// The graph in one run is the plain network run once for each item and pass with the same masks, in float64, with all four outputs.
func TestBuildEqualsPasses(t *testing.T) {
	for name, net := range networks {
		t.Run(name, func(t *testing.T) {
			const n, count = 3, 7
			m := network(t, name)
			before := m.Graph.String()
			mc, spec := build(t, m, dropout.Settings{Uncertainty: true})
			if m.Graph.String() != before {
				t.Error("the network itself was changed")
			}
			if len(spec.Masks) != net.masks {
				t.Fatalf("masks %+v, want %d", spec.Masks, net.masks)
			}
			closeLength(spec)
			x, masks := numbers(n*product(net.one), 5), draw(spec, n, count, 6)
			got, err := oracle.Run(mc.Graph, tensors(x, net.one, spec, masks, n, count)...)
			if err != nil {
				t.Fatalf("%v\n%v", err, mc.Graph)
			}
			mean, variance, h, information := expected(passes(t, m, spec, x, net.one, masks, n, count))
			for i, want := range [][]float64{mean, variance, h, information} {
				if far(got[i].F, want, 1e-12) {
					t.Errorf("output %s: %v, want %v", mc.Graph.NameOf(mc.Graph.Outputs()[i]), got[i].F, want)
				}
			}
			if len(dropout.Find(mc.Graph)) > 0 {
				t.Error("a Dropout is left")
			}
		})
	}
}

// A mask is open where the network's input is.
func TestMaskOfOpenLength(t *testing.T) {
	_, spec := build(t, network(t, "open length"), dropout.Settings{})
	for i, want := range [][]int64{{-1, 4}, {2, -1, -1}, {4}} {
		if got := spec.Masks[i].Features; !slices.Equal(got, want) {
			t.Errorf("mask %d: features %v, want %v", i, got, want)
		}
	}
	_, spec = build(t, network(t, "open length"), dropout.Settings{Input: []int64{9, 4}})
	if got := spec.Masks[1].Features; !slices.Equal(got, []int64{2, 9, 9}) {
		t.Errorf("inputs of 9: features %v", got)
	}
}

// What is not behind dropout is there once, for N rows.
func TestBuildSharesThePrefix(t *testing.T) {
	mc, _ := build(t, network(t, "shortcut"), dropout.Settings{})
	rows := map[string][]string{}
	for _, n := range mc.Graph.Nodes() {
		rows[n.Op] = append(rows[n.Op], mc.Graph.TypeOf(n.Outputs[0]).Shape[0].String())
	}
	if got := rows["Conv"]; !slices.Equal(got, []string{"batch", "batch*passes"}) {
		t.Errorf("convolutions of %v rows\n%v", got, mc.Graph)
	}
	mc, spec := build(t, network(t, "attention"), dropout.Settings{Head: true})
	count := 0
	for _, n := range mc.Graph.Nodes() {
		if s := mc.Graph.TypeOf(n.Outputs[0]).Shape; len(s) > 0 && s[0].String() == "N*passes" {
			count++
		}
	}
	if len(spec.Masks) != 1 || count > 3 {
		t.Errorf("dropout before the head only: masks %v, %d results for all rows\n%v", spec.Masks, count, mc.Graph)
	}
}

// A graph made twice has the same bytes, and what it says about itself.
func TestBuildIsAFile(t *testing.T) {
	var files [2]string
	for i := range files {
		mc, _ := build(t, network(t, "attention"), dropout.Settings{P: 0.25, Passes: 12, Uncertainty: true})
		data, err := mc.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(data)
	}
	if files[0] != files[1] {
		t.Error("two builds differ")
	}
	m, err := onnx.Parse([]byte(files[0]), "")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := dropout.Open(map[string]string{dropout.MetaGraph: m.Meta(dropout.MetaGraph), dropout.MetaSpec: m.Meta(dropout.MetaSpec)})
	if err != nil {
		t.Fatal(err)
	}
	spec.About = ""
	want := dropout.Spec{
		Version: 1, Passes: 12, Probability: "probability", Variance: "variance", Entropy: "entropy", MutualInformation: "mutual_information",
		Masks: []dropout.Mask{{"mask_0", "embedded", 0.25, []int64{5, 4}}, {"mask_1", "attention", 0.25, []int64{2, 5, 5}}, {"mask_2", "pooled", 0.25, []int64{4}}},
	}
	if fmt.Sprint(spec) != fmt.Sprint(want) {
		t.Errorf("spec %+v, want %+v", spec, want)
	}
	for _, mask := range spec.Masks {
		if v := m.Graph.Lookup(mask.Input); m.Graph.Kind(v) != graph.Input {
			t.Errorf("no input %q", mask.Input)
		}
	}
}

// Where dropout goes: which nodes, with which probability.
func TestPlaces(t *testing.T) {
	for _, tc := range []struct {
		net  string
		s    dropout.Settings
		want string
	}{
		{"last", dropout.Settings{}, "d 0.25"},
		{"last", dropout.Settings{P: 0.1}, "d 0.1"},
		{"none", dropout.Settings{}, "Relu_dropout 0.2"},
		{"none", dropout.Settings{At: []string{"a"}}, "a_dropout 0.2"},
		{"none", dropout.Settings{At: []string{"Relu", "a"}, P: 0.4}, "a_dropout 0.4, Relu_dropout 0.4"},
		{"shortcut", dropout.Settings{}, "d0 0.3, d1 0.5"},
		{"shortcut", dropout.Settings{At: []string{"d1"}}, "d1 0.5"},
		{"attention", dropout.Settings{Head: true}, "pooled_dropout 0.2"},
	} {
		m := network(t, tc.net)
		for _, n := range m.Graph.Nodes() {
			if n.Op == "Relu" {
				m.Graph.Rename(n.Outputs[0], "Relu")
			}
		}
		_, spec := build(t, m, tc.s)
		var got []string
		for _, mask := range spec.Masks {
			got = append(got, fmt.Sprint(mask.Node, " ", mask.P))
		}
		if s := strings.Join(got, ", "); !strings.Contains(s, tc.want) && tc.want != s {
			t.Errorf("%s, %+v: %s, want %s", tc.net, tc.s, s, tc.want)
		}
	}
}

// What Find tells of each Dropout, and what becomes of a rate that says nothing.
func TestFind(t *testing.T) {
	g := graph.New("find", onnx.Normal)
	x, yes, no := input(g, graph.Sym("N"), graph.N(3)), g.Const("yes", graph.NewTensor([]bool{true})), g.Const("no", graph.NewTensor([]bool{false}))
	mode := g.Input("mode", graph.Type{Elem: graph.Bool, Shape: graph.Of()})
	ratio := g.Op("Abs", []graph.Value{g.Input("rate", graph.Type{Elem: graph.Float32, Shape: graph.Of()})})
	for i, in := range [][]graph.Value{{}, {g.Scalar(graph.Float32, 0.125)}, {g.Scalar(graph.Float32, 0), yes}, {graph.None, no}, {ratio, mode}} {
		x = g.Append(graph.Node{Name: fmt.Sprint("d", i), Op: "Dropout", Inputs: append([]graph.Value{x}, in...)}, "d").Outputs[0]
	}
	g.Output("y", gemm(g, "a", x, 3, 3))
	var got []string
	for _, l := range dropout.Find(g) {
		got = append(got, fmt.Sprint(l.Node.Name, " ", l.P, " ", l.Training))
	}
	if want := []string{"d0 0.5 false", "d1 0.125 false", "d2 0 true", "d3 0.5 false", "d4 -1 true"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	_, spec := build(t, onnx.New(g), dropout.Settings{})
	got = nil
	for _, m := range spec.Masks {
		got = append(got, fmt.Sprint(m.P))
	}
	if want := []string{"0.5", "0.125", "0.2", "0.5", "0.2"}; !slices.Equal(got, want) {
		t.Errorf("probabilities %q, want %q", got, want)
	}
}

func TestBuildRefuses(t *testing.T) {
	random := network(t, "none")
	random.Graph.Output("z", random.Graph.Op("Add", []graph.Value{random.Graph.Lookup("y"), random.Graph.Op("RandomNormalLike", []graph.Value{random.Graph.Lookup("y")})}))
	rows := graph.New("rows", onnx.Normal)
	x := gemm(rows, "a", input(rows, graph.N(1), graph.N(6)), 6, 8)
	all := rows.Op("Expand", []graph.Value{rows.Param("token", weights(1, 8)), rows.Ints(1, 8)})
	rows.Output("y", gemm(rows, "b", rows.Op("Concat", []graph.Value{x, all}, graph.A("axis", 0)), 8, 3))
	inside := graph.New("inside", onnx.Normal)
	x = drop(inside, "d", input(inside, graph.Sym("N"), graph.N(8)), 0.5)
	inside.Output("y", gemm(inside, "b", inside.Op("Reshape", []graph.Value{x, inside.Ints(1, 8)}), 8, 3))
	late := graph.New("late", onnx.Normal)
	x = late.Op("Transpose", []graph.Value{input(late, graph.Sym("N"), graph.N(8), graph.N(2))}, graph.A("perm", []int{1, 0, 2}))
	late.Output("y", late.Op("ReduceMax", []graph.Value{drop(late, "d", x, 0.5), late.Ints(0)}, graph.A("keepdims", false)))
	pair := graph.New("pair", onnx.Normal)
	x = input(pair, graph.Sym("N"), graph.N(8))
	pair.Output("y", pair.Op("Add", []graph.Value{gemm(pair, "a", x, 8, 3), gemm(pair, "b", x, 8, 3)}))
	norm := graph.New("norm", onnx.Normal)
	x = input(norm, graph.Sym("N"), graph.N(3))
	x = norm.Op("BatchNormalization", []graph.Value{x, norm.Param("s", weights(3)), norm.Param("b", weights(3)), norm.Param("m", weights(3)), norm.Param("v", weights(3))}, graph.A("training_mode", 1))
	norm.Output("y", gemm(norm, "a", x, 3, 3))
	used := graph.New("used", onnx.Normal)
	d := used.Append(graph.Node{Name: "d", Op: "Dropout", Inputs: []graph.Value{input(used, graph.Sym("N"), graph.N(3))}}, "d", "kept").Outputs
	used.Output("y", gemm(used, "a", used.Op("Where", []graph.Value{d[1], d[0], used.Scalar(graph.Float32, 7)}), 3, 3))
	branch := graph.New("branch", onnx.Normal)
	h := gemm(branch, "a", drop(branch, "d", input(branch, graph.Sym("N"), graph.N(3)), 0.5), 3, 3)
	body := branch.NewBody("then")
	body.Output("z", body.Op("Neg", []graph.Value{body.Capture(h)}))
	other := branch.NewBody("else")
	other.Output("z2", other.Op("Abs", []graph.Value{other.Capture(h)}))
	branch.Output("y", branch.Op("If", []graph.Value{branch.Input("which", graph.Type{Elem: graph.Bool, Shape: graph.Of()})}, graph.A("then_branch", body), graph.A("else_branch", other)))
	for _, tc := range []struct {
		m    *onnx.Model
		s    dropout.Settings
		want string
	}{
		{onnx.New(norm), dropout.Settings{}, "normalises by the statistics of its batch"},
		{onnx.New(used), dropout.Settings{}, "its mask is used"},
		{onnx.New(used), dropout.Settings{At: []string{"a"}}, "its mask is used"},
		{onnx.New(branch), dropout.Settings{}, "control flow behind dropout"},
		{onnx.New(graph.New("empty", onnx.Normal)), dropout.Settings{}, "no output"},
		{network(t, "attention"), dropout.Settings{At: []string{"x", "Shape"}}, "dropout of int64: want floats"},
		{network(t, "last"), dropout.Settings{P: 1}, "probability 1: want one between 0 and 1"},
		{network(t, "last"), dropout.Settings{P: math.NaN()}, "probability NaN"},
		{network(t, "last"), dropout.Settings{Passes: -1}, "-1 passes"},
		{network(t, "last"), dropout.Settings{Kind: "votes"}, `kind "votes"`},
		{network(t, "last"), dropout.Settings{Head: true, At: []string{"d"}}, "want one of the two"},
		{network(t, "last"), dropout.Settings{Output: "z"}, `no output "z"`},
		{network(t, "last"), dropout.Settings{At: []string{"z"}}, `no node or value "z"`},
		{network(t, "last"), dropout.Settings{Input: []int64{7}}, "want inputs of [7]"},
		{random, dropout.Settings{Output: "z", At: []string{"a"}}, "draws random numbers"},
		{onnx.New(rows), dropout.Settings{}, "want the batch, N, as its first size"},
		{onnx.New(inside), dropout.Settings{}, "does not have the batch"},
		{onnx.New(late), dropout.Settings{}, "want the batch, N, as its first size"},
		{onnx.New(pair), dropout.Settings{}, "name the nodes"},
	} {
		if _, err := dropout.Build(tc.m, tc.s); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %+v: %v, want %q", tc.m.Graph.Name, tc.s, err, tc.want)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for want, meta := range map[string]map[string]string{
		`oatta.graph is ""`:     {},
		`oatta.graph is "tent"`: {dropout.MetaGraph: "tent"},
		"unexpected end":        {dropout.MetaGraph: dropout.GraphMC},
		"version 2":             {dropout.MetaGraph: dropout.GraphMC, dropout.MetaSpec: `{"version": 2}`},
		"no masks":              {dropout.MetaGraph: dropout.GraphMC, dropout.MetaSpec: `{"version": 1, "passes": 3, "probability": "p"}`},
		"with p 1":              {dropout.MetaGraph: dropout.GraphMC, dropout.MetaSpec: `{"version": 1, "passes": 3, "probability": "p", "masks": [{"input": "m", "p": 1}]}`},
		"passes 0":              {dropout.MetaGraph: dropout.GraphMC, dropout.MetaSpec: `{"version": 1}`},
	} {
		if _, err := dropout.Open(meta); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", meta, err, want)
		}
	}
}

// A network that ends in a Softmax, a LogSoftmax, or a convolution whose classes are channels of one pixel gives the same as its logits.
func TestKindsOfOutput(t *testing.T) {
	const n, count = 2, 5
	x := numbers(n*6, 8)
	var want [][]float64
	for _, tc := range []struct {
		kind string
		end  func(g *graph.Graph, y graph.Value) graph.Value
	}{
		{"", func(_ *graph.Graph, y graph.Value) graph.Value { return y }},
		{"probabilities", func(g *graph.Graph, y graph.Value) graph.Value { return g.Op("Softmax", []graph.Value{y}) }},
		{"log-probabilities", func(g *graph.Graph, y graph.Value) graph.Value { return g.Op("LogSoftmax", []graph.Value{y}) }},
		{"logits", func(g *graph.Graph, y graph.Value) graph.Value {
			return g.Op("Unsqueeze", []graph.Value{y, g.Ints(2, 3)})
		}},
	} {
		g := graph.New("kinds", onnx.Normal)
		h := g.Op("Relu", []graph.Value{gemm(g, "a", input(g, graph.Sym("N"), graph.N(6)), 6, 8)})
		g.Output("probability", tc.end(g, gemm(g, "b", h, 8, 3)))
		mc, spec := build(t, onnx.New(g), dropout.Settings{Kind: tc.kind, Uncertainty: true})
		got, err := oracle.Run(mc.Graph, tensors(x, []int64{6}, spec, draw(spec, n, count, 9), n, count)...)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			for _, y := range got {
				want = append(want, y.F)
			}
		}
		for i, y := range got {
			if far(y.F, want[i], 1e-12) {
				t.Errorf("kind %q, output %d: %v, want %v", tc.kind, i, y.F, want[i])
			}
		}
		if spec.Probability != "probability" {
			t.Errorf("kind %q: output %q, though the name is free", tc.kind, spec.Probability)
		}
	}
}
