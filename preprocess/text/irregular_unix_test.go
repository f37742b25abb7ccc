//go:build unix

package text

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of any file of a tokenizer is an error, and nothing waits for it.
func TestPipesAreRefused(t *testing.T) {
	for _, name := range []string{"tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json"} {
		dir := t.TempDir()
		if name != "tokenizer.json" && name != "vocab.txt" {
			if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(bertJSON), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
		if _, err := Load(dir, Settings{}); err == nil || !strings.Contains(err.Error(), name+": not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
