package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// build builds the program of a revision, or of the working tree for "". The revision is unpacked below base, so nothing of it stays in
// the repository. What both versions say of their revision is left out of the binary.
func build(base, revision, program string) error {
	tree := "."
	if revision != "" {
		tree = filepath.Join(base, "tree")
		if err := os.RemoveAll(tree); err != nil {
			return err
		}
		if err := os.MkdirAll(tree, 0o755); err != nil {
			return err
		}
		archive := filepath.Join(base, "tree.tar")
		if err := system("", "git", "archive", "-o", archive, revision); err != nil {
			return err
		}
		if err := system("", "tar", "-xf", archive, "-C", tree); err != nil {
			return err
		}
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	return system(tree, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./cmd/oatta")
}

// system runs one command of the system in a folder.
func system(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", name, args, err, said)
	}
	return nil
}
