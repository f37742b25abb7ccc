package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/forms/formstest"
	"github.com/oatta/oatta/models/onnx"
)

// wideNetwork saves an untrained network for pictures with a convolution that Tent writes otherwise for four streams than for one.
func wideNetwork(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wide.onnx")
	if err := formstest.Network().Save(path, onnx.SaveSettings{}); err != nil {
		t.Fatal(err)
	}
	like, err := models.Load("resnet20-cifar10")
	if err != nil {
		t.Fatal(err)
	}
	like.Manifest.Name, like.Manifest.SHA256, like.Manifest.Parameters = "wide", "", 0
	var text strings.Builder
	if err := like.Manifest.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(models.ManifestPath(path), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A run of Tent is written for the streams that it advances at a time, and its manifest says how many that is. It goes on so after it was
// killed, to the same bytes, and one that began without goes on without.
func TestTentRows(t *testing.T) {
	needEngine(t)
	dir, model := pictures(t, 100), wideNetwork(t) // four streams of 25
	rows := func(output string) int {
		t.Helper()
		m, err := run.ReadManifest(output)
		if err != nil {
			t.Fatal(err)
		}
		return m.Settings.Method.Tent.Rows
	}
	args := []string{"run", "images", dir, "--model", model, "-q", "--vectors", "--method", "tent", "--rate", "0.01", "--causal"}
	out := func(name string) string { return filepath.Join(t.TempDir(), name+".jsonl") }
	whole, alone, unlike, cut := out("whole"), out("alone"), out("unlike"), out("cut")
	mustOatta(t, console.Fine, append(args, "-o", whole)...)
	mustOatta(t, console.Fine, append(args, "-o", alone, "--batch", "1")...)
	mustOatta(t, console.Fine, append(args, "-o", unlike, "--reset", "never")...)
	if got := [3]int{rows(whole), rows(alone), rows(unlike)}; got != [3]int{formstest.Rows, 1, 1} {
		t.Errorf("rows %v of four streams together, of one, and of one after another", got)
	}
	if readFile(t, whole) == readFile(t, alone) {
		t.Error("the number of rows changes no bit: the network does not show what it is for")
	}
	args = append(args, "--resume")
	killAt(t, cut, 5000, append(args, "-o", cut)...)
	mustOatta(t, console.Fine, append(args, "-o", cut)...)
	if rows(cut) != formstest.Rows || readFile(t, cut) != readFile(t, whole) {
		t.Error("the output differs from that of an undisturbed run")
	}
	manifest := files.ManifestPath(whole)
	before := regexp.MustCompile(`,\s*"rows": 4`).ReplaceAllString(readFile(t, manifest), "")
	if strings.Contains(before, `"rows"`) {
		t.Fatal(before)
	}
	if err := os.WriteFile(manifest, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := mustOatta(t, console.Fine, append(args, "-o", whole)...); !strings.Contains(said, "nothing to resume") {
		t.Errorf("a run of before is not known again: %s", said)
	}
}
