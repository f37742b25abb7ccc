package models

import (
	"embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
)

// Default is the embedded model for pictures of any kind.
const Default = "efficientnet-lite0"

// The embedded files are made by models/internal/embedgen. They are stored as they are: gzip would take 9 % off, for a
// decompression at each start and bytes that depend on the version of the compressor.
//
//go:generate go run ./internal/embedgen
//go:embed embedded
var embedded embed.FS

// Info describes an embedded model.
type Info struct {
	Name        string
	Description string
	License     string // SPDX identifier of the weights
	Classes     int
	Height      int // pixels of the input
	Width       int
	Parameters  int64
	Bytes       int64 // of the ONNX file
}

// Embedded lists the models in the binary, by name.
func Embedded() []Info {
	var infos []Info
	for _, name := range embeddedNames() {
		m, err := readManifestFS(embeddedFiles{}, name+".json")
		if err != nil {
			panic("models: embedded: " + err.Error()) // a test reads every one
		}
		info := Info{
			Name: name, Description: m.Description, License: m.License, Classes: len(m.Labels),
			Height: m.Input.Height, Width: m.Input.Width, Parameters: m.Parameters,
		}
		if f, err := embedded.Open("embedded/" + name + ".onnx"); err == nil {
			if stat, err := f.Stat(); err == nil {
				info.Bytes = stat.Size()
			}
			f.Close()
		}
		infos = append(infos, info)
	}
	return infos
}

var embeddedNames = sync.OnceValue(func() []string {
	entries, err := embedded.ReadDir("embedded")
	if err != nil {
		panic("models: embedded: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".onnx"); ok {
			names = append(names, name)
		}
	}
	return names
})

// embeddedFile returns an embedded file; the copy is the caller's.
func embeddedFile(name string) ([]byte, error) {
	data, err := embedded.ReadFile("embedded/" + name)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	return data, nil
}

// embeddedFiles reads manifests and labels from the binary.
type embeddedFiles struct{}

func (embeddedFiles) Open(name string) (io.ReadCloser, error) {
	return embedded.Open("embedded/" + name)
}
func (embeddedFiles) Join(dir, name string) string { return path.Join(dir, name) }
func (embeddedFiles) Dir(name string) string       { return path.Dir(name) }

// loadEmbedded returns the embedded model of that name, or nil if there is none.
func loadEmbedded(name string) (*Model, error) {
	if !slices.Contains(embeddedNames(), name) {
		return nil, nil
	}
	m, err := readManifestFS(embeddedFiles{}, name+".json")
	if err != nil {
		return nil, err
	}
	model := &Model{Manifest: m, embedded: name + ".onnx", hash: m.SHA256} // a test computes the hash of every one
	data, err := embeddedFile(model.embedded)
	if err != nil {
		return nil, err
	}
	if err := model.inspect(data); err != nil {
		return nil, fmt.Errorf("embedded %s: %w", name, err)
	}
	return model, nil
}

// imageNetLabels returns the class names of ImageNet-1k in the usual order, that of the WordNet identifiers.
func imageNetLabels() []string {
	labels, err := readLabels(embeddedFiles{}, "imagenet1k.txt")
	if err != nil {
		panic("models: embedded: " + err.Error())
	}
	return labels
}
