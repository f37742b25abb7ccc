package benchmarks

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/testdata"
)

// zipped is text in gzip's format.
func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder holds a set of predictions named set: lines, and what goes with them.
func folder(t *testing.T, lines []byte, meta string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string][]byte{"set.jsonl.gz": lines, "set.meta.json": []byte(meta)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	setLines = `{"stream": "a", "id": "a/0", "probs": [0.25, 0.75], "truth": "x"}
{"stream": "b", "id": "b/0", "probs": [0.5, 0.5], "truth": "y"}
{"stream": "a", "id": "a/1", "probs": [0.9996, 0.0003], "truth": "y"}
`
	setMeta = `{"classes": ["x", "y"],
"folds": {"a": "0", "b": "1"},
"population": {"0": {"counts": [[2, 1], [0, 5]], "freq": [4, 6]}, "1": {"counts": [[1, 1], [1, 1]], "freq": [1, 3]}},
"note": "made up"}`
)

func TestReadFoldedCollections(t *testing.T) {
	sets, err := ReadFoldedCollections(folder(t, zipped(t, setLines), setMeta))
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) != 1 || sets[0].Name != "set" || !slices.Equal(sets[0].Labels, []string{"x", "y"}) {
		t.Fatalf("%+v", sets)
	}
	c := sets[0]
	if a := c.Streams[0]; len(c.Streams) != 2 || a.Name != "a" || !slices.Equal(a.Truth, []int{0, 1}) || a.Q[1][0] != 0.9996 {
		t.Errorf("%+v", c.Streams[0])
	}
	if got := fmt.Sprint(*c.Others[0], *c.Others[1]); got != "{[[2 1] [0 5]] [4 6]} {[[1 1] [1 1]] [1 3]}" {
		t.Error(got)
	}
}

// What is wrong with a file is told with its name, the line where there is one, and the cause.
func TestReadFoldedCollectionsRefuses(t *testing.T) {
	long := strings.Repeat(setLines, 50)
	for name, c := range map[string]struct {
		lines []byte
		meta  string
		want  []string
	}{
		"a stream without a fold": {zipped(t, setLines), strings.Replace(setMeta, `"b": "1"`, `"c": "1"`, 1), []string{"set.jsonl.gz: line 2:", `"b"`, "set.meta.json has no fold"}},
		"a fold without a population": {
			zipped(t, setLines), strings.Replace(setMeta, `"b": "1"`, `"b": "7"`, 1), []string{"set.meta.json:", `stream "b"`, `fold "7" has no population`},
		},
		"a line of three classes": {
			zipped(t, strings.Replace(setLines, "[0.5, 0.5]", "[0.5, 0.25, 0.25]", 1)), setMeta, []string{"set.jsonl.gz: line 2:", "3 entries: want 2"},
		},
		"an unknown class": {zipped(t, strings.Replace(setLines, `"y"`, `"z"`, 1)), setMeta, []string{"set.jsonl.gz: line 2:", `label "z"`}},
		"a population of three classes": {
			zipped(t, setLines), strings.Replace(setMeta, "[4, 6]", "[4, 6, 1]", 1), []string{"set.meta.json:", `fold "0"`, "freq: 3 numbers: want one per class, 2"},
		},
		"a short matrix":    {zipped(t, setLines), strings.Replace(setMeta, ", [0, 5]", "", 1), []string{"set.meta.json:", "counts: 1 rows"}},
		"a short row":       {zipped(t, setLines), strings.Replace(setMeta, "[0, 5]", "[5]", 1), []string{"set.meta.json:", "counts[1]: 1 numbers"}},
		"a negative count":  {zipped(t, setLines), strings.Replace(setMeta, "[0, 5]", "[0, -5]", 1), []string{"set.meta.json:", "counts[1]: [1] is -5"}},
		"no training items": {zipped(t, setLines), strings.Replace(setMeta, "[4, 6]", "[0, 0]", 1), []string{"set.meta.json:", "freq: no item"}},
		"a class twice":     {zipped(t, setLines), strings.Replace(setMeta, `["x", "y"]`, `["x", "x"]`, 1), []string{"set.meta.json:", `class "x" is there twice`}},
		"a single class":    {zipped(t, setLines), strings.Replace(setMeta, `["x", "y"]`, `["x"]`, 1), []string{"set.meta.json:", "1 classes"}},
		"broken JSON":       {zipped(t, setLines), strings.Replace(setMeta, `"b": "1"}`, `"b": "1"`, 1), []string{"set.meta.json: line 4:"}},
		"text for a number": {zipped(t, setLines), strings.Replace(setMeta, "[4, 6]", `[4, "6"]`, 1), []string{"set.meta.json: line 3:"}},
		"a broken line":     {zipped(t, strings.Replace(setLines, `"b"`, `"b`, 1)), setMeta, []string{"set.jsonl.gz: line 2:"}},
		"truncated gzip":    {zipped(t, long)[:len(zipped(t, long))/2], setMeta, []string{"set.jsonl.gz: line ", "unexpected EOF"}},
		"truncated at once": {zipped(t, long)[:5], setMeta, []string{"set.jsonl.gz:", "unexpected EOF"}},
		"no gzip":           {[]byte(setLines), setMeta, []string{"set.jsonl.gz:", "gzip: invalid header"}},
		"no items":          {zipped(t, ""), setMeta, []string{"set.jsonl.gz: no lines"}},
	} {
		_, err := ReadFoldedCollections(folder(t, c.lines, c.meta))
		if err == nil {
			t.Errorf("%s: passed", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v: want %q in it", name, err, want)
			}
		}
	}
	if _, err := ReadFoldedCollections(t.TempDir()); err == nil {
		t.Error("an empty folder passed")
	}
	dir := folder(t, zipped(t, setLines), setMeta)
	if err := os.Remove(filepath.Join(dir, "set.meta.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFoldedCollections(dir); err == nil || !strings.Contains(err.Error(), "set.meta.json") {
		t.Errorf("predictions without folds: %v", err)
	}
}

// The gzip stream may end between two lines: that is no end of the file.
func TestTruncationBetweenLinesIsSeen(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, setLines)
	if err := z.Flush(); err != nil { // and no Close: no checksum and no length
		t.Fatal(err)
	}
	_, err := ReadFoldedCollections(folder(t, b.Bytes(), setMeta))
	if err == nil || !strings.Contains(err.Error(), "line 4: unexpected EOF") {
		t.Error(err)
	}
}

