package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

// goldenRun is one run of the reference, beside adapt's own test of it.
type goldenRun struct {
	Kind   string
	K      int
	Config map[string]json.RawMessage
	Q, Out [][]float64
	Lam    []float64
}

// settings are the reference's configuration as a settings file, and, for the paper's modes, as flags.
func (g goldenRun) settings(t *testing.T) (file string, flags []string) {
	s := map[string]any{}
	section := map[string]any{}
	gate := "auto"
	if g.Kind == "paper" {
		gate = "off"
	}
	for name, value := range g.Config {
		switch name {
		case "gate":
			gate = strings.Trim(string(value), `"`)
			continue
		case "rho", "prior":
			s["prior"] = value
			flags = append(flags, "--prior="+strings.Trim(string(value), "[]"))
			continue
		case "temperature":
			s["temperature"] = value
			flags = append(flags, "--temperature="+string(value))
			continue
		case "m":
			name = "margin"
		case "W":
			name = "window"
		}
		section[name] = value
		flags = append(flags, fmt.Sprintf("--%s=%s", strings.ReplaceAll(name, "_", "-"), strings.Trim(string(value), `"`)))
	}
	if g.Kind == "auto" {
		section["edition"], section["confidence"] = 1, 0 // as published
	}
	s["gate"] = gate
	switch g.Kind {
	case "auto 3":
		g.Kind = "auto"
	case "second":
		g.Kind, section["edition"] = "auto", 2
	}
	if len(section) > 0 {
		s[g.Kind] = section
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "settings.json")
	writeFile(t, file, string(data))
	return file, append(flags, "--gate="+gate)
}

type filterLine struct {
	Stream  string
	Label   string
	Adapted []float64
	Gate    float64
}

func filterLines(t testing.TB, text string) (out []filterLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		var l filterLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, l)
	}
	return out
}

// The numbers of the command are those of the references of the later editions of auto: of the second with settings from a file, of the third,
// which is the default, also without any.
func TestFilterGoldenOfLaterEditions(t *testing.T) {
	var file, third struct{ Cases []goldenRun }
	for name, into := range map[string]any{"auto2": &file, "auto3": &third} {
		if err := json.Unmarshal([]byte(readFile(t, filepath.Join("..", "..", "adapt", "testdata", "filter_golden_"+name+".json"))), into); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for n, g := range file.Cases {
		if g.Config["population"] != nil || g.Config["nones"] != nil { // which have other names in settings: see package adapt
			continue
		}
		tried++
		t.Run(fmt.Sprintf("%02d-K%d", n, g.K), func(t *testing.T) {
			g.Kind = "second"
			g.run(t)
			g.Kind, g.Out = "auto 3", third.Cases[n].Out
			g.run(t)
		})
	}
	if tried < 12 {
		t.Fatalf("%d cases", tried)
	}
}

// The numbers of the command are those of the reference, in every mode, with settings from a file and from flags.
func TestFilterGolden(t *testing.T) {
	var file struct{ Cases []goldenRun }
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join("..", "..", "adapt", "testdata", "filter_golden.json"))), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 30 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for n, g := range file.Cases {
		t.Run(fmt.Sprintf("%02d-%s-K%d", n, g.Kind, g.K), func(t *testing.T) {
			g.run(t)
		})
	}
}

func (g goldenRun) run(t *testing.T) {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in.jsonl")
	var text []byte
	for _, q := range g.Q {
		probs, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, stream := range []string{"a", "b"} { // interleaved, each with its own filter
			text = fmt.Appendf(text, `{"stream":%q,"probs":%s}`+"\n", stream, probs)
		}
	}
	writeFile(t, in, string(text))
	settings, flags := g.settings(t)
	out, _ := mustOatta(t, console.Fine, "filter", in, "--settings", settings)
	g.compare(t, out)
	if g.Kind == "paper" {
		out, _ = mustOatta(t, console.Fine, append([]string{"filter", in}, flags...)...)
		g.compare(t, out)
	}
}

func (g goldenRun) compare(t *testing.T, out string) {
	t.Helper()
	lines := filterLines(t, out)
	if len(lines) != 2*len(g.Q) {
		t.Fatalf("%d lines, want %d", len(lines), 2*len(g.Q))
	}
	for i, l := range lines {
		for k, want := range g.Out[i/2] {
			if !(math.Abs(l.Adapted[k]-want) <= 1e-9) {
				t.Fatalf("line %d class %d: %g, want %g", i+1, k, l.Adapted[k], want)
			}
		}
		if g.Lam != nil && !(math.Abs(l.Gate-g.Lam[i/2]) <= 1e-9) {
			t.Fatalf("line %d gate: %g, want %g", i+1, l.Gate, g.Lam[i/2])
		}
	}
}

// firstEditions are the first edition of auto as it was published, and with predictions sharpened.
var firstEditions = map[string]string{"published": `{"edition": 1, "confidence": 0}`, "first": `{"edition": 1}`}

