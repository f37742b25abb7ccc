package main

import (
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/models"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/internal/method"
)

// methodArgs are the five predictors, cheap enough for every test.
var methodArgs = map[string][]string{
	method.Base:      nil,
	method.MCDropout: {"--method", "mc-dropout", "--passes", "8"},
	method.TTAug:     {"--method", "ttaug", "--views", "3"},
	method.Tent:      {"--method", "tent", "--rate", "0.01"},
	method.Memo:      {"--method", "memo", "--views", "4"},
}

func methodRun(t *testing.T, dir string, extra ...string) []result {
	t.Helper()
	out, _ := mustOatta(t, console.Fine, append([]string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--vectors", "--format", "jsonl"}, extra...)...)
	return parseLines(t, out)
}

// Every predictor gives every picture probabilities, the same each time it is asked, and not those of the plain network.
func TestMethods(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 40)
	base := methodRun(t, dir)
	for name, args := range methodArgs {
		t.Run(name, func(t *testing.T) {
			lines := methodRun(t, dir, args...)
			again := methodRun(t, dir, append(args, "--batch", "3")...)
			if len(lines) != 40 || len(again) != 40 {
				t.Fatalf("%d and %d lines, want 40", len(lines), len(again))
			}
			moved := 0.0
			for i, l := range lines {
				checkProbabilities(t, l.Probs)
				checkProbabilities(t, l.Adapted)
				if d := distance(l.Probs, again[i].Probs); d > 1e-4 || l.File != again[i].File {
					t.Errorf("%s: %g from what another batch size gave", l.File, d)
				}
				moved = max(moved, distance(l.Probs, base[i].Probs))
			}
			if name != method.Base && moved < 1e-4 {
				t.Errorf("at most %g from the plain network", moved)
			}
		})
	}
}

func checkProbabilities(t *testing.T, p []float64) {
	t.Helper()
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	if len(p) != 10 || math.Abs(sum-1) > 1e-6 {
		t.Errorf("%v: want ten probabilities", p)
	}
}

// distance is the largest difference of two vectors.
func distance(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// Another seed draws other masks and views.
func TestSeed(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 5)
	for _, name := range []string{method.MCDropout, method.TTAug, method.Memo} {
		a, b := methodRun(t, dir, methodArgs[name]...), methodRun(t, dir, append(methodArgs[name], "--seed", "7")...)
		if distance(a[0].Probs, b[0].Probs) == 0 {
			t.Errorf("%s: the seed decides nothing", name)
		}
	}
}

// A run that was killed and resumed writes what one that was left alone does, also where the network itself learns along the stream.
func TestKilledAndResumedWithTent(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 120)
	for _, reset := range []string{"10", "stream"} {
		t.Run("reset="+reset, func(t *testing.T) {
			args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--method", "tent", "--rate", "0.01", "--reset", reset, "--batch", "2", "--vectors"}
			whole, cut := filepath.Join(t.TempDir(), "whole.jsonl"), filepath.Join(t.TempDir(), "cut.jsonl")
			mustOatta(t, console.Fine, append(args, "-o", whole)...)
			if kills := killUntilDone(t, append(args, "-o", cut, "--resume")); kills == 0 {
				t.Error("the process was never killed")
			}
			if got := readFile(t, cut); got != readFile(t, whole) {
				t.Errorf("the output differs from that of an undisturbed run:\n%s", got)
			}
		})
	}
}

// What export writes is a model that run takes, with the predictor of its graph.
func TestExportedGraphs(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 12)
	for graph, name := range models.ExportGraphs {
		t.Run(graph, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), graph+".onnx")
			args := methodArgs[name]
			settings := args[min(2, len(args)):] // without --method
			if name == method.TTAug {
				t.Fatal("ttaug has no graph")
			}
			mustOatta(t, console.Fine, append(append([]string{"models", "export", "resnet20-cifar10", "--graph", graph}, settings...), "-o", file)...)
			mustOatta(t, console.Fine, "models", "inspect", file)
			want := methodRun(t, dir, args...)
			out, _ := mustOatta(t, console.Fine, "run", "images", dir, "--model", file, "-q", "--vectors", "--format", "jsonl")
			for i, got := range parseLines(t, out) {
				if d := distance(got.Probs, want[i].Probs); d > 1e-4 {
					t.Errorf("%s: %g from --method %s", got.File, d, name)
				}
			}
		})
	}
}

func TestExportRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.onnx")
	mustOatta(t, console.Fine, "models", "export", "resnet20-cifar10", "-o", file)
	for _, test := range []struct {
		want string
		args []string
	}{
		{"exists: --overwrite replaces it", []string{"resnet20-cifar10", "-o", file}},
		{"would be overwritten", []string{file, "-o", file, "--overwrite"}},
		{"name the file by -o", []string{file}},
		{"let the file end in .onnx", []string{file, "-o", filepath.Join(dir, "y.json")}},
		{`--graph "backward"`, []string{file, "--graph", "backward", "-o", filepath.Join(dir, "y.onnx")}},
		{"--passes is a setting of --method mc-dropout", []string{file, "--passes", "3", "-o", filepath.Join(dir, "y.onnx")}},
		{"want one model", []string{"-o", filepath.Join(dir, "y.onnx")}},
	} {
		if _, errOut := mustOatta(t, console.Nothing, append([]string{"models", "export"}, test.args...)...); !strings.Contains(errOut, test.want) {
			t.Errorf("%q: %s, want %q", test.args, errOut, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "y.onnx")); err == nil {
		t.Error("a refused export left a file")
	}
}

// A run of MEMO on large pictures takes gigabytes, so that there is one at a time, on all cores, unless flags say otherwise.
func TestMemoOnLargePictures(t *testing.T) {
	needEngine(t)
	dir, out := pictures(t, 1), filepath.Join(t.TempDir(), "out.jsonl")
	for want, extra := range map[int][]string{goruntime.GOMAXPROCS(0): nil, 1: {"--runs", "1"}} {
		mustOatta(t, console.Fine, append([]string{"run", "images", dir, "-q", "--method", "memo", "--views", "1", "-o", out, "--overwrite"}, extra...)...)
		if m, err := run.ReadManifest(out); err != nil || m.Settings.Engine.Threads != want {
			t.Errorf("%q: %d threads, want %d (%v)", extra, m.Settings.Engine.Threads, want, err)
		}
	}
}

func TestMethodRefusals(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 1)
	for _, test := range []struct {
		want string
		args []string
	}{
		{`--method "magic"`, []string{"--method", "magic"}},
		{"--passes is a setting of --method mc-dropout", []string{"--passes", "3"}},
		{"--views is a setting of --method ttaug and memo", []string{"--method", "tent", "--views", "3"}},
		{"--views 0", []string{"--method", "ttaug", "--views", "0"}},
		{"--views 5000", []string{"--method", "ttaug", "--views", "5000"}},
		{`"sparkle"`, []string{"--method", "ttaug", "--augment", "sparkle"}},
		{`"median"`, []string{"--method", "ttaug", "--merge", "median"}},
		{`--statistics "none"`, []string{"--method", "tent", "--statistics", "none"}},
		{"weight 2", []string{"--method", "tent", "--statistics", "2"}},
		{`--predict "never"`, []string{"--method", "tent", "--predict", "never"}},
		{"--reset 0", []string{"--method", "tent", "--reset", "0"}},
		{`reset "daily"`, []string{"--method", "tent", "--reset", "daily"}},
		{`--optimizer "lbfgs"`, []string{"--method", "tent", "--optimizer", "lbfgs"}},
		{"--rate 0: want more", []string{"--method", "tent", "--rate", "0"}},
		{"--steps 0: want more", []string{"--method", "tent", "--steps", "0"}},
		{"--passes 0: want more", []string{"--method", "mc-dropout", "--passes", "0"}},
		{"--dropout 0: want more", []string{"--method", "mc-dropout", "--dropout", "0"}},
		{"--seed is a setting of --method mc-dropout and ttaug and memo", []string{"--seed", "3"}},
		{"learning rate -1", []string{"--method", "tent", "--rate", "-1"}},
		{`no preset "best"`, []string{"--method", "memo", "--preset", "best"}},
		{"probability 1.5", []string{"--method", "mc-dropout", "--dropout", "1.5"}},
		{"nowhere", []string{"--method", "mc-dropout", "--dropout-at", "nowhere"}},
	} {
		args := append([]string{"run", "images", dir, "--model", "resnet20-cifar10", "-q"}, test.args...)
		if _, errOut := mustOatta(t, console.Nothing, args...); !strings.Contains(errOut, test.want) {
			t.Errorf("%q: %s, want %q", test.args, errOut, test.want)
		}
	}
}
