package autodiff_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
)

func vector(n int64) graph.Type { return graph.Type{Elem: graph.Float64, Shape: graph.Of(n)} }

// TestGradient: the derivative of mean((w x)^2) in closed form, by an input, a parameter, a result, and what the loss does not know.
func TestGradient(t *testing.T) {
	for _, keep := range []bool{false, true} {
		g := graph.New("square", 18)
		x := g.Input("x", vector(3))
		other := g.Input("other", vector(3))
		w := g.Param("w", graph.NewTensor([]float64{1, -2, 0.5}, 3))
		h := g.Op("Mul", []graph.Value{x, w})
		loss := g.Op("ReduceMean", []graph.Value{g.Op("Mul", []graph.Value{h, h})}, graph.A("keepdims", keep))
		dx, err := autodiff.Gradient(g, loss, []graph.Value{x, w, h, other, loss})
		if err != nil {
			t.Fatal(err)
		}
		if dx[3] != graph.None {
			t.Errorf("the loss does not depend on other, its gradient is %q", g.NameOf(dx[3]))
		}
		g.SetOutputs(dx[0], dx[1], dx[2], dx[4])
		got, err := oracle.Run(g, oracle.Float64s([]float64{3, 1, 2}, 3), oracle.Float64s([]float64{0, 0, 0}, 3))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]float64{{2, 8.0 / 3, 1.0 / 3}, {6, -4.0 / 3, 4.0 / 3}, {2, -4.0 / 3, 2.0 / 3}, {1}} {
			sameNumbers(t, fmt.Sprintf("gradient %d", i), got[i].F, want, 1e-15)
		}
	}
}

// TestPullbackAddsResults: several results, one of which has no adjoint.
func TestPullbackAddsResults(t *testing.T) {
	g := graph.New("results", 18)
	x := g.Input("x", vector(2))
	y := []graph.Value{g.Op("Exp", []graph.Value{x}), g.Op("Neg", []graph.Value{x}), g.Op("Sin", []graph.Value{x})}
	dy := []graph.Value{g.Const("dy", graph.NewTensor([]float64{2, 3}, 2)), g.Const("dy", graph.NewTensor([]float64{10, 20}, 2)), graph.None}
	dx, err := autodiff.Pullback(g, y, dy, []graph.Value{x})
	if err != nil {
		t.Fatal(err)
	}
	g.SetOutputs(dx...)
	got, err := oracle.Run(g, oracle.Float64s([]float64{0, 1}, 2))
	if err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "gradient", got[0].F, []float64{2 - 10, 3*math.E - 20}, 1e-15)
}

// TestHessian takes the gradient of a gradient: what rules emit has rules.
func TestHessian(t *testing.T) {
	g := graph.New("cube", 18)
	x := g.Input("x", vector(2))
	loss := g.Op("ReduceSum", []graph.Value{g.Op("Mul", []graph.Value{g.Op("Tanh", []graph.Value{x}), x})}, graph.A("keepdims", 0))
	first, err := autodiff.Gradient(g, loss, []graph.Value{x})
	if err != nil {
		t.Fatal(err)
	}
	second, err := autodiff.Gradient(g, g.Op("ReduceSum", first, graph.A("keepdims", 0)), []graph.Value{x})
	if err != nil {
		t.Fatal(err)
	}
	g.SetOutputs(second...)
	at := []float64{0.3, -1.2}
	got, err := oracle.Run(g, oracle.Float64s(at, 2))
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, v := range at { // (x tanh x)'' = 2 s (1 - x tanh x) with s = 1 - tanh^2
		s := 1 - math.Tanh(v)*math.Tanh(v)
		want = append(want, 2*s*(1-v*math.Tanh(v)))
	}
	sameNumbers(t, "second derivative", got[0].F, want, 1e-14)
}

// missing is a graph in which x passes an operator without a rule, and w does not.
func missing() (g *graph.Graph, loss, x, w graph.Value) {
	g = graph.New("missing", 18)
	x = g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(1, 2, 3, 3)})
	w = g.Param("w", graph.NewTensor([]float32{2}))
	n := g.Append(graph.Node{Name: "norm1", Op: "LRN", Inputs: []graph.Value{x}, Attrs: []graph.Attr{graph.A("size", 3)}}, "y")
	y := g.Op("Mul", []graph.Value{n.Outputs[0], w})
	return g, g.Op("ReduceSum", []graph.Value{y}, graph.A("keepdims", 0)), x, w
}

