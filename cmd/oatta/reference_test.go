package main

import (
	"flag"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/testdata"
)

var update = flag.Bool("update", false, "write docs/reference, and the outputs in README.md and docs, anew instead of comparing")

// docs/reference says what the program says. -update writes it.
func TestReference(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("the pages are those of unix, where bench has one study more")
	}
	dir := filepath.Join(testdata.Root(), "docs", "reference")
	want := markdownPages(newApp(console.Environment{}))
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := writePages(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	there, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(there) != len(want) {
		t.Errorf("%d files in %s, want %d (%v): -update writes them", len(there), dir, len(want), err)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("docs/reference/%s is not what the program says (%v): go test ./cmd/oatta -run Reference -update", name, err)
		}
	}
}

// A command without a line about it, or a flag, would be a hole in the pages.
func TestEverythingIsDescribed(t *testing.T) {
	for _, d := range documentedCommands("oatta", newApp(console.Environment{}).Commands) {
		if d.Usage == "" {
			t.Errorf("%s has no usage", d.name)
		}
		for _, g := range d.groups() {
			for _, f := range g.flags {
				if f.usage == "" {
					t.Errorf("%s: %s has no usage", d.name, f.names)
				}
			}
		}
	}
}

func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	out, _ := mustOatta(t, 0, "reference", "--man", dir)
	if !strings.HasSuffix(out, " pages in "+dir+"\n") {
		t.Errorf("%q", out)
	}
	page := readFile(t, filepath.Join(dir, "oatta-run-images.1"))
	for _, want := range []string{".TH OATTA-RUN-IMAGES 1", ".SH NAME", ".SH SYNOPSIS", ".SH HINDSIGHT", `\fB--lag N\fP`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of run images lacks %q", want)
		}
	}
	if index := readFile(t, filepath.Join(dir, "oatta.1")); !strings.Contains(index, "oatta-models-build(1)") {
		t.Error("oatta.1 does not lead to the other pages")
	}
}
