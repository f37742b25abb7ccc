package optim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/optim"
)

var settings = map[string]optim.Settings{
	"sgd":                   {},
	"sgd decay":             {Decay: 0.1},
	"momentum":              {Momentum: 0.9},
	"momentum decay":        {Momentum: 0.9, Decay: 0.1},
	"nesterov":              {Momentum: 0.8, Nesterov: true},
	"adam":                  {Method: optim.Adam},
	"adam, other constants": {Method: optim.Adam, Beta1: 0.5, Beta2: 0.9, Epsilon: 1e-3, Decay: 0.2},
	"adamw":                 {Method: optim.AdamW, Decay: 0.1},
	"clipped":               {ClipNorm: 0.5},
	"clip that is wide":     {ClipNorm: 1e6, Momentum: 0.5},
}

// twin is the optimiser in plain Go, for parameters in one vector, written from PyTorch's documentation.
type twin struct {
	s       optim.Settings
	t       int
	b, m, v []float64
}

func (w *twin) step(p, g []float64, rate float64) {
	s := w.s
	if w.b == nil {
		w.b, w.m, w.v = make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
	}
	if s.Method != optim.SGD {
		if s.Beta1 == 0 {
			s.Beta1, s.Beta2, s.Epsilon = 0.9, 0.999, 1e-8
		}
	}
	scale := 1.0
	if s.ClipNorm > 0 {
		sum := 0.0
		for _, v := range g {
			sum += v * v
		}
		scale = min(1, s.ClipNorm/(math.Sqrt(sum)+1e-6))
	}
	w.t++
	for i := range p {
		d := g[i] * scale
		switch s.Method {
		case optim.SGD:
			d += s.Decay * p[i]
			w.b[i] = s.Momentum*w.b[i] + d
			switch {
			case s.Nesterov:
				d += s.Momentum * w.b[i]
			case s.Momentum != 0:
				d = w.b[i]
			}
			p[i] -= rate * d
		default:
			if s.Method == optim.AdamW {
				p[i] *= 1 - rate*s.Decay
			} else {
				d += s.Decay * p[i]
			}
			w.m[i] = s.Beta1*w.m[i] + (1-s.Beta1)*d
			w.v[i] = s.Beta2*w.v[i] + (1-s.Beta2)*d*d
			mean := w.m[i] / (1 - math.Pow(s.Beta1, float64(w.t)))
			square := w.v[i] / (1 - math.Pow(s.Beta2, float64(w.t)))
			p[i] -= rate * mean / (math.Sqrt(square) + s.Epsilon)
		}
	}
}

// gradient is that of a bowl whose axes differ: g = c p.
func gradient(p []float64) []float64 {
	g := make([]float64, len(p))
	for i := range p {
		g[i] = float64(i+1) * p[i]
	}
	return g
}

var start = []float64{1, -2, 0.5, 3, -0.25}

// built is one step as a graph: parameters of 2, 1 (rank 0) and 2 elements, so that a wrong sharing of state shows.
type built struct {
	program *oracle.Program
	g       *graph.Graph
	p, d    []graph.Value
	rate    graph.Value
	state   optim.State
	next    []graph.Value
	after   optim.State
}

