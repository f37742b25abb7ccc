package backbone_test

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
)

//go:embed testdata/text_cnn.json
var textCNNGolden []byte

// TestTextCNNAgreesWithPyTorch compares with testdata/text_cnn_reference.py a text without padding and one with it, and the latter without
// its padding, which must not matter.
func TestTextCNNAgreesWithPyTorch(t *testing.T) {
	var golden struct {
		Vocabulary, Classes int
		Logits              map[string][]float64
	}
	if err := json.Unmarshal(textCNNGolden, &golden); err != nil {
		t.Fatal(err)
	}
	n := made(t, "text_cnn", backbone.Options{Classes: golden.Classes, Vocabulary: golden.Vocabulary})
	if err := backbonetest.Fill(n); err != nil {
		t.Fatal(err)
	}
	logits := func(ids, mask []int64) []float64 {
		p, err := oracle.Compile(n.Graph, oracle.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(oracle.Int64s(ids, 1, int64(len(ids))), oracle.Int64s(mask, 1, int64(len(mask))))
		if err != nil {
			t.Fatal(err)
		}
		return out[0].F
	}
	for _, name := range []string{"input.0", "input.1"} {
		text := backbonetest.Text(name, golden.Vocabulary)
		near(t, name, logits(text.IDs, text.Mask), golden.Logits[name], 1e-7)
		if real := slices.Index(text.Mask, 0); real > 0 {
			near(t, name+" unpadded", logits(text.IDs[:real], text.Mask[:real]), golden.Logits[name], 1e-7)
		}
	}
	if got := logits(make([]int64, 4), make([]int64, 4)); got[0] != got[0] {
		t.Errorf("a text without tokens: %v", got)
	}
}
