package weights

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds on what compressed members may grow to: one of them, and all together, where trained weights shrink little and zeros a
// thousandfold. Stored members, which is what PyTorch and numpy write unless told otherwise, are bounded by the file itself.
const (
	maxInflated = 4 << 30
	freeInflate = 256 << 20
	maxRatio    = 64
)

// readZip reads either kind of archive: PyTorch's has a data.pkl in its one folder.
func readZip(r io.ReaderAt, size int64) (*File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	if err := checkInflated(z, size); err != nil {
		return nil, err
	}
	for _, f := range z.File {
		if root, ok := strings.CutSuffix(f.Name, "data.pkl"); ok && (root == "" || strings.Count(root, "/") == 1 && strings.HasSuffix(root, "/")) {
			return readTorch(r, size, z, root)
		}
	}
	return readNPZ(r, size, z)
}

// checkInflated refuses an archive that promises far more than it holds, whether by much air or by members that overlap.
func checkInflated(z *zip.Reader, size int64) error {
	total := uint64(0)
	for _, f := range z.File {
		if f.Method != zip.Store {
			total += min(f.UncompressedSize64, maxInflated) // where it is more, newMember refuses it
		}
	}
	if total > freeInflate+maxRatio*uint64(size) {
		return fmt.Errorf("an archive of %d bytes that inflates to %d: save it uncompressed", size, total)
	}
	return nil
}

// member is a file in an archive, read at any offset.
type member struct {
	*zip.File
	raw  io.ReaderAt // the bytes themselves where they are stored, else nil
	size int64
}

// newMember checks that the sizes that the directory states can be true.
func newMember(r io.ReaderAt, size int64, f *zip.File) (member, error) {
	m := member{File: f, size: int64(f.UncompressedSize64)}
	at, err := f.DataOffset()
	if err != nil {
		return m, err
	}
	packed := f.CompressedSize64
	if at > size || packed > uint64(size-at) {
		return m, fmt.Errorf("member %s: %d bytes at %d of a file of %d", f.Name, packed, at, size)
	}
	switch f.Method {
	case zip.Store:
		if packed != f.UncompressedSize64 {
			return m, fmt.Errorf("member %s: stored, yet %d bytes became %d", f.Name, f.UncompressedSize64, packed)
		}
		m.raw = io.NewSectionReader(r, at, m.size)
	case zip.Deflate:
		// Deflate makes at most 258 bytes of 2 bits: what promises more is a lie, and what keeps such a promise a bomb.
		if f.UncompressedSize64 > min(packed*1032, maxInflated) {
			return m, fmt.Errorf("member %s: %d bytes cannot be, or should not be, inflated to %d", f.Name, packed, f.UncompressedSize64)
		}
	default:
		return m, fmt.Errorf("member %s: compression method %d", f.Name, f.Method)
	}
	return m, nil
}

// ReadAt implements io.ReaderAt. A read to the end of a member from near its start goes through the checksum, whether it is compressed
// or not; a compressed member is inflated from its start by every call, and every tensor is read by one.
func (m member) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(p)) > m.size {
		return 0, io.ErrUnexpectedEOF
	}
	if m.raw != nil && (off > headroom || off+int64(len(p)) < m.size) {
		return m.raw.ReadAt(p, off)
	}
	r, err := m.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, off); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, p)
	if err != nil || off+int64(n) < m.size {
		return n, err
	}
	// The checksum is compared where the reader meets the end.
	if extra, err := r.Read(make([]byte, 1)); extra > 0 || !errors.Is(err, io.EOF) {
		return n, errors.Join(errors.New("member "+m.Name+" is damaged"), err)
	}
	return n, nil
}

// headroom is how far from its member's start a tensor may begin and still count as all of it: after the header of an npy file.
const headroom = 1 << 16
