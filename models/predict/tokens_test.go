package predict

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

// textModel is a fake network of texts that records what it is given; with a fixed length if that is not -1. Its inputs are not in the
// usual order.
func textModel(length int64) runtimetest.Model {
	i64 := func(name string) runtime.Port { return port(name, runtime.Int64, runtime.Dynamic, length) }
	return runtimetest.Model{
		Inputs:  []runtime.Port{i64("attention_mask"), port("gain", runtime.Float32, runtime.Dynamic), i64("input_ids"), i64("token_type_ids")},
		Outputs: []runtime.Port{port("y", runtime.Float32, runtime.Dynamic, 1)},
		Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
			return []runtime.Tensor{runtime.NewTensor[float32](src[0].Shape[0], 1)}, nil
		},
		Metadata: runtime.Metadata{Producer: "test"}, Record: true,
	}
}

func textSession(t *testing.T, m runtimetest.Model, s TokenSettings) (runtime.Session, *runtimetest.Session) {
	t.Helper()
	inner := m.Open()
	out, err := Tokens(inner, s)
	if err != nil {
		t.Fatal(err)
	}
	return out, inner
}

// Rows become ids, mask and types of the longest row's length, each at the place of its name; other inputs pass through.
func TestTokensFeeds(t *testing.T) {
	rows := []float32{101, 7, 102, -1, -1, 101, 102, -1, -1, -1}
	for _, tc := range []struct {
		length    int64
		want      int64
		ids, mask []int64
	}{
		{runtime.Dynamic, 3, []int64{101, 7, 102, 101, 102, 9}, []int64{1, 1, 1, 1, 1, 0}},
		{5, 5, []int64{101, 7, 102, 9, 9, 101, 102, 9, 9, 9}, []int64{1, 1, 1, 0, 0, 1, 1, 0, 0, 0}},
	} {
		s, inner := textSession(t, textModel(tc.length), TokenSettings{Pad: 9})
		if got := fmt.Sprint(s.Inputs()); got != fmt.Sprintf("[input_ids float32[?,%s] gain float32[?]]", strings.ReplaceAll(fmt.Sprint(tc.length), "-1", "?")) {
			t.Errorf("inputs %s", got)
		}
		gain := runtime.TensorOf([]float32{2, 3}, 2)
		for range 2 { // the second run has the memory of the first
			dst := make([]runtime.Tensor, 1)
			if err := s.Run(context.Background(), dst, []runtime.Tensor{runtime.TensorOf(rows, 2, 5), gain}); err != nil {
				t.Fatal(err)
			}
		}
		src := inner.Recorded()[1]
		for i, want := range []runtime.Tensor{
			runtime.TensorOf(tc.mask, 2, tc.want), gain, runtime.TensorOf(tc.ids, 2, tc.want), runtime.TensorOf(make([]int64, 2*tc.want), 2, tc.want),
		} {
			if d := runtimetest.Diff(src[i], want); d != "" {
				t.Errorf("length %d, input %d: %s", tc.length, i, d)
			}
		}
	}
}

// A network may have ids alone, and names of its own.
func TestTokensByName(t *testing.T) {
	m := runtimetest.Model{Inputs: []runtime.Port{port("tokens", runtime.Int64, 4, runtime.Dynamic)}, Record: true}
	s, inner := textSession(t, m, TokenSettings{IDs: "tokens"})
	if err := s.Run(context.Background(), nil, []runtime.Tensor{runtime.TensorOf([]float32{1, 2, 3, 4}, 4, 1)}); err != nil {
		t.Fatal(err)
	}
	if d := runtimetest.Diff(inner.Recorded()[0][0], runtime.TensorOf([]int64{1, 2, 3, 4}, 4, 1)); d != "" {
		t.Error(d)
	}
	if i := s.(runtime.Inspector); i.Device() != "cpu" || i.Metadata().Producer != "" {
		t.Errorf("device %q, %+v", i.Device(), i.Metadata())
	}
}

