package autodiff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// input is one floating-point input of a case: its sampling domain, away from where the operator has no derivative, and its sizes.
type input struct {
	low, high float64
	dims      []int64
}

func in(low, high float64, dims ...int64) input { return input{low, high, dims} }

func std(dims ...int64) input { return input{-2, 2, dims} }

// values returns numbers spread evenly over the domain and shuffled, so that no two are near each other: maxima are clear. The offset
// keeps them off the middle of the domain, where kinks are.
func (d input) values(seed uint64) []float64 {
	n := 1
	for _, s := range d.dims {
		n *= int(s)
	}
	random := rand.New(rand.NewPCG(seed, 7))
	out := make([]float64, n)
	for i, at := range random.Perm(n) {
		out[i] = d.low + (d.high-d.low)*(float64(at)+0.37)/float64(n)
	}
	return out
}

// builder is a graph whose floats are of one type, so that a case can be built for the oracle and for the engine.
type builder struct {
	*graph.Graph
	elem graph.DType
}

// floats returns a constant of the builder's type.
func (b builder) floats(values []float64, dims ...int64) graph.Value {
	if b.elem == graph.Float64 {
		return b.Const("c", graph.NewTensor(values, dims...))
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return b.Const("c", graph.NewTensor(single, dims...))
}

// weight returns a constant with the numbers of a domain.
func (b builder) weight(d input) graph.Value { return b.floats(d.values(99), d.dims...) }

func (b builder) do(op string, x []graph.Value, attrs ...graph.Attr) graph.Value {
	return b.Op(op, x, attrs...)
}

// testCase is one use of an operator.
type testCase struct {
	name   string
	inputs []input
	build  func(b builder, x []graph.Value) graph.Value
	open   bool // the rule also serves inputs whose sizes are all found at run time
	batch  bool // the same for axis 0 of input 0 alone
	opset  int64
	engine string // why ONNX Runtime is not asked, "" if it is
}

// with makes a case of one node.
func with(op string, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
	return func(b builder, x []graph.Value) graph.Value { return b.Op(op, x, attrs...) }
}

// ints makes a case of one node whose last input is a vector of integers.
func ints(op string, list []int64, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
	return func(b builder, x []graph.Value) graph.Value {
		return b.Op(op, append(slices.Clone(x), b.Ints(list...)), attrs...)
	}
}

func a(name string, value any) graph.Attr { return graph.A(name, value) }

func one(in input) []input { return []input{in} }

func allCases() []testCase {
	return slices.Concat(unaryCases(), pairCases(), linearCases(), convCases(), poolCases(), normCases(), reduceCases(), shapeCases(), indexCases(), networkCases())
}

func unaryCases() []testCase {
	var out []testCase
	for _, op := range []string{
		"Neg", "Abs", "Exp", "Erf", "Sin", "Cos", "Atan", "Sinh", "Cosh", "Asinh", "Tanh", "Sigmoid", "Relu", "LeakyRelu", "ThresholdedRelu",
		"Shrink", "Elu", "Celu", "Selu", "Softplus", "Softsign", "HardSigmoid", "Mish", "Identity", "Dropout", "Clip",
	} {
		out = append(out, testCase{name: op, inputs: one(std(3, 6)), build: with(op), open: true})
	}
	for op, d := range map[string]input{
		"Log": in(0.3, 3, 7), "Sqrt": in(0.3, 3, 7), "Reciprocal": in(0.3, 3, 7), "Tan": in(-1, 1, 7), "Asin": in(-0.8, 0.8, 7),
		"Acos": in(-0.8, 0.8, 7), "Acosh": in(1.3, 3, 7), "Atanh": in(-0.8, 0.8, 7), "HardSwish": in(-5, 5, 20),
	} {
		out = append(out, testCase{name: op, inputs: one(d), build: with(op), open: true})
	}
	slices.SortFunc(out, func(a, b testCase) int { return cmpString(a.name, b.name) })
	vector := []input{std(3, 5), std(5)}
	return append(
		out,
		testCase{name: "LeakyRelu alpha", inputs: one(std(11)), build: with("LeakyRelu", a("alpha", 0.3))},
		testCase{name: "Elu alpha", inputs: one(std(11)), build: with("Elu", a("alpha", 0.3))},
		testCase{name: "Celu alpha", inputs: one(std(11)), build: with("Celu", a("alpha", 0.3))},
		testCase{name: "Selu attributes", inputs: one(std(11)), build: with("Selu", a("alpha", 0.7), a("gamma", 1.3))},
		testCase{name: "HardSigmoid attributes", inputs: one(std(11)), build: with("HardSigmoid", a("alpha", 0.4), a("beta", 0.3))},
		testCase{name: "ThresholdedRelu alpha", inputs: one(std(11)), build: with("ThresholdedRelu", a("alpha", 0.3))},
		testCase{name: "Shrink attributes", inputs: one(std(11)), build: with("Shrink", a("lambd", 0.9), a("bias", 0.2))},
		testCase{name: "Gelu", inputs: one(std(11)), build: with("Gelu"), opset: 20},
		testCase{name: "Gelu tanh", inputs: one(std(11)), build: with("Gelu", a("approximate", "tanh")), opset: 20},
		testCase{name: "Swish", inputs: one(std(11)), build: with("Swish", a("alpha", 1.3)), opset: 24, engine: "ONNX Runtime 1.24 has no Swish"},
		testCase{name: "com.microsoft.Gelu", inputs: one(std(11)), build: microsoft("Gelu")},
		testCase{name: "com.microsoft.QuickGelu", inputs: one(std(11)), build: microsoft("QuickGelu", a("alpha", 1.5))},
		testCase{name: "com.microsoft.FastGelu", inputs: one(std(11)), build: microsoft("FastGelu")},
		testCase{name: "com.microsoft.FastGelu bias", inputs: vector, build: microsoft("FastGelu")},
		testCase{name: "com.microsoft.BiasGelu", inputs: vector, build: microsoft("BiasGelu")},
		testCase{name: "Clip both bounds and their gradients", inputs: []input{std(12), in(-1.03, -1.02), in(1.02, 1.03)}, build: with("Clip")},
		testCase{name: "Clip upper bound", inputs: one(std(12)), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Clip", []graph.Value{x[0], graph.None, b.floats([]float64{0.61})})
		}},
		testCase{name: "Dropout off", inputs: one(std(6)), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Dropout", []graph.Value{x[0], b.floats([]float64{0.5}), b.Const("training", graph.NewTensor([]bool{false}))})
		}},
		testCase{name: "Dropout with nothing dropped", inputs: one(std(6)), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Dropout", []graph.Value{x[0], b.floats([]float64{0}), b.Const("training", graph.NewTensor([]bool{true}))})
		}},
		testCase{name: "Cast to float32 and back", inputs: one(std(6)), engine: "the oracle does not round", build: func(b builder, x []graph.Value) graph.Value {
			y := b.do("Mul", []graph.Value{b.do("Cast", x, a("to", b.elem)), x[0]})
			return b.do("CastLike", []graph.Value{y, x[0]})
		}},
	)
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// microsoft makes a case of one node of ONNX Runtime's own domain.
func microsoft(op string, attrs ...graph.Attr) func(builder, []graph.Value) graph.Value {
	return func(b builder, x []graph.Value) graph.Value {
		b.SetOpset("com.microsoft", 1)
		return b.Append(graph.Node{Op: op, Domain: "com.microsoft", Inputs: x, Attrs: attrs}, op).Outputs[0]
	}
}

