package train_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

func toyBatch(labels ...int) train.Batch {
	n := len(labels)
	return train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf(toyItems(n), int64(n), toyIn)}, Labels: labels}
}

func mustNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestLossAndGradient compares loss, length of the gradient and one step of plain SGD with PyTorch's formulas in plain Go.
func TestLossAndGradient(t *testing.T) {
	labels := []int{0, 3, 1, 1, 2, 0}
	soft := oneHot(labels...)
	soft[0], soft[1], soft[9] = 0.7, 0.3, 1
	for name, c := range map[string]struct {
		settings train.Settings
		batch    train.Batch
		targets  []float32
	}{
		"plain":            {train.Settings{}, toyBatch(labels...), oneHot(labels...)},
		"weights":          {train.Settings{Weights: []float64{1, 0.5, 3, 0}}, toyBatch(labels...), oneHot(labels...)},
		"smoothing":        {train.Settings{Smoothing: 0.1}, toyBatch(labels...), oneHot(labels...)},
		"both":             {train.Settings{Smoothing: 0.3, Weights: []float64{1, 0.5, 3, 2}}, toyBatch(labels...), oneHot(labels...)},
		"items left out":   {train.Settings{Smoothing: 0.3}, toyBatch(0, -1, 1, 1, -1, 0), oneHot(0, -1, 1, 1, -1, 0)},
		"soft targets":     {train.Settings{Smoothing: 0.1}, train.Batch{Inputs: toyBatch(labels...).Inputs, Targets: soft}, soft},
		"soft and weights": {train.Settings{Weights: []float64{1, 0.5, 3, 2}}, train.Batch{Inputs: toyBatch(labels...).Inputs, Targets: soft}, soft},
		"clipped":          {train.Settings{Optimizer: optim.Settings{ClipNorm: 0.1}}, toyBatch(labels...), oneHot(labels...)},
		"not so long":      {train.Settings{Optimizer: optim.Settings{ClipNorm: 100}}, toyBatch(labels...), oneHot(labels...)},
	} {
		t.Run(name, func(t *testing.T) {
			c.settings.NoDropout = true
			trainer := open(t, toy(), c.settings)
			const rate = 0.5
			r := step(t, trainer, c.batch, rate)
			loss, x := toyLoss{weights: c.settings.Weights, smoothing: c.settings.Smoothing}, toyItems(6)
			mustNear(t, "loss", r.Loss, loss.mean(toyStart(), x, c.targets), 1e-6)
			want, norm := loss.gradient(toyStart(), x, c.targets), 0.0
			for _, v := range want {
				for _, d := range v {
					norm += d * d
				}
			}
			mustNear(t, "norm", r.Norm, math.Sqrt(norm), 1e-6)
			scale := 1.0
			if c := c.settings.Optimizer.ClipNorm; c != 0 {
				scale = min(1, c/(math.Sqrt(norm)+1e-6))
			}
			after := values(t, trainer, "model.")
			for name, start := range toyStart() {
				for i, v := range start {
					mustNear(t, name, float64(after[name][i]), v-rate*scale*want[name][i], 1e-6)
				}
			}
			if items := 6 - strings.Count(name, "left")*2; r.Items != items || !r.Moved {
				t.Errorf("%+v, want %d items", r, items)
			}
		})
	}
}

// TestMasks: the mask of a batch follows from the seed and the number of batches before it.
func TestMasks(t *testing.T) {
	batch, targets := toyBatch(0, 3, 1, 1), oneHot(0, 3, 1, 1)
	trainer := open(t, toy(), train.Settings{Seed: 11})
	for i := range 3 {
		mask := make([]float32, 4*toyHidden)
		dropout.FillMask(mask, toyDrop, 11, 0, i)
		r := step(t, trainer, batch, 0) // stays where it is
		mustNear(t, "loss", r.Loss, toyLoss{mask: mask}.mean(toyStart(), toyItems(4), targets), 1e-6)
	}
	r, err := trainer.Evaluate(context.Background(), batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustNear(t, "loss without dropout", r.Loss, toyLoss{}.mean(toyStart(), toyItems(4), targets), 1e-6)
}

// TestAccumulation: several batches of different sizes and weights are one large batch.
func TestAccumulation(t *testing.T) {
	s := train.Settings{
		Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.1, ClipNorm: 0.2}, NoDropout: true,
		Weights: []float64{1, 0.5, 3, 2}, Smoothing: 0.1, Exempt: train.Vectors,
	}
	labels := []int{0, 3, 1, 1, 2, 0, 2, 3, 3, 0}
	whole := open(t, toy(), s)
	s.Accumulate = 3
	parts := open(t, toy(), s)
	x := toyItems(len(labels))
	for range 4 {
		want := step(t, whole, toyBatch(labels...), 0.01)
		var got train.Result
		for _, cut := range [][2]int{{0, 3}, {3, 9}, {9, 10}} {
			n := cut[1] - cut[0]
			part := train.Batch{
				Inputs: []runtime.Tensor{runtime.TensorOf(x[cut[0]*toyIn:cut[1]*toyIn], int64(n), toyIn)},
				Labels: labels[cut[0]:cut[1]],
			}
			got = step(t, parts, part, 0.01)
			if got.Moved != (cut[1] == 10) {
				t.Errorf("moved %v after item %d", got.Moved, cut[1])
			}
		}
		mustNear(t, "norm", got.Norm, want.Norm, 1e-6)
	}
	nearState(t, parts, whole, 1e-5)
}

