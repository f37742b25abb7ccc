package models

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// Load returns a model by the name of an embedded one (see [Embedded]), or by the path of an ONNX file, of a manifest, or of a folder
// that holds one ONNX file.
//
// With the manifest x.json beside x.onnx the model is what the manifest says; its hash, sizes and number of classes must agree with
// the file. Without one the manifest is guessed and [Model.Guessed] says how. A file on which an engine would crash, as far as it shows
// ([onnx.Vet]), is an error. A network with one output for two classes is given the other one, and outputs that nobody reads and that are
// no numbers, as labels in words, are left out.
func Load(nameOrPath string) (*Model, error) {
	m, err := load(nameOrPath)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return m, nil
}

func load(nameOrPath string) (*Model, error) {
	if m, err := loadEmbedded(nameOrPath); m != nil || err != nil {
		return m, err
	}
	info, err := os.Stat(nameOrPath)
	switch {
	case errors.Is(err, fs.ErrNotExist) || nameOrPath == "":
		return nil, fmt.Errorf("%q is neither a file nor an embedded model (%s)", clip(nameOrPath), strings.Join(embeddedNames(), ", "))
	case err != nil:
		return nil, err
	case info.IsDir():
		if nameOrPath, err = onlyONNX(nameOrPath); err != nil {
			return nil, err
		}
	case strings.EqualFold(filepath.Ext(nameOrPath), ".json"):
		nameOrPath = replaceExt(nameOrPath, ".onnx")
	}
	return loadFile(nameOrPath)
}

// New returns a model of a network that lies in memory, as package backbone builds it. The manifest's version and hash may be left out.
func New(net *onnx.Model, m Manifest) (*Model, error) {
	m.Version = cmp.Or(m.Version, ManifestVersion)
	if err := m.Validate(); err != nil {
		return nil, err
	}
	data, err := net.Bytes()
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", m.Name, err)
	}
	model := &Model{Manifest: m.withDefaults(), hash: hashBytes(data)}
	model.Manifest.SHA256 = model.hash
	if err = model.inspect(data); err == nil {
		err = model.checkGraph()
	}
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return model, nil
}

// onlyONNX returns the ONNX file of a folder.
func onlyONNX(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if !e.IsDir() && strings.EqualFold(filepath.Ext(e.Name()), ".onnx") {
			found = append(found, e.Name())
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("folder %s holds %d ONNX files, want one (or name the file)", dir, len(found))
	}
	return filepath.Join(dir, found[0]), nil
}

// ManifestPath returns where the manifest of an ONNX file is looked for: beside it, with the ending .json.
func ManifestPath(onnxPath string) string { return replaceExt(onnxPath, ".json") }

func replaceExt(path, ext string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ext
}

func loadFile(path string) (*Model, error) {
	data, err := readONNX(path)
	if err != nil {
		return nil, err
	}
	m := &Model{Path: path}
	if err := m.inspect(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	fileHash := hashBytes(data)
	if m.hash, err = combinedHash(fileHash, filepath.Dir(path), m.Graph.External); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := m.findManifest(fileHash); err != nil {
		return nil, err
	}
	if err := m.makeUsable(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := m.checkGraph(); err != nil {
		return nil, err
	}
	return m, nil
}

// inspect keeps the bytes of the ONNX file, and what they say. What an engine would crash on is refused here, before any predictor.
func (m *Model) inspect(data []byte) error {
	p, err := onnx.Decode(data)
	if err == nil {
		err = onnx.Vet(p)
	}
	if err != nil {
		return err
	}
	m.data, m.Graph, m.tables = data, onnx.Inspect(p), tablesOf(p.GetGraph())
	return nil
}

// findManifest reads the manifest beside the file, or guesses it.
func (m *Model) findManifest(fileHash string) error {
	path := ManifestPath(m.Path)
	var err error
	m.Manifest, err = readManifestFS(osFiles{}, path)
	switch {
	case err == nil && m.Manifest.SHA256 != "" && m.Manifest.SHA256 != fileHash:
		return fmt.Errorf("%s: sha256: the manifest is for a file with hash %s, %s has %s", path, m.Manifest.SHA256, filepath.Base(m.Path), fileHash)
	case err == nil || !errors.Is(err, fs.ErrNotExist) || exists(path): // exists: it is the file of labels that is missing
		return err
	}
	if m.Manifest, m.Guessed, err = guess(m.Path, m.Graph); err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	m.Manifest.SHA256 = fileHash
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkGraph holds the manifest against the ports that the graph declares, so that a mismatch shows without an engine.
func (m *Model) checkGraph() error {
	if m.Made() != "" {
		return nil
	}
	err := m.checkTypes()
	if err == nil {
		_, _, err = m.Manifest.match(graphPorts(m.Graph.Inputs), graphPorts(m.Graph.Outputs))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", cmp.Or(m.Path, m.Manifest.Name), err)
	}
	return nil
}

// checkTypes names the types that no session can have, as float64, which a port cannot name.
func (m *Model) checkTypes() error {
	names := m.Manifest.inputNames()
	for _, v := range m.Graph.Inputs {
		if slices.Contains(names, v.Name) && v.Type != "" && dtype(v.Type) == runtime.Invalid {
			return fmt.Errorf("input %s: want float32 or float16, or int64 for tokens", v)
		}
	}
	for _, v := range m.Graph.Outputs {
		if v.Name == m.Manifest.Output.Name && v.Type != "" && dtype(v.Type) == runtime.Invalid {
			return fmt.Errorf("output %s: want float32 or float16", v)
		}
	}
	return nil
}