// pairCases: broadcasting in every direction, for all of these.
func pairCases() []testCase {
	shapes := map[string][2][]int64{
		"equal": {{2, 3}, {2, 3}}, "vector": {{2, 3}, {3}}, "column": {{2, 3}, {2, 1}}, "both": {{2, 1, 3}, {4, 1}}, "scalar": {{}, {2, 3}},
	}
	var out []testCase
	for _, op := range []string{"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Sum", "Mean", "PRelu", "Mod"} {
		for _, kind := range []string{"equal", "vector", "column", "both", "scalar"} {
			left, right := in(0.6, 2.1, shapes[kind][0]...), in(0.55, 1.9, shapes[kind][1]...)
			if op == "PRelu" {
				if left.low = -2; kind == "both" || kind == "scalar" {
					continue // its slope broadcasts in one direction
				}
			}
			c := testCase{name: op + " " + kind, inputs: []input{left, right}, build: with(op), open: true}
			if op == "Mod" {
				left.low, left.high = 4.1, 4.9
				c.inputs[0], c.build = left, with(op, a("fmod", 1))
				c.inputs[1] = in(1.25, 1.35, right.dims...) // all quotients lie between 3 and 4
			}
			out = append(out, c)
		}
	}
	condition := func(b builder) graph.Value {
		return b.Const("condition", graph.NewTensor([]bool{true, false, true, true, false, false}, 2, 3))
	}
	power := func(e float64) func(b builder, x []graph.Value) graph.Value {
		return func(b builder, x []graph.Value) graph.Value {
			return b.do("Pow", []graph.Value{x[0], b.floats([]float64{e})})
		}
	}
	return append(
		out,
		testCase{name: "Where", inputs: []input{std(2, 3), std(3)}, open: true, build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Where", []graph.Value{condition(b), x[0], x[1]})
		}},
		testCase{name: "Where stretched by the condition", inputs: []input{std(1, 3), std()}, build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Where", []graph.Value{condition(b), x[0], x[1]})
		}},
		testCase{name: "Max of three, one of them constant", inputs: []input{std(2, 3), std(3)}, build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Max", []graph.Value{x[0], b.floats([]float64{0.013}), x[1]})
		}},
		testCase{name: "Pow 2", inputs: one(std(7)), build: power(2)},
		testCase{name: "Pow 3", inputs: one(std(7)), build: power(3)},
		testCase{name: "Pow 0.5", inputs: one(in(0.3, 2, 7)), build: power(0.5)},
		testCase{name: "Pow with an integer exponent", inputs: one(std(7)), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Pow", []graph.Value{x[0], b.Int(3)})
		}},
		testCase{name: "a value used twice by one node", inputs: one(std(7)), build: func(b builder, x []graph.Value) graph.Value {
			return b.do("Mul", []graph.Value{x[0], x[0]})
		}},
	)
}