func build(t *testing.T, s optim.Settings) built {
	t.Helper()
	b := built{g: graph.New("step", 18)}
	for i, dims := range [][]int64{{2}, {}, {1, 2}} {
		typ := graph.Type{Elem: graph.Float64, Shape: graph.Of(dims...)}
		b.p = append(b.p, b.g.Input(fmt.Sprintf("p%d", i), typ))
		b.d = append(b.d, b.g.Input(fmt.Sprintf("d%d", i), typ))
	}
	b.rate = b.g.Input("rate", graph.Type{Elem: graph.Float64, Shape: graph.Of(1)})
	var err error
	if b.state, err = s.NewState(b.g, b.p, "state"); err != nil {
		t.Fatal(err)
	}
	if b.next, b.after, err = s.Step(b.g, b.p, b.d, b.rate, b.state); err != nil {
		t.Fatal(err)
	}
	b.g.SetOutputs(b.next...)
	if b.program, err = oracle.Compile(b.g, oracle.Settings{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// cut spreads a vector over the parameters.
func (b built) cut(given map[graph.Value]oracle.Tensor, to []graph.Value, all []float64) {
	at := 0
	for _, v := range to {
		dims, _ := b.g.TypeOf(v).Shape.Sizes()
		n := 1
		for _, d := range dims {
			n *= int(d)
		}
		given[v] = oracle.Float64s(all[at:at+n], dims...)
		at += n
	}
}

// TestStep runs eight steps of every setting in the graph and in plain Go.
func TestStep(t *testing.T) {
	for name, s := range settings {
		t.Run(name, func(t *testing.T) {
			b := build(t, s)
			given := map[graph.Value]oracle.Tensor{b.rate: oracle.Float64s([]float64{0.05}, 1)}
			b.cut(given, b.p, start)
			for _, slot := range b.state.Slots {
				b.cut(given, slot, make([]float64, len(start)))
			}
			if s.Counts() {
				given[b.state.Step] = oracle.Int64s([]int64{0}, 1)
			}
			want, w := append([]float64{}, start...), &twin{s: s}
			for round := range 8 {
				w.step(want, gradient(want), 0.05)
				var p []float64
				for _, v := range b.p {
					p = append(p, given[v].F...)
				}
				got := b.advance(t, given, gradient(p))
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-14*max(1, math.Abs(want[i]))) {
						t.Fatalf("step %d: parameter %d is %v, want %v", round, i, got[i], want[i])
					}
				}
			}
		})
	}
}

// advance runs one step, puts what it returns into what is given, and returns the parameters as one vector.
func (b built) advance(t *testing.T, given map[graph.Value]oracle.Tensor, d []float64) (p []float64) {
	t.Helper()
	b.cut(given, b.d, d)
	from, to := append([]graph.Value{}, b.next...), append([]graph.Value{}, b.p...)
	for k := range b.state.Slots {
		from, to = append(from, b.after.Slots[k]...), append(to, b.state.Slots[k]...)
	}
	if b.state.Step != graph.None {
		from, to = append(from, b.after.Step), append(to, b.state.Step)
	}
	out, err := b.program.Eval(given, from...)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range to {
		if fmt.Sprint(out[i].Dims) != fmt.Sprint(given[v].Dims) {
			t.Fatalf("%q has sizes %v, had %v", b.g.NameOf(v), out[i].Dims, given[v].Dims)
		}
		given[v] = out[i]
	}
	for _, v := range b.p {
		p = append(p, given[v].F...)
	}
	return p
}

// TestPyTorch: what torch.optim's formulas make, by hand, of p = 1 with the gradients 0.5, -1 and 2 at rate 0.1.
func TestPyTorch(t *testing.T) {
	for _, c := range []struct {
		s    optim.Settings
		want []float64
	}{
		{optim.Settings{}, []float64{0.95, 1.05, 0.85}},
		{optim.Settings{Momentum: 0.9}, []float64{0.95, 1.005, 0.8545}},                    // b = 0.5, -0.55, 1.505
		{optim.Settings{Momentum: 0.9, Nesterov: true}, []float64{0.905, 1.0545, 0.71905}}, // g + 0.9 b = 0.95, -1.495, 3.3545
		{optim.Settings{Decay: 0.2}, []float64{0.93, 1.0114, 0.791172}},                    // g + 0.2 p = 0.7, -0.814, 2.20228
		// m = 0.05, -0.055, 0.1505 over 0.1, 0.19, 0.271; v = 0.00025, 0.00124975, 0.00524850025 over 0.001, 0.001999, 0.002997001
		{optim.Settings{Method: optim.Adam}, []float64{0.9000000020, 0.9366103542, 0.8946447927}},
		{optim.Settings{Method: optim.AdamW, Decay: 0.5}, []float64{0.8500000020, 0.8441103541, 0.7599392749}}, // the same after p <- 0.95 p
	} {
		b := build(t, c.s)
		given := map[graph.Value]oracle.Tensor{b.rate: oracle.Float64s([]float64{0.1}, 1)}
		b.cut(given, b.p, []float64{1, 1, 1, 1, 1})
		for _, slot := range b.state.Slots {
			b.cut(given, slot, make([]float64, 5))
		}
		if c.s.Counts() {
			given[b.state.Step] = oracle.Int64s([]int64{0}, 1)
		}
		for i, d := range []float64{0.5, -1, 2} {
			for at, v := range b.advance(t, given, []float64{d, d, d, d, d}) {
				if !(math.Abs(v-c.want[i]) < 1e-9) {
					t.Errorf("%+v: step %d: parameter %d is %v, want %v", c.s, i, at, v, c.want[i])
				}
			}
		}
	}
}

func TestNoGradient(t *testing.T) {
	s := optim.Settings{Method: optim.Adam}
	g := graph.New("step", 18)
	typ := graph.Type{Elem: graph.Float32, Shape: graph.Of(2)}
	p := []graph.Value{g.Input("p", typ), g.Input("q", typ)}
	d := []graph.Value{graph.None, g.Input("d", typ)}
	st, err := s.NewState(g, p, "adam")
	if err != nil {
		t.Fatal(err)
	}
	next, after, err := s.Step(g, p, d, g.Scalar(graph.Float32, 0.1), st)
	if err != nil {
		t.Fatal(err)
	}
	if next[0] != p[0] || after.Slots[0][0] != st.Slots[0][0] || after.Slots[1][0] != st.Slots[1][0] {
		t.Error("a parameter without gradient moved")
	}
	if next[1] == p[1] || after.Slots[0][1] == st.Slots[0][1] || after.Step == st.Step {
		t.Error("a parameter with a gradient did not move")
	}
	if got := g.NameOf(st.Slots[1][0]); got != "adam.v.0" {
		t.Errorf("the state of p is called %q", got)
	}
}

func TestValidate(t *testing.T) {
	for want, s := range map[string]optim.Settings{
		"momentum":         {Momentum: 1},
		"beta1":            {Method: optim.Adam, Beta1: math.NaN()},
		"beta2":            {Method: optim.Adam, Beta2: -0.1},
		"epsilon":          {Method: optim.Adam, Epsilon: math.Inf(1)},
		"decay":            {Decay: -1},
		"clip norm":        {ClipNorm: math.NaN()},
		"nesterov":         {Nesterov: true},
		"setting of sgd":   {Method: optim.AdamW, Momentum: 0.9},
		"method 9 is none": {Method: 9},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", s, err, want)
		}
		if _, _, err := s.Step(graph.New("g", 18), nil, nil, graph.None, optim.State{}); err == nil {
			t.Errorf("%+v: a step was taken", s)
		}
	}
}

