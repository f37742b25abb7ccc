package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

// Malformed lines are named, come out as they came, and are no step of the filter: the others get what they get without them.
func TestFilterMalformed(t *testing.T) {
	good := []string{`{"stream":"a","probs":[0.6,0.4]}`, `{"stream":"b","probs":[0.9,0.1]}`, `{"stream":"a","probs":[0.3,0.7]}`, `{"stream":"a","probs":[0.2,0.8]}`}
	bad := map[string]string{
		`{"stream":"a","probs":[0.6,NaN]}`:        "NaN at byte 27 is no number that JSON has",
		`{"stream":"a","probs":[1.6,-0.6]}`:       "adapt: probability of class 1 is -0.6: want a number from 0 to 1",
		`{"stream":"a","probs":[0.6,0.3]}`:        "adapt: probabilities sum to 0.89",
		`{"stream":"a","probs":[1,0,0]}`:          "adapt: probability vector has 3 entries: want 2",
		`{"probs":[1,0]}`:                         "no field stream",
		"{\"stream\":\"\xc3\x28\"}":               "UTF-8",
		`{"stream":"a","probs":[1e400,0]}`:        "beyond what 64 bits hold",
		`{"stream":"` + strings.Repeat("x", 5000): "line is too long: over 4096 bytes",
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	writeFile(t, in, strings.Join(good, "\n")+"\n")
	want, _ := mustOatta(t, console.Fine, "filter", in, "-q")
	for line, cause := range bad {
		lines := slices.Insert(slices.Clone(good), 2, line)
		writeFile(t, in, strings.Join(lines, "\n")+"\n")
		out, errOut := mustOatta(t, console.Partial, "filter", in, "--max-line", "4096")
		got := strings.SplitAfter(out, "\n")
		if got[2] != line+"\n" || strings.Join(slices.Delete(got, 2, 3), "") != want {
			t.Errorf("%s came out in\n%s", line, out)
		}
		if !strings.Contains(errOut, in+":3: "+cause) && !strings.Contains(errOut, in+":3: ") || !strings.Contains(errOut, cause) {
			t.Errorf("%s: %s, want %s:3: ... %s", line, errOut, in, cause)
		}
		if !strings.Contains(errOut, "5 items in 2 streams: 1 failed") {
			t.Errorf("summary %s", errOut)
		}
		out, errOut = mustOatta(t, console.Unfinished, "filter", in, "--max-line", "4096", "--on-error", "stop")
		if out != strings.Join(strings.SplitAfter(want, "\n")[:2], "") || !strings.Contains(errOut, in+":3: ") {
			t.Errorf("stopped at %s with\n%s%s", line, out, errOut)
		}
	}
}

func TestFilterNothingDone(t *testing.T) {
	dir := t.TempDir()
	in, settings, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "settings.json"), filepath.Join(dir, "out.jsonl")
	writeFile(t, in, `{"stream":"a","probs":[0.6,0.4]}`+"\n"+`{"stream":"b","probs":[0.6,0.4]}`+"\n")
	for _, tc := range []struct {
		settings string
		args     []string
		want     string
	}{
		{`{"gate":"ewma","gama":1}`, nil, `unknown field "gama"`},
		{`{"gate":"ewma"} 1`, nil, "more text behind"},
		{`{"paper":{"gamma":0.2}}`, nil, "the gate is auto"},
		{`{"gate":"off","auto":{}}`, nil, "the gate is off"},
		{`{"gate":"sometimes"}`, nil, `gate "sometimes"`},
		{`{"gate":"ewma","paper":{"kappa":-1}}`, nil, "kappa -1"},
		{`{}`, []string{"--gate", "off"}, "--settings and --gate"},
		{"", []string{"--kappa", "1"}, "--kappa is a setting of the paper's modes"},
		{"", []string{"--prior", "0.5,0.2,0.3"}, "prior has 3 entries"},
		{"", []string{"--format", "xml"}, `--format "xml"`},
		{"", []string{"--on-error", "panic"}, "want skip or stop"},
		{"", []string{"--max-streams", "0"}, "want at least 1"},
		{"", []string{"--classes", "deer,deer"}, "both have the name"},
		{"", []string{"--classes", "deer"}, "neither names separated by commas nor a file"},
		{"", []string{"--classes", "deer,fox,hare"}, "all of 2 items failed"},
		{"", []string{"--format", "csv"}, "in.jsonl:1: character 2: a quote inside"},
		{"", []string{"--format", "json"}, "more text"},
		{"", []string{in}, "2 inputs: want one"},
		{"", []string{"--labels", in + ".csv"}, "no such file"},
	} {
		args := append([]string{"filter", in, "-o", out, "--overwrite"}, tc.args...)
		if tc.settings != "" {
			writeFile(t, settings, tc.settings)
			args = append(args, "--settings", settings)
		}
		writeFile(t, out, "precious")
		if _, errOut := mustOatta(t, console.Nothing, args...); !strings.Contains(errOut, tc.want) {
			t.Errorf("%s %v: %s, want %s", tc.settings, tc.args, errOut, tc.want)
		}
		if got := readFile(t, out); got != "precious" && !strings.Contains(tc.want, "all of 2") {
			t.Errorf("%s %v: the output that was there became %q", tc.settings, tc.args, got)
		}
	}
	for args, want := range map[string]string{in: "is the input", settings: "--overwrite replaces it"} {
		if _, errOut := mustOatta(t, console.Nothing, "filter", in, "-o", args); !strings.Contains(errOut, want) {
			t.Errorf("output %s: %s, want %s", args, errOut, want)
		}
	}
	for name, want := range map[string]string{"top.jsonl": "which classes there are is not told", "x.txt": `no format for the ending ".txt"`} {
		path := filepath.Join(dir, name)
		writeFile(t, path, `{"stream":"a","top":[["deer",0.5]]}`+"\n")
		if _, errOut := mustOatta(t, console.Nothing, "filter", path); !strings.Contains(errOut, want) {
			t.Errorf("%s: %s, want %s", name, errOut, want)
		}
	}
	mustOatta(t, console.Nothing, "filter", filepath.Join(dir, "absent.jsonl"))
	mustOatta(t, console.Nothing, "filter", dir, "--format", "jsonl")
	if _, errOut := mustOatta(t, console.Unfinished, "filter", in, "--max-streams", "1"); !strings.Contains(errOut, `:2: stream "b": one more than the most streams at a time, 1 (--max-streams)`) {
		t.Error(errOut)
	}
	if out, _ := mustOatta(t, console.Nothing, "filter", os.DevNull, "--format", "jsonl"); out != "" {
		t.Errorf("of nothing: %q", out)
	}
}

