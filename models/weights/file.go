package weights

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/oatta/oatta/internal/npy"
)

// File is an open file of weights, or all shards of one. Its methods are safe for concurrent use until Close.
type File struct {
	names    []string // in the file's order
	tensors  map[string]*Tensor
	metadata map[string]string
	closers  []io.Closer
}

// Open opens a file of weights, whose format it tells by content: safetensors, PyTorch's two formats, npz or npy. A file ending in
// ".index.json" lists the shards beside it. No elements are read, only the list of tensors. Errors name the file.
func Open(path string) (*File, error) {
	open := openOne
	if filepath.Ext(path) == ".json" {
		open = openShards
	}
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("models/weights: %s: %w", filepath.Base(path), err)
	}
	return f, nil
}

func openOne(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := openReader(r)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	f.closers = append(f.closers, r)
	return f, nil
}

func openReader(r *os.File) (*File, error) {
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return read(r, info.Size())
}

// Read is Open for one file of size bytes behind r, which it keeps. Closing the File does not close r.
func Read(r io.ReaderAt, size int64) (*File, error) {
	f, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("models/weights: %w", err)
	}
	return f, nil
}

// read tells the format by its first bytes. Safetensors has no magic number and starts with a length, then a brace.
func read(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, min(16, max(size, 0)))
	if err := readFull(r, head, 0); err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return readZip(r, size)
	case bytes.HasPrefix(head, []byte(npy.Magic)):
		return readNPY(r, size)
	case bytes.HasPrefix(head, legacyMagic):
		return readLegacy(r, size)
	case len(head) > 8 && head[8] == '{':
		return readSafetensors(r, size)
	}
	return nil, errors.New("neither safetensors, nor a PyTorch state dict, npz or npy")
}

func newFile() *File {
	return &File{tensors: map[string]*Tensor{}, metadata: map[string]string{}}
}

// maxName is more than any program makes of the modules that lie in each other.
const maxName = 4096

func (f *File) add(t *Tensor) error {
	if len(t.name) > maxName {
		return fmt.Errorf("tensor %.80q...: a name of %d bytes, more than %d", t.name, len(t.name), maxName)
	}
	if f.tensors[t.name] != nil {
		return fmt.Errorf("tensor %q: there are two", t.name)
	}
	f.names = append(f.names, t.name)
	f.tensors[t.name] = t
	return nil
}

// Names returns the names of all tensors in the file's own order.
func (f *File) Names() []string { return slices.Clone(f.names) }

// Metadata returns what the file says of itself beside its tensors: the "__metadata__" of safetensors, empty for other formats.
func (f *File) Metadata() map[string]string { return maps.Clone(f.metadata) }

// Tensor returns one tensor, or an error if the file has none of that name.
func (f *File) Tensor(name string) (*Tensor, error) {
	t := f.tensors[name]
	if t == nil {
		return nil, fmt.Errorf("models/weights: tensor %q: not among the %d of the file", name, len(f.names))
	}
	return t, nil
}

// Tensors returns all tensors in the file's own order.
func (f *File) Tensors() []*Tensor {
	out := make([]*Tensor, len(f.names))
	for i, name := range f.names {
		out[i] = f.tensors[name]
	}
	return out
}

// Close closes what Open opened. Tensors cannot be read afterwards.
func (f *File) Close() error {
	var errs []error
	for _, c := range f.closers {
		errs = append(errs, c.Close())
	}
	f.closers = nil
	return errors.Join(errs...)
}
