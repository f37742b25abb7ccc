package graph

import (
	"slices"
	"strings"
	"testing"
)

// insertDropout puts a Dropout before the last node, as Monte Carlo dropout does.
func insertDropout(tb testing.TB, g *Graph) {
	tb.Helper()
	head := g.Nodes()[len(g.Nodes())-1]
	features := head.Inputs[0]
	dropped := g.Op("Dropout", []Value{features, g.Scalar(Float32, 0.2)})
	n, _ := g.Producer(dropped)
	g.Replace(features, dropped, n)
	if err := g.Check(); err == nil {
		tb.Fatal("the new node runs last, and Check does not see it")
	}
	if err := g.Sort(); err != nil {
		tb.Fatal(err)
	}
	if err := g.Check(); err != nil {
		tb.Fatal(err)
	}
}

func ops(g *Graph) string {
	var out []string
	for _, n := range g.Nodes() {
		out = append(out, n.Op)
	}
	return strings.Join(out, " ")
}

func TestReplaceAndSort(t *testing.T) {
	g := perceptron(t)
	insertDropout(t, g)
	if got := ops(g); got != "Gemm Dropout Relu" {
		t.Errorf("nodes %s", got)
	}
	y := g.Lookup("y")
	g.Replace(y, g.Lookup("x"))
	if g.Outputs()[0] != g.Lookup("x") {
		t.Error("the output was not replaced")
	}
	if n := g.Prune(); n != 3 || len(g.Values()) != 1 || g.Lookup("w") != None {
		t.Errorf("%d nodes removed, values %v left", n, g.Values())
	}
	g.ConstNamed("w", NewTensor([]int64{1})) // the name is free again
	if err := g.Check(); err != nil {
		t.Error(err)
	}
}

func TestSortNamesACycle(t *testing.T) {
	g := perceptron(t)
	g.SetInput(g.nodes[0], 0, g.Lookup("y"))
	if err := g.Sort(); err == nil || !strings.Contains(err.Error(), "depends on its own output") {
		t.Errorf("error %v", err)
	}
}

// A chain that is deep must not be walked on the stack.
func TestDeepChain(t *testing.T) {
	g := New("deep", 18)
	v := g.Input("x", Type{Elem: Float32, Shape: Of(1)})
	for range 50_000 {
		v = g.Op("Neg", []Value{v})
	}
	g.Output("y", v)
	slices.Reverse(g.nodes)
	if err := g.Sort(); err != nil {
		t.Fatal(err)
	}
	if err := g.Check(); err != nil {
		t.Error(err)
	}
	if n := g.Prune(); n != 0 {
		t.Errorf("%d nodes removed", n)
	}
}

func TestUses(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(2)})
	y := g.Op("Mul", []Value{x, x})
	cond := g.Input("cond", Type{Elem: Bool, Shape: Of()})
	n := ifNode(g, cond, x, y)
	want := []Use{{g.nodes[0], 0}, {g.nodes[0], 1}, {n, -1}}
	if got := g.Uses(x); !slices.Equal(got, want) || !slices.Equal(g.UseLists()[x], want) {
		t.Errorf("uses %v, want %v", got, want)
	}
	if g.IsOutput(x) || !g.IsOutput(n.Outputs[0]) {
		t.Error("outputs")
	}
}

// ifNode appends an If whose branches return -a and a+b, and makes it the output z.
func ifNode(g *Graph, cond, a, b Value) *Node {
	then, other := g.NewBody("then"), g.NewBody("else")
	then.SetOutputs(then.Op("Neg", []Value{then.Capture(a)}))
	other.SetOutputs(other.Op("Add", []Value{other.Capture(a), other.Capture(b)}))
	n := g.Append(Node{Op: "If", Inputs: []Value{cond}, Attrs: []Attr{A("then_branch", then), A("else_branch", other)}}, "z")
	g.SetOutputs(n.Outputs[0])
	return n
}

// What a body refers to is used, moves with a replacement, and is shown under the outer name.
func TestBodies(t *testing.T) {
	g := New("g", 18)
	cond := g.Input("cond", Type{Elem: Bool, Shape: Of()})
	x := g.Input("x", Type{Elem: Float32, Shape: Shape{Sym("N")}})
	y := g.Op("Exp", []Value{x})
	n := ifNode(g, cond, x, y)
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if got := g.TypeOf(n.Outputs[0]).String(); got != "float32[N]" {
		t.Errorf("type %s", got)
	}
	if g.Prune(); ops(g) != "Exp If" {
		t.Errorf("Prune left %s: Exp is used in a branch", ops(g))
	}
	c := g.Clone()
	c.Replace(y, x)
	c.Prune()
	if ops(c) != "If" || ops(g) != "Exp If" {
		t.Errorf("clone %s, original %s", ops(c), ops(g))
	}
	for _, h := range []*Graph{g, c} {
		if err := h.Check(); err != nil {
			t.Error(err)
		}
	}
	if text := c.String(); !strings.Contains(text, "Add(x, x)") || !strings.Contains(g.String(), "Add(x, Exp)") {
		t.Errorf("printed\n%s", text)
	}
}

