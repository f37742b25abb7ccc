//go:build unix

package models

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Nothing that is read beside a model may wait for ever: pipes, devices and links to them are refused.
func TestIrregularFiles(t *testing.T) {
	one := classifier(2).bytes(t)
	external := network{in: []any{"N", 3, 224, 224}, out: []any{"N", 2}, external: "w.bin"}.bytes(t)
	for name, c := range map[string]struct {
		onnx []byte
		pipe string
	}{
		"the network":   {nil, "net.onnx"},
		"the manifest":  {one, "net.json"},
		"labels":        {one, "none.txt"},
		"external data": {external, "w.bin"},
		"config":        {one, "config.json"},
		"preprocessing": {one, "preprocessor_config.json"},
	} {
		for _, make := range []func(path string) error{
			func(path string) error { return syscall.Mkfifo(path, 0o600) },
			func(path string) error { return os.Symlink("/dev/zero", path) },
		} {
			dir := t.TempDir()
			path := filepath.Join(dir, "net.onnx")
			if c.onnx != nil {
				write(t, dir, "net.onnx", c.onnx)
			}
			if name == "labels" {
				write(t, dir, "net.json", []byte(strings.Replace(smallManifest, `"labels": ["cat", "dog"]`, `"labels_file": "none.txt"`, 1)))
			}
			if err := make(filepath.Join(dir, c.pipe)); err != nil {
				t.Skip(err)
			}
			done := timed(t, func() error { _, err := Load(path); return err })
			if done == nil || !strings.Contains(done.Error(), c.pipe+": not a regular file") {
				t.Errorf("%s: %v", name, done)
			}
		}
	}
}

func timed(t *testing.T, f func() error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- f() }()
	select {
	case err := <-result:
		return err
	case <-time.After(5 * time.Second):
		t.Fatal("it waits")
		return nil
	}
}
