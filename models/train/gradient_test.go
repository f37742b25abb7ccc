package train_test

import (
	"context"
	"math"
	"testing"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
)

// TestFirstGradientsArePyTorchs: what one batch adds to a sum of gradients is the gradient of its loss, a sum over items, of each parameter.
// Elements may be off by 1e-4 of the largest of those that are told or, where the gradient is spread over more elements, of their root mean
// square.
func TestFirstGradientsArePyTorchs(t *testing.T) {
	for _, network := range []string{"cnn1d", "tcn", "bert_mini"} {
		t.Run(network, func(t *testing.T) {
			want := golden(t, network, "sgd")
			n, batch := filled(t, network, want.Labels)
			trainer := open(t, onnx.New(n.Graph), train.Settings{Accumulate: 2, NoDropout: true})
			if _, err := trainer.Step(context.Background(), batch, 0.1); err != nil {
				t.Fatal(err)
			}
			sums := values(t, trainer, "gradient.")
			total := float64(sums["total"][0])
			if total != float64(len(want.Labels)) {
				t.Errorf("the weights of the targets sum to %v, want %d", total, len(want.Labels))
			}
			// The biases of keys, whose gradient is 0 but for rounding, may have one of 1e-7 of the longest.
			longest := 0.0
			for _, w := range want.Grads {
				longest = max(longest, w.L2)
			}
			for name, w := range want.Grads {
				sum, most := 0.0, 0.0
				for _, v := range sums[name] {
					sum += float64(v) * float64(v)
				}
				scale := w.L2
				if scale == 0 {
					scale = 1e-3 * longest
				}
				if l2 := math.Sqrt(sum) / total; !(math.Abs(l2-w.L2) <= 1e-4*scale) {
					t.Errorf("the gradient of %s has the length %.9g, want %.9g", name, l2, w.L2)
				}
				for _, v := range w.First {
					most = max(most, math.Abs(v))
				}
				most = max(most, scale/math.Sqrt(float64(len(sums[name]))))
				for i, v := range w.First {
					if got := float64(sums[name][i]) / total; !(math.Abs(got-v) <= 1e-4*most) {
						t.Errorf("the gradient of %s[%d] is %.9g, want %.9g", name, i, got, v)
					}
				}
			}
			if len(sums) != len(want.Grads)+1 {
				t.Errorf("%d gradients and their total, want %d", len(sums), len(want.Grads))
			}
		})
	}
}
