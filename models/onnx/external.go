package onnx

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// place says where the elements of an external tensor lie.
type place struct {
	location       string
	offset, length int64 // length -1: not stated
}

// external returns a tensor whose elements are read when they are needed. What the file says about the place is checked now, what lies
// there then.
func (r *reader) external(p *onnxpb.TensorProto) (*graph.Tensor, error) {
	at, err := placeOf(p)
	if err != nil {
		return nil, err
	}
	elem, dims := graph.DType(p.GetDataType()), p.GetDims()
	if elem == graph.String {
		return nil, errors.New("strings cannot lie in external data")
	}
	var want int64
	t, err := graph.LazyTensor(elem, dims, func() ([]byte, error) { return r.read(at, want) })
	if err != nil {
		return nil, err
	}
	want = t.ByteLen()
	if at.length >= 0 && at.length != want {
		return nil, fmt.Errorf("%v%v needs %d bytes, external data has %d", elem, dims, want, at.length)
	}
	return t, nil
}

func placeOf(p *onnxpb.TensorProto) (place, error) {
	at := place{length: -1}
	for _, e := range p.GetExternalData() {
		var err error
		switch e.GetKey() {
		case "location":
			at.location = e.GetValue()
		case "offset":
			at.offset, err = strconv.ParseInt(e.GetValue(), 10, 64)
		case "length":
			at.length, err = strconv.ParseInt(e.GetValue(), 10, 64)
		}
		if err != nil || at.offset < 0 || at.length < -1 {
			return at, fmt.Errorf("external data: %s %q", e.GetKey(), e.GetValue())
		}
	}
	// A file from a stranger must not name another's files: neither /etc/passwd nor ../../secret.
	if !filepath.IsLocal(filepath.FromSlash(at.location)) {
		return at, fmt.Errorf("external data: %q is no path inside the folder of the model", at.location)
	}
	return at, nil
}

// read reads want bytes. os.Root refuses links that lead out of the folder.
func (r *reader) read(at place, want int64) (data []byte, err error) {
	if r.dir == "" {
		return nil, fmt.Errorf("external data %q: the folder of the model is not known", at.location)
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, fmt.Errorf("external data: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	name := filepath.FromSlash(at.location)
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // opening a pipe would wait
		return nil, fmt.Errorf("external data %q: not a regular file", at.location)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("external data: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("external data: %w", err)
	}
	// Checked before anything is allocated: sizes are only claimed.
	if !info.Mode().IsRegular() || at.offset > info.Size() || want > info.Size()-at.offset {
		return nil, fmt.Errorf("external data %q: %d bytes from %d on, the file has %d", at.location, want, at.offset, info.Size())
	}
	data = make([]byte, want)
	if _, err := io.ReadFull(io.NewSectionReader(f, at.offset, want), data); err != nil {
		return nil, fmt.Errorf("external data %q: %w", at.location, err)
	}
	return data, nil
}
