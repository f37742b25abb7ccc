//go:build linux || darwin

package report

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe among the pictures is not waited for.
func TestThumbnailOfPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "a.jpg"), 0o600); err != nil {
		t.Skip(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := Picture(root, "a.jpg", nil, thumbSide, thumbQuality); err == nil {
		t.Error("a picture of a pipe")
	}
}
