package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/oatta/oatta/internal/replace"
)

// IsRegular tells whether a path is a file or can become one; devices and pipes are written to, but not resumed.
func IsRegular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// WriteIndented writes JSON for people and programs, with <, > and & of names as they are.
func WriteIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// ManifestPath is where the manifest of an output lies.
func ManifestPath(output string) string { return output + ".manifest.json" }

// ReplaceJSON replaces a file by indented JSON.
func ReplaceJSON(path string, v any) error {
	var data bytes.Buffer
	if err := WriteIndented(&data, v); err != nil {
		return err
	}
	return replace.Bytes(path, data.Bytes())
}

// CheckOutputs refuses, before anything is read, outputs that would destroy an input or another output, or that the next run would
// take for an input: those in a folder of the arguments by a name that reads tells to be one.
func CheckOutputs(args []string, outputs []Place, reads func(name string) bool) error {
	var inputs []Place
	for _, arg := range args {
		inputs = append(inputs, At("an input", arg))
	}
	if err := KeepApart(inputs, outputs); err != nil {
		return err
	}
	for _, out := range outputs {
		if !IsFile(out.path) || !reads(out.path) && !reads(ManifestPath(out.path)) {
			continue
		}
		for _, arg := range args {
			if liesIn(out.path, arg) {
				return fmt.Errorf("%s: would be read as an input by the next run on %s: write %s elsewhere", out.path, arg, out.what)
			}
		}
	}
	return nil
}

// liesIn tells whether a file, which need not exist yet, is below a folder.
func liesIn(path, folder string) bool {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() {
		return false
	}
	dir, err := settled(filepath.Dir(path))
	root, rootErr := settled(folder)
	if err != nil || rootErr != nil {
		return false
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// settled returns a path without links.
func settled(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(full)
}

// MayCreate reports a folder in which no file can be made, so that it is known before hours of work and not after.
func MayCreate(dir string) error {
	f, err := os.CreateTemp(dir, ".oatta-*")
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(f.Name())
}

// Place is a file that a run reads or writes, and what it is to the user.
type Place struct{ what, path string }

// At returns a place.
func At(what, path string) Place { return Place{what, path} }

// KeepApart reports an output that is also an input, or another output: writing it would destroy what is read or written; and one that
// cannot have its name. Empty paths and - are no files.
func KeepApart(inputs, outputs []Place) error {
	for i, out := range outputs {
		if !IsFile(out.path) {
			continue
		}
		if err := replace.CheckName(out.path); err != nil {
			return err
		}
		for _, other := range append(outputs[:i:i], inputs...) {
			if IsFile(other.path) && samePlace(out.path, other.path) {
				return fmt.Errorf("%s: is %s, and would be overwritten as %s", out.path, other.what, out.what)
			}
		}
	}
	return nil
}

// IsFile tells whether a path names a file, or may, and not standard output or a device.
func IsFile(path string) bool { return path != "" && path != "-" && IsRegular(path) }

// samePlace tells whether two paths lead to the same file, which need not exist yet.
func samePlace(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	full, err := filepath.Abs(a)
	other, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && sameName(full, other, foldsCase(goruntime.GOOS))
}

// foldsCase tells whether names that differ in case alone are mostly of one file.
func foldsCase(goos string) bool { return goos == "windows" || goos == "darwin" }

func sameName(a, b string, fold bool) bool { return a == b || fold && strings.EqualFold(a, b) }

// MayReplace reports a file that is there, unless it may be replaced, and one that cannot have its name.
func MayReplace(path string, overwrite bool) error {
	if err := replace.CheckName(path); err != nil && IsFile(path) {
		return err
	}
	if _, err := os.Stat(path); err == nil && !overwrite && IsFile(path) {
		return fmt.Errorf("%s: exists: --overwrite replaces it", path)
	}
	return nil
}
