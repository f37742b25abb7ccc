package files

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/oatta/oatta/internal/replace"
)

// tokenizerFiles are what Hugging Face puts beside weights; the first or the second must be there.
var tokenizerFiles = []string{"tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}

// HasTokenizer tells whether a folder has the files of a tokenizer.
func HasTokenizer(dir string) bool {
	return slices.ContainsFunc(tokenizerFiles[:2], func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

// CopyTokenizer copies the files of a tokenizer; no folder is none. Other files of their names stay unless they may be replaced.
func CopyTokenizer(from, to string, overwrite bool) error {
	if from == "" {
		return nil
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range tokenizerFiles {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = keepOrWrite(filepath.Join(to, name), data, overwrite)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteVocabulary makes the folder of a tokenizer of its word pieces alone. Another vocabulary stays unless it may be replaced.
func WriteVocabulary(to string, vocabulary []byte, overwrite bool) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return keepOrWrite(filepath.Join(to, "vocab.txt"), vocabulary, overwrite)
}

// keepOrWrite writes a file unless it is there already as it should be.
func keepOrWrite(path string, data []byte, overwrite bool) error {
	if there, err := os.ReadFile(path); err == nil {
		if bytes.Equal(there, data) {
			return nil
		}
		if err := MayReplace(path, overwrite); err != nil {
			return err
		}
	}
	return replace.Bytes(path, data)
}
