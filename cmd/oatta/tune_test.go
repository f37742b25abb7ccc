package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/run"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// A run that is tuned names its forms, and keeps them when it is continued, whatever has become of the file of choices; one that is not
// tuned names none.
func TestTunedAndResumed(t *testing.T) {
	needEngine(t)
	lib, err := ortlib.Find(context.Background(), ortlib.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv(ortlib.EnvLibrary, lib.Path)
	t.Setenv(ortlib.EnvCache, cache)
	kept, dir := filepath.Join(cache, "forms.json"), pictures(t, 120)
	forms := func(output string) map[string]string {
		t.Helper()
		m, err := run.ReadManifest(output)
		if err != nil {
			t.Fatal(err)
		}
		return m.Settings.Method.Forms
	}
	args := []string{"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--vectors", "--method", "tent", "--rate", "0.01", "--batch", "2", "--causal"}
	off, whole, cut := filepath.Join(t.TempDir(), "off.jsonl"), filepath.Join(t.TempDir(), "whole.jsonl"), filepath.Join(t.TempDir(), "cut.jsonl")
	mustOatta(t, console.Fine, append(args, "-o", off)...)
	if _, err := os.Stat(kept); err == nil || len(forms(off)) > 0 {
		t.Errorf("without --tune: %v", forms(off))
	}
	args = append(args, "--tune", "on")
	mustOatta(t, console.Fine, append(args, "-o", whole)...)
	began := forms(whole)
	if len(began) == 0 || !strings.Contains(readFile(t, kept), `"choices"`) {
		t.Fatalf("%v", began)
	}
	args = append(args, "-o", cut, "--resume")
	killAt(t, cut, 5000, args...) // the head of the journal, which names the forms, and some items
	if err := os.WriteFile(kept, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustOatta(t, console.Fine, args...)
	if got := forms(cut); !maps.Equal(got, began) {
		t.Errorf("continued with %v\nbegan with %v", got, began)
	}
	if readFile(t, cut) != readFile(t, whole) {
		t.Error("the output differs from that of an undisturbed run")
	}
	if readFile(t, kept) != "damaged" {
		t.Error("a run that was continued timed forms")
	}
	if code, _, errOut := oatta(t, append(args[:len(args)-5], "--tune", "maybe")...); code == console.Fine || !strings.Contains(errOut, `--tune "maybe"`) {
		t.Errorf("%d, %s", code, errOut)
	}
}
