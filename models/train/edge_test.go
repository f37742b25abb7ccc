package train_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// TestFlushRefuses a rate that Step would refuse too: it would make every parameter NaN while the gradient is finite.
func TestFlushRefuses(t *testing.T) {
	trainer := open(t, toy(), train.Settings{Accumulate: 3})
	step(t, trainer, toyBatch(0, 1), 0.1)
	before := stateBytes(t, trainer)
	for _, rate := range []float64{math.NaN(), -1, math.Inf(1)} {
		if _, err := trainer.Flush(context.Background(), rate); err == nil || !strings.Contains(err.Error(), "rate") {
			t.Errorf("rate %v: error %v", rate, err)
		}
	}
	if !slices.Equal(before, stateBytes(t, trainer)) {
		t.Error("the state changed")
	}
}

// TestNothingCounts: items whose classes all weigh nothing have no mean, which is no sign of a learning rate that is too high.
func TestNothingCounts(t *testing.T) {
	for _, accumulate := range []int{1, 2} {
		trainer := open(t, toy(), train.Settings{Weights: []float64{0, 1, 1, 1}, Accumulate: accumulate})
		before := stateBytes(t, trainer)
		_, err := trainer.Step(context.Background(), toyBatch(0, 0, -1), 0.1)
		if err == nil || errors.Is(err, train.ErrNotFinite) || !strings.Contains(err.Error(), "no item of the batch has a target") {
			t.Errorf("error %v", err)
		}
		soft := toyBatch(0, 0)
		soft.Labels, soft.Targets = nil, []float32{1, 0, 0, 0, 0, 0, 0, 0}
		if _, err := trainer.Step(context.Background(), soft, 0.1); err == nil || errors.Is(err, train.ErrNotFinite) {
			t.Errorf("error %v", err)
		}
		if !slices.Equal(before, stateBytes(t, trainer)) {
			t.Error("the state changed")
		}
		step(t, trainer, toyBatch(0, 1), 0.1)
	}
}

// normed is a network of one scale for two channels, which is applied as often as middle asks.
func normed(middle func(g *graph.Graph, x graph.Value, norm func(graph.Value) graph.Value) graph.Value) *onnx.Model {
	g := graph.New("normed", 18)
	vector := func(name string, v ...float32) graph.Value { return g.Param(name, graph.NewTensor(v, int64(len(v)))) }
	scale, bias, mean, variance := vector("scale", 1, 2), vector("bias", 0, 1), vector("mean", 0, 0.5), vector("variance", 1, 2)
	g.SetParam(mean, false)
	g.SetParam(variance, false)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	g.Output("y", middle(g, x, func(v graph.Value) graph.Value {
		return g.Op("BatchNormalization", []graph.Value{v, scale, bias, mean, variance})
	}))
	return onnx.New(g)
}

// TestSharedNormalisation: a layer that is applied twice moves its running statistics twice, one after the other, as a module of PyTorch
// that is called twice does.
func TestSharedNormalisation(t *testing.T) {
	trainer := open(t, normed(func(g *graph.Graph, x graph.Value, norm func(graph.Value) graph.Value) graph.Value {
		return g.Op("Add", []graph.Value{norm(x), norm(g.Op("Mul", []graph.Value{x, g.Scalar(graph.Float32, 2)}))})
	}), train.Settings{})
	step(t, trainer, train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf([]float32{1, 2, -1, 3, 3, -2}, 3, 2)}, Labels: []int{0, 1, 0}}, 0.1)
	after := values(t, trainer, "model.")
	// The batch has the means 1 and 1, and the unbiased variances 4 and 7; twice as large, 2 and 2, and 16 and 28.
	for name, want := range map[string][]float64{
		"mean":     {0.9*0.1*1 + 0.1*2, 0.81*0.5 + 0.9*0.1*1 + 0.1*2},
		"variance": {0.81*1 + 0.9*0.1*4 + 0.1*16, 0.81*2 + 0.9*0.1*7 + 0.1*28},
	} {
		for i, w := range want {
			mustNear(t, name, float64(after[name][i]), w, 1e-6)
		}
	}
}

// TestNormalisationOfUnknownRank is refused: which axes its statistics go over is not known.
func TestNormalisationOfUnknownRank(t *testing.T) {
	m := normed(func(g *graph.Graph, x graph.Value, norm func(graph.Value) graph.Value) graph.Value {
		shape := g.Input("shape", graph.Type{Elem: graph.Int64, Shape: graph.Shape{graph.Any}})
		return g.Op("Reshape", []graph.Value{norm(g.Op("Reshape", []graph.Value{x, shape})), g.Op("Shape", []graph.Value{x})})
	})
	if _, err := train.Build(m, train.Settings{}); err == nil || !strings.Contains(err.Error(), "rank") {
		t.Errorf("error %v", err)
	}
}

