//go:build cgo

package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// series is five steps that PyTorch took in float64: backbone_reference.py, train_case.
type series struct {
	Labels   []int
	Loss     []float64          // before each step, and after the last
	EvalLoss float64            `json:"eval_loss"`
	Params   map[string]summary `json:"params_after"`
	Running  map[string]summary `json:"running_after"`
	Grads    map[string]summary `json:"first_grads"`
}

// summary is the length of a tensor and its first four elements.
type summary struct {
	L2    float64
	First []float64
}

func golden(tb testing.TB, network, optimizer string) series {
	tb.Helper()
	data, err := os.ReadFile(testdata.Shared(tb, "reference", "backbones", "train.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var r map[string]map[string]series
	if err := json.Unmarshal(data, &r); err != nil {
		tb.Fatal(err)
	}
	s, ok := r[network][optimizer]
	if !ok {
		tb.Fatalf("no series of %s with %s", network, optimizer)
	}
	return s
}

var optimizers = map[string]struct {
	settings optim.Settings
	rate     float64
}{
	"adamw":     {optim.Settings{Method: optim.AdamW, Decay: 1e-2}, 1e-3},
	"sgd":       {optim.Settings{Momentum: 0.9, Nesterov: true, Decay: 5e-4}, 0.1},
	"sgd_small": {optim.Settings{Momentum: 0.9, Nesterov: true, Decay: 5e-4}, 0.01},
}

// filled returns a network of the reference and its batch train.0 to train.7.
func filled(tb testing.TB, name string, labels []int) (*backbone.Net, train.Batch) {
	tb.Helper()
	b := train.Batch{Labels: labels}
	var n *backbone.Net
	if name == "bert_mini" {
		var err error
		if n, err = backbone.New(name, backbone.Options{Vocabulary: 1000, Positions: 64}); err != nil {
			tb.Fatal(err)
		}
		if err := backbonetest.Fill(n); err != nil {
			tb.Fatal(err)
		}
		var ids, mask, types []int64
		for i := range labels {
			text := backbonetest.Text(fmt.Sprintf("train.%d", i), 1000)
			ids, mask, types = append(ids, text.IDs...), append(mask, text.Mask...), append(types, text.Types...)
		}
		for _, v := range [][]int64{ids, mask, types} {
			b.Inputs = append(b.Inputs, runtime.TensorOf(v, int64(len(labels)), 16))
		}
		return n, b
	}
	n, c := backbonetest.Golden(tb, name)
	var names []string
	for i := range labels {
		names = append(names, fmt.Sprintf("train.%d", i))
	}
	b.Inputs = []runtime.Tensor{runtime.TensorOf(backbonetest.Batch(c, names...), append([]int64{int64(len(labels))}, c.InputShape...)...)}
	return n, b
}

func open(tb testing.TB, m *onnx.Model, s train.Settings) *train.Trainer {
	tb.Helper()
	p, err := train.Build(m, s)
	if err != nil {
		tb.Fatal(err)
	}
	t, err := p.Open(orttest.Engine(tb), runtime.Config{IntraThreads: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Close(); err != nil {
			tb.Error(err)
		}
	})
	return t
}

func step(tb testing.TB, t *train.Trainer, b train.Batch, rate float64) train.Result {
	tb.Helper()
	r, err := t.Step(context.Background(), b, rate)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// values returns the tensors of a trainer's state by name.
func values(tb testing.TB, t *train.Trainer, prefix string) map[string][]float32 {
	tb.Helper()
	state, err := t.State()
	if err != nil {
		tb.Fatal(err)
	}
	out := map[string][]float32{}
	for _, w := range state {
		if name, ok := strings.CutPrefix(w.Name(), prefix); ok {
			if out[name], err = w.Float32s(); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return out
}

// TestStepsArePyTorchs: float32 against float64. The tcn's loss grows twentyfold at SGD's larger rate; there a pre-activation that rounding
// puts on the other side of 0 moves all that follows, and two orders of summation have agreed within 1e-4 and within 1e-2.
func TestStepsArePyTorchs(t *testing.T) {
	for _, c := range []struct {
		network, optimizer string
		tolerance          float64 // relative
	}{
		{"cnn1d", "adamw", 1e-4},
		{"cnn1d", "sgd", 1e-4},
		{"cnn1d", "sgd_small", 1e-4},
		{"tcn", "adamw", 1e-4},
		{"tcn", "sgd", 3e-2},
		{"tcn", "sgd_small", 1e-4},
		{"bert_mini", "adamw", 1e-4},
		{"bert_mini", "sgd", 1e-4},
		{"bert_mini", "sgd_small", 1e-4},
	} {
		t.Run(c.network+" "+c.optimizer, func(t *testing.T) {
			want, o := golden(t, c.network, c.optimizer), optimizers[c.optimizer]
			n, batch := filled(t, c.network, want.Labels)
			trainer := open(t, onnx.New(n.Graph), train.Settings{Optimizer: o.settings, NoDropout: true})
			near := func(what string, got, want, scale float64) {
				t.Helper()
				if !(math.Abs(got-want) <= c.tolerance*scale) {
					t.Errorf("%s is %.9g, want %.9g: off by %.2g of %.3g", what, got, want, math.Abs(got-want)/scale, scale)
				}
			}
			for i := range 5 {
				r := step(t, trainer, batch, o.rate)
				near(fmt.Sprintf("loss %d", i), r.Loss, want.Loss[i], want.Loss[i])
			}
			r, err := trainer.Evaluate(context.Background(), batch, nil)
			if err != nil {
				t.Fatal(err)
			}
			near("loss with running statistics", r.Loss, want.EvalLoss, want.EvalLoss)
			after := values(t, trainer, "model.")
			for name, w := range want.Params {
				nearSummary(t, near, name, after[name], w)
			}
			for name, w := range want.Running {
				nearSummary(t, near, name, after[name], w)
			}
			if len(after) != len(want.Params)+len(want.Running) {
				t.Errorf("%d tensors, want %d and %d", len(after), len(want.Params), len(want.Running))
			}
		})
	}
}

// nearSummary leaves out the biases of keys, whose gradient is 0 but for rounding, which AdamW makes as large as any.
func nearSummary(t *testing.T, near func(string, float64, float64, float64), name string, got []float32, w summary) {
	t.Helper()
	if strings.HasSuffix(name, "attention.self.key.bias") {
		return
	}
	sum := 0.0
	for _, v := range got {
		sum += float64(v) * float64(v)
	}
	near("length of "+name, math.Sqrt(sum), w.L2, w.L2)
	for i, v := range w.First {
		near(fmt.Sprintf("%s[%d]", name, i), float64(got[i]), v, math.Abs(v)+w.L2/math.Sqrt(float64(len(got))))
	}
}
