package backbone_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
)

// small are the networks that the oracle evaluates in a second or two. With OATTA_HEAVY set it takes all, in half a minute.
var small = []string{"cifar_resnet20", "cnn1d", "tcn", "resnet18_1d", "resnet18", "tinybert", "convnext_tiny"}

// TestOracleAgreesWithPyTorch: records have nine digits. What the graph has in float32 beside the weights, as the square root of two in Gelu,
// moves logits by less than that.
func TestOracleAgreesWithPyTorch(t *testing.T) {
	if testing.Short() {
		t.Skip("the oracle takes its time")
	}
	names := small
	if os.Getenv("OATTA_HEAVY") != "" {
		names = recorded
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, c := range backbonetest.Cases(t, name) {
				if len(c.InputShape) == 3 && c.InputShape[1] > 64 {
					continue
				}
				n := backbonetest.Build(t, c)
				p, err := oracle.Compile(n.Graph, oracle.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range []string{"input.0", "input.1"} {
					out, err := p.Run(oracleInputs(n, c, row)...)
					if err != nil {
						t.Fatal(err)
					}
					near(t, row, out[0].F, c.Logits[row], 1e-7)
				}
			}
		})
	}
}

// oracleInputs returns one sample, or the one to three inputs of a text.
func oracleInputs(n *backbone.Net, c backbonetest.Case, row string) (out []oracle.Tensor) {
	if c.Inputs == nil {
		return []oracle.Tensor{oracle.Float32s(widen(backbonetest.Batch(c, row)), append([]int64{1}, c.InputShape...)...)}
	}
	text := c.Inputs[row]
	for _, ids := range [][]int64{text.IDs, text.Mask, text.Types}[:len(n.Graph.Inputs())] {
		out = append(out, oracle.Int64s(ids, 1, int64(len(ids))))
	}
	return out
}

func widen(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v)
	}
	return out
}

// near compares numbers relative to the largest of what is wanted.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale, worst := 0.0, 0.0
	for i := range want {
		scale = max(scale, math.Abs(want[i]))
		worst = max(worst, math.Abs(got[i]-want[i]))
	}
	if !(worst <= tolerance*scale) {
		t.Errorf("%s: off by %.2g of the largest, %v, want %v", what, worst/scale, got, want)
	}
}

// TestTensorsAreThePublishedOnes compares names and shapes with PyTorch's state dicts.
func TestTensorsAreThePublishedOnes(t *testing.T) {
	for _, name := range recorded {
		for _, c := range backbonetest.Cases(t, name) {
			n := backbonetest.Fresh(t, c)
			for _, got := range n.Tensors {
				if want, ok := c.Tensors[got.Name]; !ok || !graph.Of(got.Dims...).Same(graph.Of(want.Shape...)) {
					t.Errorf("%s: %s %v, want %v", name, got.Name, got.Dims, want.Shape)
				}
				if n.Graph.IsParam(got.Value) == got.Buffer {
					t.Errorf("%s: %s: parameter %v", name, got.Name, !got.Buffer)
				}
			}
			if len(n.Tensors) != len(c.Tensors) {
				t.Errorf("%s: %d tensors, want %d", name, len(n.Tensors), len(c.Tensors))
			}
		}
	}
}

// recorded are the networks of which the reference has records.
var recorded = []string{
	"cifar_resnet18", "cifar_resnet20", "cnn1d", "tcn", "resnet18_1d", "resnet18", "resnet50", "convnext_tiny", "vit_b_16", "tinybert", "distilbert_base", "bert_base",
}

// TestOracleOnTexts compares texts with and without padding: the records of training hold the loss before the first step.
func TestOracleOnTexts(t *testing.T) {
	data, err := os.ReadFile(testdata.Shared(t, "reference", "backbones", "train.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r map[string]map[string]struct {
		Labels []int
		Loss   []float64
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	want := r["bert_mini"]["adamw"]
	n := made(t, "bert_mini", backbone.Options{Vocabulary: 1000, Positions: 64})
	if err := backbonetest.Fill(n); err != nil {
		t.Fatal(err)
	}
	var ids, mask, types []int64
	for i := range want.Labels {
		text := backbonetest.Text(fmt.Sprintf("train.%d", i), 1000)
		ids, mask, types = append(ids, text.IDs...), append(mask, text.Mask...), append(types, text.Types...)
	}
	out, err := oracle.Run(n.Graph, oracle.Int64s(ids, 8, 16), oracle.Int64s(mask, 8, 16), oracle.Int64s(types, 8, 16))
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.0
	for i, label := range want.Labels {
		a, b := out[0].F[2*i+label], out[0].F[2*i+1-label]
		loss += math.Log1p(math.Exp(b-a)) / float64(len(want.Labels))
	}
	near(t, "loss", []float64{loss}, want.Loss[:1], 1e-7)
}

// TestFillRule compares tensors bit by bit with those that PyTorch was given.
func TestFillRule(t *testing.T) {
	data, err := os.ReadFile(testdata.Shared(t, "reference", "backbones", "fill.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Float32 map[string]struct {
			Shape []int64
			Hash  string `json:"sha256_le"`
		}
	}
	if err := json.Unmarshal(data, &want); err != nil || len(want.Float32) == 0 {
		t.Fatalf("%d tensors (%v)", len(want.Float32), err)
	}
	for name, w := range want.Float32 {
		var raw []byte
		for _, v := range backbonetest.Values(name, w.Shape...) {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(raw)); got != w.Hash {
			t.Errorf("%s %v: other elements than the reference's", name, w.Shape)
		}
	}
}
