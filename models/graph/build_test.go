package graph

import (
	"slices"
	"strings"
	"testing"
)

// perceptron is x [N,4] -> Gemm -> Relu -> y [N,3].
func perceptron(tb testing.TB) *Graph {
	tb.Helper()
	g := New("net", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Shape{Sym("N"), N(4)}})
	w := g.Param("w", NewTensor(make([]float32, 12), 3, 4))
	b := g.Param("b", NewTensor([]float32{1, 2, 3}, 3))
	g.Output("y", g.Op("Relu", []Value{g.Op("Gemm", []Value{x, w, b}, A("transB", true))}))
	if err := g.Check(); err != nil {
		tb.Fatal(err)
	}
	return g
}

func TestPrint(t *testing.T) {
	want := strings.TrimPrefix(`
graph "net" [ai.onnx 18]
  input  x float32[N,4]
  param  w float32[3,4]
  param  b float32[3] = [1 2 3]
  Gemm float32[N,3] = Gemm(x, w, b) transB=1
  y float32[N,3] = Relu(Gemm)
  output y
`, "\n")
	if got := perceptron(t).String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Building infers at once, keeps names apart and goes on after an error, which Check tells.
func TestBuild(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(2, 3)})
	a, b := g.Op("Exp", []Value{x}), g.Op("Exp", []Value{x})
	if g.NameOf(a) == g.NameOf(b) {
		t.Errorf("two values are named %q", g.NameOf(a))
	}
	parts := g.Ops("Split", 2, []Value{x, g.Ints(1, 2)}, A("axis", 1))
	if got := g.TypeOf(parts[1]).String(); got != "float32[2,2]" {
		t.Errorf("second part is %s", got)
	}
	made := []Value{g.Ints(1, 2), g.Ints(1), g.Int(1), g.Scalar(Float32, 0.5), g.Scalar(Float16, 0.5)}
	again := []Value{g.Ints(1, 2), g.Ints(1), g.Int(1), g.Scalar(Float32, 0.5), g.Scalar(Float16, 0.5)}
	if !slices.Equal(made, again) {
		t.Errorf("equal constants are not shared: %v, then %v", made, again)
	}
	slices.Sort(again)
	if len(slices.Compact(again)) != len(made) {
		t.Errorf("different constants are shared: %v", made)
	}
	if n, i := g.Producer(parts[1]); n.Op != "Split" || i != 1 {
		t.Errorf("producer %v, output %d", n, i)
	}
	bad := g.Op("Add", []Value{x, parts[1]})
	g.Op("Neg", []Value{bad})
	g.SetOutputs(bad)
	for _, err := range []error{g.Err(), g.Check()} {
		if err == nil || !strings.Contains(err.Error(), "(Add): shapes [2,3] and [2,2] do not broadcast") {
			t.Errorf("error %v", err)
		}
	}
}

