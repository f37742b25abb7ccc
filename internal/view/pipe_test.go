//go:build unix

package view

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the folder of inputs is not waited for.
func TestPipesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "a.jpg"), 0o600))
	d := opened(t, written(t, t.TempDir(), []line{result("a.jpg", "s", "deer", "fox", 0.5, noon)}), dir).enter()
	if text := d.page("/thumb/0"); text[:2] == "\xff\xd8" {
		t.Errorf("%.60q", text)
	}
}
