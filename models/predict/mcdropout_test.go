package predict

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

func metadata(t *testing.T, masks ...dropout.Mask) runtime.Metadata {
	t.Helper()
	text, err := json.Marshal(dropout.Spec{Version: 1, Passes: 5, Masks: masks, Probability: "p"})
	if err != nil {
		t.Fatal(err)
	}
	return runtime.Metadata{Custom: map[string]string{dropout.MetaGraph: dropout.GraphMC, dropout.MetaSpec: string(text)}}
}

// What the session is given: a mask for each dropout, with its own probability or with the one that is asked for.
func TestMCDropoutFeeds(t *testing.T) {
	m := runtimetest.Model{
		Inputs:  []runtime.Port{port("x", runtime.Float16, runtime.Dynamic, 2), port("a", runtime.Float32, runtime.Dynamic, runtime.Dynamic, 3), port("b", runtime.Float32, runtime.Dynamic, runtime.Dynamic, 2, 2)},
		Outputs: []runtime.Port{port("v", runtime.Float32, runtime.Dynamic), port("p", runtime.Float32, runtime.Dynamic, 2)},
		Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
			n := src[0].Shape[0]
			return []runtime.Tensor{runtime.NewTensor[float32](n), runtime.TensorOf(floats(src[0]), n, 2)}, nil
		},
		Metadata: metadata(t, dropout.Mask{Input: "a", P: 0.5}, dropout.Mask{Input: "b", P: 0.75}),
		Record:   true,
	}
	for p, scales := range map[float64][2]float32{0: {2, 4}, 0.5: {2, 2}} {
		session := m.Open()
		d, err := NewMCDropout(session, []int64{2}, 2, MCDropoutSettings{P: p, MaskNumbers: 4 * 7 * 3})
		if err != nil {
			t.Fatal(err)
		}
		if d.Passes() != 5 || d.InputLen() != 2 || d.Size(100) != 2 || d.Size(1) != 1 {
			t.Errorf("%d passes, %d numbers, runs of %d items", d.Passes(), d.InputLen(), d.Size(100))
		}
		src, dst := []float32{0.25, 0.75, 0.5, 0.5, 1, 0}, make([]float32, 6)
		if err := d.Predict(context.Background(), dst, src, []uint64{1, 2, 3}); err != nil || !slices.Equal(dst, src) {
			t.Errorf("%v, %v", dst, err)
		}
		runs := session.Recorded()
		if len(runs) != 2 || !slices.Equal(runs[0][1].Shape, []int64{2, 5, 3}) || !slices.Equal(runs[1][2].Shape, []int64{1, 5, 2, 2}) {
			t.Fatalf("%d runs, the first with masks %v", len(runs), runs[0][1].Shape)
		}
		for j, scale := range scales {
			values := slices.Compact(slices.Sorted(slices.Values(floats(runs[0][1+j]))))
			if !slices.Equal(values, []float32{0, scale}) {
				t.Errorf("p %g: mask %d holds %v, want 0 and %g", p, j, values, scale)
			}
		}
	}
}

func TestMCDropoutRefuses(t *testing.T) {
	const open = runtime.Dynamic
	x, y := port("x", runtime.Float32, open, 2), port("p", runtime.Float32, open, 2)
	a := port("a", runtime.Float32, open, open, 3)
	meta := metadata(t, dropout.Mask{Input: "a", Node: "drop", P: 0.5})
	for _, tc := range []struct {
		want     string
		settings MCDropoutSettings
		ins      []runtime.Port
		out      runtime.Port
		meta     runtime.Metadata
	}{
		{"-1 passes", MCDropoutSettings{Passes: -1}, []runtime.Port{x, a}, y, meta},
		{"probability 1", MCDropoutSettings{P: 1}, []runtime.Port{x, a}, y, meta},
		{"-3 elements", MCDropoutSettings{MaskNumbers: -3}, []runtime.Port{x, a}, y, meta},
		{"not a graph for Monte Carlo dropout", MCDropoutSettings{}, []runtime.Port{x}, y, runtime.Metadata{}},
		{"1 inputs: want one, and 1 of masks", MCDropoutSettings{}, []runtime.Port{x}, y, meta},
		{"a batch of any size", MCDropoutSettings{}, []runtime.Port{port("x", runtime.Float32, 8, 2), a}, y, meta},
		{"with any N and passes", MCDropoutSettings{}, []runtime.Port{x, port("a", runtime.Float32, open, 30, 3)}, y, meta},
		{`want masks "a"`, MCDropoutSettings{}, []runtime.Port{x, port("b", runtime.Float32, open, open, 3)}, y, meta},
		{`dropout "drop": their sizes depend on the input`, MCDropoutSettings{}, []runtime.Port{x, port("a", runtime.Float32, open, open, open)}, y, meta},
		{`want "p" float32 [N, 2]`, MCDropoutSettings{}, []runtime.Port{x, a}, port("p", runtime.Float32, open, 3), meta},
	} {
		m := runtimetest.Model{Inputs: tc.ins, Outputs: []runtime.Port{tc.out}, Metadata: tc.meta}
		if _, err := NewMCDropout(m.Open(), []int64{2}, 2, tc.settings); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
	if _, err := NewMCDropout(quiet{x, y}, []int64{2}, 2, MCDropoutSettings{}); err == nil || !strings.Contains(err.Error(), "does not tell the metadata") {
		t.Errorf("a session without metadata: %v", err)
	}
}
