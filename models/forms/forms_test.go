package forms_test

import (
	"bytes"
	"context"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// numbers are the same everywhere, between -1 and 1.
func numbers(n int64, seed float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sin(seed + 0.73*float64(i) + 0.11*float64(i%7))
	}
	return out
}

func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// network is a convolution with a bias between two other operators, and the pullback of dy by x and weight. rows is the batch of the graph,
// 0 for an open one.
func network(t *testing.T, elem graph.DType, rows int64, dims, weight []int64, plan *forms.Plan, hint int64) *graph.Graph {
	t.Helper()
	g := graph.New("conv", 18)
	first := graph.N(rows)
	if rows == 0 {
		first = graph.Sym("N")
	}
	shape := append(graph.Shape{first}, graph.Of(dims[1:]...)...)
	x := g.Input("x", graph.Type{Elem: elem, Shape: shape})
	values := numbers(product(weight), 1)
	for i := range values { // sums of about 1, as in a network that has been trained
		values[i] /= math.Sqrt(float64(product(weight[1:])))
	}
	w, err := graph.Rounded(elem, values, weight...)
	if err != nil {
		t.Fatal(err)
	}
	b, err := graph.Rounded(elem, numbers(weight[0], 2), weight[0])
	if err != nil {
		t.Fatal(err)
	}
	param, bias := g.Param("w", w), g.Param("b", b)
	y := g.Op("Conv", []graph.Value{g.Op("Tanh", []graph.Value{x}), param, bias}, graph.A("pads", []int64{1, 1, 1, 1}), graph.A("kernel_shape", weight[2:]))
	y = g.Op("Tanh", []graph.Value{y})
	out := g.Op("Mul", []graph.Value{y, y})
	g.SetOutputs(out)
	if err := plan.Apply(g, hint, "xw"); err != nil {
		t.Fatal(err)
	}
	loss := g.Op("ReduceSum", []graph.Value{g.Outputs()[0]}, graph.A("keepdims", 0))
	d, err := plan.Gradient(g, hint, "xw", loss, []graph.Value{x, param, bias})
	if err != nil {
		t.Fatal(err)
	}
	g.SetOutputs(append(g.Outputs(), d...)...)
	g.Prune()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	return g
}

// always is a plan of one choice.
func always(c forms.Choice) *forms.Plan {
	return forms.By(func(forms.Case) (forms.Choice, error) { return c, nil })
}

func operators(g *graph.Graph) string {
	var out []string
	for _, n := range g.Nodes() {
		out = append(out, n.Op)
	}
	return strings.Join(out, " ")
}

// shapes are maps of one tile and of several, whole and cut, by rows.
var shapes = []struct {
	x, weight []int64
}{
	{[]int64{16, 96, 4, 4}, []int64{96, 96, 3, 3}},
	{[]int64{8, 96, 5, 7}, []int64{100, 96, 3, 3}},
	{[]int64{8, 96, 8, 8}, []int64{96, 96, 3, 3}},
}

// Minimal filtering computes what the operator does, and so do its derivatives, in double precision on the interpreter.
func TestShortIsTheSame(t *testing.T) {
	for _, m := range shapes {
		// As many channels as the interpreter multiplies in little time.
		checkShort(t, []int64{3, 3, m.x[2], m.x[3]}, []int64{5, 3, 3, 3})
	}
}

