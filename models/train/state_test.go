package train_test

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// stateBytes are the bits of everything that a step changes.
func stateBytes(tb testing.TB, t *train.Trainer) []byte {
	tb.Helper()
	state, err := t.State()
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	if err := weights.WriteSafetensors(&out, state, nil); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// TestRestore: a trainer that was given back its state, through a file, goes on bit for bit, also between batches of one step.
func TestRestore(t *testing.T) {
	want := golden(t, "cnn1d", "sgd")
	n, batch := filled(t, "cnn1d", want.Labels)
	for name, s := range map[string]train.Settings{
		"adamw":       {Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.1}, Exempt: train.Vectors, Seed: 5},
		"nesterov":    {Optimizer: optim.Settings{Momentum: 0.9, Nesterov: true, ClipNorm: 1}},
		"sgd, frozen": {Frozen: func(name string) bool { return name == "fc.bias" }},
		"accumulated": {Optimizer: optim.Settings{Method: optim.Adam}, Accumulate: 2},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := open(t, onnx.New(n.Graph), s), open(t, onnx.New(n.Graph), s)
			for range 3 {
				step(t, first, batch, 0.01)
			}
			state, err := first.State()
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "state.safetensors")
			if err := weights.Save(path, state, nil); err != nil {
				t.Fatal(err)
			}
			f, err := weights.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := second.Restore(f.Tensors()); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				a, b := step(t, first, batch, 0.01), step(t, second, batch, 0.01)
				if a != b || !bytes.Equal(stateBytes(t, first), stateBytes(t, second)) {
					t.Fatalf("step %d: %+v, want %+v, or other bits", i, b, a)
				}
			}
			if first.Steps() != second.Steps() {
				t.Errorf("%d steps, want %d", second.Steps(), first.Steps())
			}
		})
	}
}

// TestRestoreRefuses: what does not fit is told, and nothing changes.
func TestRestoreRefuses(t *testing.T) {
	s := train.Settings{Optimizer: optim.Settings{Momentum: 0.5}}
	trainer := open(t, toy(), s)
	step(t, trainer, toyBatch(0, 1, 2), 0.1)
	state, err := trainer.State()
	if err != nil {
		t.Fatal(err)
	}
	before := stateBytes(t, trainer)
	step(t, trainer, toyBatch(2, 1, 2), 0.1)
	now := stateBytes(t, trainer)
	other, err := weights.NewFloat32("model.V", []int{2, 2}, make([]float32, 4))
	if err != nil {
		t.Fatal(err)
	}
	var without []*weights.Tensor
	for _, w := range state {
		if w.Name() != "model.V" {
			without = append(without, w)
		}
	}
	for name, c := range map[string]struct {
		state []*weights.Tensor
		want  string
	}{
		"missing":    {without, "model.V is missing"},
		"shape":      {slices.Concat(without, []*weights.Tensor{other}), "model.V F32[2 2]: want F32[5 3]"},
		"unexpected": {slices.Concat(state, []*weights.Tensor{other.Named("model.X")}), "model.X is not expected"},
		"twice":      {slices.Concat(state, state[:1]), "two tensors are named"},
	} {
		if err := trainer.Restore(c.state); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if !bytes.Equal(stateBytes(t, trainer), now) {
			t.Errorf("%s: something changed", name)
		}
	}
	if err := trainer.Restore(state); err != nil || !bytes.Equal(stateBytes(t, trainer), before) {
		t.Errorf("%v, or other bits", err)
	}
}

// TestExport: the network that comes out classifies as [train.Trainer.Evaluate] does, and the one that went in is as it was.
func TestExport(t *testing.T) {
	want := golden(t, "cnn1d", "sgd")
	n, batch := filled(t, "cnn1d", want.Labels)
	m := onnx.New(n.Graph)
	source, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	trainer := open(t, m, train.Settings{Optimizer: optim.Settings{Momentum: 0.9}, Accumulate: 1})
	if same, err := export(t, trainer).Bytes(); err != nil || !bytes.Equal(same, source) {
		t.Errorf("before the first step another network comes out (%v)", err)
	}
	for range 2 {
		step(t, trainer, batch, 0.05)
	}
	logits := make([]float32, len(batch.Labels)*6)
	if _, err := trainer.Evaluate(context.Background(), batch, logits); err != nil {
		t.Fatal(err)
	}
	data, err := export(t, trainer).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	session, err := orttest.Engine(t).Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	dst := make([]runtime.Tensor, 1)
	if err := session.Run(context.Background(), dst, batch.Inputs); err != nil {
		t.Fatal(err)
	}
	for i, v := range dst[0].Data.([]float32) {
		mustNear(t, "logit", float64(logits[i]), float64(v), 1e-5)
	}
	if after, err := m.Bytes(); err != nil || !bytes.Equal(after, source) {
		t.Errorf("the network that went in has changed (%v)", err)
	}
}

