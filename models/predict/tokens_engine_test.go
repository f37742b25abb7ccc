package predict_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
)

func texts(tb testing.TB, s runtime.Session) runtime.Session {
	tb.Helper()
	t, err := predict.Tokens(s, predict.TokenSettings{Vocabulary: 30522})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// padded returns rows of length ids.
func padded(rows [][]int, length int) (out []float32) {
	for _, row := range rows {
		for j := range length {
			if j < len(row) {
				out = append(out, float32(row[j]))
			} else {
				out = append(out, -1)
			}
		}
	}
	return out
}

// MiniLM with its published weights gives the embeddings that its authors' code gives, for texts of several lengths in one batch.
func TestTokensOfMiniLM(t *testing.T) {
	if testing.Short() {
		t.Skip("90 MB of weights")
	}
	text, err := os.ReadFile(testdata.Shared(t, "data", "tokenizer", "minilm_l6_golden_embeddings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden []struct {
		IDs       []int     `json:"ids"`
		Embedding []float32 `json:"mean_pooled_l2norm"`
	}
	if err := json.Unmarshal(text, &golden); err != nil || len(golden) < 2 {
		t.Fatal(len(golden), err)
	}
	net, err := backbone.New("minilm", backbone.Options{Embed: true})
	if err != nil {
		t.Fatal(err)
	}
	file, err := weights.Open(testdata.Asset(t, "minilm", "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Load(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := predict.NewBase(texts(t, open(t, onnx.New(net.Graph))), []int64{64}, 0, 384)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]int
	for _, g := range golden {
		rows = append(rows, g.IDs)
	}
	got := inBatches(t, b, padded(rows, 64), make([]uint64, len(rows)), len(rows))
	for i, g := range golden {
		if d := apart(got[i*384:(i+1)*384], g.Embedding); !(d < 2e-6) { // the golden has six digits
			t.Errorf("text %d: %g apart", i, d)
		}
	}
}

func miniature(tb testing.TB, o backbone.Options) *onnx.Model {
	tb.Helper()
	net, err := backbone.New("bert_mini", o)
	if err != nil {
		tb.Fatal(err)
	}
	return onnx.New(net.Graph)
}

// What follows a text, and the length of its neighbours, does not matter: a run is cut to its longest text, and padding is masked.
func TestTokensAreCut(t *testing.T) {
	b, err := predict.NewBase(texts(t, open(t, miniature(t, backbone.Options{Classes: 5}))), []int64{200}, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	short, long := []int{101, 2000, 3000, 102}, slices.Repeat([]int{101, 4000, 5000}, 60)
	alone := inBatches(t, b, padded([][]int{short}, 200), make([]uint64, 1), 1)
	both := inBatches(t, b, padded([][]int{long, short}, 200), make([]uint64, 2), 2)
	if d := apart(alone, both[5:]); !(d < 1e-6) { // sums over padding are exactly 0, but are added up in another order
		t.Errorf("%g apart", d)
	}
	if d := apart(alone, both[:5]); !(d > 1e-5) {
		t.Errorf("two texts are %g apart", d)
	}
}

// MC dropout runs on texts: the masks of the dropout before the head pass through. Dropout inside has masks as long as the texts, which
// only a graph for one length can take.
func TestMCDropoutOfTexts(t *testing.T) {
	mc, err := dropout.Build(miniature(t, backbone.Options{Classes: 5, Dropout: 0.4}), dropout.Settings{Passes: 8})
	if err != nil {
		t.Fatal(err)
	}
	d, err := predict.NewMCDropout(texts(t, open(t, mc)), []int64{16}, 5, predict.MCDropoutSettings{})
	if err != nil {
		t.Fatal(err)
	}
	x := padded([][]int{{101, 2000, 102}, {101, 3000, 4000, 102}, {101, 102}}, 16)
	one, all := inBatches(t, d, x, []uint64{1, 2, 3}, 1), inBatches(t, d, x, []uint64{1, 2, 3}, 3)
	if diff := apart(one, all); !(diff < 1e-6) {
		t.Errorf("in a batch %g apart", diff)
	}
	if other := inBatches(t, d, x, []uint64{4, 5, 6}, 3); apart(other, all) == 0 {
		t.Error("other seeds give the same")
	}
	m := miniature(t, backbone.Options{Classes: 5})
	within := dropout.Settings{At: []string{"bert.embeddings.LayerNorm"}}
	if mc, err = dropout.Build(m, within); err != nil {
		t.Fatal(err)
	}
	_, err = predict.NewMCDropout(texts(t, open(t, mc)), []int64{16}, 5, predict.MCDropoutSettings{})
	if err == nil || !strings.Contains(err.Error(), "their sizes depend on the input") {
		t.Errorf("masks of open length: %v", err)
	}
}