func FuzzParseFolds(f *testing.F) {
	f.Add(setMeta)
	f.Fuzz(func(t *testing.T, in string) {
		folds, err := parseFolds([]byte(in))
		if err != nil {
			return
		}
		for stream, fold := range folds.Folds {
			p := folds.Population[fold].Population(1)
			if err := withPopulation(p).Validate(len(folds.Classes)); err != nil {
				t.Errorf("stream %q: %v", stream, err)
			}
		}
	})
}

func TestPopulationOfCounts(t *testing.T) {
	c := &Counts{Transitions: [][]float64{{3, 0}, {0, 0}}, Frequencies: []float64{3, 0}}
	p := c.Population(2)
	near(t, "frequency", p.Frequencies[0], 3.5/4)
	near(t, "P(0|0)", p.Transitions[0][0], (3+2*3.5/4)/5)
	near(t, "P(1|0)", p.Transitions[0][1], 2*0.5/4/5)
	near(t, "P(0|1), never seen", p.Transitions[1][0], 3.5/4)
}

// Class i of a population is class i+1 of the renamed one, and a population renamed K times is itself.
func TestRenamed(t *testing.T) {
	p := CountLabels(3, [][]int{{0, 0, 0, 1, 2, 1, 0}}).Population(1)
	r := p.Renamed()
	near(t, "frequency", r.Frequencies[1], p.Frequencies[0])
	near(t, "P(2|1)", r.Transitions[1][2], p.Transitions[0][1])
	near(t, "P(0|2)", r.Transitions[2][0], p.Transitions[1][2])
	if got := r.Renamed().Renamed(); fmt.Sprint(got) != fmt.Sprint(p) {
		t.Errorf("%v, want %v", got, p)
	}
}

// All sets of the shared data are read, with the counts of as many items as their predictors were trained on.
func TestSharedStreams(t *testing.T) {
	sets, err := ReadFoldedCollections(testdata.Shared(t, "data", "streams"))
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) != 9 {
		t.Errorf("%d sets, want 9", len(sets))
	}
	for _, c := range sets {
		for i, s := range c.Streams {
			if len(s.Q) < 100 || c.Others[i] == nil {
				t.Errorf("%s: stream %s: %d items, population %v", c.Name, s.Name, len(s.Q), c.Others[i])
			}
			if err := withPopulation(c.Others[i].Population(1)).Validate(c.Classes); err != nil {
				t.Errorf("%s: stream %s: %v", c.Name, s.Name, err)
			}
		}
	}
}

func withPopulation(p *Population) adapt.Settings { return adapt.Settings{Population: p.Hypothesis()} }
