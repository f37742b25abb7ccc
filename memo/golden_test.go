package memo_test

import (
	"math"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// inDouble returns a copy of a network in float64, with the very same numbers.
func inDouble(t *testing.T, src *graph.Graph) *graph.Graph {
	t.Helper()
	g := src.Clone()
	for _, v := range g.Values() {
		if g.TypeOf(v).Elem != graph.Float32 {
			continue
		}
		if c := g.ConstOf(v); c != nil {
			values, err := c.Float64s()
			if err != nil {
				t.Fatal(err)
			}
			g.ToInput(v)
			g.ToConstant(v, graph.NewTensor(values, c.Dims()...))
		} else if g.Kind(v) == graph.Input {
			g.SetType(v, graph.Type{Elem: graph.Float64, Shape: g.TypeOf(v).Shape})
		}
	}
	for _, n := range g.Nodes() {
		if n.Op == "Cast" && n.Int("to", 0) == int64(graph.Float32) {
			n.SetAttr(graph.A("to", graph.Float64))
		}
	}
	g.Forget()
	if err := g.Infer(); err != nil {
		t.Fatal(err)
	}
	return g
}

// result is what a run of a MEMO graph returned, by output.
type result map[string][]float64

// goldenSettings are the reference's, which steps down by LR on the entropy over views, each given as often as repeat says: that
// changes nothing of the mean, but the number of rows, on which forms of derivatives depend.
func goldenSettings(c backbonetest.Case, repeat int) (memo.Settings, []string) {
	rows := []string{"input.0"}
	for range repeat {
		rows = append(rows, "view.0", "view.1", "view.2", "view.3")
	}
	return memo.Settings{Views: 4 * repeat, Rate: c.Memo.LR, Report: true}, rows
}

// bounds say how far results may be from the reference, each relative: see reference/ARCH.md of the shared data.
type bounds struct {
	loss, gradient, delta float64
}

// compare reports what is not as in the reference.
func compare(t *testing.T, got result, c backbonetest.Case, b bounds) {
	t.Helper()
	want := c.Memo
	near := func(what string, got, want, tolerance float64) {
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: %v, want %v within %.2g", what, got, want, tolerance)
		}
	}
	near("entropy", got["entropy"][0], want.Loss, b.loss)
	largest := 0.0
	for _, d := range want.Delta[0] {
		largest = max(largest, math.Abs(d))
	}
	for i, d := range want.Delta[0] {
		near("logit", got["logits"][i], want.After[0][i], max(b.loss, b.delta*largest))
		near("change of a logit", got["logits"][i]-c.Logits["input.0"][i], d, b.delta*largest+2e-9) // the records have nine digits
	}
	floor := 1e-6 * want.GradL2 * b.gradient / 1e-3
	for name, g := range want.Grads {
		d, ok := got["gradient."+name]
		if !ok {
			if g.L2 != 0 {
				t.Errorf("no gradient of %s", name)
			}
			continue
		}
		norm := 0.0
		for _, v := range d {
			norm += v * v
		}
		near("norm of the gradient of "+name, math.Sqrt(norm), g.L2, b.gradient*g.L2+floor)
		for j, v := range g.First {
			near("gradient of "+name, d[j], v, b.gradient*(math.Abs(v)+g.L2/math.Sqrt(float64(len(d))))+floor)
		}
	}
}

// TestGoldenOnOracle compares gradients and the logits after the step with PyTorch's, all in float64.
func TestGoldenOnOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("the oracle takes its time")
	}
	for name, repeat := range map[string]int{"cifar_resnet20": 1, "cnn1d": 2, "tcn": 1, "tinybert": 1} {
		t.Run(name, func(t *testing.T) {
			net, c := backbonetest.Golden(t, name)
			s, rows := goldenSettings(c, repeat)
			m, err := memo.Build(onnx.New(inDouble(t, net.Graph)), s)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, onOracle(t, m.Graph, c, rows), c, bounds{1e-8, 1e-7, 1e-7})
		})
	}
}

// onOracle evaluates a graph on rows of the reference.
func onOracle(t *testing.T, g *graph.Graph, c backbonetest.Case, rows []string) result {
	t.Helper()
	var inputs []oracle.Tensor
	for _, v := range g.Inputs() {
		if g.TypeOf(v).Elem.IsInt() {
			ids, length := tokens(t, c, g.NameOf(v), rows)
			inputs = append(inputs, oracle.Int64s(ids, int64(len(rows)), length))
			continue
		}
		x := backbonetest.Batch(c, rows...)
		wide := make([]float64, len(x))
		for i, f := range x {
			wide[i] = float64(f)
		}
		inputs = append(inputs, oracle.FloatsOf(g.TypeOf(v).Elem, wide, append([]int64{int64(len(rows))}, c.InputShape...)...))
	}
	out, err := oracle.Run(g, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	r := result{}
	for i, v := range g.Outputs() {
		r[g.NameOf(v)] = out[i].F
	}
	return r
}

// tokens returns one of a text network's inputs for rows of the reference.
func tokens(t *testing.T, c backbonetest.Case, input string, rows []string) (all []int64, length int64) {
	t.Helper()
	for _, row := range rows {
		text, ok := c.Inputs[row]
		if !ok {
			t.Fatalf("the record has no %s", row)
		}
		part := map[string][]int64{"input_ids": text.IDs, "attention_mask": text.Mask, "token_type_ids": text.Types}[input]
		all = append(all, part...)
		length = int64(len(part))
	}
	return all, length
}
