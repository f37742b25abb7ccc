package forms

import (
	"context"
	"fmt"
	"math"

	"github.com/oatta/oatta/internal/timing"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// Tuner chooses by timing the forms of a case on the engine at hand, once: what it chose is kept in a file, by processor and version of the
// library, and taken from there ever after. Times are the process's on one thread, the least of some rounds that take turns. What is fixed
// stays unless another form takes a twentieth less, so that noise seldom decides.
type Tuner struct {
	Engine  runtime.Engine
	Machine string                           // what times depend on beside the case: processor, and library with its version
	File    string                           // of choices, shared with other runs; empty: nothing is kept
	Tell    func(format string, args ...any) // of a file that cannot be used, and of what takes time; nil: nobody is told

	measure func(list []*graph.Graph) ([]float64, error) // for tests
}

// margin is how much less a form must take than the fixed one.
const margin = 0.05

// Plan is a plan that tunes.
func (t *Tuner) Plan() *Plan { return By(t.choose) }

func (t *Tuner) tell(format string, args ...any) {
	if t.Tell != nil {
		t.Tell(format, args...)
	}
}

func (t *Tuner) choose(c Case) (Choice, error) {
	key := c.Key()
	if choice, ok := t.kept()[key]; ok {
		return choice, nil
	}
	t.tell("timing the forms of %s", key)
	choice, err := t.time(c)
	if err != nil {
		return choice, fmt.Errorf("forms: %s: %w", key, err)
	}
	return t.keep(key, choice), nil
}

// time finds the fastest derivatives of the operator itself, each alone, and then whether all of it is faster by minimal filtering.
func (t *Tuner) time(c Case) (Choice, error) {
	direct := Choice{Form: Direct}
	g := graph.New("case", opset)
	n, err := c.conv(g)
	if err != nil {
		return direct, err
	}
	inputs, weights, err := autodiff.FormsOf(g, n)
	if err != nil {
		return direct, err
	}
	if direct.Input, err = t.fastest(c, "x", inputs, func(form string) Choice { return Choice{Direct, autodiff.ConvForms{Input: form}} }); err != nil {
		return direct, err
	}
	if c.Needs == "xw" {
		if direct.Weight, err = t.fastest(c, "w", weights, func(form string) Choice { return Choice{Direct, autodiff.ConvForms{Weight: form}} }); err != nil {
			return direct, err
		}
	}
	if !c.hasShort() {
		return direct, nil
	}
	fixed := Fixed(c).Form
	form, err := t.fastest(c, "y"+c.Needs, []string{Direct, Short}, func(form string) Choice {
		switch form {
		case "":
			form = fixed
		case fixed:
			return Choice{} // which is timed already
		}
		if form == Short {
			return Choice{Form: Short}
		}
		return direct
	})
	switch {
	case err != nil:
		return direct, err
	case form == "":
		form = fixed
	}
	if form == Short {
		return Choice{Form: Short}, nil
	}
	return direct, nil
}

// fastest returns the fastest form, or "" for the fixed one.
func (t *Tuner) fastest(c Case, results string, forms []string, choice func(form string) Choice) (string, error) {
	if len(forms) < 2 {
		return "", nil
	}
	names := []string{""} // the fixed one first
	var list []*graph.Graph
	for _, form := range append([]string{""}, forms...) {
		ch := choice(form)
		if ch == (Choice{}) {
			continue
		}
		g, err := c.graph(ch, results)
		if err != nil {
			return "", err
		}
		if form != "" {
			names = append(names, form)
		}
		list = append(list, g)
	}
	measure := t.measure
	if measure == nil {
		measure = t.onEngine
	}
	seconds, err := measure(list)
	if err != nil {
		return "", err
	}
	best := 0
	for i, s := range seconds {
		if s < seconds[best] && s < (1-margin)*seconds[0] {
			best = i
		}
	}
	return names[best], nil
}

// opset is the operator set of the graphs that are timed.
const opset = 18

// conv adds the convolution of the case to an empty graph.
func (c Case) conv(g *graph.Graph) (*graph.Node, error) {
	x := g.Input("x", graph.Type{Elem: c.Elem, Shape: graph.Of(c.X...)})
	w, err := graph.Rounded(c.Elem, waves(c.Weight), c.Weight...)
	if err != nil {
		return nil, err
	}
	n := g.Append(graph.Node{Op: "Conv", Inputs: []graph.Value{x, g.Param("w", w)}, Attrs: []graph.Attr{
		graph.A("kernel_shape", c.Weight[2:]), graph.A("strides", c.Stride), graph.A("dilations", c.Dilate), graph.A("pads", c.Pads), graph.A("group", c.Group),
	}}, "y")
	return n, g.Err()
}

// graph is the case in the forms of a choice, from x and the adjoint of y to some results: y, and the adjoints of x and of the weight.
func (c Case) graph(ch Choice, results string) (*graph.Graph, error) {
	g := graph.New("case", opset)
	n, err := c.conv(g)
	if err != nil {
		return nil, err
	}
	x, w, y := n.Inputs[0], n.Inputs[1], n.Outputs[0]
	dy := g.Input("dy", g.TypeOf(y))
	if ch.Form == Short {
		r := &rewrite{g: g, axes: map[string][2]graph.Value{}, weights: map[graph.Value]graph.Value{}}
		if y = r.shortly(n, c); r.err != nil {
			return nil, r.err
		}
		g.Remove(n)
	}
	wrt := []graph.Value{x}
	if c.Needs == "xw" {
		wrt = append(wrt, w)
	}
	d, err := autodiff.PullbackBy(g, []graph.Value{y}, []graph.Value{dy}, wrt, func(*graph.Node) autodiff.ConvForms { return ch.ConvForms })
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		switch r {
		case 'y':
			g.Output("result", y)
		case 'x':
			g.Output("dx", d[0])
		case 'w':
			g.Output("dw", d[1])
		}
	}
	g.Prune()
	return g, g.Err()
}

