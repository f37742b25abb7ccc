package train_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
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

// constants returns the floating-point constants of a model by name.
func constants(tb testing.TB, m *onnx.Model) map[string][]float32 {
	tb.Helper()
	out := map[string][]float32{}
	for _, v := range m.Graph.Values() {
		c := m.Graph.ConstOf(v)
		if c == nil || !c.Elem().IsFloat() {
			continue
		}
		all, err := c.Float64s()
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range all {
			out[m.Graph.NameOf(v)] = append(out[m.Graph.NameOf(v)], float32(f))
		}
	}
	return out
}
