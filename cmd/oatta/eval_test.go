package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/testdata"
)

// scored is what eval prints, with the settings of a run.
type scored struct {
	evaluation.Report
	Settings run.Settings `json:"settings"`
}

func parseEvaluation(t *testing.T, out string) (e scored) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return e
}

// The published accuracy of the network on the test set of CIFAR-10, from PNG files to the metric.
func TestCIFAR10(t *testing.T) {
	needEngine(t)
	assets := testdata.Asset(t, "cifar10")
	labels, err := datasets.ReadCIFARLabels(filepath.Join(assets, "test_lables.json"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cifar")
	strips := datasets.CIFARStrips{Strips: []string{filepath.Join(assets, "test_batch.png")}, Labels: labels, Names: datasets.CIFARNames()}
	if n, err := datasets.UnpackCIFAR(context.Background(), strips, dir); n != 10_000 || err != nil {
		t.Fatal(n, err)
	}
	out, _ := mustOatta(t, console.Fine, "eval", "images", dir, "--labels", filepath.Join(dir, "labels.csv"), "--model", "resnet20-cifar10", "--format", "json", "-q")
	e := parseEvaluation(t, out)
	if e.Raw.Items != 10_000 || e.Raw.Correct != 9173 {
		t.Errorf("raw: %d of %d right, want 9173 of 10000", e.Raw.Correct, e.Raw.Items)
	}
	// The order of the test set carries no information: auto must not invent any.
	if d := 100 * (e.Adapted.Accuracy - e.Raw.Accuracy); d < -0.1 || d > 0.1 {
		t.Errorf("adapted: %+.2f points on an unordered stream", d)
	}
	if e.Flips.Right-e.Flips.Wrong != e.Adapted.Correct-e.Raw.Correct || len(e.Streams) != 1 || len(e.Raw.Classes) != 10 {
		t.Errorf("flips %+v, %d streams, %d classes", e.Flips, len(e.Streams), len(e.Raw.Classes))
	}
}

// writeLabels gives every picture of dir a label by its place.
func writeLabels(t *testing.T, dir string, label func(i int) string) string {
	t.Helper()
	l, err := datasets.List(context.Background(), dir, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("file,label\n")
	for i, p := range l.Pictures {
		fmt.Fprintf(&b, "%s,%s\n", p.Name, label(i))
	}
	path := filepath.Join(t.TempDir(), "labels.csv")
	writeFile(t, path, b.String())
	return path
}

// Labels are for scoring: other labels change no prediction.
func TestLabelsDoNotReachThePredictions(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 60)
	predictions := func(label func(i int) string) string {
		path := filepath.Join(t.TempDir(), "p.jsonl")
		mustOatta(t, console.Fine, "eval", "images", dir, "--labels", writeLabels(t, dir, label), "--model", "resnet20-cifar10", "-q", "--predictions", path, "--vectors")
		return readFile(t, path)
	}
	a := predictions(func(i int) string { return []string{"cat", "dog"}[i%2] })
	b := predictions(func(i int) string { return []string{"ship", "", "3"}[i%3] })
	if a != b {
		t.Error("the predictions changed with the labels")
	}
}

func TestEvaluationOfPartlyLabelledPictures(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 30)
	writeFile(t, filepath.Join(dir, "cam0", "z.jpg"), "no picture")
	labels := writeLabels(t, dir, func(i int) string { return []string{"cat", "", "unicorn"}[i%3] })
	out, text := mustOatta(t, console.Partial, "eval", "images", dir, "--labels", labels, "--model", "resnet20-cifar10", "--format", "json")
	e := parseEvaluation(t, out)
	if e.Items != 31 || e.Failures != 1 || e.Unknown != 10 || e.Unlabelled+e.Unknown+e.Raw.Items < 30 || !e.Complete {
		t.Errorf("%+v", e)
	}
	if !strings.Contains(text, `"unicorn"`) {
		t.Errorf("the unknown label is not told:\n%s", text)
	}
	table, _ := mustOatta(t, console.Partial, "eval", "images", dir, "--labels", labels, "--model", "resnet20-cifar10", "-q")
	for _, want := range []string{"accuracy %", "kappa", "labels flipped:", `"cam1"`} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in:\n%s", want, table)
		}
	}
}

