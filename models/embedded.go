package models

import (
	"compress/gzip"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Default is the embedded model for pictures of any kind.
const Default = "efficientnet-lite0"

// DefaultMotion is the embedded model for movement, of a phone at the waist.
const DefaultMotion = "har-waist"

// DefaultText is the embedded model for posts.
const DefaultText = "tweet-sentiment"

// The embedded files are made by models/internal/embedgen. Networks are stored as they are: gzip would take 9 % off, for a
// decompression at each start and bytes that depend on the version of the compressor. Trees, which it brings to a seventh, are compressed.
//
//go:generate go run ./internal/embedgen
//go:embed embedded
var embedded embed.FS

// Info describes an embedded model.
type Info struct {
	Name        string
	Description string
	Task        string
	License     string // SPDX identifier of the weights
	Score       string // how much is right of which data; "" where that was not measured
	Classes     int
	Height      int // pixels of the input; 0 of a model that is not for pictures
	Width       int
	Signal      *Signal // of a model for signals; nil of others
	Text        *Text   // of a model for texts; nil of others
	Parameters  int64
	Bytes       int64 // of the ONNX file
	Stored      int64 // bytes that it takes in the binary
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
			Name: name, Description: m.Description, Task: m.Task, License: m.License, Score: m.Score, Classes: len(m.Labels),
			Height: m.Input.Height, Width: m.Input.Width, Parameters: m.Parameters, Signal: m.Signal, Text: m.Text,
		}
		info.Bytes, info.Stored = embeddedSize(name + ".onnx")
		infos = append(infos, info)
	}
	return infos
}

// Takes says in a few words what goes into the model, as 224x224 or x, y, z at 50 Hz.
func (i Info) Takes() string {
	switch g := i.Signal; {
	case i.Text != nil:
		return fmt.Sprintf("texts of up to %d word pieces", i.Text.MaxTokens)
	case g == nil:
		return fmt.Sprintf("%dx%d", i.Height, i.Width)
	case len(g.Roles) > 0:
		return strings.ToUpper(strings.Join(g.Roles, " + "))
	default:
		return fmt.Sprintf("%s at %g Hz", strings.Join(g.Channels, ", "), g.Rate)
	}
}

// packed is what the names of compressed files end in.
const packed = ".gz"

var embeddedNames = sync.OnceValue(func() []string {
	entries, err := embedded.ReadDir("embedded")
	if err != nil {
		panic("models: embedded: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(strings.TrimSuffix(e.Name(), packed), ".onnx"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
})

// embeddedSize returns the bytes of a file, and those that it takes; a compressed file ends in its size (RFC 1952).
func embeddedSize(name string) (bytes, stored int64) {
	data, err := embedded.ReadFile("embedded/" + name)
	if err == nil {
		return int64(len(data)), int64(len(data))
	}
	if data, err = embedded.ReadFile("embedded/" + name + packed); err != nil {
		panic("models: embedded: " + err.Error()) // it is one of the names
	}
	return int64(binary.LittleEndian.Uint32(data[len(data)-4:])), int64(len(data))
}

// embeddedFile returns an embedded file, decompressed if need be; the copy is the caller's.
func embeddedFile(name string) ([]byte, error) {
	data, err := embedded.ReadFile("embedded/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		if f, packedErr := embedded.Open("embedded/" + name + packed); packedErr == nil {
			data, err = unpack(f)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	return data, nil
}

func unpack(f io.ReadCloser) ([]byte, error) {
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// Card returns a page in Markdown of an embedded model: what it was made of and for, and what it cannot do; "" where there is none.
func Card(name string) string {
	if !slices.Contains(embeddedNames(), name) {
		return ""
	}
	family, _, _ := strings.Cut(name, "-") // the classifiers of YASA share one
	for _, page := range []string{name, family} {
		if text, err := embedded.ReadFile("embedded/" + page + ".md"); err == nil {
			return string(text)
		}
	}
	return ""
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
