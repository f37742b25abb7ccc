package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A version is cut, and the next one begun, on the files of this repository.
func TestCutAndOpen(t *testing.T) {
	root := t.TempDir()
	code := filepath.Join("internal", "cli", "console", "version.go")
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(code)), 0o755); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join("..", "..", "..", code))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, code), string(program))
	changelog := filepath.Join(root, "CHANGELOG.md")
	write(t, changelog, "# Changelog\n\n## 0.1.0, unreleased\n\n- x\n")
	now := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
	for _, wrong := range [][]string{{"open", "0.2.0"}, {"cut", "0.2.0"}, {"cut", "v0.1.0"}, {"cut"}, {"x", "0.1.0"}} {
		if err := run(root, wrong, now); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
	if err := run(root, []string{"cut", "0.1.0"}, now); err != nil {
		t.Fatal(err)
	}
	want(t, changelog, "# Changelog\n\n## 0.1.0, 2026-11-29\n\n- x\n")
	if err := run(root, []string{"open", "0.2.0"}, now); err != nil {
		t.Fatal(err)
	}
	want(t, changelog, "# Changelog\n\n## 0.2.0, unreleased\n\n## 0.1.0, 2026-11-29\n\n- x\n")
	changed, err := os.ReadFile(filepath.Join(root, code))
	if err != nil || !constant.Match(changed) || string(constant.Find(changed)) != `const Release = "0.2.0"` {
		t.Errorf("%v\n%s", err, changed)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, name, text string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != text {
		t.Errorf("%v\n%q\nwant\n%q", err, got, text)
	}
}