// Output renames a result, and puts an Identity behind what has a name that must stay.
func TestOutput(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(2)})
	y := g.Op("Neg", []Value{x})
	if g.Output("y", y) != y || g.NameOf(y) != "y" {
		t.Errorf("the result is %s", g.NameOf(y))
	}
	same, again := g.Output("x2", x), g.Output("y2", y)
	if n, _ := g.Producer(same); n == nil || n.Op != "Identity" || g.NameOf(x) != "x" {
		t.Errorf("output of an input comes from %v", n)
	}
	if again == y || g.NameOf(y) != "y" {
		t.Error("the second name took the first away")
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, want string
		breaks     func(g *Graph)
	}{
		{"two names", `two values are named "x"`, func(g *Graph) { g.ConstNamed("x", NewTensor([]int64{1})) }},
		{"rename to one that is taken", `the name "w" is taken`, func(g *Graph) { g.Rename(g.Lookup("b"), "w") }},
		{"order", "used before it is computed", func(g *Graph) { g.nodes[0], g.nodes[1] = g.nodes[1], g.nodes[0] }},
		{"cycle", "used before it is computed", func(g *Graph) { g.SetInput(g.nodes[0], 0, g.Lookup("y")) }},
		{"arity", `(Gemm): 4 inputs, want 2 to 3`, func(g *Graph) { g.SetInput(g.nodes[0], 3, g.Lookup("b")) }},
		{"left out", `(Gemm): input 1 is left out`, func(g *Graph) { g.SetInput(g.nodes[0], 1, None) }},
		{"twice", "is computed twice", func(g *Graph) { g.nodes = append(g.nodes, g.nodes[1]) }},
		{"removed", "is no value of the graph", func(g *Graph) { g.Remove(g.nodes[0]) }},
		{"output", "is computed by nothing", func(g *Graph) { g.SetOutputs(Value(99)) }},
		{"attribute twice", `two attributes are named "transB"`, func(g *Graph) { g.nodes[0].Attrs = append(g.nodes[0].Attrs, A("transB", 0)) }},
		{"inputs", "list of inputs", func(g *Graph) { g.inputs = append(g.inputs, g.inputs[0]) }},
		{"foreign body", "belongs to another graph", func(g *Graph) { g.nodes[0].SetAttr(A("body", New("b", 18))) }},
		{"type", "attribute perm: want 2 values, got 1", func(g *Graph) { g.Op("Transpose", []Value{g.Lookup("y")}, A("perm", []int{0})) }},
	} {
		g := perceptron(t)
		c.breaks(g)
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "graph: ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCallersBugsPanic(t *testing.T) {
	for name, f := range map[string]func(g *Graph){
		"value of no graph":   func(g *Graph) { g.Op("Neg", []Value{77}) },
		"attribute":           func(*Graph) { A("x", struct{}{}) },
		"parameter":           func(g *Graph) { g.SetParam(g.Lookup("x"), true) },
		"capture at the root": func(g *Graph) { g.Capture(g.Lookup("x")) },
		"short tensor":        func(*Graph) { NewTensor([]int64{1, 2}, 3) },
		"extract nothing":     func(g *Graph) { g.Extract(nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(perceptron(t))
		})
	}
}

// Without a bias, the weight is all that training learns; a single number that is multiplied is no parameter, nor are running statistics.
func TestMarkParams(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(1, 2, 4, 4)})
	half, err := Full(Float16, 0.5, 2, 2, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	vector := func(name string) Value { return g.ConstNamed(name, NewTensor([]float32{1, 1}, 2)) }
	w := g.Op("Cast", []Value{g.ConstNamed("kernel", half)}, A("to", Float32))
	y := g.Op("Conv", []Value{x, w})
	y = g.Op("BatchNormalization", []Value{y, vector("gamma"), vector("beta"), vector("mean"), vector("var")})
	y = g.Op("Mul", []Value{y, g.ConstNamed("scale", NewTensor([]float32{2}))})
	y = g.Op("Add", []Value{y, g.ConstNamed("offset", NewTensor([]float32{1, 2}, 2, 1, 1))})
	g.Output("y", g.Op("Reshape", []Value{y, g.Ints(1, -1)}))
	if n := g.MarkParams(); n != 4 {
		t.Errorf("%d parameters", n)
	}
	var names []string
	for _, v := range g.Params() {
		names = append(names, g.NameOf(v))
	}
	if got := strings.Join(names, " "); got != "kernel gamma beta offset" {
		t.Errorf("parameters %s", got)
	}
}

// TestAddOutput: an output that a node left out gets a name and a type, one that it has is returned, and the graph stays whole.
func TestAddOutput(t *testing.T) {
	g := New("pool", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(1, 1, 4, 4)})
	n := g.Append(Node{Op: "MaxPool", Inputs: []Value{x}, Attrs: []Attr{A("kernel_shape", []int{2, 2})}}, "y")
	at := g.AddOutput(n, 1, "indices")
	if got := g.TypeOf(at); got.Elem != Int64 || !got.Shape.Same(Of(1, 1, 3, 3)) {
		t.Errorf("the indices are %v", got)
	}
	if p, i := g.Producer(at); p != n || i != 1 {
		t.Errorf("producer %v, output %d", p, i)
	}
	if again := g.AddOutput(n, 1, "indices"); again != at || g.AddOutput(n, 0, "y") != n.Outputs[0] {
		t.Error("an output that is there was made again")
	}
	g.SetOutputs(at)
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}