func checkShort(t *testing.T, dims, weight []int64) {
	t.Helper()
	plain := network(t, graph.Float64, dims[0], dims, weight, nil, 0)
	short := network(t, graph.Float64, dims[0], dims, weight, always(forms.Choice{Form: forms.Short}), 0)
	if strings.Contains(operators(short), "Conv") || !strings.Contains(operators(plain), "Conv") {
		t.Fatalf("%v: %s\nbeside %s", dims, operators(short), operators(plain))
	}
	x := oracle.Float64s(numbers(product(dims), 3), dims...)
	want, err := oracle.Run(plain, x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := oracle.Run(short, x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		for j, v := range want[i].F {
			if !(math.Abs(got[i].F[j]-v) <= 1e-12*(1+math.Abs(v))) {
				t.Fatalf("%v: result %d, number %d: %v, want %v", dims, i, j, got[i].F[j], v)
			}
		}
	}
}

// In single precision the engine is off by a small multiple of what rounding alone does, and an open batch is written for what runs have.
func TestShortOnEngine(t *testing.T) {
	e := orttest.Engine(t)
	for _, m := range shapes {
		want := onEngine(t, e, network(t, graph.Float32, 0, m.x, m.weight, nil, 0), m.x)
		g := network(t, graph.Float32, 0, m.x, m.weight, nil, m.x[0])
		if strings.Contains(operators(g), "Conv") {
			t.Fatalf("%v: %s", m.x, operators(g))
		}
		got := onEngine(t, e, g, m.x)
		for i := range want {
			most, off := 0.0, 0.0
			for j, v := range want[i] {
				most, off = max(most, math.Abs(float64(v))), max(off, math.Abs(float64(got[i][j]-v)))
			}
			if !(off <= 2e-5*most) {
				t.Errorf("%v: result %d is off by %g of %g", m.x, i, off, most)
			}
		}
	}
}

// onEngine runs a graph of one input.
func onEngine(t *testing.T, e runtime.Engine, g *graph.Graph, dims []int64) (out [][]float32) {
	t.Helper()
	data, err := onnx.New(g).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	src := runtime.NewTensor[float32](dims...)
	for i, v := range numbers(product(dims), 3) {
		src.Data.([]float32)[i] = float32(v)
	}
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, []runtime.Tensor{src}); err != nil {
		t.Fatal(err)
	}
	for _, d := range dst {
		out = append(out, d.Data.([]float32))
	}
	return out
}

// What does not pay, or is not known to, stays as it is.
func TestFixed(t *testing.T) {
	for name, c := range map[string]struct {
		rows, hint int64
		x, weight  []int64
		short      bool
	}{
		"many rows":          {32, 0, []int64{32, 96, 4, 4}, []int64{96, 96, 3, 3}, true},
		"an open batch":      {0, 0, []int64{32, 96, 4, 4}, []int64{96, 96, 3, 3}, false},
		"one with a hint":    {0, 32, []int64{32, 96, 4, 4}, []int64{96, 96, 3, 3}, true},
		"one row":            {1, 0, []int64{1, 96, 8, 8}, []int64{96, 96, 3, 3}, false},
		"the graph's counts": {1, 32, []int64{1, 96, 8, 8}, []int64{96, 96, 3, 3}, false},
		"few channels":       {32, 0, []int64{32, 64, 8, 8}, []int64{64, 64, 3, 3}, false},
		"large maps":         {8, 0, []int64{8, 96, 20, 20}, []int64{96, 96, 3, 3}, false},
	} {
		g := network(t, graph.Float32, c.rows, c.x, c.weight, nil, c.hint)
		if short := !strings.Contains(operators(g), "Conv"); short != c.short {
			t.Errorf("%s: short %v, want %v", name, short, c.short)
		}
	}
}

// What the tuner chose on the engine makes the same graph when it is recorded.
func TestRecordedIsTheSame(t *testing.T) {
	dims, weight := []int64{2, 16, 8, 8}, []int64{16, 16, 3, 3}
	tuned := (&forms.Tuner{Engine: orttest.Engine(t)}).Plan()
	first := network(t, graph.Float32, 2, dims, weight, tuned, 0)
	if len(tuned.Choices()) != 1 {
		t.Fatal(tuned.Choices())
	}
	recorded, err := forms.Recorded(tuned.Choices())
	if err != nil {
		t.Fatal(err)
	}
	again := network(t, graph.Float32, 2, dims, weight, recorded, 0)
	a, err := onnx.New(first).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.New(again).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) || !maps.Equal(tuned.Choices(), recorded.Choices()) {
		t.Errorf("%v\nbeside %v", tuned.Choices(), recorded.Choices())
	}
}
