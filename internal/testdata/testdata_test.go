package testdata

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
)

// away points at folders of shared data and assets that are not there, as on a user's machine, and returns the file of what is noted.
func away(t *testing.T) string {
	t.Helper()
	notes := filepath.Join(t.TempDir(), "notes")
	for name, value := range map[string]string{"OATTA_SHARED": "/no/shared", "OATTA_ASSETS": t.TempDir(), "OATTA_SKIPS": notes, "CI": ""} {
		t.Setenv(name, value)
	}
	return notes
}

// skipped runs a test inside and reports whether it was skipped.
func skipped(t *testing.T, run func(t *testing.T)) bool {
	t.Helper()
	skip := false
	t.Run("inside", func(t *testing.T) {
		defer func() { skip = t.Skipped() }()
		run(t)
	})
	return skip
}

func noted(t *testing.T, notes, want string) {
	t.Helper()
	text, err := os.ReadFile(notes)
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("noted %q, %v; want %q in it", text, err, want)
	}
}

func TestCopiesAreFoundFirst(t *testing.T) {
	away(t)
	plain := Shared(t, "models", "onnx", "resnet20_cifar10_ref.npz")
	if !strings.HasPrefix(plain, Root()) {
		t.Errorf("a plain copy at %s", plain)
	}
	text, err := os.ReadFile(Shared(t, "data", "tokenizer", "bert-base-uncased-vocab.txt"))
	if err != nil || !strings.HasPrefix(string(text), "[PAD]\n") {
		t.Errorf("an unpacked copy: %.20q, %v", text, err)
	}
}

func TestAssetsAreFoundLast(t *testing.T) {
	away(t)
	file := filepath.Join(os.Getenv("OATTA_ASSETS"), "data", "some", "file")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Shared(t, "data", "some", "file"); got != file {
		t.Errorf("found %s", got)
	}
}

func TestMissing(t *testing.T) {
	notes := away(t)
	if !skipped(t, func(t *testing.T) { Shared(t, "data", "gone") }) {
		t.Error("shared data that are not here")
	}
	noted(t, notes, "shared data: data/gone (set OATTA_SHARED to their folder)\tskipped\tTestMissing/inside\n")
	if !skipped(t, func(t *testing.T) { Asset(t, "gone") }) {
		t.Error("an asset that is not here")
	}
	noted(t, notes, "asset: gone (run `make assets`)\tskipped\t")
	if !skipped(t, func(t *testing.T) { Tree(t, RealPredictions[0], "data/gone") }) {
		t.Error("a tree that is not here")
	}
	if !skipped(t, func(t *testing.T) { Some(t, "data", "gone", "too") }) {
		t.Error("some of which none is here")
	}
}

func TestPartly(t *testing.T) {
	notes := away(t)
	if got := Some(t, "models/onnx", "resnet20_cifar10.onnx", "gone.onnx", "too.onnx"); len(got) != 1 || got[0] != "resnet20_cifar10.onnx" {
		t.Errorf("some: %q", got)
	}
	noted(t, notes, "shared data: models/onnx/gone.onnx and 1 more (set OATTA_SHARED to their folder)\tpart\tTestPartly\n")
	if Have(t, "data", "gone") || !Have(t, "reference", "backbones", "tcn.json") {
		t.Error("have")
	}
}

func TestTree(t *testing.T) {
	away(t)
	root := Tree(t, RealPredictions...)
	for _, name := range RealPredictions {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fatal is a test that keeps why it ended.
type fatal struct {
	testing.TB
	why string
}

func (f *fatal) Fatal(args ...any) {
	f.why = fmt.Sprint(args...)
	goruntime.Goexit()
}

// Where CI is set, nothing that is missing is passed over.
func TestContinuousIntegration(t *testing.T) {
	away(t)
	t.Setenv("CI", "true")
	for name, ask := range map[string]func(tb testing.TB){
		"Shared": func(tb testing.TB) { Shared(tb, "data", "gone") },
		"Some":   func(tb testing.TB) { Some(tb, "models/onnx", "resnet20_cifar10.onnx", "gone.onnx") },
		"Have":   func(tb testing.TB) { Have(tb, "data", "gone") },
		"Tree":   func(tb testing.TB) { Tree(tb, "data/gone") },
		"Asset":  func(tb testing.TB) { Asset(tb, "gone") },
	} {
		f, done := &fatal{TB: t}, make(chan bool)
		go func() {
			defer close(done)
			ask(f)
		}()
		<-done
		if !strings.HasPrefix(f.why, "needed in CI: ") {
			t.Errorf("%s: %q", name, f.why)
		}
	}
}
