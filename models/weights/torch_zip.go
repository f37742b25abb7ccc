package weights

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// archive is PyTorch's zip format: ROOT/data.pkl, ROOT/byteorder, and ROOT/data/KEY for each storage.
type archive struct {
	r       io.ReaderAt
	size    int64
	members map[string]*zip.File // by name below the root
}

func readTorch(r io.ReaderAt, size int64, z *zip.Reader, root string) (*File, error) {
	a := archive{r, size, map[string]*zip.File{}}
	for _, f := range z.File {
		name, ok := strings.CutPrefix(f.Name, root)
		if ok && a.members[name] != nil {
			return nil, fmt.Errorf("member %s: there are two", f.Name)
		}
		if ok {
			a.members[name] = f
		}
	}
	if a.members["constants.pkl"] != nil {
		return nil, errors.New("a TorchScript program, not a state dict: save model.state_dict()")
	}
	big, err := a.bigEndian()
	if err != nil {
		return nil, err
	}
	m, err := a.member("data.pkl")
	if err != nil {
		return nil, err
	}
	v, err := a.unpickle(m)
	if err != nil {
		return nil, err
	}
	f := newFile()
	return f, f.addStateDict(v, big, a.place)
}

// unpickle reads the whole pickle first: by its limit it is small, and a compressed member is inflated once.
func (a archive) unpickle(m member) (any, error) {
	if limit := min(maxPickle, 1<<20+maxRatio*a.size); m.size > limit {
		return nil, fmt.Errorf("data.pkl of %d bytes, more than %d", m.size, limit)
	}
	text := make([]byte, m.size)
	if err := readFull(m, text, 0); err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	return storages{}.unpickle(newCursor(bytes.NewReader(text), m.size), a.size)
}

func (a archive) member(name string) (member, error) {
	f := a.members[name]
	if f == nil {
		return member{}, fmt.Errorf("no member %s in the archive", name)
	}
	return newMember(a.r, a.size, f)
}

// bigEndian reads the record of the byte order; files of PyTorch before 2.1 have none and are little-endian.
func (a archive) bigEndian() (bool, error) {
	if a.members["byteorder"] == nil {
		return false, nil
	}
	m, err := a.member("byteorder")
	if err != nil {
		return false, err
	}
	text := make([]byte, min(m.size, 16))
	if err := readFull(m, text, 0); err != nil {
		return false, err
	}
	switch string(text) {
	case "little":
		return false, nil
	case "big":
		return true, nil
	}
	return false, fmt.Errorf("byteorder %q", text)
}

// place finds a storage's member, which must be as long as the pickle says.
func (a archive) place(s *storage) (io.ReaderAt, int64, error) {
	m, err := a.member("data/" + s.key)
	if err != nil {
		return nil, 0, err
	}
	if want := s.count * int64(s.dtype.Size()); m.size != want {
		return nil, 0, fmt.Errorf("storage %q: %d of %s take %d bytes, the member has %d", s.key, s.count, s.dtype, want, m.size)
	}
	return m, 0, nil
}
