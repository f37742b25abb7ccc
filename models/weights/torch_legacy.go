package weights

import (
	"errors"
	"fmt"
	"io"
	"math/big"
)

// legacyMagic is how the first pickle of PyTorch's old format begins: protocol 2, and the ten bytes of its magic number.
var legacyMagic = []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")

const legacyVersion = 1001

// readLegacy reads the format before PyTorch 1.6: pickles of the magic number, the version, facts of the machine, the object, and the
// list of storage keys; then each storage as its number of elements and the elements.
func readLegacy(r io.ReaderAt, size int64) (*File, error) {
	in, s := newCursor(r, size), storages{}
	var values [5]any
	for i := range values {
		v, err := s.unpickle(in, size)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	bigEndian, err := checkLegacy(values)
	if err != nil {
		return nil, err
	}
	keys, ok := values[4].(*list)
	if !ok {
		return nil, errors.New("no list of storages")
	}
	starts, err := s.lay(r, keys.items, in.pos, size, bigEndian)
	if err != nil {
		return nil, err
	}
	f := newFile()
	return f, f.addStateDict(values[3], bigEndian, func(s *storage) (io.ReaderAt, int64, error) {
		at, ok := starts[s.key]
		if !ok {
			return nil, 0, fmt.Errorf("storage %q is not in the file", s.key)
		}
		return r, at, nil
	})
}

// checkLegacy checks magic number and version, and returns the byte order.
func checkLegacy(values [5]any) (bigEndian bool, err error) {
	magic, _ := new(big.Int).SetString("1950a86a20f9469cfc6c", 16)
	if v, ok := values[0].(*big.Int); !ok || v.Cmp(magic) != 0 {
		return false, errors.New("not PyTorch's magic number")
	}
	if values[1] != any(int64(legacyVersion)) {
		return false, errors.New("not PyTorch's old format of version 1001")
	}
	facts, ok := values[2].(*dict)
	if !ok {
		return false, errors.New("no facts of the machine")
	}
	little, ok := facts.get("little_endian").(bool)
	if !ok {
		return false, errors.New("no little_endian among the facts of the machine")
	}
	return !little, nil
}

// lay returns where each storage's elements begin. It reads only their counts, and checks that all lie in the file.
func (s storages) lay(r io.ReaderAt, keys []any, at, size int64, bigEndian bool) (map[string]int64, error) {
	starts := map[string]int64{}
	for _, k := range keys {
		key, _ := k.(string)
		st := s[key]
		if st == nil {
			return nil, fmt.Errorf("storage %v belongs to no tensor", keyText(k))
		}
		var head [8]byte
		if err := readFull(r, head[:], at); err != nil {
			return nil, fmt.Errorf("storage %q: %w", key, err)
		}
		if bigEndian {
			swap(head[:], 8)
		}
		bytes := st.count * int64(st.dtype.Size())
		if count := int64(le.Uint64(head[:])); count != st.count {
			return nil, fmt.Errorf("storage %q: %d elements, the pickle says %d", key, count, st.count)
		}
		if at += 8; bytes > size-at {
			return nil, fmt.Errorf("storage %q: %d bytes at %d of a file of %d", key, bytes, at, size)
		}
		starts[key] = at
		at += bytes
	}
	return starts, nil
}
