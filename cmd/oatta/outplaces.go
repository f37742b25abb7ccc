package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkOutputs refuses, before anything is read, outputs that would destroy an input or another output, or that the next run would
// take for an input: those in a folder of the arguments by a name that reads tells to be one.
func checkOutputs(args []string, outputs []place, reads func(name string) bool) error {
	var inputs []place
	for _, arg := range args {
		inputs = append(inputs, place{"an input", arg})
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
