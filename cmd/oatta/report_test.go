package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// reported filters the sample of movement into a folder and returns the results.
func reported(t *testing.T) (dir, results string) {
	t.Helper()
	dir = t.TempDir()
	in := filepath.Join(testdata.Root(), "docs", "samples", "movement.jsonl.gz")
	results = filepath.Join(dir, "adapted.jsonl")
	mustOatta(t, 0, "filter", in, "--smooth", "--quiet", "-o", results)
	return dir, results
}

// A report of what filter wrote tells what filter told.
func TestReportOfFilter(t *testing.T) {
	dir, results := reported(t)
	page := filepath.Join(dir, "report.html")
	_, said := mustOatta(t, 0, "report", results, "--kind", "movement", "-o", page)
	if !strings.Contains(said, "1,941 windows in 4 streams, 658 labels changed") {
		t.Error(said)
	}
	text := readFile(t, page)
	for _, want := range []string{"58.84", "77.23", "accuracy, %", "95 % intervals over 4 streams", "user01", "oatta filter", "smoothed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, bad := range []string{"<script", dir, "https://"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if _, errOut := mustOatta(t, 2, "report", results, "-o", page); !strings.Contains(errOut, "--overwrite replaces it") {
		t.Error(errOut)
	}
	mustOatta(t, 0, "report", results, "-o", page, "--overwrite", "--quiet")
	if out, _ := mustOatta(t, 0, "report", results, "-o", "-", "--quiet"); !strings.Contains(out, "<!doctype html>") {
		t.Errorf("%.100s", out)
	}
}

