package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// place is a file that a run reads or writes, and what it is to the user.
type place struct{ what, path string }

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