func TestMissingRule(t *testing.T) {
	g, loss, x, w := missing()
	if _, err := autodiff.Gradient(g.Clone(), loss, []graph.Value{w}); err != nil {
		t.Errorf("no path to w goes through the missing rule: %v", err)
	}
	_, err := autodiff.Gradient(g, loss, []graph.Value{w, x})
	var m *autodiff.MissingError
	if !errors.As(err, &m) || m.Index != 0 || m.Node.Name != "norm1" {
		t.Fatalf("error %v, want a missing rule of node 0", err)
	}
	for _, want := range []string{"node 0", `"norm1"`, "LRN", "mc-dropout", "ttaug", "base", "tent", "memo"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

// TestBodies: a value that a body captures reaches the loss through the operator that holds the body.
func TestBodies(t *testing.T) {
	g := graph.New("branches", 18)
	x := g.Input("x", vector(2))
	condition := g.Input("condition", graph.Type{Elem: graph.Bool, Shape: graph.Of()})
	branch := func(op string) *graph.Graph {
		b := g.NewBody(op)
		b.Output(op+"_out", b.Op(op, []graph.Value{b.Capture(x)}))
		return b
	}
	y := g.Op("If", []graph.Value{condition}, graph.A("then_branch", branch("Exp")), graph.A("else_branch", branch("Neg")))
	loss := g.Op("ReduceSum", []graph.Value{y}, graph.A("keepdims", 0))
	var m *autodiff.MissingError
	if _, err := autodiff.Gradient(g, loss, []graph.Value{x}); !errors.As(err, &m) || m.Node.Op != "If" {
		t.Errorf("error %v, want a missing rule of If", err)
	}
}

func TestRefusals(t *testing.T) {
	one := func(build func(g *graph.Graph, x graph.Value) graph.Value) (*graph.Graph, graph.Value, graph.Value) {
		g := graph.New("refused", 18)
		x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(1, 1, 4, 4)})
		return g, x, build(g, x)
	}
	for _, c := range []struct {
		want  string
		build func(g *graph.Graph, x graph.Value) graph.Value
	}{
		{"want a single floating-point number", func(g *graph.Graph, x graph.Value) graph.Value { return x }},
		{"want a single floating-point number", func(g *graph.Graph, x graph.Value) graph.Value { return g.Op("Size", []graph.Value{x}) }},
		{"operator set 17", func(g *graph.Graph, x graph.Value) graph.Value {
			g.SetOpset("", 17)
			return g.Op("ReduceSum", []graph.Value{x}, graph.A("keepdims", 0))
		}},
		{"repeated index", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Einsum", []graph.Value{x}, graph.A("equation", "abii->"))
		}},
		{"storage_order", func(g *graph.Graph, x graph.Value) graph.Value {
			y := g.Op("MaxPool", []graph.Value{x}, graph.A("kernel_shape", []int{2, 2}), graph.A("storage_order", 1))
			return g.Op("ReduceSum", []graph.Value{y}, graph.A("keepdims", 0))
		}},
		{`mode "cubic"`, func(g *graph.Graph, x graph.Value) graph.Value {
			y := g.Op("Resize", []graph.Value{x, graph.None, graph.None, g.Ints(1, 1, 5, 5)}, graph.A("mode", "cubic"))
			return g.Op("ReduceSum", []graph.Value{y}, graph.A("keepdims", 0))
		}},
	} {
		g, x, loss := one(c.build)
		if err := g.Err(); err != nil {
			t.Fatal(err)
		}
		if _, err := autodiff.Gradient(g, loss, []graph.Value{x}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestForms pins what was chosen by measurement: which operators stand in the graph for which convolution.
func TestForms(t *testing.T) {
	picture := graph.Type{Elem: graph.Float32, Shape: graph.Of(1, 2, 6, 6)}
	weights := graph.NewTensor(make([]float32, 36), 2, 2, 3, 3)
	for _, c := range []struct {
		name  string
		build func(g *graph.Graph, x graph.Value) graph.Value
		want  string // nodes forwards and backwards
	}{
		{"stride 1, constant weight", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Conv", []graph.Value{x, g.Param("w", weights)})
		}, "Conv Conv"},
		{"stride 2", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Conv", []graph.Value{x, g.Param("w", weights)}, graph.A("strides", []int{2, 2}))
		}, "Conv ConvTranspose"},
		{"weight that is an input", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Conv", []graph.Value{x, g.Input("w", weights.Type())})
		}, "Conv ConvTranspose"},
		{"weight that is an input, batch", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Conv", []graph.Value{g.Op("Expand", []graph.Value{x, g.Ints(8, 2, 6, 6)}), g.Input("w", weights.Type())}, graph.A("pads", []int{1, 1, 1, 1}))
		}, "Expand Conv Reshape Transpose Gather Transpose Reshape Conv ReduceSum"},
		{"weight that is an input, batch, few places", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Conv", []graph.Value{g.Op("Expand", []graph.Value{x, g.Ints(8, 2, 6, 6)}), g.Input("w", graph.Type{Elem: graph.Float32, Shape: graph.Of(2, 2, 1, 1)})}, graph.A("strides", []int{2, 2}))
		}, "Expand Conv Reshape Transpose Reshape Gemm Reshape Unsqueeze Pad Reshape Unsqueeze Pad Reshape Transpose ReduceSum"},
		{"Relu", func(g *graph.Graph, x graph.Value) graph.Value { return g.Op("Relu", []graph.Value{x}) }, "Relu HardSigmoid Mul"},
		{"Relu in half precision", func(g *graph.Graph, x graph.Value) graph.Value {
			return g.Op("Relu", []graph.Value{g.Op("Cast", []graph.Value{x}, graph.A("to", graph.Float16))})
		}, "Cast Relu Greater Cast Mul Cast"},
	} {
		g := graph.New("forms", 18)
		x := g.Input("x", picture)
		y := c.build(g, x)
		dx, err := autodiff.Pullback(g, []graph.Value{y}, []graph.Value{g.Input("dy", g.TypeOf(y))}, []graph.Value{x})
		if err != nil {
			t.Fatal(err)
		}
		g.SetOutputs(dx...)
		var ops []string
		for _, n := range g.Nodes() {
			ops = append(ops, n.Op)
		}
		if got := strings.Join(ops, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSizesFoundAtRunTime: what is added to texts of an open length makes the sum's length one that only the run knows. Nothing is summed
// there but along the axis of which the scale has one number.
func TestSizesFoundAtRunTime(t *testing.T) {
	g := graph.New("texts", 18)
	open := func(name string, shape ...graph.Dim) graph.Value {
		return g.Input(name, graph.Type{Elem: graph.Float64, Shape: append(shape, graph.N(2))})
	}
	x, scale := open("x", graph.Sym("N"), graph.Sym("L")), open("scale", graph.Sym("N"), graph.N(1))
	length := g.Op("Shape", []graph.Value{x}, graph.A("start", 1), graph.A("end", 2))
	places := g.Op("Slice", []graph.Value{g.Param("places", graph.NewTensor([]float64{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)), g.Ints(0), length, g.Ints(0)})
	h := g.Op("Mul", []graph.Value{g.Op("Add", []graph.Value{x, places}), scale})
	h = g.Op("Add", []graph.Value{h, g.Op("Tanh", []graph.Value{h})})
	h = g.Op("MatMul", []graph.Value{h, g.Param("weight", graph.NewTensor([]float64{1, 0, 0, 1}, 2, 2))})
	d, err := autodiff.Gradient(g, g.Op("ReduceSum", []graph.Value{h}, graph.A("keepdims", 0)), []graph.Value{scale})
	if err != nil {
		t.Fatal(err)
	}
	g.SetOutputs(d...)
	g.Prune()
	sums := 0
	for _, n := range g.Nodes() {
		switch n.Op {
		case "NonZero":
			t.Errorf("axes are found at run time: %v", n)
		case "ReduceSum":
			sums++
		}
	}
	if sums != 1 {
		t.Errorf("%d sums, want one", sums)
	}
	got, err := oracle.Run(g, oracle.Float64s([]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}, 2, 2, 2), oracle.Float64s([]float64{0.5, 1, -1, 2}, 2, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	// With a = x + places, of which scale multiplies each: sum over places of a (2 - tanh(a scale)^2).
	term := func(a, s float64) float64 { return a * (2 - math.Pow(math.Tanh(a*s), 2)) }
	want := []float64{term(1.1, 0.5) + term(3.3, 0.5), term(2.2, 1) + term(4.4, 1), term(1.5, -1) + term(3.7, -1), term(2.6, 2) + term(4.8, 2)}
	sameNumbers(t, "gradient by scale", got[0].F, want, 1e-14)
}

// TestSameGraphTwice: nothing that is emitted depends on the order of a map.
func TestSameGraphTwice(t *testing.T) {
	for _, c := range networkCases() {
		var prints [2]string
		for i := range prints {
			b, err := c.derive(graph.Float32, closed)
			if err != nil {
				t.Fatal(err)
			}
			prints[i] = b.g.String()
		}
		if prints[0] != prints[1] {
			t.Errorf("%s: two graphs differ", c.name)
		}
	}
}
