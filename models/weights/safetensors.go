package weights

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxHeader is the format's own limit on its header.
const maxHeader = 100_000_000

// entry is one line of a safetensors header, in the order of the format's fields.
type entry struct {
	DType   string  `json:"dtype"`
	Shape   []int   `json:"shape"`
	Offsets []int64 `json:"data_offsets"` // two, from the end of the header

	name string
}

const metadataKey = "__metadata__"

// readSafetensors reads 8 bytes of length, a JSON header, and leaves the elements where they are. Layout:
// https://huggingface.co/docs/safetensors, of which it is as strict as the reference reader: no hole, no overlap, no byte left over.
func readSafetensors(r io.ReaderAt, size int64) (*File, error) {
	var length [8]byte
	if err := readFull(r, length[:], 0); err != nil {
		return nil, err
	}
	n := le.Uint64(length[:])
	if n > maxHeader {
		return nil, fmt.Errorf("header of %d bytes, more than the format's %d", n, maxHeader)
	}
	if int64(n) > size-8 {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", n, size)
	}
	header := make([]byte, n)
	if err := readFull(r, header, 8); err != nil {
		return nil, err
	}
	f := newFile()
	entries, err := f.parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := checkOffsets(entries, size-8-int64(n)); err != nil {
		return nil, err
	}
	return f, f.addEntries(r, 8+int64(n), entries)
}

// parseHeader walks the members of the header object one by one, since their order is the file's. Duplicates and invalid UTF-8 are
// errors of jsontext.
func (f *File) parseHeader(header []byte) ([]entry, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(header))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, cmp.Or(err, errors.New("not an object"))
	}
	var entries []entry
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		e := entry{name: key.String()}
		if e.name == metadataKey {
			err = json.UnmarshalDecode(dec, &f.metadata)
		} else {
			err = json.UnmarshalDecode(dec, &e, json.RejectUnknownMembers(true))
			entries = append(entries, e)
			if err == nil && len(e.Offsets) != 2 {
				err = fmt.Errorf("%d data_offsets, want 2", len(e.Offsets))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", e.name, err)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return entries, nil
}

// checkOffsets requires that the tensors tile the data, in any order.
func checkOffsets(entries []entry, size int64) error {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]))
	})
	end := int64(0)
	for _, e := range sorted {
		if e.Offsets[0] != end || e.Offsets[1] < end {
			return fmt.Errorf("tensor %q: data_offsets %v, want them to start at %d: tensors overlap or leave a hole", e.name, e.Offsets, end)
		}
		end = e.Offsets[1]
	}
	if end != size {
		return fmt.Errorf("tensors take %d bytes, the file holds %d", end, size)
	}
	return nil
}

func (f *File) addEntries(r io.ReaderAt, base int64, entries []entry) error {
	for _, e := range entries {
		t, err := e.tensor(r, base)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", e.name, err)
		}
		if err := f.add(t); err != nil {
			return err
		}
	}
	return nil
}

func (e entry) tensor(r io.ReaderAt, base int64) (*Tensor, error) {
	d, ok := dtypeBy(nameOf, e.DType)
	if !ok {
		return nil, fmt.Errorf("dtype %q is not known here", e.DType)
	}
	if e.Shape == nil {
		return nil, errors.New("no shape")
	}
	have := e.Offsets[1] - e.Offsets[0]
	t, err := newViewed(e.name, d, e.Shape, view{r: r, base: base + e.Offsets[0]}, have)
	if err == nil && t.size != have {
		err = fmt.Errorf("%s%v takes %d bytes, data_offsets say %d", d, e.Shape, t.size, have)
	}
	return t, err
}
