package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
)

// corrected writes predictions of two streams with their truths, and a file of corrections: every twentieth item of the first.
func corrected(t *testing.T) (in, labels string) {
	t.Helper()
	dir := t.TempDir()
	in, labels = filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "corrections.csv")
	var text, rows strings.Builder
	rows.WriteString("file,stream,label,who,when\n")
	for i := range 400 {
		class := i / 40 % 2
		p := []float64{0.45, 0.45}
		p[(class+i%5/3)%2] = 0.55 // two of five are wrong
		fmt.Fprintf(&text, `{"id":"%d","stream":"s%d","probs":[%g,%g],"truth":"%s"}`+"\n", i/2, i%2, p[0], 1-p[0], []string{"deer", "fox"}[class])
		if i%40 == 0 {
			fmt.Fprintf(&rows, "%d,s0,%s,ann,2026-11-28T20:00:00Z\n", i/2, []string{"deer", "fox"}[class])
		}
	}
	writeFile(t, in, text.String())
	writeFile(t, labels, rows.String())
	return in, labels
}

// knownLine is what lines tell of a known item.
type knownLine struct {
	Stream       string
	ID           string
	AdaptedLabel string    `json:"adapted_label"`
	Mode         string    `json:"adapted_mode"`
	Adapted      []float64 `json:"adapted"`
	Truth        string
}

func knownLines(t *testing.T, path string) (out []knownLine) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(readFile(t, path)), "\n") {
		var l knownLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}

// Known labels are the answers of their items, are called so, count for no score, and reach the other items of their stream alone.
func TestFilterKnownLabels(t *testing.T) {
	in, labels := corrected(t)
	for _, how := range [][]string{{"--causal"}, {"--lag", "5"}, {"--smooth"}, {"--viterbi"}, {"--gate", "ewma", "--smooth"}, {"--state", ""}} {
		dir := t.TempDir()
		if how[0] == "--state" {
			how = []string{"--state", filepath.Join(dir, "s.state")}
		}
		plain, with := filepath.Join(dir, "plain.jsonl"), filepath.Join(dir, "with.jsonl")
		base := append([]string{"filter", in, "--classes", "deer,fox"}, how...)
		if how[0] == "--state" {
			base[len(base)-1] += "0"
		}
		mustOatta(t, console.Fine, append(base, "-o", plain)...)
		if how[0] == "--state" {
			base[len(base)-1] += "1"
		}
		said, errOut := mustOatta(t, console.Fine, append(base, "-o", with, "--labels-known", labels)...)
		if !strings.Contains(said, "390 items scored of 400") || !strings.Contains(said, "10 whose label the filter was given") || !strings.Contains(errOut, "10 labels known") {
			t.Errorf("%v: %s%s", how, said, errOut)
		}
		before := map[string]string{}
		for _, l := range knownLines(t, plain) {
			before[l.Stream+"/"+l.ID] = fmt.Sprint(l.Adapted)
		}
		known, others := 0, 0
		for _, l := range knownLines(t, with) {
			same := before[l.Stream+"/"+l.ID] == fmt.Sprint(l.Adapted)
			switch {
			case l.Mode == "known":
				if known++; l.AdaptedLabel != l.Truth || l.Stream != "s0" || max(l.Adapted[0], l.Adapted[1]) != 1 {
					t.Errorf("%v: %+v", how, l)
				}
			case !same && l.Stream == "s1":
				t.Errorf("%v: %+v: another stream's label reached it", how, l)
			case !same:
				others++
			}
		}
		if known != 10 || others < 50 {
			t.Errorf("%v: %d known, %d others with another answer", how, known, others)
		}
		if manifest := readFile(t, files.ManifestPath(with)); !strings.Contains(manifest, `"from": "corrections.csv"`) || strings.Contains(readFile(t, files.ManifestPath(plain)), "known_labels") {
			t.Error(manifest)
		}
	}
}

// A file without labels changes no byte; what cannot be meant is told with its line.
func TestFilterKnownLabelsThatAreOdd(t *testing.T) {
	in, labels := corrected(t)
	plain, _ := mustOatta(t, console.Fine, "filter", in, "--classes", "deer,fox", "-q")
	for text, want := range map[string]struct {
		code int
		said string
	}{
		"file,stream,label\n":                      {console.Fine, ""},
		"file,stream,label\n3,s0,\n":               {console.Fine, ""},
		"file,stream,label\n3,s0,wolf\n":           {console.Nothing, `corrections.csv:2: label "wolf" is none of the 2 classes deer, fox`},
		"file,stream,label\n3,s0,fox\n3,s0,deer\n": {console.Nothing, `corrections.csv:3: column label: 3 is "deer" here and "fox" in line 2`},
		"file,stream,label\n3,s7,fox\n":            {console.Partial, `1 known label is of no item of the input: "3" of stream "s7" (line 2)`},
		"file,stream,label\n0,s0,deer\n3,s7,fox\n": {console.Fine, `1 known label is of no item of the input: "3" of stream "s7" (line 3)`},
	} {
		writeFile(t, labels, text)
		out, errOut := mustOatta(t, want.code, "filter", in, "--classes", "deer,fox", "--labels-known", labels)
		if !strings.Contains(errOut, want.said) || want.said == "" && out != plain {
			t.Errorf("%q: %s", text, errOut)
		}
	}
	writeFile(t, labels, "file,stream,label\n3,s0,fox\n")
	if _, errOut := mustOatta(t, console.Nothing, "filter", in, "--classes", "deer,fox", "--labels-known", labels, "-o", labels); !strings.Contains(errOut, "the known labels") {
		t.Error(errOut)
	}
}

