package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/testdata"
)

// head returns the first lines of a gzipped file of the shared texts.
func head(t *testing.T, name string, lines int) string {
	t.Helper()
	if !testdata.Have(t, "data", "text", name) {
		return standInTexts(name, lines)
	}
	f, err := os.Open(testdata.Shared(t, "data", "text", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for in := bufio.NewReader(z); lines > 0; lines-- {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(line)
	}
	return out.String()
}

// bert makes an untrained network with the real vocabulary.
func bert(t *testing.T, extra ...string) string {
	t.Helper()
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "vocab.txt"), readFile(t, testdata.Shared(t, "data", "tokenizer", "bert-base-uncased-vocab.txt")))
	m, _ := built(t, append([]string{"bert_mini", "--init", "1", "--tokenizer", folder}, extra...)...)
	return m.Path
}

// Real tweets, from Sentiment140's columns to adapted labels.
func TestText(t *testing.T) {
	needEngine(t)
	tweets := writeText(t, filepath.Join(t.TempDir(), "tweets.csv"), head(t, "sentiment140_subset.csv.gz", 101))
	k := kind{"text", tweets, bert(t), 101, 100, 2, "post", "0.1"}
	t.Run("methods", k.checkMethods)
	t.Run("resume", func(t *testing.T) { k.checkResume(t, method.Base, func(string) []string { return nil }) })
	t.Run("refusals", func(t *testing.T) {
		k.checkRefusals(t, tcn(t), tweets)
		folder := filepath.Dir(tweets)
		for want, args := range map[string][]string{
			"would be read as an input": {"-o", filepath.Join(folder, "out.jsonl")}, "--comma": {"--comma", "||"},
		} {
			out, errOut := mustOatta(t, console.Nothing, append([]string{"run", "text", folder, "--model", k.model}, args...)...)
			if !strings.Contains(out+errOut, want) {
				t.Errorf("%v: %s, want %q", args, errOut, want)
			}
		}
		for _, file := range []string{"vocab.txt"} {
			if err := os.Remove(filepath.Join(strings.TrimSuffix(k.model, ".onnx")+".tokenizer", file)); err != nil {
				t.Fatal(err)
			}
		}
		if _, errOut := mustOatta(t, console.Nothing, "run", "text", tweets, "--model", k.model); !strings.Contains(errOut, "vocab.txt") {
			t.Errorf("a model whose tokenizer is gone: %s", errOut)
		}
	})
}

// The numbers of Sentiment140 are the words of the model, and labels of other data are those of a map.
func TestTextEval(t *testing.T) {
	needEngine(t)
	folder, model := t.TempDir(), bert(t)
	tweets := writeText(t, filepath.Join(folder, "tweets.csv"), head(t, "sentiment140_subset.csv.gz", 101))
	s := evaluated(t, "text", tweets, "--model", model, "--format", "json", "-q")
	if n := s.supports(); n["negative"] != strings.Count("\n"+readFile(t, tweets), "\n\"0\",") || n["positive"] != 101-n["negative"] || n["positive"] == 0 {
		t.Errorf("polarity: %v", n)
	}
	airline := writeText(t, filepath.Join(folder, "airline.csv"), head(t, "twitter_us_airline_Tweets.csv.gz", 101))
	if _, errOut := mustOatta(t, console.Nothing, "eval", "text", airline, "--model", model); !strings.Contains(errOut, `none of the 99 posts can be read: airline.csv:2: time "2/24/2015`) {
		t.Errorf("times in an unknown form: %s", errOut)
	}
	args := []string{"text", airline, "--model", model, "--format", "json", "-q", "--time-layout", "1/2/2006 15:04"}
	s = evaluated(t, args...)
	if n := s.supports(); s.Unknown == 0 || s.Raw.Items+s.Unknown+s.Unlabelled != s.Items || n["negative"] < 10 || n["positive"] < 10 {
		t.Errorf("%d unknown, %v", s.Unknown, n)
	}
	mapped := evaluated(t, append(args, "--label-map", writeText(t, filepath.Join(folder, "map.txt"), "from,to\nneutral,positive\npositive,positive\nnegative,negative\n"))...)
	if mapped.Unknown != 0 || mapped.supports()["positive"] != s.supports()["positive"]+s.Unknown {
		t.Errorf("mapped: %v with %d unknown", mapped.supports(), mapped.Unknown)
	}
	out, _ := mustOatta(t, console.Fine, "run", "text", airline, "--model", model, "-q", "--time-layout", "1/2/2006 15:04")
	last, seen := map[string]string{}, 0
	for _, l := range parseLines(t, out) {
		if l.Time < last[l.Stream] {
			t.Errorf("%s: %s after %s", l.Stream, l.Time, last[l.Stream])
		}
		last[l.Stream] = l.Time
		seen++
	}
	if seen != s.Items || len(last) != len(s.Streams) && len(s.Streams) > len(last) {
		t.Errorf("%d lines of %d, %d streams", seen, s.Items, len(last))
	}
}

