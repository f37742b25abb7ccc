package train_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

// TestSoftmaxAndHalves: of a network that puts out probabilities the logits are trained, weights in half precision become float32, other
// outputs and names stay, and what comes out puts out the same things.
func TestSoftmaxAndHalves(t *testing.T) {
	g := graph.New("halves", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(1, 2)})
	half, err := graph.Rounded(graph.Float16, []float64{1, 0.5, -1, 0.25, 2, 0}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	w := g.Op("Cast", []graph.Value{g.Param("w", half)}, graph.A("to", graph.Float32))
	logits := g.Op("Reshape", []graph.Value{g.Op("MatMul", []graph.Value{x, w}), g.Ints(1, 3)}) // as exporters write for a batch of one
	g.Output("p", g.Op("Softmax", []graph.Value{logits}, graph.A("axis", 1)))
	g.Output("also", g.Op("Neg", []graph.Value{x}))
	trainer := open(t, onnx.New(g), train.Settings{})
	batch := train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf([]float32{1, 2, -1, 0.5}, 2, 2)}, Labels: []int{0, 2}}
	r := step(t, trainer, batch, 0.1)
	want := 0.0
	for i, row := range [][3]float64{{1.5, 4.5, -1}, {-0.875, 0.5, 1}} {
		want += (math.Log(math.Exp(row[0])+math.Exp(row[1])+math.Exp(row[2])) - row[batch.Labels[i]]) / 2
	}
	mustNear(t, "loss", r.Loss, want, 1e-6)
	if r.Right != 1 {
		t.Errorf("%d are right, want 1", r.Right)
	}
	one := batch.Inputs[0]
	one = runtime.TensorOf(one.Data.([]float32)[:2], 1, 2) // the network itself takes one row
	out := run(t, export(t, trainer), []runtime.Tensor{one})
	if len(out) != 2 || len(out[0].Data.([]float32)) != 3 {
		t.Fatalf("%d outputs", len(out))
	}
	sum := float32(0)
	for _, v := range out[0].Data.([]float32) {
		sum += v
	}
	mustNear(t, "sum of probabilities", float64(sum), 1, 1e-6)
}

// TestSmallBatches: a normalisation over one number per channel has no deviation; with more places one item is enough.
func TestSmallBatches(t *testing.T) {
	normed := func(places int64) *train.Trainer {
		g := graph.New("normed", 18)
		vector := func(name string, v float32) graph.Value { return g.Param(name, graph.NewTensor([]float32{v, v}, 2)) }
		shape := graph.Shape{graph.Sym("N"), graph.N(2)}
		if places > 1 {
			shape = append(shape, graph.N(places))
		}
		x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: shape})
		mean, variance := vector("mean", 0), vector("variance", 1)
		g.SetParam(mean, false)
		g.SetParam(variance, false)
		h := g.Append(graph.Node{Name: "norm", Op: "BatchNormalization", Inputs: []graph.Value{x, vector("scale", 1), vector("bias", 0), mean, variance}}, "h").Outputs[0]
		if places > 1 {
			h = g.Op("ReduceMean", []graph.Value{g.Op("Relu", []graph.Value{h}), g.Ints(2)}, graph.A("keepdims", 0))
		}
		g.Output("y", h)
		return open(t, onnx.New(g), train.Settings{})
	}
	one := normed(1)
	if _, err := one.Step(context.Background(), train.Batch{Inputs: []runtime.Tensor{runtime.NewTensor[float32](1, 2)}, Labels: []int{0}}, 0.1); err == nil || !strings.Contains(err.Error(), "batch of 1: norm has one number per channel") {
		t.Errorf("error %v", err)
	}
	step(t, one, train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf([]float32{1, 2, 3, 5}, 2, 2)}, Labels: []int{0, 1}}, 0.1)
	after := values(t, one, "model.")
	// 0.9 of the old and 0.1 of the batch's: means 2 and 3.5, unbiased variances 2 and 4.5.
	for name, want := range map[string][]float64{"mean": {0.2, 0.35}, "variance": {1.1, 1.35}} {
		for i, w := range want {
			mustNear(t, name, float64(after[name][i]), w, 1e-6)
		}
	}
	step(t, normed(3), train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf([]float32{1, 2, 3, 5, 1, 0}, 1, 2, 3)}, Labels: []int{0}}, 0.1)
}

// TestUnusedParameters: one that the loss does not depend on has a gradient of 0, and decays.
func TestUnusedParameters(t *testing.T) {
	g := graph.New("rounded", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	h := g.Op("MatMul", []graph.Value{x, g.Param("w", graph.NewTensor([]float32{1, 2, 3, 4}, 2, 2))})
	g.Output("y", g.Op("Add", []graph.Value{h, g.Op("Floor", []graph.Value{g.Param("steps", graph.NewTensor([]float32{1.5, 2.5}, 2))})}))
	trainer := open(t, onnx.New(g), train.Settings{Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.5}})
	step(t, trainer, train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf([]float32{1, 2}, 1, 2)}, Labels: []int{0}}, 0.1)
	for i, want := range []float64{1.5 * 0.95, 2.5 * 0.95} {
		mustNear(t, "steps", float64(values(t, trainer, "model.")["steps"][i]), want, 1e-6)
	}
}

// TestEvaluateWithoutLabels only fills the logits.
func TestEvaluateWithoutLabels(t *testing.T) {
	trainer, logits := open(t, toy(), train.Settings{}), make([]float32, 2*toyClasses)
	r, err := trainer.Evaluate(context.Background(), train.Batch{Inputs: toyBatch(0, 0).Inputs}, logits)
	if err != nil || r != (train.Result{}) {
		t.Errorf("%+v, %v", r, err)
	}
	sum := 0.0
	for _, v := range logits[:toyClasses] {
		sum += math.Exp(float64(v))
	}
	mustNear(t, "log softmax", float64(logits[0])-math.Log(sum), toyStart().logSoftmax(toyItems(2)[:toyIn], nil)[0], 1e-6)
}