// Corrections are labels: they are scored against and calibrated on, with the items of every stream told apart.
func TestCorrectionsAreLabels(t *testing.T) {
	in, labels := corrected(t)
	said, _ := mustOatta(t, console.Fine, "filter", in, "--classes", "deer,fox", "--truth-field", "none", "--labels", labels, "-o", filepath.Join(t.TempDir(), "o.jsonl"))
	if !strings.Contains(said, "10 items scored of 400 (0 failed, 390 without a label") {
		t.Error(said)
	}
	said, _ = mustOatta(t, console.Fine, "calibrate", in, "--classes", "deer,fox", "--truth-field", "none", "--labels", labels)
	if !strings.Contains(said, "10 of 400 items fitted") {
		t.Error(said)
	}
}

// Lists and tables of other programs take known labels, too, of classes that no list names and that an ensemble never gave.
func TestDocumentsWithKnownLabels(t *testing.T) {
	dir := t.TempDir()
	labels, doc := filepath.Join(dir, "c.csv"), filepath.Join(dir, "in.json")
	writeFile(t, labels, "file,label\ncam1/2.jpg,owl\n")
	writeFile(t, doc, `{"classification_categories": {"0": "deer", "1": "fox", "2": "owl"}, "images": [
 {"file": "cam1/1.jpg", "detections": [{"conf": 0.9, "classifications": [["0", 0.8], ["1", 0.2]]}]},
 {"file": "cam1/2.jpg", "detections": [{"conf": 0.9, "classifications": [["0", 0.8], ["1", 0.2]]}]}]}`)
	out, _ := mustOatta(t, console.Fine, "filter", doc, "--labels-known", labels)
	if !strings.Contains(out, `"adapted_mode": "known"`) || !strings.Contains(out, `"classifications": [["2", 1.0], ["0", 0.0]]`) {
		t.Error(out)
	}
	writeFile(t, doc, `{"predictions": [
 {"filepath": "cam1/1.jpg", "classifications": {"classes": ["deer", "fox"], "scores": [0.8, 0.1]}, "prediction": "deer"},
 {"filepath": "cam1/2.jpg", "classifications": {"classes": ["deer", "fox"], "scores": [0.8, 0.1]}, "prediction": "animal"},
 {"filepath": "cam2/1.jpg", "classifications": {"classes": ["owl"], "scores": [0.8]}, "prediction": "owl"}]}`)
	before, _ := mustOatta(t, console.Fine, "filter", doc)
	writeFile(t, labels, "file,stream,label\ncam1/2.jpg,cam1,fox\n")
	out, _ = mustOatta(t, console.Fine, "filter", doc, "--labels-known", labels)
	_, was, _ := strings.Cut(before, "cam2")
	_, is, _ := strings.Cut(out, "cam2")
	if !strings.Contains(out, `"adapted_label": "fox"`) || !strings.Contains(out, `"adapted_mode": "known"`) || was != is {
		t.Error(out)
	}
	table := filepath.Join(dir, "in.csv")
	writeFile(t, table, "stream,file,p:deer,p:fox\ncam1,cam1/1.jpg,0.8,0.2\ncam1,cam1/2.jpg,0.8,0.2\n")
	out, _ = mustOatta(t, console.Fine, "filter", table, "--labels-known", labels)
	if !strings.Contains(out, ",fox,") || !strings.Contains(out, ",known,0,1") {
		t.Error(out)
	}
}

// Runs know labels as filter does, leave them out of scores, and are other runs with other labels.
func TestRunKnownLabels(t *testing.T) {
	needEngine(t)
	dir, out := pictures(t, 60), filepath.Join(t.TempDir(), "out.jsonl")
	known := writeLabels(t, dir, func(i int) string { return []string{"cat", "", "", "", ""}[i%5] })
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "-o", out}
	if _, text := mustOatta(t, console.Fine, append(args, "--labels-known", known)...); !strings.Contains(text, "12 labels known") {
		t.Error(text)
	}
	if n := strings.Count(readFile(t, out), `"adapted_label":"cat","adapted_prob":1,`); n < 12 || strings.Count(readFile(t, out), `"adapted_mode":"known"`) != 12 {
		t.Errorf("%d cats for certain:\n%s", n, readFile(t, out))
	}
	if _, text := mustOatta(t, console.Fine, append(args, "--labels-known", known, "--resume")...); !strings.Contains(text, "nothing to resume") {
		t.Error(text)
	}
	other := writeLabels(t, dir, func(i int) string { return []string{"dog", "", "", "", ""}[i%5] })
	for _, more := range [][]string{nil, {"--labels-known", other}} {
		if _, text := mustOatta(t, console.Nothing, append(append(args, "--resume"), more...)...); !strings.Contains(text, "known labels") {
			t.Error(text)
		}
	}
	truth := writeLabels(t, dir, func(int) string { return "cat" })
	said, _ := mustOatta(t, console.Fine, "eval", "images", dir, "--model", "resnet20-cifar10", "--labels", truth, "--labels-known", known, "-q")
	if _, text := mustOatta(t, console.Partial, "eval", "images", dir, "--model", "resnet20-cifar10", "--labels", truth, "--labels-known", truth, "-q"); !strings.Contains(text, "was given the label of every picture") {
		t.Error(text)
	}
	if !strings.Contains(said, "48 pictures scored of 60") || !strings.Contains(said, "12 whose label the filter was given") {
		t.Error(said)
	}
}