// Files of posts as people have them: each is a right result, or a failure that says why.
func TestBadTextAmongGood(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.csv": "user,time,text\nann,2020-01-02,hello\nann,2020-01-01,day\n", "empty.csv": "", "header.csv": "user,text\n", "nouser.csv": "when,text\n1,hi\n",
		"bytes.csv":    "user,text\nann,caf\xe9 \xff\xfe \x00\x01\nbob,\n",
		"huge.csv":     "user,text\nann," + strings.Repeat("word ", 2<<20) + "\n",
		"unclosed.csv": "user,text\nann,\"three\nbob,one\n", "mixed.jsonl": `{"user":"a","text":"x"}` + "\n[]\n{\n", "leaf.json": `{"users":["u"],"num_samples":[2],"user_data":{"u":{"x":["a"],"y":[1]}}}`,
		"late.csv": "user,time,text\nann,never,hi\nbob,,ho\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	var z strings.Builder
	w := gzip.NewWriter(&z)
	fmt.Fprint(w, head(t, "sentiment140_subset.csv.gz", 200))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "cut.csv.gz"), z.String()[:z.Len()/2])
	out, _ := mustOatta(t, console.Partial, "run", "text", dir, "--model", bert(t))
	posts, failures := map[string]int{}, map[string]string{}
	for _, l := range parseLines(t, out) {
		if posts[strings.SplitN(l.Stream, ":", 2)[0]]++; l.Failure != "" {
			failures[l.File] = l.Failure
		}
	}
	for name, want := range map[string]int{"good.csv": 2, "bytes.csv": 2, "huge.csv": 1, "mixed.jsonl": 1, "late.csv": 1} {
		if posts[name] != want {
			t.Errorf("%s: %d posts, want %d", name, posts[name], want)
		}
	}
	for name, want := range map[string]string{
		"empty.csv": "empty", "nouser.csv": "no column", "unclosed.csv:2": "quoted-field", "mixed.jsonl:2": "array", "mixed.jsonl:3": "JSON",
		"leaf.json": "num_samples[0]: 2", "late.csv:2": `time "never"`, "cut.csv.gz": "unexpected EOF",
	} {
		if !strings.Contains(failures[name], want) {
			t.Errorf("%s: failure %q, want %q in it", name, failures[name], want)
		}
	}
	if len(failures) != 8 || strings.Contains(out, dir) {
		t.Errorf("failures %q", failures)
	}
}

// The network has 512 places, which no text can overrun, whatever the manifest asks for.
func TestTextLongerThanTheNetwork(t *testing.T) {
	needEngine(t)
	long := writeText(t, filepath.Join(t.TempDir(), "long.csv"), "user,text\nann,"+strings.Repeat("word ", 3000)+"\nann,short\n")
	model := bert(t, "--max-tokens", "512")
	manifest := strings.TrimSuffix(model, ".onnx") + ".json"
	writeFile(t, manifest, strings.Replace(readFile(t, manifest), `"max_tokens": 512`, `"max_tokens": 4096`, 1))
	out, errOut := mustOatta(t, console.Fine, "run", "text", long, "--model", model)
	if n := len(parseLines(t, out)); n != 2 || !strings.Contains(errOut, "cut at 512 tokens") {
		t.Errorf("%d lines: %s", n, errOut)
	}
}
