package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

// base is the path of the embedded network for movement, without ending.
var base = filepath.Join(testdata.Root(), "models", "embedded", movement().Name)

// What is written of the network by hand is what is committed, whatever its training told.
func TestMovementIsDescribed(t *testing.T) {
	data, err := os.ReadFile(base + ".onnx")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := models.ReadManifestFile(base + ".json")
	if err != nil {
		t.Fatal(err)
	}
	model, manifest, stats, err := buildTrained(data, committed, movement())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(model, data) || stats.Halved != 0 {
		t.Errorf("its weights are not halved: %+v", stats)
	}
	if want, err := os.ReadFile(base + ".json"); err != nil || !bytes.Equal(manifest, want) {
		t.Errorf("%v; the manifest is\n%s\nwant\n%s", err, want, manifest)
	}
	if len(data) > 250<<10 {
		t.Errorf("%d bytes, want 250 KiB at most", len(data))
	}
	for _, page := range []string{"THIRD_PARTY_NOTICES.md", "models/embedded/har-waist.md"} {
		text, err := os.ReadFile(filepath.Join(testdata.Root(), page))
		if err != nil || !strings.Contains(string(text), "Reyes-Ortiz") || !strings.Contains(string(text), "https://doi.org/10.24432/C54G7M") || !strings.Contains(string(text), "CC BY 4.0") {
			t.Errorf("%s does not name the data that the network was trained on: %v", page, err)
		}
	}
}

// The documented commands make the committed bytes again.
func TestMovementIsTrainedAgain(t *testing.T) {
	testdata.Heavy(t, "trains a network for minutes")
	archive := testdata.Shared(t, "data", "motion", "hapt_rawdata_acc.tar.gz")
	page, err := os.ReadFile(filepath.Join(testdata.Root(), "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := commandOf(t, string(page))
	folder := t.TempDir()
	bin := filepath.Join(t.TempDir(), "oatta")
	for i, word := range command {
		command[i] = strings.NewReplacer("DIR/data/motion/hapt_rawdata_acc.tar.gz", archive, "FOLDER", folder).Replace(word)
	}
	for _, args := range [][]string{{"go", "build", "-o", bin, "./cmd/oatta"}, append([]string{bin}, command...)} {
		c := exec.Command(args[0], args[1:]...)
		c.Dir = testdata.Root()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, movement().Name+".onnx"))
	if err != nil {
		t.Fatal(err)
	}
	trained, err := models.ReadManifestFile(filepath.Join(folder, movement().Name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	model, manifest, _, err := buildTrained(data, trained, movement())
	if err != nil {
		t.Fatal(err)
	}
	for ending, got := range map[string][]byte{".onnx": model, ".json": manifest} {
		if want, err := os.ReadFile(base + ending); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v; the training makes other bytes", ending, err)
		}
	}
}

// commandOf takes the arguments of the first training of movement out of a page.
func commandOf(t *testing.T, page string) []string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\noatta train motion ")
	text, _, closed := strings.Cut(rest, "\n```")
	if !found || !closed {
		t.Fatal("docs/results.md has no command that trains a network for movement")
	}
	parts := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "'") // what stands between quotes is one word
	out := []string{"train", "motion"}
	for i, part := range parts {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

func TestCommandOf(t *testing.T) {
	got := commandOf(t, "```sh\noatta train motion DIR -o F \\\n  --labels 'a b,c' --lr 1\n```\n")
	if want := []string{"train", "motion", "DIR", "-o", "F", "--labels", "a b,c", "--lr", "1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTrainedRefuses(t *testing.T) {
	if err := writeTrained(t.TempDir(), t.TempDir(), movement()); err == nil {
		t.Error("a folder without a training passed")
	}
	if _, _, _, err := buildTrained([]byte("no network"), models.Manifest{}, movement()); err == nil {
		t.Error("no network passed")
	}
	net, err := os.ReadFile(filepath.Join(testdata.Root(), "models", "embedded", "resnet20-cifar10.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := onnx.Decode(net); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := buildTrained(net, models.Manifest{}, movement()); err == nil {
		t.Error("a manifest without labels passed")
	}
}
