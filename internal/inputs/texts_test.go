package inputs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets/posts"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
)

// pieces is a vocabulary: piece i has id i.
var pieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "day", "##s", "a", "b", "c"}

// textModel writes an untrained network of 16 places with a tokenizer, and loads it.
func textModel(t *testing.T, vocabulary, maxTokens int) *models.Model {
	t.Helper()
	dir := t.TempDir()
	net, err := backbone.New("bert_mini", backbone.Options{Classes: 2, Vocabulary: vocabulary, Positions: 16, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	file, err := onnx.New(net.Graph).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	m := models.Manifest{
		Version: models.ManifestVersion, Name: "test", Task: models.TextClassification, Labels: []string{"negative", "positive"},
		Text:   &models.Text{IDs: "input_ids", Mask: "attention_mask", Types: "token_type_ids", MaxTokens: maxTokens},
		Output: models.Output{Name: "logits", Kind: models.Logits},
	}
	var manifest bytes.Buffer
	if err := m.Write(&manifest); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "net.onnx", string(file))
	put(t, dir, "net.json", manifest.String())
	put(t, dir, "vocab.txt", strings.Join(pieces, "\n")+"\n")
	loaded, err := models.Load(filepath.Join(dir, "net.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func openTexts(t *testing.T, m *models.Model, args ...string) *Texts {
	t.Helper()
	in, err := OpenTexts(context.Background(), args, m, posts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// load prepares one item, as a loader does.
func load(t *testing.T, in *Texts, row []float32, i int) {
	t.Helper()
	if err := loader(t, in)(row, i, 0); err != nil {
		t.Fatal(err)
	}
}

func loader(t *testing.T, in *Texts) pipeline.Loader {
	t.Helper()
	plain, err := in.Loader(Views{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestTextsOfFiles(t *testing.T) {
	dir, m := t.TempDir(), textModel(t, len(pieces), 8)
	put(t, dir, "a.csv", "id,user,time,text,label\n"+
		"7,ann,2020-01-02 00:00:00,Good days,positive\n"+
		"8,bob,2020-01-01 00:00:00,bad,negative\n"+
		"7,ann,2020-01-01 00:00:00,a b c a b c a b c,\n"+
		"9,ann,someday,a,positive\n")
	put(t, dir, "b.jsonl", `{"user":"ann","text":"a caf\u00e9"}`+"\n{broken\n")
	put(t, dir, "empty.csv", "")
	in := openTexts(t, m, dir)
	var got []string
	row := make([]float32, 8)
	load, err := in.Loader(Views{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range in.Items() {
		line := fmt.Sprintf("%s %q %q", item.Name, item.Stream, in.Label(i))
		if err := load(row, i, 0); err != nil {
			line += " " + err.Error()
		} else {
			line += fmt.Sprint(" ", row)
		}
		got = append(got, line)
	}
	want := []string{ // ann has a stream in each file, in order of time; an id that comes twice names nothing
		`a.csv:4 "a.csv:ann" "" [2 8 9 10 8 9 10 3]`,
		`a.csv:2 "a.csv:ann" "positive" [2 4 6 7 3 -1 -1 -1]`,
		`a.csv:8 "a.csv:bob" "negative" [2 5 3 -1 -1 -1 -1 -1]`,
		`b.jsonl:1 "b.jsonl:ann" "" [2 8 1 3 -1 -1 -1 -1]`,
		`a.csv:5 "" "" time "someday" cannot be read`,
		`b.jsonl:2 "" "" invalid character 'b' looking for beginning of object key string`,
		`empty.csv "" "" datasets: file is empty, want a header`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if in.Streams() != 3 || in.Noun() != "post" || in.Shape()[0] != 8 {
		t.Errorf("%d streams of a %s, shape %v", in.Streams(), in.Noun(), in.Shape())
	}
	alone := openTexts(t, m, filepath.Join(dir, "a.csv"))
	if item := alone.Items()[2]; item.Stream != "bob" || item.Name != "8" || alone.Hash() == in.Hash() {
		t.Errorf("of one file: %+v", item)
	}
}

// Any bytes are a text, of any length.
func TestTextsHostile(t *testing.T) {
	m := textModel(t, len(pieces), 8)
	path := put(t, t.TempDir(), "a.csv", "user,text\n"+
		"a,"+strings.Repeat("day ", 10<<18)+"\n"+ // 10 MB
		"a,"+strings.Repeat("x", 10<<20)+"\n"+
		"b,good \xff\xfe\x00\x01 caf\xe9\n"+
		"b,\n")
	in := openTexts(t, m, path)
	row := make([]float32, 8)
	for i, want := range [][]float32{{2, 6, 6, 6, 6, 6, 6, 3}, {2, 1, 3, -1}, {2, 4}, {2, 3, -1}} {
		if load(t, in, row, i); !slices.Equal(row[:len(want)], want) {
			t.Errorf("text %d: %v, want it to begin with %v", i, row, want)
		}
	}
}

// Texts are cut where the network has no place for more, and another network's tokenizer is refused.
func TestTextsFitTheTables(t *testing.T) {
	path := put(t, t.TempDir(), "a.csv", "user,text\na,"+strings.Repeat("good ", 100)+"\n")
	in := openTexts(t, textModel(t, len(pieces), 600), path)
	if w := strings.Join(in.Warnings(), "\n"); in.Shape()[0] != 16 || !strings.Contains(w, "cut at 16 tokens") || !strings.Contains(w, "600 are asked for") {
		t.Errorf("shape %v, warnings %s", in.Shape(), w)
	}
	row := make([]float32, 16)
	if load(t, in, row, 0); row[14] != 4 || row[15] != 3 {
		t.Errorf("row %v", row)
	}
	told := []string{"1 of 1 posts have more than the 16 tokens that the model takes: what is behind is cut off"}
	if w := openTexts(t, textModel(t, len(pieces), 16), path).Warnings(); !slices.Equal(w, told) {
		t.Errorf("warnings %s", w)
	}
	short := put(t, t.TempDir(), "a.csv", "user,text\na,"+strings.Repeat("good ", 14)+"\n")
	if w := openTexts(t, textModel(t, len(pieces), 16), short).Warnings(); len(w) > 0 {
		t.Errorf("warnings %s", w)
	}
	_, err := OpenTexts(context.Background(), []string{path}, textModel(t, len(pieces)-2, 8), posts.Options{})
	if err == nil || !strings.Contains(err.Error(), "tokenizer has 11 pieces and the network 9") {
		t.Errorf("a larger vocabulary than the network's: %v", err)
	}
}

func TestTextsRefusals(t *testing.T) {
	dir, m := t.TempDir(), textModel(t, len(pieces), 8)
	for want, args := range map[string][]string{"no file of posts found": {dir}, "no such file": {filepath.Join(dir, "gone.csv")}} {
		if _, err := OpenTexts(context.Background(), args, m, posts.Options{}); err == nil || !strings.Contains(testdata.Plain(err.Error()), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	path := put(t, dir, "head.csv", "user,text\n")
	if _, err := OpenTexts(context.Background(), []string{path}, m, posts.Options{}); err == nil || !strings.Contains(err.Error(), "hold no post") {
		t.Errorf("a header alone: %v", err)
	}
	if _, err := OpenTexts(context.Background(), []string{path}, &models.Model{Manifest: sleepModel("x", 10)}, posts.Options{}); err == nil || !strings.Contains(err.Error(), "not one for texts") {
		t.Errorf("a model for sleep: %v", err)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(m.Path), "vocab.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTexts(context.Background(), []string{path}, m, posts.Options{}); err == nil || !strings.Contains(err.Error(), "vocab.txt") {
		t.Errorf("no tokenizer: %v", err)
	}
}

// Posts are held without their texts, and a text stays what it was when it was listed.
func TestTextsMemory(t *testing.T) {
	const n = 100_000
	var b strings.Builder
	b.WriteString("id,user,time,text,label\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,u%d,2020-01-01T00:00:%02d-05:00,good %s,positive\n", i, i%1000, i%60, strings.Repeat("x", 300))
	}
	m, path := textModel(t, len(pieces), 8), put(t, t.TempDir(), "a.csv", b.String())
	b.Reset()
	before := heap()
	in := openTexts(t, m, path)
	per := float64(heap()-before) / n
	if t.Logf("%.1f bytes a post", per); per > 125 {
		t.Errorf("%.1f bytes a post, want at most 125", per)
	}
	if err := os.WriteFile(path, []byte("another file"), 0o600); err != nil {
		t.Fatal(err)
	}
	row := make([]float32, 8)
	if load(t, in, row, n-1); row[1] != 4 || in.Label(n-1) != "positive" || in.Label(n) != "" {
		t.Errorf("row %v, label %q", row, in.Label(n-1))
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := loader(t, in)(row, 0, 0); err == nil || strings.Contains(err.Error(), os.TempDir()) {
		t.Errorf("a text that is gone: %v", err)
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
