package weights

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// published reads testdata/names.json: network to name to shape.
func published(t *testing.T) map[string]map[string][]int {
	t.Helper()
	text, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]map[string][]int
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// holding is a file of zeros under the names, each renamed.
func holding(t *testing.T, shapes map[string][]int, rename func(string) string) *File {
	t.Helper()
	f := newFile()
	for name, shape := range shapes {
		n, err := byteLen(U8, shape)
		if err != nil {
			t.Fatal(err)
		}
		x, err := New(rename(name), U8, shape, make([]byte, n))
		if err != nil || f.add(x) != nil {
			t.Fatal(name, err)
		}
	}
	return f
}

func asIs(name string) string { return name }

// What the libraries write under their names is found under ours: every tensor, none left over, no other shape.
func TestRulesFitPublishedNames(t *testing.T) {
	names := published(t)
	gamma := func(name string) string {
		return strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta").Replace(name)
	}
	linear := func(name string) string {
		return strings.NewReplacer(".mlp.0.", ".mlp.linear_1.", ".mlp.3.", ".mlp.linear_2.").Replace(name)
	}
	head, pooler := []string{"classifier.bias", "classifier.weight"}, []string{"bert.pooler.dense.bias", "bert.pooler.dense.weight"}
	before := []string{"pre_classifier.bias", "pre_classifier.weight"}
	vit := []string{"heads.head.bias", "heads.head.weight"}
	for _, c := range []struct {
		want, file string
		rename     func(string) string
		rules      Rules
		missing    []string
	}{
		{"torchvision resnet18", "torchvision resnet18", asIs, Torchvision, nil},
		{"torchvision vit", "torchvision vit", asIs, Torchvision, nil},
		{"torchvision vit", "torchvision vit", linear, Torchvision, nil},
		{"torchvision vit", "timm vit", asIs, TimmViT, nil},
		{"torchvision vit", "transformers 5 vit in memory", asIs, HuggingFaceViT, nil},
		{"torchvision vit", "ViTForImageClassification", asIs, HuggingFaceViT, nil},
		{"torchvision vit", "ViTModel", asIs, HuggingFaceViT, vit},
		{"BertForSequenceClassification", "BertForSequenceClassification", asIs, HuggingFaceBERT, nil},
		{"BertForSequenceClassification", "BertForSequenceClassification", gamma, HuggingFaceBERT, nil},
		{"BertForSequenceClassification", "BertModel", asIs, HuggingFaceBERT, head},
		{"BertForSequenceClassification", "BertForPreTraining", gamma, HuggingFaceBERT, head},
		{"BertForSequenceClassification", "BertForMaskedLM", asIs, HuggingFaceBERT, slices.Concat(pooler, head)},
		{"DistilBertForSequenceClassification", "DistilBertForSequenceClassification", asIs, HuggingFaceDistilBERT, nil},
		{"DistilBertForSequenceClassification", "DistilBertModel", asIs, HuggingFaceDistilBERT, slices.Concat(head, before)},
		{"DistilBertForSequenceClassification", "DistilBertForMaskedLM", asIs, HuggingFaceDistilBERT, slices.Concat(head, before)},
	} {
		want := map[string][]int{}
		for name, shape := range names[c.want] {
			if !strings.HasSuffix(name, "num_batches_tracked") {
				want[name] = shape
			}
		}
		_, report, err := Match(want, holding(t, names[c.file], c.rename), c.rules)
		if err != nil || len(want) == 0 || !slices.Equal(report.Missing, c.missing) {
			t.Errorf("%s: missing %v, want %v (%v)", c.file, report.Missing, c.missing, err)
		}
		report.Missing = nil
		if err := report.Err(); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
	}
}

// A MiniLM that its publishers wrote without a head has everything but one.
func TestRulesFitMiniLM(t *testing.T) {
	f := open(t, testdata.Asset(t, "minilm", "model.safetensors"))
	want := map[string][]int{"classifier.weight": {2, 384}, "classifier.bias": {2}}
	for _, x := range f.Tensors() {
		if x.Name() != "embeddings.position_ids" {
			want["bert."+x.Name()] = x.Shape()
		}
	}
	_, report, err := Match(want, f, HuggingFaceBERT)
	if err != nil || !slices.Equal(report.Missing, []string{"classifier.bias", "classifier.weight"}) || !slices.Equal(report.Dropped, []string{"embeddings.position_ids"}) {
		t.Error(report, err)
	}
	report.Missing = nil
	if err := report.Err(); err != nil {
		t.Error(err)
	}
}
