package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
)

// samplePosts is sixteen posts of two made-up accounts.
const samplePosts = "../../datasets/samples/posts.csv"

// The sample is told by itself. What the network was made for is told once, where nobody chose it, and nothing else.
func TestTextByItself(t *testing.T) {
	needEngine(t)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	_, text := mustOatta(t, console.Fine, "run", "text", samplePosts, "-o", out)
	if !strings.Contains(text, "model tweet-sentiment: made for tweets in English") || strings.Count(text, "oatta: ") != 1 {
		t.Errorf("%s", text)
	}
	m, err := run.ReadManifest(out)
	if err != nil || m.Settings.Model.Name != "tweet-sentiment" || m.Settings.Model.License != "Apache-2.0" || len(m.Warnings) != 0 || m.Settings.Items != 16 {
		t.Errorf("%+v, %v, %q", m.Settings.Model, err, m.Warnings)
	}
	for _, args := range [][]string{{"-m", "tweet-sentiment"}, {"-q"}} {
		if _, text := mustOatta(t, console.Fine, append([]string{"run", "text", samplePosts}, args...)...); strings.Contains(text, "made for") {
			t.Errorf("%q: %s", args, text)
		}
	}
	if _, text := mustOatta(t, console.Fine, "eval", "text", samplePosts); !strings.Contains(text, "made for tweets in English") {
		t.Errorf("eval: %s", text)
	}
}

// How good the embedded network is on the sample is fixed: two of sixteen are wrong, whoever predicts.
func TestTextOfSample(t *testing.T) {
	needEngine(t)
	for _, name := range []string{"base", "ttaug", "mc-dropout", "tent", "memo"} {
		s := evaluated(t, "text", samplePosts, "--method", name, "--format", "json", "-q")
		if s.Raw.Items != 16 || s.Raw.Accuracy < 13.0/16 || name == "base" && (s.Raw.Accuracy != 14.0/16 || s.Adapted.Accuracy != 14.0/16) {
			t.Errorf("%s: %d posts, %v raw, %v adapted", name, s.Raw.Items, s.Raw.Accuracy, s.Adapted.Accuracy)
		}
	}
}

// A graph that is made of the embedded network has the tokenizer beside it.
func TestTextExport(t *testing.T) {
	needEngine(t)
	out := filepath.Join(t.TempDir(), "tent.onnx")
	mustOatta(t, console.Fine, "models", "export", "tweet-sentiment", "--graph", "tent", "-o", out)
	if got := strings.Count(readFile(t, filepath.Join(filepath.Dir(out), "tent.tokenizer", "vocab.txt")), "\n"); got != 30522 {
		t.Errorf("%d word pieces, want 30522", got)
	}
	mustOatta(t, console.Fine, "run", "text", samplePosts, "-m", out, "--method", "tent", "-q")
}
