package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// isRegular tells whether a path is a file or can become one; devices and pipes are written to, but not resumed.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// writeIndented writes JSON for people and programs, with <, > and & of names as they are.
func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func manifestPath(output string) string { return output + ".manifest.json" }

// replaceJSON replaces a file by indented JSON.
func replaceJSON(path string, v any) error {
	var data bytes.Buffer
	if err := writeIndented(&data, v); err != nil {
		return err
	}
	return replaceFile(path, data.Bytes())
}

// replaceFile writes a file beside the old one, and then takes its place. A kill in between leaves PATH.part, which the next call
// writes anew.
func replaceFile(path string, data []byte) error {
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}

// checkOutputs refuses, before anything is read, outputs that would destroy an input or another output, or that the next run would
// take for an input: those in a folder of the arguments by a name that reads tells to be one.
func checkOutputs(args []string, outputs []place, reads func(name string) bool) error {
	var inputs []place
	for _, arg := range args {
		inputs = append(inputs, at("an input", arg))
	}
	if err := keepApart(inputs, outputs); err != nil {
		return err
	}
	for _, out := range outputs {
		if !isFile(out.path) || !reads(out.path) && !reads(manifestPath(out.path)) {
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

// mayCreate reports a folder in which no file can be made, so that it is known before hours of work and not after.
func mayCreate(dir string) error {
	f, err := os.CreateTemp(dir, ".oatta-*")
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(f.Name())
}

// place is a file that a run reads or writes, and what it is to the user.
type place struct{ what, path string }

// at returns a place.
func at(what, path string) place { return place{what, path} }

// keepApart reports an output that is also an input, or another output: writing it would destroy what is read or written. Empty paths and -
// are no files.
func keepApart(inputs, outputs []place) error {
	for i, out := range outputs {
		if !isFile(out.path) {
			continue
		}
		for _, other := range append(outputs[:i:i], inputs...) {
			if isFile(other.path) && samePlace(out.path, other.path) {
				return fmt.Errorf("%s: is %s, and would be overwritten as %s", out.path, other.what, out.what)
			}
		}
	}
	return nil
}

func isFile(path string) bool { return path != "" && path != "-" && isRegular(path) }

// samePlace tells whether two paths lead to the same file, which need not exist yet.
func samePlace(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	full, err := filepath.Abs(a)
	other, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && full == other
}

// mayReplace reports a file that is there, unless it may be replaced.
func mayReplace(path string, overwrite bool) error {
	if _, err := os.Stat(path); err == nil && !overwrite && isFile(path) {
		return fmt.Errorf("%s: exists: --overwrite replaces it", path)
	}
	return nil
}
