package backbone_test

import (
	"context"
	"os"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// session opens a network in ONNX Runtime, on one thread.
func session(tb testing.TB, n *backbone.Net) runtime.Session {
	tb.Helper()
	e := orttest.Engine(tb)
	data, err := onnx.New(n.Graph).Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := e.Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		tb.Fatalf("%s: %v", n.Name, err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// run returns the first output.
func run(tb testing.TB, s runtime.Session, inputs ...runtime.Tensor) []float64 {
	tb.Helper()
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, inputs); err != nil {
		tb.Fatal(err)
	}
	out, err := runtime.DataOf[float32](dst[0])
	if err != nil {
		tb.Fatal(err)
	}
	return widen(out)
}

// TestEngineAgreesWithPyTorch compares logits with those of the reference, within 1e-4 of the largest. The two networks that are filled
// longest are left to OATTA_HEAVY where a smaller one, or smaller pictures, have the same code.
func TestEngineAgreesWithPyTorch(t *testing.T) {
	heavy := os.Getenv("OATTA_HEAVY") != ""
	for _, name := range recorded {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("filling the weights takes its time")
			}
			if name == "bert_base" {
				testdata.Heavy(t, "filling the weights takes its time")
			}
			for _, c := range backbonetest.Cases(t, name) {
				if name == "vit_b_16" && c.InputShape[1] > 64 && !heavy {
					continue
				}
				s := session(t, backbonetest.Build(t, c))
				if c.Inputs != nil {
					for _, row := range []string{"input.0", "input.1"} {
						near(t, name+" "+row, run(t, s, tokens(s, c.Inputs[row])...), c.Logits[row], 1e-4)
					}
					continue
				}
				x := runtime.TensorOf(backbonetest.Batch(c, "input.0", "input.1"), append([]int64{2}, c.InputShape...)...)
				near(t, name, run(t, s, x), append(c.Logits["input.0"], c.Logits["input.1"]...), 1e-4)
			}
		})
	}
}

// tokens are the inputs of a session: one text, with or without types.
func tokens(s runtime.Session, texts ...backbonetest.Tokens) []runtime.Tensor {
	var parts [3][]int64
	for _, t := range texts {
		parts[0], parts[1], parts[2] = append(parts[0], t.IDs...), append(parts[1], t.Mask...), append(parts[2], t.Types...)
	}
	var out []runtime.Tensor
	for i := range s.Inputs() {
		out = append(out, runtime.TensorOf(parts[i], int64(len(texts)), int64(len(parts[i])/len(texts))))
	}
	return out
}
