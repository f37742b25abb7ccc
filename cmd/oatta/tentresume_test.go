package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/oatta/oatta/internal/cli/console"
)

// Streams that adapt side by side, killed at several places and resumed, end with the bytes of a run that was left alone, vectors
// included.
func TestTentKilledAndResumed(t *testing.T) {
	needEngine(t)
	dir := pictures(t, 120)
	for name, reset := range map[string]string{"every": "9", "stream": "stream", "never": "never"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{
				"run", "images", dir, "--model", "resnet20-cifar10", "-q", "--vectors",
				"--method", "tent", "--rate", "0.01", "--batch", "3", "--reset", reset,
			}
			whole, cut := filepath.Join(t.TempDir(), "whole.jsonl"), filepath.Join(t.TempDir(), "cut.jsonl")
			mustOatta(t, console.Fine, append(args, "-o", whole)...)
			args = append(args, "-o", cut, "--resume")
			for range 2 {
				var size int64
				if info, err := os.Stat(cut + ".journal"); err == nil {
					size = info.Size()
				}
				killAt(t, cut, max(size, 1200)+500, args...)
			}
			mustOatta(t, console.Fine, args...)
			if readFile(t, cut) != readFile(t, whole) {
				t.Error("the output differs from that of an undisturbed run")
			}
		})
	}
}
