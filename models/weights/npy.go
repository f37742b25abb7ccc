package weights

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/oatta/oatta/internal/npy"
)

// readNPY reads a single array, which has no name in its file: its tensor is called "".
func readNPY(r io.ReaderAt, size int64) (*File, error) {
	f := newFile()
	t, err := npyTensor("", r, size)
	if err != nil {
		return nil, err
	}
	return f, f.add(t)
}

// readNPZ reads an archive of npy files.
func readNPZ(r io.ReaderAt, size int64, z *zip.Reader) (*File, error) {
	f := newFile()
	for _, file := range z.File {
		name, ok := strings.CutSuffix(file.Name, ".npy")
		if !ok {
			return nil, fmt.Errorf("member %q is no .npy file: neither npz nor a PyTorch state dict", file.Name)
		}
		m, err := newMember(r, size, file)
		if err != nil {
			return nil, err
		}
		t, err := npyTensor(name, m, m.size)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", file.Name, err)
		}
		if err := f.add(t); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// npyTensor makes a tensor of what follows the header.
func npyTensor(name string, r io.ReaderAt, size int64) (*Tensor, error) {
	h, err := npy.ReadHeader(io.NewSectionReader(r, 0, size), size)
	if err != nil {
		return nil, err
	}
	d, big, err := parseDescr(h.Descr)
	if err != nil {
		return nil, err
	}
	v := view{r: r, base: h.Size, big: big}
	if h.Fortran {
		v.stride = columnMajor(h.Shape)
	}
	t, err := newViewed(name, d, h.Shape, v, size-h.Size)
	if err == nil && t.size != size-h.Size {
		err = fmt.Errorf("%s%v takes %d bytes, there are %d", d, h.Shape, t.size, size-h.Size)
	}
	return t, err
}

// parseDescr reads a type such as "<f4", "|b1" or ">i8".
func parseDescr(descr string) (d DType, big bool, err error) {
	if strings.HasPrefix(descr, "|O") {
		return 0, false, errors.New("an array of Python objects: only numbers are read")
	}
	if len(descr) < 2 || !strings.ContainsRune("<>|", rune(descr[0])) {
		return 0, false, fmt.Errorf("dtype %q is not known here", descr)
	}
	d, ok := dtypeBy(numpyOf, descr[1:])
	if !ok || descr[0] == '|' && d.Size() > 1 {
		return 0, false, fmt.Errorf("dtype %q is not known here", descr)
	}
	return d, descr[0] == '>', nil
}