func TestFoldTakesTheBranch(t *testing.T) {
	for _, cond := range []bool{true, false} {
		g := New("g", 18)
		x := g.Input("x", Type{Elem: Float32, Shape: Of(2)})
		y := g.Op("Exp", []Value{x})
		ifNode(g, g.Const("cond", NewTensor([]bool{cond})), x, y)
		z := g.Outputs()[0]
		if err := g.Infer(); err != nil {
			t.Fatal(err)
		}
		g.Fold()
		want := map[bool]string{true: "Neg Identity", false: "Exp Add Identity"}[cond]
		if ops(g) != want || g.Outputs()[0] != z || g.NameOf(z) != "z" {
			t.Errorf("%v: nodes %s, output %s", cond, ops(g), g.NameOf(g.Outputs()[0]))
		}
		if err := g.Check(); err != nil {
			t.Error(err)
		}
	}
}

// The head of a network on stored features, and its body up to them, in which handles mean the same.
func TestExtract(t *testing.T) {
	g := perceptron(t)
	features, y := g.Lookup("Gemm"), g.Lookup("y")
	head, body := g.Extract([]Value{features}, []Value{y}), g.Extract(nil, []Value{features})
	if ops(head) != "Relu" || !slices.Equal(head.Inputs(), []Value{features}) || len(head.Params()) != 0 {
		t.Errorf("head\n%v", head)
	}
	if ops(body) != "Gemm" || body.NameOf(features) != "Gemm" || len(body.Params()) != 2 {
		t.Errorf("body\n%v", body)
	}
	for _, part := range []*Graph{head, body, g} {
		if err := part.Check(); err != nil {
			t.Error(err)
		}
	}
	if ops(g) != "Gemm Relu" {
		t.Errorf("the original became %s", ops(g))
	}
}

// A second forward pass with another weight shares all constants with the first.
func TestImport(t *testing.T) {
	g := perceptron(t)
	x, w, y := g.Lookup("x"), g.Lookup("w"), g.Lookup("y")
	moved := g.Op("Sub", []Value{w, g.Scalar(Float32, 0.1)})
	constants := len(g.Params())
	done, err := g.Import(g, map[Value]Value{x: x, w: moved})
	if err != nil {
		t.Fatal(err)
	}
	g.SetOutputs(y, done[y])
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if n, _ := g.Producer(done[g.Lookup("Gemm")]); n.Inputs[1] != moved || n.Inputs[2] != g.Lookup("b") || len(g.Params()) != constants {
		t.Errorf("imported\n%v", g)
	}
	if done[y] == y || g.TypeOf(done[y]).String() != "float32[N,3]" {
		t.Errorf("second output %s %v", g.NameOf(done[y]), g.TypeOf(done[y]))
	}
	if _, err := g.Import(perceptron(t), nil); err == nil || !strings.Contains(err.Error(), `input "x" is not bound`) {
		t.Errorf("error %v", err)
	}
}

// Constants of one graph come into another, parameters as parameters.
func TestImportFromElsewhere(t *testing.T) {
	src, g := perceptron(t), New("two", 18)
	a := g.Input("a", Type{Elem: Float32, Shape: Of(7, 4)})
	done, err := g.Import(src, map[Value]Value{src.Lookup("x"): a})
	if err != nil {
		t.Fatal(err)
	}
	g.Output("out", done[src.Lookup("y")])
	if err := g.Check(); err != nil || len(g.Params()) != 2 || g.TypeOf(g.Outputs()[0]).String() != "float32[7,3]" {
		t.Errorf("%v\n%v", err, g)
	}
}

func TestCloneSharesNothingThatChanges(t *testing.T) {
	g := perceptron(t)
	before := g.String()
	c := g.Clone()
	insertDropout(t, c)
	c.Rename(c.Lookup("y"), "out")
	c.nodes[0].SetAttr(A("alpha", 2.0))
	c.SetType(c.Lookup("x"), Type{Elem: Float32, Shape: Of(5, 4)})
	c.SetOpset("", 21)
	c.ToInput(c.Lookup("w"))
	if got := g.String(); got != before {
		t.Errorf("the original became\n%s", got)
	}
	if c.Lookup("out") != g.Lookup("y") {
		t.Error("a handle changed its meaning")
	}
}