// Ids that are none are errors that say where; nothing runs.
func TestTokensRefusesRows(t *testing.T) {
	s, inner := textSession(t, textModel(runtime.Dynamic), TokenSettings{Vocabulary: 1000})
	for want, rows := range map[string][]float32{
		"text 1: place 2: 1000 is no token: want a whole number below 1000":  {1, -1, -1, 1, 2, 1000},
		"text 0: place 1: 2.5 is no token":                                   {1, 2.5, -1, 1, 2, 3},
		"text 0: place 0: NaN is no token":                                   {float32(math.NaN()), 2, -1, 1, 2, 3},
		"text 1: place 1: -2 is no token":                                    {1, 2, -1, 1, -2, 3},
		"text 1: place 2: token 3 behind the end of the text at place 1":     {1, 2, -1, 1, -1, 3},
		"text 1: it has no tokens":                                           {1, 2, -1, -1, -1, -1},
		`input "input_ids": shape [1 6 1], want [?,?]`:                       {1, 2, 3, 4, 5, 6},
		"text 0: place 0: +Inf is no token: want a whole number below 1000":  {float32(math.Inf(1)), 2, -1, 1, 2, 3},
		"text 0: place 0: 1e+20 is no token: want a whole number below 1000": {1e20, 2, -1, 1, 2, 3},
	} {
		x := runtime.TensorOf(rows, 2, 3)
		if strings.Contains(want, "shape") {
			x.Shape = []int64{1, 6, 1}
		}
		err := s.Run(context.Background(), make([]runtime.Tensor, 1), []runtime.Tensor{x, runtime.NewTensor[float32](2)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", rows, err, want)
		}
	}
	if inner.Calls() != 0 {
		t.Errorf("%d runs", inner.Calls())
	}
}

func TestTokensRefusesNetworks(t *testing.T) {
	ids := port("input_ids", runtime.Int64, 2, runtime.Dynamic)
	for _, tc := range []struct {
		want  string
		ports []runtime.Port
		s     TokenSettings
	}{
		{`no input "input_ids"`, []runtime.Port{port("x", runtime.Int64, 2, 3)}, TokenSettings{}},
		{`no input "types"`, []runtime.Port{ids}, TokenSettings{Types: "types"}},
		{"want int64 [N, length]", []runtime.Port{port("input_ids", runtime.Int32, 2, 3)}, TokenSettings{}},
		{"want int64 [N, length]", []runtime.Port{port("input_ids", runtime.Int64, 2)}, TokenSettings{}},
		{"contradict", []runtime.Port{ids, port("attention_mask", runtime.Int64, 3, runtime.Dynamic)}, TokenSettings{}},
		{"vocabulary of -1", []runtime.Port{ids}, TokenSettings{Vocabulary: -1}},
		{"vocabulary of 20000000", []runtime.Port{ids}, TokenSettings{Vocabulary: 2e7}},
		{"padding by token 10: want 0 to 9", []runtime.Port{ids}, TokenSettings{Vocabulary: 10, Pad: 10}},
	} {
		if _, err := Tokens(runtimetest.Model{Inputs: tc.ports}.Open(), tc.s); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v, want %q", tc.ports, err, tc.want)
		}
	}
}

// Behind Base, a network of texts is one like any other, with a fixed batch too: rows beyond the items are padding.
func TestTokensUnderBase(t *testing.T) {
	m := textModel(runtime.Dynamic)
	m.Inputs = slices.Delete(m.Inputs, 1, 2)
	for i := range m.Inputs {
		m.Inputs[i].Shape = []int64{3, runtime.Dynamic}
	}
	m.Outputs[0].Shape = []int64{3, 1}
	s, inner := textSession(t, m, TokenSettings{})
	b, err := NewBase(s, []int64{4}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Predict(context.Background(), make([]float32, 2), []float32{5, 6, -1, -1, 7, -1, -1, -1}, nil); err != nil {
		t.Fatal(err)
	}
	if d := runtimetest.Diff(inner.Recorded()[0][1], runtime.TensorOf([]int64{5, 6, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}, 3, 4)); d != "" {
		t.Error(d)
	}
}