// The change in points, mean and worst over the people, on real predictions is that of the design's table (filter.md), which the
// reference computed, for the paper's modes and the first edition of auto.
func TestFilterRealPredictions(t *testing.T) {
	hapt := "walking,walking_upstairs,walking_downstairs,sitting,standing,laying"
	for _, tc := range []struct {
		file, classes string
		want          map[string][2]float64
	}{
		{"hapt_lr", hapt, map[string][2]float64{"off": {-1.68, -4.3}, "ewma": {-0.49, -3.8}, "published": {0.86, -0.2}, "first": {0.92, 0}, "auto": {1.04, 0.2}}},
		{"hapt_lr_noisy", hapt, map[string][2]float64{"off": {2.82, 0}, "ewma": {1.32, 0}, "published": {5.15, 2.3}, "first": {5.14, 2.1}, "auto": {5.08, 1.9}}},
		{"sleep_lr", "W,N1,N2,N3,R", map[string][2]float64{"off": {-2.27, -9.3}, "ewma": {-0.97, -5.8}, "published": {0.82, 0.1}, "first": {0.94, 0}, "auto": {0.53, -0.1}}},
	} {
		in := testdata.Shared(t, "data", "predictions", tc.file+".jsonl.gz")
		for gate, want := range tc.want {
			dir := t.TempDir()
			out, scores := filepath.Join(dir, "out.jsonl.gz"), filepath.Join(dir, "scores.json")
			how := []string{"--gate", gate}
			if constants := firstEditions[gate]; constants != "" {
				how = []string{"--settings", filepath.Join(dir, "settings.json")}
				writeFile(t, how[1], `{"gate": "auto", "auto": `+constants+`}`)
			}
			args := append([]string{"filter", in, "-o", out, "--classes", tc.classes, "--truth-field", "label", "--scores", scores}, how...)
			mustOatta(t, console.Fine, args...)
			var e struct {
				Streams []struct{ Raw, Adapted struct{ Accuracy float64 } }
			}
			if err := json.Unmarshal([]byte(readFile(t, scores)), &e); err != nil {
				t.Fatal(err)
			}
			mean, worst := 0.0, math.Inf(1)
			for _, s := range e.Streams {
				d := 100 * (s.Adapted.Accuracy - s.Raw.Accuracy)
				mean += d / float64(len(e.Streams))
				worst = min(worst, d)
			}
			if math.Abs(mean-want[0]) > 0.0051 || math.Abs(worst-want[1]) > 0.051 {
				t.Errorf("%s %s: %+.3f (%+.2f), want %+.2f (%+.1f)", tc.file, gate, mean, worst, want[0], want[1])
			}
			checkUntouched(t, in, out)
		}
	}
}

// checkUntouched: each line of the output begins as that of the input.
func checkUntouched(t *testing.T, in, out string) {
	t.Helper()
	a, b := unzip(t, in), unzip(t, out)
	if len(a) != len(b) {
		t.Fatalf("%d lines became %d", len(a), len(b))
	}
	for i := range a {
		if !strings.HasPrefix(b[i], strings.TrimSuffix(a[i], "}")+`,"raw_label":"`) {
			t.Fatalf("line %d was\n%s\nand is\n%s", i+1, a[i], b[i])
		}
	}
}

