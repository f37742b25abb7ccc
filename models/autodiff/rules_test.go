package autodiff_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
)

// openness says which sizes of the inputs the graph is told.
type openness int

const (
	closed    openness = iota
	openBatch          // axis 0 of input 0 has a name instead
	openAll            // every size has a name of its own
)

func (o openness) String() string { return [...]string{"closed", "open batch", "all open"}[o] }

// built is a case as a graph with its derivative.
type built struct {
	g     *graph.Graph
	x     []graph.Value
	y, dy graph.Value
	dx    []graph.Value
}

// derive makes the graph of a case, with the derivative of sum(y dy) for an input dy.
func (c testCase) derive(elem graph.DType, o openness) (built, error) {
	opset := max(c.opset, 18)
	b := builder{graph.New("case", opset), elem}
	out := built{g: b.Graph}
	for i, d := range c.inputs {
		shape := graph.Of(d.dims...)
		for j := range shape {
			if o == openAll || o == openBatch && i == 0 && j == 0 {
				shape[j] = graph.Sym(fmt.Sprintf("s%d_%d", i, j))
			}
		}
		out.x = append(out.x, b.Input(fmt.Sprintf("x%d", i), graph.Type{Elem: elem, Shape: shape}))
	}
	out.y = c.build(b, out.x)
	if err := b.Err(); err != nil {
		return out, err
	}
	out.dy = b.Input("dy", b.TypeOf(out.y))
	var err error
	out.dx, err = autodiff.Pullback(out.g, []graph.Value{out.y}, []graph.Value{out.dy}, out.x)
	if err != nil {
		return out, err
	}
	out.g.SetOutputs(out.dx...)
	return out, out.g.Check()
}

// at returns the values of the inputs.
func (c testCase) at(b built, elem graph.DType) map[graph.Value]oracle.Tensor {
	given := map[graph.Value]oracle.Tensor{}
	for i, d := range c.inputs {
		given[b.x[i]] = oracle.FloatsOf(elem, d.values(uint64(i)), d.dims...)
	}
	return given
}

// TestRules compares every rule with central differences in float64.
func TestRules(t *testing.T) {
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.compare(t, closed)
			if c.batch || c.open {
				c.compare(t, openBatch)
			}
			if c.open {
				c.compare(t, openAll)
			}
		})
	}
}

func (c testCase) compare(t *testing.T, o openness) {
	t.Helper()
	b, err := c.derive(graph.Float64, o)
	if err != nil {
		t.Errorf("%v: %v", o, err)
		return
	}
	p, err := oracle.Compile(b.g, oracle.Settings{})
	if err != nil {
		t.Fatalf("%v: %v\n%v", o, err, b.g)
	}
	given := c.at(b, graph.Float64)
	y, err := p.Eval(given, b.y)
	if err != nil {
		t.Errorf("%v: forward: %v\n%v", o, err, b.g)
		return
	}
	dy := std(y[0].Dims...).values(5)
	given[b.dy] = oracle.FloatsOf(graph.Float64, dy, y[0].Dims...)
	for i, x := range b.x {
		want, err := differences(p, given, x, b.y, dy)
		if err != nil {
			t.Fatal(err)
		}
		if b.dx[i] == graph.None {
			t.Errorf("%v: input %d has no gradient", o, i)
			continue
		}
		got, err := p.Eval(given, b.dx[i])
		if err != nil {
			t.Errorf("%v: gradient of input %d: %v\n%v", o, i, err, b.g)
			continue
		}
		// The differences are exact to h^2 = 1e-10 of the third derivative, and attributes are float32.
		sameNumbers(t, fmt.Sprintf("%v: gradient of input %d", o, i), got[0].F, want, 1e-7)
		if fmt.Sprint(got[0].Dims) != fmt.Sprint(given[x].Dims) {
			t.Errorf("%v: gradient of input %d has sizes %v, the input %v", o, i, got[0].Dims, given[x].Dims)
		}
	}
}

// differences returns the derivative of sum(y dy) by each element of x.
func differences(p *oracle.Program, given map[graph.Value]oracle.Tensor, x, y graph.Value, dy []float64) ([]float64, error) {
	const h = 1e-5
	old := given[x]
	defer func() { given[x] = old }()
	out := make([]float64, len(old.F))
	for i := range out {
		var sums [2]float64
		for j, step := range []float64{h, -h} {
			moved := append([]float64{}, old.F...)
			moved[i] += step
			given[x] = oracle.FloatsOf(old.Elem, moved, old.Dims...)
			r, err := p.Eval(given, y)
			if err != nil {
				return nil, err
			}
			for k, v := range r[0].F {
				sums[j] += v * dy[k]
			}
		}
		out[i] = (sums[0] - sums[1]) / (2 * h)
	}
	return out, nil
}

// sameNumbers compares relative to the largest number, or to 1 if all are smaller.
func sameNumbers(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d elements, want %d", what, len(got), len(want))
		return
	}
	scale := 1.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tolerance*scale) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, want[i])
			return
		}
	}
}

// TestEveryRuleHasACase: to be in the table is to be tested.
func TestEveryRuleHasACase(t *testing.T) {
	seen := map[string]bool{"Attention": true} // TestAttention: the oracle has no such operator
	for _, c := range allCases() {
		b := builder{graph.New("case", max(c.opset, 18)), graph.Float64}
		var x []graph.Value
		for i, d := range c.inputs {
			x = append(x, b.Input(fmt.Sprintf("x%d", i), graph.Type{Elem: graph.Float64, Shape: graph.Of(d.dims...)}))
		}
		c.build(b, x)
		for _, n := range b.Nodes() {
			seen[strings.TrimPrefix(n.Domain+"."+n.Op, ".")] = true
		}
	}
	for _, op := range autodiff.Operators() {
		domain, name := "", op
		if rest, ok := strings.CutPrefix(op, "com.microsoft."); ok {
			domain, name = "com.microsoft", rest
		}
		if autodiff.StatusOf(domain, name) == autodiff.Ruled && !seen[op] {
			t.Errorf("the rule of %s is in no case", op)
		}
		if !graph.Known(domain, name) {
			t.Errorf("%s is no operator that package graph knows", op)
		}
	}
}