// A resumed evaluation scores what was done before the interruption, too.
func TestResumedEvaluation(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 200)
	labels := writeLabels(t, dir, func(i int) string { return fmt.Sprint(i / 7 % 10) })
	args := []string{"eval", "images", dir, "--labels", labels, "--label-index", "0", "--model", "resnet20-cifar10", "-q", "--format", "json", "--batch", "4"}
	want, _ := mustOatta(t, console.Fine, append(args, "--predictions", filepath.Join(t.TempDir(), "a.jsonl"))...)
	out := filepath.Join(t.TempDir(), "b.jsonl")
	killAt(t, out, 1500, append(args, "--predictions", out)...)
	got, _ := mustOatta(t, console.Fine, append(args, "--predictions", out, "--resume")...)
	if got != want {
		t.Errorf("resumed:\n%s\nwant\n%s", got, want)
	}
	if _, text := mustOatta(t, console.Nothing, append(args, "--predictions", out, "--resume")...); !strings.Contains(text, "cannot be scored again") {
		t.Errorf("resume of a complete evaluation: %s", text)
	}
}

func TestEvaluationWithoutTruth(t *testing.T) {
	dir := pictures(t, 3)
	for want, args := range map[string][]string{
		"no picture has a label":      {},
		"none of the model's 10":      {"--labels", writeLabels(t, dir, func(int) string { return "unicorn" }), "--model", "resnet20-cifar10"},
		"no such file":                {"--labels", "/no/such.csv"},
		`--format "xml"`:              {"--format", "xml"},
		"holds no label":              {"--labels", func() string { p := filepath.Join(t.TempDir(), "l.csv"); writeFile(t, p, "file,label\n"); return p }()},
		"is about the file of --pred": {"--resume"},
		"want a file":                 {"--predictions", "-"},
		"no label is of a picture here": {"--labels", func() string {
			p := filepath.Join(t.TempDir(), "l.csv")
			writeFile(t, p, "file,label\nq.png,cat\n")
			return p
		}()},
	} {
		_, text := mustOatta(t, console.Nothing, append([]string{"eval", "images", dir, "-q"}, args...)...)
		if !strings.Contains(text, want) {
			t.Errorf("%v: no %q in:\n%s", args, want, text)
		}
	}
}

// A folder of pictures none of which can be read has nothing to score.
func TestEvaluationOfNothingReadable(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.cr2"), "raw")
	labels := filepath.Join(t.TempDir(), "l.csv")
	writeFile(t, labels, "file,label\na.cr2,cat\n")
	if _, text := mustOatta(t, console.Nothing, "eval", "images", dir, "--labels", labels); !strings.Contains(text, "nothing to score") {
		t.Errorf("%s", text)
	}
}

// An error of writing the scores is told, even beside failed pictures.
func TestScoresThatCannotBeWritten(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 4)
	labels := writeLabels(t, dir, func(int) string { return "cat" })
	writeFile(t, filepath.Join(dir, "cam0", "z.jpg"), "no picture")
	var errOut bytes.Buffer
	code := execute(context.Background(), []string{"oatta", "eval", "images", dir, "--labels", labels, "--model", "resnet20-cifar10", "-q"}, console.Environment{Out: fullPipe{}, Err: &errOut})
	if code == console.Fine || !strings.Contains(errOut.String(), "no space left") {
		t.Errorf("exit code %d: %s", code, errOut.String())
	}
}

type fullPipe struct{}

func (fullPipe) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestSetupCheckAndModels(t *testing.T) {
	needEngine(t)
	out, _ := mustOatta(t, console.Fine, "setup", "--check")
	for _, want := range []string{"ONNX Runtime 1.", "CPUExecutionProvider", "cache ", "efficientnet-lite0 (1000 classes", "resnet20-cifar10 (10 classes", "har-waist (6 classes, x, y, z at 50 Hz, CC-BY-4.0)", "tweet-sentiment (2 classes, texts of up to 64 word pieces, Apache-2.0)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	out, _ = mustOatta(t, console.Fine, "models", "list")
	if strings.Count(out, "\n") != 9 || !strings.Contains(out, "models build` makes resnet18, ") {
		t.Errorf("models list:\n%s", out)
	}
	out, _ = mustOatta(t, console.Fine, "models", "inspect", "resnet20-cifar10")
	if !strings.Contains(out, "float32[N,3,32,32]") || !strings.Contains(out, "airplane") {
		t.Errorf("models inspect:\n%s", out)
	}
	out, _ = mustOatta(t, console.Fine, "models", "inspect", "yasa-eeg-eog")
	for _, want := range []string{"eog         E1-M2|", "features    116 of yasa-0.8.1", "trees       ", "right       78.5 %", "# YASA's classifiers of sleep\n", "**Not for** diagnosis"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}