func linearCases() []testCase {
	var out []testCase
	for _, t := range []struct{ ta, tb int }{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		left, right := std(2, 3), std(3, 4)
		if t.ta == 1 {
			left = std(3, 2)
		}
		if t.tb == 1 {
			right = std(4, 3)
		}
		name := "Gemm " + string(rune('0'+t.ta)) + string(rune('0'+t.tb))
		attrs := []graph.Attr{a("transA", t.ta), a("transB", t.tb), a("alpha", 0.7), a("beta", 1.3)}
		for kind, bias := range map[string]input{" bias": std(4), " column": std(2, 1), " matrix": std(2, 4)} {
			out = append(out, testCase{name: name + kind, inputs: []input{left, right, bias}, build: with("Gemm", attrs...), open: true})
		}
	}
	slices.SortFunc(out, func(a, b testCase) int { return cmpString(a.name, b.name) })
	for _, s := range []struct {
		name        string
		left, right []int64
		open        bool
	}{
		{"matrix matrix", []int64{2, 3}, []int64{3, 4}, true},
		{"batch matrix", []int64{2, 5, 3}, []int64{3, 4}, true},
		{"batch batch", []int64{2, 5, 3}, []int64{2, 3, 4}, true},
		{"broadcast batches", []int64{2, 1, 5, 3}, []int64{4, 3, 2}, true},
		{"matrix batch", []int64{5, 3}, []int64{2, 3, 4}, true},
		{"vector matrix", []int64{3}, []int64{3, 4}, true},
		{"matrix vector", []int64{2, 3}, []int64{3}, true},
		{"vector vector", []int64{3}, []int64{3}, true},
		{"batch vector", []int64{2, 5, 3}, []int64{3}, true},
		{"vector batch", []int64{3}, []int64{2, 3, 4}, true},
	} {
		out = append(out, testCase{name: "MatMul " + s.name, inputs: []input{std(s.left...), std(s.right...)}, build: with("MatMul"), open: s.open})
	}
	for _, t := range []struct{ ta, tb int }{{0, 1}, {1, 0}, {1, 1}} {
		left, right := std(2, 3, 5), std(2, 5, 4)
		if t.ta == 1 {
			left = std(2, 5, 3)
		}
		if t.tb == 1 {
			right = std(2, 4, 5)
		}
		out = append(out, testCase{
			name: fmt.Sprintf("com.microsoft.FusedMatMul %d%d", t.ta, t.tb), inputs: []input{left, right}, open: true,
			build: microsoft("FusedMatMul", a("transA", t.ta), a("transB", t.tb), a("alpha", 0.3)),
		})
	}
	for _, e := range []struct {
		equation string
		dims     [][]int64
	}{
		{"ij,jk->ik", [][]int64{{2, 3}, {3, 4}}},
		{"bhid,bhjd->bhij", [][]int64{{2, 2, 3, 2}, {2, 2, 4, 2}}},
		{"ij, jk", [][]int64{{2, 3}, {3, 4}}},
		{"ij->i", [][]int64{{2, 3}}},
		{"ij->ji", [][]int64{{2, 3}}},
		{"ij,jk,kl->il", [][]int64{{2, 3}, {3, 2}, {2, 4}}},
		{"ij,k->j", [][]int64{{2, 3}, {4}}},
		{"...ij,...jk->...ik", [][]int64{{2, 2, 3}, {2, 3, 4}}},
	} {
		var inputs []input
		for _, d := range e.dims {
			inputs = append(inputs, std(d...))
		}
		out = append(out, testCase{name: "Einsum " + e.equation, inputs: inputs, build: with("Einsum", a("equation", e.equation)), open: true})
	}
	return out
}