// TestStepRefuses: a batch that does not fit, or whose loss is no number, is an error that names the step, and changes nothing.
func TestStepRefuses(t *testing.T) {
	trainer := open(t, toy(), train.Settings{Optimizer: optim.Settings{Method: optim.Adam}})
	step(t, trainer, toyBatch(0, 1, 2), 0.1)
	before := stateBytes(t, trainer)
	nan, huge := toyBatch(0, 1), toyBatch(0, 1)
	nan.Inputs[0].Data.([]float32)[1] = float32(math.NaN())
	for i := range huge.Inputs[0].Data.([]float32) {
		huge.Inputs[0].Data.([]float32)[i] = 3e38
	}
	one := toyBatch(1)
	for name, c := range map[string]struct {
		batch train.Batch
		rate  float64
		want  string
	}{
		"label too large": {toyBatch(0, 4), 0.1, "item 1: label 4 is none of 4 classes"},
		"label negative":  {toyBatch(-2, 0), 0.1, "item 0: label -2"},
		"no label":        {train.Batch{Inputs: one.Inputs}, 0.1, "no item of the batch has a target"},
		"labels":          {train.Batch{Inputs: one.Inputs, Labels: []int{1, 2}}, 0.1, "2 labels for 1 items"},
		"nothing to do":   {toyBatch(-1, -1), 0.1, "no item of the batch has a target"},
		"no input":        {train.Batch{Labels: []int{1}}, 0.1, "0 inputs, the network has 1"},
		"another shape":   {train.Batch{Inputs: []runtime.Tensor{runtime.NewTensor[float32](2, 5)}, Labels: []int{1, 1}}, 0.1, "input 0 has shape [2 5], want [N,3]"},
		"another type":    {train.Batch{Inputs: []runtime.Tensor{runtime.NewTensor[int64](1, 3)}, Labels: []int{1}}, 0.1, "int64"},
		"no items":        {train.Batch{Inputs: []runtime.Tensor{runtime.NewTensor[float32](0, 3)}}, 0.1, "the batch is empty"},
		"soft, too few":   {train.Batch{Inputs: one.Inputs, Targets: make([]float32, 3)}, 0.1, "3 targets for 1 items of 4 classes"},
		"soft, sum":       {train.Batch{Inputs: one.Inputs, Targets: []float32{0.5, 0.1, 0, 0}}, 0.1, "item 0: the targets sum to 0.6"},
		"soft, negative":  {train.Batch{Inputs: one.Inputs, Targets: []float32{1.5, -0.5, 0, 0}}, 0.1, "item 0: target 1.5 is not in [0, 1]"},
		"rate":            {one, math.NaN(), "rate NaN"},
		"NaN":             {nan, 0.1, "the loss is NaN"},
		"overflow":        {huge, 0.1, "the loss is"},
	} {
		_, err := trainer.Step(context.Background(), c.batch, c.rate)
		if err == nil || !strings.HasPrefix(err.Error(), "train: step 2: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if !bytes.Equal(stateBytes(t, trainer), before) {
			t.Errorf("%s: something changed", name)
		}
	}
	if r := step(t, trainer, toyBatch(0, 1, 2), 0.1); !r.Moved || trainer.Steps() != 2 {
		t.Errorf("%+v after %d steps", r, trainer.Steps())
	}
}

// TestCancelled: a run that was ended is the context's error, and changes nothing.
func TestCancelled(t *testing.T) {
	trainer := open(t, toy(), train.Settings{})
	before := stateBytes(t, trainer)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := trainer.Step(ctx, toyBatch(0, 1), 0.1); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("error %v", err)
	}
	if !bytes.Equal(stateBytes(t, trainer), before) {
		t.Error("something changed")
	}
}

// TestStepAllocatesNothing of its own: two allocations are those of the engine, which pins more than a few tensors.
func TestStepAllocatesNothing(t *testing.T) {
	trainer, batch := open(t, toy(), train.Settings{Optimizer: optim.Settings{Method: optim.Adam}}), toyBatch(0, 1, 2)
	step(t, trainer, batch, 0.1)
	if n := testing.AllocsPerRun(20, func() { step(t, trainer, batch, 0.1) }); n > 2 {
		t.Errorf("%v allocations a step", n)
	}
}

// TestSumThatIsNotFinite is given up: what comes after it is as if it had not been.
func TestSumThatIsNotFinite(t *testing.T) {
	s := train.Settings{Accumulate: 2, NoDropout: true}
	one, other := open(t, toy(), s), open(t, toy(), s)
	far := toyBatch(1, 0)
	for i := range far.Inputs[0].Data.([]float32) {
		far.Inputs[0].Data.([]float32)[i] = 2e37 // the loss is finite, and the square of the gradient is not
	}
	step(t, one, toyBatch(0, 1), 0.1)
	if _, err := one.Step(context.Background(), far, 0.1); err == nil || !strings.Contains(err.Error(), "train: step 1: the length of the gradient is") {
		t.Fatalf("error %v", err)
	}
	for range 2 {
		step(t, one, toyBatch(0, 3), 0.1)
		step(t, other, toyBatch(0, 3), 0.1)
	}
	nearState(t, one, other, 0)
	if one.Steps() != 1 {
		t.Errorf("%d steps, want 1", one.Steps())
	}
}
