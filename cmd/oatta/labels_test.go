package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// True labels as users have them: numbers are read alike by filter and calibrate, told or refused, and labels are of the files that they name.
func TestLabelCases(t *testing.T) {
	cases := filepath.Join("testdata", "cases")
	sleep := []string{filepath.Join(cases, "labels-as-indices-yasa.csv"), "--columns", "N1,N2,N3,R,W", "--stream", "n", "--truth-field", "stage"}
	cameras := []string{filepath.Join(cases, "basename_labels.jsonl"), "--classes", "deer,fox,boar", "--labels", filepath.Join(cases, "basename_labels.csv")}
	boxes := filepath.Join(t.TempDir(), "boxes.jsonl") // as `run images --boxes` calls its items
	var lines strings.Builder
	for i, item := range []string{"1.jpg#0", "1.jpg#1", "2.jpg#0", "2.jpg#3", "3.jpg#0"} {
		fmt.Fprintf(&lines, `{"file":"cam1/%s","stream":"cam1","probs":[%g,%g]}`+"\n", item, float64(9-8*(i%2))/10, float64(1+8*(i%2))/10)
	}
	writeFile(t, boxes, lines.String())
	for name, c := range map[string]struct {
		args           []string
		scored, raw    string // as filter tells
		fitted         int
		want           string // on standard error
		refused, alike bool   // nothing is scored; calibrate takes such files
	}{
		"YASA":           {sleep, "200 items scored of 200", "85.00", 200, "read as YASA's codes of sleep: 0 W, 1 N1, 2 N2, 3 N3", false, true},
		"positions":      {append(sleep[:len(sleep):len(sleep)], "--label-index", "0"), "200 items scored of 200", "2.00", 200, "", false, true},
		"no positions":   {append(sleep[:len(sleep):len(sleep)], "--label-index", "1"), "", "", 0, "the labels 0, 1, 2, 3 are not all positions from 1 to 5", true, true},
		"other classes":  {append(sleep[:len(sleep):len(sleep)], "--classes", "a,b,c,d,e"), "", "", 0, "--label-index 0 takes them for positions of classes, counted from 0, --label-map FILE names them", true, true},
		"of one camera":  {cameras, "60 items scored of 120 (0 failed, 60 without a label", "75.00", 60, "", false, true},
		"of one, in MD":  {[]string{filepath.Join(cases, "md_labels_of_one_camera.json"), "--labels", filepath.Join(cases, "md_labels_of_one_camera.csv")}, "2 items scored of 6 (0 failed, 4 without a label", "100.00", 2, "", false, false},
		"of base names":  {[]string{cameras[0], "--classes", "deer,fox,boar", "--labels", writeText(t, filepath.Join(t.TempDir(), "l.csv"), "file,label\nIMG_0001.JPG,deer\n")}, "", "", 0, "IMG_0001.JPG could be cam1/100RECNX/IMG_0001.JPG or cam2/100RECNX/IMG_0001.JPG", true, true},
		"of boxes":       {[]string{boxes, "--classes", "deer,fox", "--labels", writeText(t, filepath.Join(t.TempDir(), "b.csv"), "file,label\ncam1/1.jpg,deer\ncam1/1.jpg#1,fox\ncam1/2.jpg,fox\n")}, "4 items scored of 5 (0 failed, 1 without a label", "75.00", 4, "count for their boxes (FILE#NUMBER): 3 items", false, true},
		"with a map":     {append(sleep[:len(sleep):len(sleep)], "--label-map", writeText(t, filepath.Join(t.TempDir(), "m.csv"), "from,to\n0,W\n1,N1\n2,N2\n3,\n")), "scored of 200", "", 0, "", false, false},
		"map and number": {append(sleep[:len(sleep):len(sleep)], "--label-index", "2"), "", "", 0, `--label-index "2": want 0 or 1`, true, true},
	} {
		code, _, errOut := oatta(t, append([]string{"filter"}, c.args...)...)
		row := ""
		for line := range strings.SplitSeq(errOut, "\n") {
			if strings.Contains(line, "accuracy %") && row == "" {
				row = line
			}
		}
		if !strings.Contains(errOut, c.scored) || !strings.Contains(row, c.raw) || !strings.Contains(errOut, c.want) || c.refused != (code != console.Fine) {
			t.Errorf("%s: filter: exit code %d\n%s\nwant %q, %q and %q", name, code, errOut, c.scored, c.raw, c.want)
		}
		if !c.alike {
			continue
		}
		if c.refused {
			if _, errOut := mustOatta(t, console.Nothing, append([]string{"calibrate"}, c.args...)...); !strings.Contains(errOut, c.want) {
				t.Errorf("%s: calibrate: %s, want %s", name, errOut, c.want)
			}
			continue
		}
		got, _ := calibrationOf(t, console.Fine, c.args...)
		if n := got.Items - got.Unlabelled - got.Unknown; n != c.fitted || fmt.Sprintf("%.2f", 100*got.Fit.Before.Accuracy) != c.raw || !strings.Contains(strings.Join(got.Warnings, "\n"), c.want) {
			t.Errorf("%s: calibrate: %d items, %q, want %d and %s", name, n, got.Warnings, c.fitted, c.want)
		}
	}
}