// waves are numbers of the size that weights have.
func waves(dims []int64) []float64 {
	n, reach := int64(1), int64(1)
	for i, d := range dims {
		n *= d
		if i > 0 {
			reach *= d
		}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sin(0.37*float64(i)+0.11*float64(i%7)) / math.Sqrt(float64(reach))
	}
	return out
}

// rounds of which the least time counts, and how many seconds one takes about.
const (
	rounds = 5
	least  = 0.02
)

// onEngine times graphs, in turn.
func (t *Tuner) onEngine(list []*graph.Graph) ([]float64, error) {
	var tasks []*timing.Task
	for _, g := range list {
		s, err := t.open(g)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		src := inputs(s)
		tasks = append(tasks, &timing.Task{Name: "form", Run: func() error {
			return s.Run(context.Background(), make([]runtime.Tensor, len(s.Outputs())), src)
		}})
	}
	if err := timing.All(tasks, rounds, least); err != nil {
		return nil, err
	}
	out := make([]float64, len(tasks))
	for i, one := range tasks {
		out[i] = one.Least()
	}
	return out, nil
}

// open loads a graph.
func (t *Tuner) open(g *graph.Graph) (runtime.Session, error) {
	data, err := onnx.New(g).Bytes()
	if err != nil {
		return nil, err
	}
	return t.Engine.Open(data, runtime.Config{IntraThreads: 1})
}

// inputs are numbers for all that a graph takes.
func inputs(s runtime.Session) (src []runtime.Tensor) {
	for _, p := range s.Inputs() {
		values := waves(p.Shape)
		x := make([]float32, len(values))
		for i, v := range values {
			x[i] = float32(v)
		}
		src = append(src, runtime.TensorOf(x, p.Shape...))
	}
	return src
}
