package oracle_test

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
)

func floats(dims ...int64) graph.Type {
	return graph.Type{Elem: graph.Float32, Shape: graph.Of(dims...)}
}

// small is y = softmax(w x + b) with two weights that Eval can move.
func small() (g *graph.Graph, x, w, h graph.Value) {
	g = graph.New("small", 18)
	x = g.Input("x", floats(1, 2))
	w = g.Param("w", graph.NewTensor([]float32{1, 2, 3, 4}, 2, 2))
	h = g.Op("Gemm", []graph.Value{x, w})
	g.Output("y", g.Op("Softmax", []graph.Value{h}))
	return g, x, w, h
}

func TestEvalReplaces(t *testing.T) {
	g, x, w, h := small()
	p, err := oracle.Compile(g, oracle.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	in := oracle.Float32s([]float64{1, 0.5}, 1, 2)
	for _, c := range []struct {
		name  string
		given map[graph.Value]oracle.Tensor
		want  []float64
	}{
		{"input", map[graph.Value]oracle.Tensor{x: in}, []float64{2.5, 4}},
		{"constant", map[graph.Value]oracle.Tensor{x: in, w: oracle.Float64s([]float64{1, 0, 0, 1e-12}, 2, 2)}, []float64{1, 5e-13}},
		{"result", map[graph.Value]oracle.Tensor{h: oracle.Float64s([]float64{7, 8}, 1, 2)}, []float64{7, 8}},
	} {
		out, err := p.Eval(c.given, h)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !slices.Equal(out[0].F, c.want) || out[0].Elem != graph.Float32 {
			t.Errorf("%s: %v%v, want %v", c.name, out[0].Elem, out[0].F, c.want)
		}
	}
	// The result alone is enough for what follows from it.
	out, err := p.Eval(map[graph.Value]oracle.Tensor{h: oracle.Float64s([]float64{0, 0}, 1, 2)}, g.Outputs()...)
	if err != nil || !slices.Equal(out[0].F, []float64{0.5, 0.5}) {
		t.Errorf("softmax of zeros: %v, %v", out, err)
	}
}

func TestErrorsNameNodeAndOperator(t *testing.T) {
	g := graph.New("bad", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N")}})
	n := g.Op("Add", []graph.Value{x, g.Const("c", graph.NewTensor([]float32{1, 2}, 2))})
	node, _ := g.Producer(n)
	node.Name = "plus"
	g.Output("y", n)
	if _, err := oracle.Run(g, oracle.Float32s([]float64{1, 2, 3}, 3)); err == nil || !strings.Contains(err.Error(), `node 0 "plus" (Add)`) {
		t.Errorf("shapes that do not broadcast: %v", err)
	}
	if _, err := oracle.Run(g); err == nil || !strings.Contains(err.Error(), `"x" is not given`) {
		t.Errorf("no input: %v", err)
	}
	if _, err := oracle.Run(g, oracle.Int64s([]int64{1, 2}, 2)); err == nil || !strings.Contains(err.Error(), "declared") {
		t.Errorf("input of another type: %v", err)
	}
	if _, err := oracle.Run(g, oracle.Tensor{Elem: graph.Float32, Dims: []int64{3}}); err == nil || !strings.Contains(err.Error(), "0 floats") {
		t.Errorf("input without elements: %v", err)
	}
	u := graph.New("unknown", 18)
	y := u.Input("x", floats(1))
	u.Output("y", u.Op("Strange", []graph.Value{y}))
	if _, err := oracle.Compile(u, oracle.Settings{}); err == nil || !strings.Contains(err.Error(), "Strange") {
		t.Errorf("unknown operator: %v", err)
	}
}

// TestHostileInputs gives operators integers that ask for much or make no sense.
func TestHostileInputs(t *testing.T) {
	for _, c := range []struct {
		op   string
		ints [][]int64 // inputs after the first, which is float32[2,3]
	}{
		{"Expand", [][]int64{{1 << 40, 2, 3}}},
		{"Tile", [][]int64{{1 << 62, 4}}},
		{"Tile", [][]int64{{1 << 30, 0}}},
		{"Reshape", [][]int64{{0, 0, 7}}},
		{"Gather", [][]int64{{2}}},
		{"TopK", [][]int64{{4}}},
		{"Pad", [][]int64{{1 << 39, 0, 0, 0}}},
		{"Pad", [][]int64{{-3, 0, 0, 0}}},
		{"Slice", [][]int64{{0}, {1}, {9}}},
		{"CumSum", [][]int64{{-3}}},
	} {
		g := graph.New(c.op, 18)
		in := []graph.Value{g.Input("x", floats(2, 3))}
		given := []oracle.Tensor{oracle.Float32s(make([]float64, 6), 2, 3)}
		for _, list := range c.ints { // inputs, so that inference does not see the numbers
			in = append(in, g.Input(g.Fresh("n"), graph.Type{Elem: graph.Int64, Shape: graph.Of(int64(len(list)))}))
			given = append(given, oracle.Int64s(list, int64(len(list))))
		}
		g.Output("y", g.Op(c.op, in))
		if err := g.Err(); err != nil {
			t.Errorf("%s %v: %v", c.op, c.ints, err)
		} else if _, err := oracle.Run(g, given...); err == nil || !strings.Contains(err.Error(), "("+c.op+")") {
			t.Errorf("%s %v: error %v", c.op, c.ints, err)
		}
	}
}

func TestLimits(t *testing.T) {
	g := graph.New("square", 18)
	x := g.Input("x", floats(64, 64))
	g.Output("y", g.Op("MatMul", []graph.Value{x, x}))
	in := oracle.Float32s(make([]float64, 64*64), 64, 64)
	for _, c := range []struct {
		s    oracle.Settings
		want string
	}{
		{oracle.Settings{}, ""},
		{oracle.Settings{MaxElements: 64 * 64}, ""},
		{oracle.Settings{MaxElements: 64*64 - 1}, "elements"},
		{oracle.Settings{MaxElements: -1}, "elements"},
	} {
		p, err := oracle.Compile(g, c.s)
		if err == nil {
			_, err = p.Run(in)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// TestDropoutRefusesToDraw: an oracle repeats, so masks are inputs.
func TestDropoutRefusesToDraw(t *testing.T) {
	for _, c := range []struct {
		ratio    float64
		training bool
		ok       bool
	}{{0.5, false, true}, {0, true, true}, {0.5, true, false}} {
		g := graph.New("dropout", 18)
		x := g.Input("x", floats(3))
		in := []graph.Value{x, g.Scalar(graph.Float32, c.ratio), g.Const("training", graph.NewTensor([]bool{c.training}))}
		g.Output("y", g.Op("Dropout", in))
		out, err := oracle.Run(g, oracle.Float32s([]float64{1, 2, 3}, 3))
		if (err == nil) != c.ok || err == nil && !slices.Equal(out[0].F, []float64{1, 2, 3}) {
			t.Errorf("%+v: %v, %v", c, out, err)
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	g, _, _, _ := small()
	p, err := oracle.Compile(g, oracle.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			out, err := p.Run(oracle.Float32s([]float64{float64(i), 0}, 1, 2))
			// w x is (i, 2i), and the softmax of that sigmoid(i) for the second.
			if want := 1 / (1 + math.Exp(-float64(i))); err != nil || math.Abs(out[0].F[1]-want) > 1e-15 {
				t.Errorf("run %d: %v, %v, want %v", i, out, err, want)
			}
		})
	}
	wg.Wait()
}
