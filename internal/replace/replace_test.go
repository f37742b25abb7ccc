package replace_test

import (
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/oatta/oatta/internal/replace"
)

// names lists a folder: what a failed writing leaves would be seen.
func names(t *testing.T, dir string) (out []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestBytesReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, text := range []string{"the first, a long one", "second"} {
		if err := replace.Bytes(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("got %q, %v: want %q", got, err, text)
		}
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q: want the file alone", got)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	err := replace.File(path, func(f *os.File) error {
		if _, err := f.WriteString("half of"); err != nil {
			t.Error(err)
		}
		return full
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v: want the error of the writer", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("the file holds %q: want what it held", got)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q: want the old file alone", got)
	}
}

func TestPermissionsStay(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace.Bytes(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, %v: want 0600", info.Mode(), err)
	}
}

func TestFoldersAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	if err := replace.Bytes(dir, nil); err == nil {
		t.Error("a folder was replaced")
	}
	if err := replace.Bytes(filepath.Join(dir, "none", "a"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v: want that the folder is not there", err)
	}
}

// What a kill left in the middle of writing does not pile up.
func TestLeftoversAreReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path+".part", []byte("half of an earlier one, longer than the next"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace.Bytes(path, []byte("whole")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "whole" {
		t.Errorf("got %q, %v", got, err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q: want the file alone", got)
	}
}

// A name that leads to a device, or to a stream within a file, is told before anything is written there.
func TestNamesThatAreNoFiles(t *testing.T) {
	windows := goruntime.GOOS == "windows"
	for name, refused := range map[string]bool{
		"aux.csv": windows, "CON": windows, "nul.jsonl": windows, "com1.edf": windows, "out.csv:x": windows, "auxiliary.csv": false, "a con.csv": false,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := replace.CheckName(path); (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
		if err := replace.Bytes(path, nil); (err != nil) != refused {
			t.Errorf("%s is written: %v", name, err)
		}
	}
}