// nearState compares parameters.
func nearState(t *testing.T, got, want *train.Trainer, tolerance float64) {
	t.Helper()
	after := values(t, got, "model.")
	for name, w := range values(t, want, "model.") {
		for i, v := range w {
			mustNear(t, name, float64(after[name][i]), float64(v), tolerance)
		}
	}
}

// TestFlush moves by what there is.
func TestFlush(t *testing.T) {
	s := train.Settings{NoDropout: true}
	whole := open(t, toy(), s)
	s.Accumulate = 5
	parts := open(t, toy(), s)
	step(t, whole, toyBatch(0, 3, 1), 0.1)
	step(t, parts, toyBatch(0, 3, 1), 0.1)
	for i := range 2 {
		r, err := parts.Flush(context.Background(), 0.1)
		if err != nil || r.Moved != (i == 0) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	nearState(t, parts, whole, 1e-6)
	if parts.Steps() != 1 {
		t.Errorf("%d steps", parts.Steps())
	}
}

// TestExempt: what is exempt moves as without decay, the rest as with it.
func TestExempt(t *testing.T) {
	with := train.Settings{Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.5}, NoDropout: true}
	some, without := with, with
	some.Exempt = train.Vectors
	without.Exempt = func(string, []int64) bool { return true }
	var after []map[string][]float32
	for _, s := range []train.Settings{with, some, without} {
		trainer := open(t, toy(), s)
		step(t, trainer, toyBatch(0, 3, 1, 2), 0.1)
		after = append(after, values(t, trainer, "model."))
	}
	for name, dims := range toySizes {
		want := after[0][name]
		if len(dims) == 1 {
			want = after[2][name]
		}
		if !slices.Equal(after[1][name], want) || slices.Equal(after[0][name], after[2][name]) {
			t.Errorf("%s: %v, want %v", name, after[1][name], want)
		}
	}
}

// TestFrozen: frozen parameters and the statistics of normalisations that are frozen whole keep their bits, and the others move as if
// nothing were frozen, where the forward pass is the same.
func TestFrozen(t *testing.T) {
	want := golden(t, "cnn1d", "sgd")
	n, batch := filled(t, "cnn1d", want.Labels)
	frozen := func(name string) bool { return !strings.HasPrefix(name, "block3.") && name != "fc.bias" }
	s := train.Settings{NoDropout: true, FreezeStatistics: true}
	all := open(t, onnx.New(n.Graph), s)
	s.Frozen = frozen
	some := open(t, onnx.New(n.Graph), s)
	s.FreezeStatistics = false
	measuring := open(t, onnx.New(n.Graph), s)
	start := values(t, open(t, onnx.New(n.Graph), train.Settings{NoDropout: true}), "model.")
	for _, trainer := range []*train.Trainer{all, some, measuring} {
		step(t, trainer, batch, 0.01)
	}
	after := values(t, all, "model.")
	for name, v := range values(t, some, "model.") {
		if frozen(name) {
			t.Errorf("%s is among what is trained", name)
		}
		for i := range v {
			mustNear(t, name, float64(v[i]), float64(after[name][i]), 1e-6)
		}
	}
	exported := constants(t, export(t, measuring))
	for name, v := range start {
		moves := strings.HasPrefix(name, "block3.") || name == "fc.bias" // its running statistics too
		if slices.Equal(exported[name], v) == moves {
			t.Errorf("%s: moved %v", name, !moves)
		}
	}
}

func export(tb testing.TB, t *train.Trainer) *onnx.Model {
	tb.Helper()
	m, err := t.Export()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}