func TestReportFigures(t *testing.T) {
	dir, results := reported(t)
	figures := filepath.Join(dir, "figures")
	mustOatta(t, 0, "report", results, "--figures", figures, "--quiet")
	for _, name := range []string{"classes", "confidence", "changes", "confusion-raw", "confusion-adapted", "reliability", "stream-01-user17"} {
		for ending, begins := range map[string]string{".svg": "<?xml", ".png": "\x89PNG", ".csv": ""} {
			if text := readFile(t, filepath.Join(figures, name+ending)); !strings.HasPrefix(text, begins) {
				t.Errorf("%s%s begins with %.20q", name, ending, text)
			}
		}
	}
	rows, err := csv.NewReader(strings.NewReader(readFile(t, filepath.Join(figures, "changes.csv")))).ReadAll()
	sum := 0
	for _, row := range rows[1:] {
		n := 0
		if _, err := fmt.Sscan(row[2], &n); err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if err != nil || sum != 658 {
		t.Errorf("%d changes in the table, want 658: %v", sum, err)
	}
	if _, errOut := mustOatta(t, 2, "report", results, "--figures", figures); !strings.Contains(errOut, "--overwrite replaces it") {
		t.Error(errOut)
	}
}

// What a spreadsheet would calculate is text where that is asked for, and numbers stay numbers.
func TestReportFiguresForSpreadsheets(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own.csv")
	if err := os.WriteFile(own, []byte("file,stream,label,prob,adapted_label,adapted_prob\na,s,=1+1,1,@SUM(A1),1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		flags      []string
	}{
		{"changes.csv", "raw,adapted,items\n=1+1,@SUM(A1),1\n", nil},
		{"changes.csv", "raw,adapted,items\n'=1+1,'@SUM(A1),1\n", []string{"--spreadsheet", "--overwrite"}},
		{"classes.csv", "class,raw,adapted,change\n'=1+1,1,0,-1\n'@SUM(A1),0,1,+1\n", []string{"--spreadsheet", "--overwrite"}},
	} {
		mustOatta(t, 0, append([]string{"report", own, "--figures", filepath.Join(dir, "figures"), "--quiet"}, c.flags...)...)
		if text := readFile(t, filepath.Join(dir, "figures", c.name)); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

// A figure never takes the place of what is read, even where outputs may be replaced.
func TestReportFiguresKeepApart(t *testing.T) {
	dir, before := t.TempDir(), "file,stream,label,prob,adapted_label,adapted_prob\na,s,x,1,y,1\n"
	own := filepath.Join(dir, "classes.csv")
	if err := os.WriteFile(own, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, errOut := mustOatta(t, 2, "report", own, "--figures", dir, "--overwrite"); !strings.Contains(errOut, "a file of results") || readFile(t, own) != before {
		t.Error(errOut)
	}
}

// Where something is wrong, nothing is written, and the message says what to do.
func TestReportRefuses(t *testing.T) {
	dir, results := reported(t)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	out := filepath.Join(dir, "out.html")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no results"},
		{[]string{results}, "nowhere to write"},
		{[]string{results, results, "-o", out}, "given twice"},
		{[]string{results, "-o", results, "--overwrite"}, "a file of results"},
		{[]string{results, "-o", results + ".manifest.json", "--overwrite"}, "a manifest"},
		{[]string{filepath.Join(dir, "gone.jsonl"), "-o", out}, "gone.jsonl"},
		{[]string{write("empty.jsonl", ""), "-o", out}, "is empty"},
		{[]string{write("others.jsonl", `{"stream":"a","probs":[1,0]}`+"\n"), "-o", out}, "oatta filter"},
		{[]string{write("table.txt", "a"), "-o", out}, "a table for people"},
		{[]string{results, "--kind", "birds", "-o", out}, "--kind"},
		{[]string{results, "--inputs", filepath.Join(dir, "gone"), "-o", out}, "--inputs"},
		{[]string{results, "--thumbnails", "501", "-o", out}, "1 to 500"},
		{[]string{results, "-o", filepath.Join(dir, "gone", "out.html")}, "no such file"},
		{[]string{results, write("copy.jsonl", readFile(t, results)), "-o", out}, "one report for each file"},
	} {
		_, errOut := mustOatta(t, 2, append([]string{"report"}, c.args...)...)
		if !strings.Contains(errOut, c.want) {
			t.Errorf("%v: %q, want %q", c.args, errOut, c.want)
		}
	}
	for _, name := range []string{out, out + ".part"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// Results that were cut make a page that says so, and an exit code that does.
func TestReportOfCutResults(t *testing.T) {
	dir, results := reported(t)
	text := readFile(t, results)
	if err := os.WriteFile(results, []byte(text[:len(text)/2]), 0o644); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "report.html")
	_, errOut := mustOatta(t, 1, "report", results, "-o", page)
	for _, said := range []string{errOut, readFile(t, page)} {
		if !strings.Contains(said, "in the middle of a line") {
			t.Errorf("it is not told: %.300s", said)
		}
	}
	if err := os.Remove(results + ".manifest.json"); err != nil {
		t.Fatal(err)
	}
	if _, errOut = mustOatta(t, 1, "report", results, "-o", page, "--overwrite"); !strings.Contains(errOut, "no manifest is beside it") {
		t.Error(errOut)
	}
}

// What run writes is read in every format, with the same counts.
func TestReportOfRun(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	for _, c := range []struct {
		kind, input, want string
		formats           []string
		shown             []string
	}{
		{"sleep", "night.edf", "80 epochs in 1 stream, 12 labels changed", []string{"jsonl", "csv", "vectors.jsonl", "vectors.csv"}, []string{"Hypnogram of night.edf", "efficiency", "another derivation"}},
		{"motion", "walk.csv.gz", "233 windows in 1 stream, 7 labels changed", []string{"jsonl", "csv"}, []string{"Classes over the day", "Time of each class"}},
		{"text", "posts.csv", "16 posts in 2 streams, 0 labels changed", []string{"jsonl", "csv"}, []string{"Posts of ann", "coffee is ready"}},
		{"images", "heron", "10 pictures in 1 stream", []string{"jsonl", "csv", "json", "vectors.jsonl"}, []string{"data:image/jpeg;base64", "pictures, in their sequences"}},
	} {
		input := filepath.Join(testdata.Root(), "datasets", "samples", c.input)
		inputs := filepath.Dir(input)
		if c.kind == "images" {
			inputs = input
		}
		for _, format := range c.formats {
			results := filepath.Join(dir, c.kind+"."+format)
			args := []string{"run", c.kind, input, "--quiet", "-o", results}
			if strings.HasPrefix(format, "vectors") {
				args = append(args, "--vectors")
			}
			mustOatta(t, 0, args...)
			_, said := mustOatta(t, 0, "report", results, "--inputs", inputs, "-o", results+".html")
			if !strings.Contains(said, c.want) {
				t.Errorf("%s %s: %s", c.kind, format, said)
			}
			page := readFile(t, results+".html")
			for _, want := range c.shown {
				if !strings.Contains(page, want) {
					t.Errorf("%s %s: the page does not say %q", c.kind, format, want)
				}
			}
			if strings.Contains(page, testdata.Root()) {
				t.Errorf("%s %s: the page tells a folder of this machine", c.kind, format)
			}
		}
	}
}

// The stages that somebody scored give the scores that eval prints, and a line over the hypnograms.
func TestReportWithHypnogram(t *testing.T) {
	needEngine(t)
	dir := t.TempDir()
	night := filepath.Join(testdata.Root(), "datasets", "samples", "night.edf")
	results := filepath.Join(dir, "night.jsonl")
	mustOatta(t, 0, "run", "sleep", night, "--quiet", "-o", results)
	mustOatta(t, 0, "report", results, "--hypnogram", night, "-o", results+".html", "--figures", dir)
	page := readFile(t, results+".html")
	for _, want := range []string{"80 epochs of 80 scored", "<td>70.000</td><td>77.500</td>", ">True<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if table := readFile(t, filepath.Join(dir, "night-01-night-edf.csv")); !strings.HasPrefix(table, "epoch,seconds,raw,adapted,truth\n0,0,N3,N3,") {
		t.Errorf("%.80s", table)
	}
}

// Of documents, a report counts what filter counted: labels of an ensemble, boxes that share a list, what a detector decided.
func TestReportCountsAsFilter(t *testing.T) {
	dir := t.TempDir()
	cases := filepath.Join(testdata.Root(), "cmd", "oatta", "testdata", "cases")
	for _, name := range []string{"speciesnet/geo.json", "speciesnet/v4.json", "speciesnet/v5.json", "md_herd.json", "md_one_camera.json", "md_two_cameras.json"} {
		results := filepath.Join(dir, filepath.Base(name))
		mustOatta(t, 0, "filter", filepath.Join(cases, filepath.FromSlash(name)), "--quiet", "-o", results)
		var m struct {
			Summary struct{ Items, Unpredicted, Streams, Changed int }
		}
		if err := json.Unmarshal([]byte(readFile(t, results+".manifest.json")), &m); err != nil {
			t.Fatal(err)
		}
		_, said := mustOatta(t, 0, "report", results, "-o", results+".html")
		s := m.Summary
		want := console.Number(s.Changed, "label") + " changed"
		if s.Unpredicted == 0 {
			want = fmt.Sprintf("%s in %s, %s", console.Number(s.Items, "picture"), console.Number(s.Streams, "stream"), want)
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", name, said, want)
		}
	}
	geo := readFile(t, filepath.Join(dir, "geo.json.html"))
	for _, want := range []string{"left alone by the filter", "SpeciesNet: [", "1 picture of 9 failed", ">bird<"} {
		if !strings.Contains(geo, want) {
			t.Errorf("the page of an ensemble does not say %q", want)
		}
	}
}