// A field of numbers that nobody asked to be scored stops no filter, and one in a pipe is refused, as what follows is not known.
func TestNumbersNobodyAskedFor(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	writeFile(t, in, strings.Repeat(`{"stream":"a","probs":[0.7,0.3],"truth":"1"}`+"\n", 3)+`{"stream":"a","probs":[0.7,0.3],"truth":"0"}`+"\n")
	if out, errOut := mustOatta(t, console.Fine, "filter", in, "--classes", "deer,fox"); strings.Count(out, "\n") != 4 || !strings.Contains(errOut, "nothing is scored: true labels are numbers that can mean several things: 0, 1") {
		t.Errorf("%s%s", out, errOut)
	}
	if _, errOut := mustOatta(t, console.Partial, "filter", in, "--classes", "deer,fox", "--truth-field", "truth"); !strings.Contains(errOut, "nothing is scored") {
		t.Error(errOut)
	}
	if _, errOut := mustOatta(t, console.Fine, "filter", in); !strings.Contains(errOut, "4 items scored of 4") { // classes without names are numbers
		t.Error(errOut)
	}
	f, err := os.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stdin := os.Stdin
	os.Stdin = f
	defer func() { os.Stdin = stdin }()
	if _, errOut := mustOatta(t, console.Partial, "filter", "-", "--classes", "negative,neutral", "--truth-field", "truth"); !strings.Contains(errOut, "nothing is scored") {
		t.Error(errOut)
	}
}

// Numbers of true labels are the codes that a manifest has for its labels, in eval and where calibrate writes into that manifest.
func TestManifestCodes(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	from := filepath.Join(testdata.Root(), "models", "testdata", "cases", "k1_manifest")
	for _, name := range []string{"m.onnx", "labels.txt"} {
		writeFile(t, filepath.Join(dir, name), readFile(t, filepath.Join(from, name)))
	}
	manifest := readFile(t, filepath.Join(from, "m.json"))
	coded := strings.Replace(manifest, `"output"`, `"codes": {"animal": 12, "empty": 3}, "output"`, 1)
	writeFile(t, filepath.Join(dir, "m.json"), coded)
	data := pictures(t, 4)
	labels := writeText(t, filepath.Join(dir, "truth.csv"), "file,label\np0000.png,12\np0001.png,3\np0002.png,3\np0003.png,3\n")
	args := []string{"eval", "images", data, "--model", filepath.Join(dir, "m.onnx"), "--labels", labels, "--format", "json"}
	out, text := mustOatta(t, console.Fine, args...)
	var s printedScores
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.supports()["animal"] != 1 || s.supports()["empty"] != 3 {
		t.Errorf("%v: %v in %s", err, s.supports(), out)
	}
	if want := "the true labels 3, 12 are read as the codes of the model's manifest: 3 empty, 12 animal"; !strings.Contains(text, want) {
		t.Error(text)
	}
	if out, _ := mustOatta(t, console.Fine, "models", "inspect", filepath.Join(dir, "m.onnx")); !strings.Contains(out, "codes       3 \"empty\", 12 \"animal\"\n") {
		t.Error(out)
	}
	writeFile(t, filepath.Join(dir, "m.json"), manifest)
	if _, text := mustOatta(t, console.Nothing, args...); !strings.Contains(text, "3, 12, and the classes are empty, animal: --label-map FILE names them") {
		t.Error(text)
	}

	writeFile(t, filepath.Join(dir, "m.json"), coded)
	var lines strings.Builder
	for i := range 40 {
		fmt.Fprintf(&lines, `{"stream": "s%d", "probs": [%g, %g], "truth": "%d"}`+"\n", i%2, 0.2+0.015*float64(i), 0.8-0.015*float64(i), []int{12, 3}[(i/20+1/(1+i%4))%2]) // a quarter is wrong
	}
	input := writeText(t, filepath.Join(dir, "p.jsonl"), lines.String())
	got, _ := calibrationOf(t, console.Fine, input, "--model", filepath.Join(dir, "m.onnx"))
	if got.Items != 40 || got.Unknown != 0 || !strings.Contains(strings.Join(got.Warnings, "\n"), "the model's manifest: 3 empty, 12 animal") {
		t.Errorf("%d items, %d unknown, %q", got.Items, got.Unknown, got.Warnings)
	}
	if after := readFile(t, filepath.Join(dir, "m.json")); !strings.Contains(after, `"codes": {"animal": 12, "empty": 3}`) || !strings.Contains(after, `"temperature"`) {
		t.Errorf("the manifest became %s", after)
	}
}