// TestInputWithoutAxes: one that has no rows is refused by its name.
func TestInputWithoutAxes(t *testing.T) {
	g := graph.New("scaled", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	by := g.Input("by", graph.Type{Elem: graph.Float32, Shape: graph.Shape{}})
	g.Output("y", g.Op("MatMul", []graph.Value{g.Op("Mul", []graph.Value{x, by}), g.Param("w", graph.NewTensor([]float32{1, 2, 3, 4}, 2, 2))}))
	if _, err := train.Build(onnx.New(g), train.Settings{}); err == nil || !strings.Contains(err.Error(), `input "by" is float32[], want rows`) {
		t.Errorf("error %v", err)
	}
}

// TestJoinHalves: the head of a network whose weights are stored in half precision learns in float32, in which the whole network is then. One
// that computes in half precision is refused by the name of a weight.
func TestJoinHalves(t *testing.T) {
	g := graph.New("halves", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	half := func(name string) graph.Value {
		w, err := graph.Rounded(graph.Float16, []float64{1, 0.5, -1, 0.25}, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		return g.Op("Cast", []graph.Value{g.Param(name, w)}, graph.A("to", graph.Float32))
	}
	h := g.Op("Relu", []graph.Value{g.Op("MatMul", []graph.Value{x, half("v")})})
	last := half("w")
	g.Output("y", g.Op("MatMul", []graph.Value{h, last}))
	m := onnx.New(g)
	_, head, err := train.Split(m, "")
	if err != nil {
		t.Fatal(err)
	}
	trainer := open(t, head, train.Settings{})
	features := runtime.TensorOf([]float32{1, 2, 3, 4}, 2, 2)
	step(t, trainer, train.Batch{Inputs: []runtime.Tensor{features}, Labels: []int{0, 1}}, 0.1)
	joined, err := train.Join(m, export(t, trainer))
	if err != nil {
		t.Fatal(err)
	}
	out := run(t, joined, []runtime.Tensor{runtime.TensorOf([]float32{1, 2}, 1, 2)})
	w := values(t, trainer, "model.")[g.NameOf(last)]
	// x v = [-1, 1], of which Relu leaves [0, 1].
	for i, v := range out[0].Data.([]float32) {
		mustNear(t, "logit", float64(v), float64(w[2+i]), 1e-6)
	}
	thin := graph.New("thin", 18)
	v := thin.Input("x", graph.Type{Elem: graph.Float16, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	weight, err := graph.Rounded(graph.Float16, []float64{1, 0.5, -1, 0.25}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	thin.Output("y", thin.Op("Cast", []graph.Value{thin.Op("MatMul", []graph.Value{v, thin.Param("thin.weight", weight)})}, graph.A("to", graph.Float32)))
	if _, err := train.Build(onnx.New(thin), train.Settings{}); err == nil || !strings.Contains(err.Error(), `parameter "thin.weight" is float16`) {
		t.Errorf("error %v", err)
	}
}

// interrupting is an engine of which the second graph that is opened, the one that moves by a sum of gradients, is interrupted once.
type interrupting struct {
	runtime.Engine
	cancel func()
	opened int
}

func (e *interrupting) Open(model []byte, cfg runtime.Config) (runtime.Session, error) {
	s, err := e.Engine.Open(model, cfg)
	if e.opened++; e.opened == 2 && err == nil {
		return &interrupted{s, e}, nil
	}
	return s, err
}

type interrupted struct {
	runtime.Session
	e *interrupting
}

func (s *interrupted) Run(ctx context.Context, dst, src []runtime.Tensor) error {
	if s.e.cancel != nil {
		s.e.cancel()
		s.e.cancel = nil
		return ctx.Err()
	}
	return s.Session.Run(ctx, dst, src)
}

// TestInterruptedSum: a step that is interrupted while it moves has not added its batch either, so that it can be taken again.
func TestInterruptedSum(t *testing.T) {
	p, err := train.Build(toy(), train.Settings{Accumulate: 2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var after [2][]byte
	for i, e := range []runtime.Engine{orttest.Engine(t), &interrupting{Engine: orttest.Engine(t), cancel: cancel}} {
		trainer, err := p.Open(e, runtime.Config{IntraThreads: 1})
		if err != nil {
			t.Fatal(err)
		}
		step(t, trainer, toyBatch(0, 1), 0.1)
		if before := stateBytes(t, trainer); i == 1 {
			if _, err := trainer.Step(ctx, toyBatch(2, 3), 0.1); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if !slices.Equal(before, stateBytes(t, trainer)) {
				t.Error("the state changed")
			}
		}
		step(t, trainer, toyBatch(2, 3), 0.1)
		after[i] = stateBytes(t, trainer)
		if err := trainer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(after[0], after[1]) {
		t.Error("the step that was taken again is another one")
	}
}
