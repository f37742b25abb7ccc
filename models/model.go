package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// Model is a network with its manifest. It holds no session: Open makes as many as are wanted. Its file was read by [Load], and is held
// until [Model.Release], so that what is opened is what was checked, and nothing is read twice.
type Model struct {
	Manifest Manifest
	Path     string   // of the ONNX file; "" if the model is embedded, or lies in memory
	Guessed  []string // every guessed field in words, as "labels: class_0 to class_9 (the model names none)"; empty with a manifest

	// Graph is what the ONNX file says about itself.
	Graph onnx.Summary

	embedded string // name of the embedded file, if Path is ""
	hash     string
	data     []byte // of the ONNX file; nil after Release
	tables   tables
	rework   rework // what sessions take otherwise than the file has it
}

// Open loads the network with an engine and checks that the session's ports agree with the manifest.
func (m *Model) Open(e runtime.Engine, cfg runtime.Config) (runtime.Session, error) {
	s, err := m.open(e, cfg)
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", m.Manifest.Name, err)
	}
	if m.Made() != "" {
		return s, nil
	}
	if _, _, err := m.Manifest.match(s.Inputs(), s.Outputs()); err != nil {
		s.Close() // the mismatch is the error to tell
		return nil, fmt.Errorf("models: %s: %w", m.Manifest.Name, err)
	}
	return s, nil
}

func (m *Model) open(e runtime.Engine, cfg runtime.Config) (runtime.Session, error) {
	if len(m.Graph.External) > 0 && m.rework.none() { // the weights, which are most of it, are the engine's to read from beside the file
		return e.OpenFile(m.Path, cfg)
	}
	data, err := m.Data()
	if err != nil {
		return nil, err
	}
	if len(m.Graph.External) > 0 && cfg.ExternalData == "" {
		cfg.ExternalData = m.dir()
	}
	return e.Open(data, cfg)
}

// Data returns the bytes of the ONNX file, without external data; of a network with one output for two classes, with both, and without outputs that
// cannot be read. They are
// shared: the caller must not change them.
func (m *Model) Data() ([]byte, error) {
	if m.data != nil {
		return m.data, nil
	}
	read, name := readONNX, m.Path
	if m.Path == "" {
		read, name = embeddedFile, m.embedded
	}
	data, err := read(name)
	if err == nil {
		data, err = m.rework.apply(data, m.Manifest.Output)
	}
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return data, nil
}

// Release lets go of the bytes of the ONNX file, once everything is open. What needs them later reads the file again. A model that has
// none stays as it is.
func (m *Model) Release() {
	if m.Path != "" || m.embedded != "" {
		m.data = nil
	}
}

// VocabularyName is the file of word pieces in a tokenizer's folder, one a line.
const VocabularyName = "vocab.txt"

// Vocabulary returns the vocab.txt of an embedded model of texts, whose pieces are of lower case; the copy is the caller's. Of a model in a file it
// is nil: see [Model.TokenizerDir].
func (m *Model) Vocabulary() ([]byte, error) {
	if m.embedded == "" || m.Manifest.Text == nil {
		return nil, nil
	}
	data, err := embeddedFile(path.Join(m.Manifest.Text.Tokenizer, VocabularyName))
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", m.Manifest.Name, err)
	}
	return data, nil
}

// TokenizerDir returns the folder of the tokenizer's files of a model of texts in a file.
func (m *Model) TokenizerDir() string {
	return filepath.Join(filepath.Dir(m.Path), filepath.FromSlash(m.Manifest.Text.Tokenizer))
}

// Made tells which predictor's graph the file holds, as its metadata say: tent, memo or mc; "" for a plain network. Such a graph has
// inputs and outputs beside those of the data, which its predictor checks.
func (m *Model) Made() string { return m.Graph.Metadata["oatta.graph"] }

// Hash returns the SHA-256, in hex, of what determines the network's outputs. For a model in one file that is the hash of the file.
// For one with external data it is the hash of the text that sha256sum prints for the ONNX file, under the name "model", and then
// for the external files in the order of their names: "<hash>  <name>\n" each. It was computed when the model was loaded.
func (m *Model) Hash() string { return m.hash }

// combinedHash computes Hash from the hash of the ONNX file and the files of external data in its folder.
func combinedHash(file, dir string, external []string) (string, error) {
	if len(external) == 0 {
		return file, nil
	}
	list := fmt.Sprintf("%s  model\n", file)
	for _, name := range external { // sorted by Inspect
		local := filepath.FromSlash(name)
		if !filepath.IsLocal(local) {
			return "", fmt.Errorf("external data %q is not a path below the model's folder", clip(name))
		}
		sum, err := hashFile(filepath.Join(dir, local))
		if err != nil {
			return "", fmt.Errorf("external data: %w", err)
		}
		list += fmt.Sprintf("%s  %s\n", sum, name)
	}
	return hashBytes([]byte(list)), nil
}

func hashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func hashFile(path string) (string, error) {
	f, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openRegular opens a file, and nothing that may have no end or wait for ever, as pipes and devices.
func openRegular(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return os.Open(path)
}

// readONNX reads a file of at most protobuf's limit.
func readONNX(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > onnx.MaxBytes {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d of an ONNX file (larger networks keep weights in external data)", path, info.Size(), int64(onnx.MaxBytes))
	}
	var buf bytes.Buffer
	buf.Grow(int(info.Size()) + bytes.MinRead) // in one piece, however large
	if _, err := io.Copy(&buf, io.LimitReader(f, onnx.MaxBytes)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
