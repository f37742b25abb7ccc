package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

// What run answers is what filter answers to the predictions that run wrote, in every mode, and the names of the classes come with them.
func TestRunIsReadBack(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 60)
	run := func(flags ...string) string {
		out, _ := mustOatta(t, console.Fine, append([]string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--vectors"}, flags...)...)
		return out
	}
	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	writeFile(t, raw, run("--causal"))
	for _, flags := range [][]string{{"--causal"}, {"--smooth"}, {"--viterbi"}, {"--gate", "ewma", "--causal"}, {"--gate", "off", "--smooth"}} {
		want := parseLines(t, run(flags...))
		out, _ := mustOatta(t, console.Fine, append([]string{"filter", raw, "-q"}, flags...)...)
		for i, l := range parseLines(t, out) {
			w := want[i]
			if l.File != w.File || l.Label != w.Label || l.AdaptedLabel != w.AdaptedLabel || l.Mode != w.Mode || l.Gate < w.Gate-1e-5 || l.Gate > w.Gate+1e-5 || !slices.Equal(l.Adapted, w.Adapted) {
				t.Fatalf("%v: %+v, want %+v", flags, l, w)
			}
		}
	}
	byDefault, smoothed := run(), run("--smooth")
	if byDefault != smoothed || !strings.Contains(smoothed, `"adapted_mode":"smoothed"`) {
		t.Error("run does not smooth by default")
	}
	if run("--gate", "ewma") != run("--gate", "ewma", "--causal") {
		t.Error("the paper's gates are not causal by default")
	}
}

// A second run goes on with the streams of the first, and the same pictures are not learned from twice.
func TestRunRemembersStreams(t *testing.T) {
	needEngine(t)
	whole := pictures(t, 60)
	first, second := t.TempDir(), t.TempDir()
	files, err := filepath.Glob(filepath.Join(whole, "*", "*"))
	if err != nil || len(files) != 60 {
		t.Fatal(len(files), err)
	}
	for i, file := range files { // of each stream the first 15 and the rest
		to := first
		if i%25 >= 15 {
			to = second
		}
		cam := filepath.Join(to, filepath.Base(filepath.Dir(file)))
		if err := os.MkdirAll(cam, 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(cam, filepath.Base(file)), readFile(t, file))
	}
	state := filepath.Join(t.TempDir(), "state")
	args := func(dir string, flags ...string) []string {
		return append([]string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--vectors"}, flags...)
	}
	out, _ := mustOatta(t, console.Fine, args(whole, "--causal")...)
	want := map[string]result{}
	for _, l := range parseLines(t, out) {
		want[l.File] = l
	}
	one, _ := mustOatta(t, console.Fine, args(first, "--state", state)...)
	two, _ := mustOatta(t, console.Fine, args(second, "--state", state)...)
	got := parseLines(t, one+two)
	if len(got) != 60 {
		t.Fatalf("%d lines", len(got))
	}
	for _, l := range got {
		if !slices.Equal(l.Adapted, want[l.File].Adapted) {
			t.Errorf("%s: in two runs %v, in one %v", l.File, l.Adapted, want[l.File].Adapted)
		}
	}
	if _, errOut := mustOatta(t, console.Nothing, args(second, "--state", state)...); !strings.Contains(errOut, "have learned from these pictures already") {
		t.Errorf("the same pictures again: %s", errOut)
	}
	if _, errOut := mustOatta(t, console.Nothing, args(second, "--state", state, "--gaps", "off")...); !strings.Contains(errOut, "--gaps") {
		t.Errorf("other times: %s", errOut)
	}
	mustOatta(t, console.Fine, "state", "list", "--state", state) // who was refused has closed it
	for _, flag := range []string{"--smooth", "--viterbi"} {
		if _, errOut := mustOatta(t, console.Nothing, args(second, "--state", state, flag)...); !strings.Contains(errOut, "--state and "+flag) {
			t.Errorf("%s: %s", flag, errOut)
		}
	}
}

// What contradicts itself is refused before anything is done.
func TestContradictoryHindsight(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 3)
	state := filepath.Join(t.TempDir(), "s.jsonl")
	for want, flags := range map[string][]string{
		"--causal":             {"--causal", "--lag", "2"},
		"--lag and --smooth":   {"--smooth", "--lag", "2"},
		"--lag -1":             {"--lag", "-1"},
		"setting of --smooth":  {"--causal", "--max-held", "5"},
		"--explain shows":      {"--explain", "cam0", "--smooth"},
		"is the state":         {"--state", state, "-o", state},
		"waits take more than": {"--max-held", "100"},
	} {
		out, errOut := mustOatta(t, console.Nothing, append([]string{"run", "images", dir, "--model", "resnet20-cifar10"}, flags...)...)
		if out != "" || !strings.Contains(errOut, strings.TrimPrefix(want, "waits ")) {
			t.Errorf("%v: %s%s, want %q", flags, out, errOut, want)
		}
	}
}

// The explanation of a stream of pictures is made, with the truth where eval knows it.
func TestExplainARun(t *testing.T) {
	needEngine(t)
	dir, prefix := pictures(t, 30), filepath.Join(t.TempDir(), "drawn")
	_, said := mustOatta(t, console.Fine, "run", "images", dir, "--model", "resnet20-cifar10", "--explain", "cam0", "--explain-to", prefix)
	if !strings.Contains(said, "25 steps of stream cam0 explained") || !strings.Contains(said, "(filtered)") {
		t.Error(said)
	}
	for _, ending := range []string{".svg", ".png", ".csv", ".json", "-matrix.svg"} {
		if !isThere(prefix + ending) {
			t.Errorf("no %s", ending)
		}
	}
	if _, errOut := mustOatta(t, console.Nothing, "run", "images", dir, "--model", "resnet20-cifar10", "--explain", "cam0", "--explain-to", prefix); !strings.Contains(errOut, "exists") {
		t.Errorf("a second time: %s", errOut)
	}
}
