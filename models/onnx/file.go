package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// Read reads a model from a file. External data beside it is read when it is first needed.
func Read(path string) (*Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	if !info.Mode().IsRegular() { // a pipe or a device may never end
		return nil, fmt.Errorf("onnx: %s: not a regular file", path)
	}
	if info.Size() > MaxBytes {
		return nil, fmt.Errorf("onnx: %s: %d bytes, more than the %d that protobuf allows", path, info.Size(), int64(MaxBytes))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	m, err := Parse(data, filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Parse reads a model from the bytes of a file, which it keeps. dir is the folder of its external data; "" if it has none.
func Parse(data []byte, dir string) (*Model, error) {
	p, err := Decode(data)
	if err != nil {
		return nil, err
	}
	return FromProto(p, dir)
}

// SaveSettings says how [Model.Save] writes tensors. The zero value keeps all inside the file as long as they fit.
type SaveSettings struct {
	// External puts large tensors into a file of their own, named after the model's with .data appended, even if all would fit.
	External bool
	// MaxInline is the most bytes of tensors that stay inside without External; 0 is 1.5 GiB, which leaves room below protobuf's 2 GiB.
	MaxInline int64
	// MinBytes is the size from which a tensor is large; 0 is 4096.
	MinBytes int64
}

// Validate reports a setting out of range.
func (s SaveSettings) Validate() error {
	if s.MaxInline < 0 || s.MaxInline > MaxBytes || s.MinBytes < 0 {
		return fmt.Errorf("onnx: settings %+v: want 0 <= MaxInline <= %d and 0 <= MinBytes", s, int64(MaxBytes))
	}
	return nil
}

const (
	defaultInline   = 3 << 29 // 1.5 GiB
	defaultMinBytes = 4096
	// alignment of external tensors: a page, so that an engine can map them.
	alignment = 4096
)

// Save writes a model to a file, and its large tensors to path.data beside it if they are too many for one file. Each file appears under
// its name when it is whole; an old data file is replaced, which the old model file would not survive without the new.
func (m *Model) Save(path string, s SaveSettings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if s.MaxInline == 0 {
		s.MaxInline = defaultInline
	}
	if s.MinBytes == 0 {
		s.MinBytes = defaultMinBytes
	}
	if s.External || tensorBytes(m.Graph) > s.MaxInline {
		return m.saveExternal(path, s.MinBytes)
	}
	data, err := m.Bytes()
	if err != nil {
		return err
	}
	return replace.Bytes(path, data)
}

// tensorBytes adds up the constants of a graph.
func tensorBytes(g *graph.Graph) int64 {
	total := int64(0)
	for _, v := range g.Values() {
		if t := g.ConstOf(v); t != nil && g.Kind(v) == graph.Constant {
			total += t.ByteLen()
		}
		if t := g.Default(v); t != nil {
			total += t.ByteLen()
		}
	}
	for _, n := range g.Nodes() {
		for _, body := range n.Bodies() {
			total += tensorBytes(body)
		}
	}
	return total
}

func (m *Model) saveExternal(path string, least int64) error {
	var p *onnxpb.ModelProto
	err := replace.File(path+".data", func(f *os.File) error {
		d := dataFile{f: f, location: filepath.Base(path) + ".data", least: least}
		var err error
		p, err = m.proto(&writer{store: d.store})
		return err
	})
	if err != nil {
		return err
	}
	data, err := Encode(p)
	if err != nil {
		return err
	}
	return replace.Bytes(path, data)
}

// dataFile takes tensors one after another.
type dataFile struct {
	f        *os.File
	location string
	least    int64
	end      int64
}

// store writes one tensor and returns its message, nil if it is too small to be worth it.
func (d *dataFile) store(name string, t *graph.Tensor) (*onnxpb.TensorProto, error) {
	if t.ByteLen() < d.least || t.ByteLen() == 0 || t.Elem() == graph.String {
		return nil, nil
	}
	raw, err := t.Bytes()
	if err != nil {
		return nil, fmt.Errorf("onnx: tensor %q: %w", name, err)
	}
	at := (d.end + alignment - 1) / alignment * alignment
	if _, err := d.f.WriteAt(raw, at); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	d.end = at + int64(len(raw))
	p := message(name, t)
	p.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
	for _, e := range [][2]string{
		{"location", d.location}, {"offset", strconv.FormatInt(at, 10)}, {"length", strconv.Itoa(len(raw))},
	} {
		p.ExternalData = append(p.ExternalData, &onnxpb.StringStringEntryProto{Key: proto.String(e[0]), Value: proto.String(e[1])})
	}
	return p, nil
}