func unzip(t *testing.T, path string) (lines []string) {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(readFile(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}

// In a pipe each line comes out before the next goes in.
func TestFilterPipe(t *testing.T) {
	cmd := program(t, "filter", "-", "--classes", "deer,fox", "-q")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for i := range 20 {
		if _, err := fmt.Fprintf(in, `{"stream":"cam%d","top":[["deer",0.75]]}`+"\n", i%3); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n') // would wait for ever if the program did
		if err != nil || !strings.Contains(line, `"adapted_label":"deer"`) {
			t.Fatalf("line %d: %q, %v", i, line, err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// An interrupt ends a pipe that has nothing to say.
func TestFilterInterrupted(t *testing.T) {
	cmd := program(t, "filter", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"stream":"s","probs":[1,0]}`)
	fmt.Fprint(in, `{"stream":"s","pro`)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, "adapted") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := interrupt(cmd); err != nil {
		testdata.Missing(t, "a process that can be interrupted: %v", err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != console.Interrupted {
		t.Errorf("exit code %d, want %d", code, console.Interrupted)
	}
}

func TestFilterLabels(t *testing.T) {
	dir := t.TempDir()
	in, labels, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "labels.csv"), filepath.Join(dir, "out.jsonl")
	var text strings.Builder
	for i := range 50 {
		p := 0.75
		if i%10 == 5 {
			p = 0.25 // a slip in a run of deer
		}
		fmt.Fprintf(&text, `{"file":"cam1/%d.jpg","stream":"cam1","time":"2024-05-01T10:00:%02d","probs":[%g,%g]}`+"\n", i, i, p, 1-p)
	}
	writeFile(t, in, text.String())
	writeFile(t, labels, "file,label\n"+strings.Join(func() (rows []string) {
		for i := range 49 {
			rows = append(rows, fmt.Sprintf("%d.jpg,deer", i))
		}
		return append(rows, "cam1/49.jpg,wolf")
	}(), "\n")+"\n")
	said, errOut := mustOatta(t, console.Fine, "filter", in, "-o", out, "--classes", "deer,fox", "--labels", labels, "--gate", "off", "--kappa", "0.1")
	for _, want := range []string{"49 items scored of 50 (0 failed, 0 without a label, 1 with a label that the model does not have)", `"cam1"`, "if items were independent"} {
		if !strings.Contains(said, want) {
			t.Errorf("said %s, want %s", said, want)
		}
	}
	if !strings.Contains(errOut, `1 true labels are none of the 2 classes: "wolf"`) || !strings.Contains(errOut, "50 items in 1 stream: 0 failed") {
		t.Error(errOut)
	}
	// Without names the labels are no classes, and that is said.
	if _, errOut := mustOatta(t, console.Partial, "filter", in, "--labels", labels); !strings.Contains(errOut, "nothing to score") {
		t.Error(errOut)
	}
	// The truth reaches nothing but the scores.
	plain, _ := mustOatta(t, console.Fine, "filter", in, "--classes", "deer,fox", "--gate", "off", "-q")
	if plain != readFile(t, out) {
		t.Error("the labels changed the output")
	}
}

// A label that was there and means something else is not lost without a word.
func TestFilterTellsOfReplacedLabels(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	writeFile(t, in, strings.Repeat(`{"stream":"a","label":"deer","probs":[0.6,0.4]}`+"\n", 3))
	if _, errOut := mustOatta(t, console.Fine, "filter", in); strings.Count(errOut, "--truth-field label keeps") != 1 {
		t.Error(errOut)
	}
}

func TestFilterTablesAndDocuments(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "in.csv")
	var text strings.Builder
	text.WriteString("stream,id,p:deer,p:fox,truth\n")
	for i := range 30 {
		fmt.Fprintf(&text, "cam%d,%d,%g,%g,deer\n", i%2, i, []float64{0.8, 0.7, 0.3}[i%3], 1-[]float64{0.8, 0.7, 0.3}[i%3])
	}
	writeFile(t, table, text.String())
	out := filepath.Join(dir, "out.csv")
	said, _ := mustOatta(t, console.Fine, "filter", table, "-o", out, "--gate", "ewma")
	if !strings.Contains(said, "30 items scored of 30") {
		t.Error(said)
	}
	if got := readFile(t, out); !strings.HasPrefix(got, "stream,id,p:deer,p:fox,truth,adapted_label,gate,adapted_mode,a:deer,a:fox\ncam0,0,0.8,0.19999999999999996,deer,deer,0.437") {
		t.Error(got)
	}
	// The same items as a document, whose order in the file is not that of their times.
	var images []string
	for i := range 30 {
		p := []float64{0.8, 0.7, 0.3}[i%3]
		images = append(images, fmt.Sprintf(`{"file": "cam%d/%d.jpg", "datetime": "2024-05-01 10:00:%02d", "detections": [{"conf": 1, "classifications": [["1", %g], ["0", %g]]}]}`,
			i%2, 99-i, i, 1-p, p))
	}
	slices.Reverse(images)
	doc := filepath.Join(dir, "in.json")
	writeFile(t, doc, `{"classification_categories": {"0": "deer", "1": "fox"}, "images": [`+strings.Join(images, ",\n")+`]}`)
	got, _ := mustOatta(t, console.Fine, "filter", doc, "--gate", "ewma", "-q")
	var back struct {
		Images []struct {
			File       string
			Detections []struct {
				Classifications [][2]any
				Gate            float64
			}
		}
	}
	if err := json.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(back.Images)
	for i, line := range strings.Split(strings.TrimSpace(readFile(t, out)), "\n")[1:] {
		cells := strings.Split(line, ",")
		var deer float64
		fmt.Sscan(cells[8], &deer)
		d := back.Images[i].Detections[0]
		for _, c := range d.Classifications {
			if c[0] == "0" && math.Abs(c[1].(float64)-deer) > 1e-6 {
				t.Fatalf("item %d: deer %v in the document, %g in the table", i, c[1], deer)
			}
		}
	}
	bad := filepath.Join(dir, "bad.json")
	writeFile(t, bad, strings.Replace(readFile(t, doc), "[[\"1\", 0.", "[[\"1\", 9.", 1))
	if _, errOut := mustOatta(t, console.Partial, "filter", bad); !strings.Contains(errOut, bad+":1: images[0].detections[0] (cam1/70.jpg): class 1 has the score 9.") {
		t.Error(errOut)
	}
}

// BenchmarkFilter is the whole command on lines of six classes; bytes a second are those of the input.
func BenchmarkFilter(b *testing.B) {
	var text bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintf(&text, `{"stream": "user%02d", "id": "%05d", "probs": [0.00022436, 2e-08, 0.0, 0.20757503, 0.79220059, 0.0]}`+"\n", i%15, i)
	}
	in := filepath.Join(b.TempDir(), "in.jsonl")
	writeFile(b, in, text.String())
	for _, gate := range []string{"off", "ewma", "auto"} {
		b.Run("gate="+gate, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				mustOatta(b, console.Fine, "filter", in, "-o", os.DevNull, "-q", "--gate", gate)
			}
		})
	}
}