// TestExempt takes a step of two parameters of which one does not decay: each is as in a step of its own.
func TestExempt(t *testing.T) {
	for _, s := range []optim.Settings{{Decay: 0.1}, {Method: optim.Adam, Decay: 0.2}, {Method: optim.AdamW, Decay: 0.3}} {
		free := s
		free.Decay = 0
		g := graph.New("step", 18)
		typ := graph.Type{Elem: graph.Float64, Shape: graph.Of(2)}
		p, d := g.Input("p", typ), g.Input("d", typ)
		var out []graph.Value
		for _, take := range []func(st optim.State) ([]graph.Value, optim.State, error){
			func(st optim.State) ([]graph.Value, optim.State, error) {
				return s.StepExempt(g, []graph.Value{p, p}, []graph.Value{d, d}, g.Scalar(graph.Float64, 0.1), st, []bool{false, true})
			},
			func(st optim.State) ([]graph.Value, optim.State, error) {
				return s.Step(g, []graph.Value{p, p}, []graph.Value{d, d}, g.Scalar(graph.Float64, 0.1), st)
			},
			func(st optim.State) ([]graph.Value, optim.State, error) {
				return free.Step(g, []graph.Value{p, p}, []graph.Value{d, d}, g.Scalar(graph.Float64, 0.1), st)
			},
		} {
			st := optim.State{Step: g.Ints(4)}
			for range s.Slots() {
				st.Slots = append(st.Slots, []graph.Value{d, d})
			}
			next, _, err := take(st)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, next...)
		}
		g.SetOutputs(out...)
		got, err := oracle.Run(g, oracle.Float64s([]float64{1, -2}, 2), oracle.Float64s([]float64{0.25, 0.5}, 2))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if got[0].F[i] != got[2].F[i] || got[1].F[i] != got[5].F[i] || got[0].F[i] == got[1].F[i] {
				t.Errorf("%v: element %d is %v with decay and %v exempt, want %v and %v", s.Method, i, got[0].F[i], got[1].F[i], got[2].F[i], got[5].F[i])
			}
		}
	}
}