// A flood of failures is counted, not told one by one, and goes through all the same.
func TestFilterManyFailures(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	text := strings.Repeat("nonsense\n", 50) + `{"stream":"a","probs":[1,0]}` + "\n"
	writeFile(t, in, text)
	out, errOut := mustOatta(t, console.Partial, "filter", in, "--max-messages", "3")
	if n := strings.Count(errOut, in+":"); n != 3 || !strings.Contains(errOut, "51 items in 1 stream: 50 failed") {
		t.Errorf("%d named: %s", n, errOut)
	}
	if !strings.HasPrefix(out, text[:len(text)-2]) {
		t.Errorf("came out as %s", out)
	}
	if _, errOut := mustOatta(t, console.Partial, "filter", in, "--max-messages", "0"); strings.Count(errOut, in+":") != 50 {
		t.Errorf("of all: %s", errOut)
	}
}

// Probabilities of two digits, as other tools print them, are normalised, counted and told; those farther from 1 are failures of their row.
func TestFilterRoundedProbabilities(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.csv")
	writeFile(t, in, "stream,p:W,p:N1,p:N2,p:N3,p:R\na,0.05,0.56,0.00,0.00,0.38\na,0.05,0.57,0.03,0.00,0.40\na,0.05,0.30,0.03,0.00,0.38\n")
	code, out, errOut := oatta(t, "filter", in)
	if code != console.Partial || strings.Count(out, ",filtered,") != 2 {
		t.Errorf("exit code %d, output\n%s", code, out)
	}
	for _, want := range []string{"in.csv:4: adapt: probabilities sum to 0.76", "the probabilities of 2 items are rounded"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("%q is not in\n%s", want, errOut)
		}
	}
}

// A document as Python writes it is filtered as one with null in the place of its numbers that JSON does not know, which stay and are told.
func TestFilterUnknownNumbers(t *testing.T) {
	const text = `{"classification_categories": {"0": "deer", "1": "fox"}, "gps": [0],
	 "images": [{"file": "a/1.jpg", "detections": [{"category": "1", "conf": 0.5, "bbox": [0, 0, 0, 1], "classifications": [["0", 0.8], ["1", 0.2]]}]}]}`
	in := filepath.Join(t.TempDir(), "in.json")
	pass := func(numbers string) (out, errOut string) {
		writeFile(t, in, strings.NewReplacer("[0]", "["+numbers+"]", "0.5", numbers, "[0, 0, 0, 1]", "["+numbers+", 0, 0, 1]").Replace(text))
		return mustOatta(t, console.Fine, "filter", in)
	}
	want, _ := pass("null")
	for _, number := range []string{"NaN", "Infinity", "-Infinity"} {
		out, errOut := pass(number)
		if out != strings.ReplaceAll(want, "null", number) {
			t.Errorf("%s: %s", number, out)
		}
		if !strings.Contains(errOut, in+": 3 values are NaN or infinite, which JSON does not know: they are read as unknown\n") {
			t.Errorf("%s: told %s", number, errOut)
		}
	}
}
