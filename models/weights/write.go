package weights

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oatta/oatta/internal/npy"
	"github.com/oatta/oatta/internal/replace"
)

// Save writes tensors to a file, as safetensors or npz by the ending of its name. The file appears whole or not at all: an old one of
// that name stays until then, and its permissions after. Something of that name that is no regular file is not replaced. Metadata is for
// safetensors alone: npz has no place for it, and some given is an error. The tensors may be those of the file that is replaced, but not on
// Windows, which replaces no open file: there that is an error.
func Save(path string, tensors []*Tensor, metadata map[string]string) error {
	write := func(w io.Writer) error { return WriteSafetensors(w, tensors, metadata) }
	switch filepath.Ext(path) {
	case ".safetensors":
	case ".npz":
		if len(metadata) > 0 {
			return fmt.Errorf("models/weights: %s: npz holds no metadata", filepath.Base(path))
		}
		write = func(w io.Writer) error { return WriteNPZ(w, tensors) }
	default:
		return fmt.Errorf("models/weights: %s: want .safetensors or .npz", filepath.Base(path))
	}
	return replace.File(path, func(f *os.File) error {
		w := bufio.NewWriterSize(f, 1<<20)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// WriteSafetensors writes tensors and metadata in the layout of the reference writer: the widest type first, then by name, the
// metadata's keys sorted, the header padded with spaces to 8 bytes. The same input gives the same bytes.
func WriteSafetensors(w io.Writer, tensors []*Tensor, metadata map[string]string) error {
	sorted, err := sortTensors(tensors, func(a, b *Tensor) int {
		return cmp.Or(cmp.Compare(b.dtype, a.dtype), cmp.Compare(a.name, b.name))
	})
	if err != nil {
		return err
	}
	header, err := encodeHeader(sorted, metadata)
	if err != nil {
		return fmt.Errorf("models/weights: header: %w", err)
	}
	if len(header) > maxHeader {
		return fmt.Errorf("models/weights: header of %d bytes, more than the format's %d", len(header), maxHeader)
	}
	if _, err := w.Write(append(le.AppendUint64(nil, uint64(len(header))), header...)); err != nil {
		return err
	}
	for _, t := range sorted {
		if err := t.writeTo(w); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tensor) writeTo(w io.Writer) error {
	raw, err := t.Bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}

func sortTensors(tensors []*Tensor, less func(a, b *Tensor) int) ([]*Tensor, error) {
	sorted, seen := slices.Clone(tensors), map[string]bool{}
	for _, t := range tensors {
		switch {
		case seen[t.name] || t.name == metadataKey:
			return nil, fmt.Errorf("models/weights: tensor %q: the name is taken", t.name)
		case len(t.name) > maxName:
			return nil, fmt.Errorf("models/weights: tensor %.80q...: a name of %d bytes, more than %d", t.name, len(t.name), maxName)
		case !utf8.ValidString(t.name):
			return nil, fmt.Errorf("models/weights: tensor %q: invalid UTF-8 in its name", t.name)
		}
		seen[t.name] = true
	}
	slices.SortFunc(sorted, less)
	return sorted, nil
}

func encodeHeader(tensors []*Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	e := encoder{enc: jsontext.NewEncoder(&b)}
	e.token(jsontext.BeginObject)
	if len(metadata) > 0 {
		e.token(jsontext.String(metadataKey), jsontext.BeginObject)
		for _, k := range slices.Sorted(maps.Keys(metadata)) {
			e.token(jsontext.String(k), jsontext.String(metadata[k]))
		}
		e.token(jsontext.EndObject)
	}
	at := int64(0)
	for _, t := range tensors {
		e.tensor(t, at)
		at += t.size
	}
	e.token(jsontext.EndObject)
	out := bytes.TrimRight(b.Bytes(), "\n")
	return append(out, strings.Repeat(" ", (8-len(out)%8)%8)...), e.err
}

// encoder keeps the first error.
type encoder struct {
	enc *jsontext.Encoder
	err error
}

func (e *encoder) token(tokens ...jsontext.Token) {
	for _, t := range tokens {
		if e.err == nil {
			e.err = e.enc.WriteToken(t)
		}
	}
}

func (e *encoder) tensor(t *Tensor, at int64) {
	e.token(jsontext.String(t.name), jsontext.BeginObject)
	e.token(jsontext.String("dtype"), jsontext.String(t.dtype.String()))
	e.token(jsontext.String("shape"), jsontext.BeginArray)
	for _, s := range t.shape {
		e.token(jsontext.Int(int64(s)))
	}
	e.token(jsontext.EndArray, jsontext.String("data_offsets"), jsontext.BeginArray)
	e.token(jsontext.Int(at), jsontext.Int(at+t.size), jsontext.EndArray, jsontext.EndObject)
}

// WriteNPZ writes tensors as numpy.savez does, uncompressed, in order of their names and without a time, so that the same input gives
// the same bytes. BF16 has no type in numpy: such a tensor is an error.
func WriteNPZ(w io.Writer, tensors []*Tensor) error {
	sorted, err := sortTensors(tensors, func(a, b *Tensor) int { return cmp.Compare(a.name, b.name) })
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, t := range sorted {
		header, err := npyEncode(t)
		if err != nil {
			return err
		}
		m, err := z.CreateHeader(&zip.FileHeader{Name: t.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := m.Write(header); err != nil {
			return err
		}
		if err := t.writeTo(m); err != nil {
			return err
		}
	}
	return z.Close()
}

// npyEncode returns an npy header of version 1, padded to 64 bytes as numpy does.
func npyEncode(t *Tensor) ([]byte, error) {
	descr := dtypes[t.dtype].numpy
	if descr == "" {
		return nil, fmt.Errorf("models/weights: tensor %q: numpy has no %s", t.name, t.dtype)
	}
	order := "<"
	if t.dtype.Size() == 1 {
		order = "|"
	}
	shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.shape), " ", ", "), "[]")
	if len(t.shape) == 1 {
		shape += ","
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, descr, shape)
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	out := append([]byte(npy.Magic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	return append(out, text...), nil
}
