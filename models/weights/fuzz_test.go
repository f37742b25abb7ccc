package weights

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/npy"
)

// seed adds the bytes of the files of testdata that match.
func seed(f *testing.F, patterns ...string) {
	f.Helper()
	n := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
			n++
		}
	}
	if n == 0 {
		f.Fatal("no seeds")
	}
}

// readAll checks what holds for any bytes: no panic, and elements as many as a tensor says.
func readAll(t *testing.T, file []byte) *File {
	t.Helper()
	r, err := Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil
	}
	for _, x := range r.Tensors() {
		// A deflated or expanded tensor may honestly be larger than its file; the bounds on that have tests of their own.
		if x.size > 1<<20 {
			continue
		}
		values, err := x.Float32s()
		if n := product(x.shape); err == nil && (len(values) != n || x.Len() != n) {
			t.Fatalf("%s: %d elements", x, len(values))
		}
	}
	return r
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func FuzzRead(f *testing.F) {
	seed(f, "*.npz", "*.npy", "*.safetensors", "*.pt", "*.pth")
	f.Fuzz(func(t *testing.T, b []byte) { readAll(t, b) })
}

// A header of safetensors that is read is written, and read again the same.
func FuzzSafetensors(f *testing.F) {
	f.Add([]byte(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`), []byte("1234"))
	f.Add([]byte(`{"__metadata__":{"k":"v"},"a":{"dtype":"BF16","shape":[0,3],"data_offsets":[0,0]},"b":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`), []byte("1"))
	f.Fuzz(func(t *testing.T, header, data []byte) {
		r := readAll(t, slices.Concat(le.AppendUint64(nil, uint64(len(header))), header, data))
		if r == nil {
			return
		}
		var b bytes.Buffer
		if err := WriteSafetensors(&b, r.Tensors(), r.Metadata()); err != nil {
			t.Fatal(err)
		}
		again := readAll(t, b.Bytes())
		if again == nil {
			t.Fatalf("%q: not read again", b.Bytes())
		}
		for _, x := range r.Tensors() {
			y, err := again.Tensor(x.Name())
			if err != nil {
				t.Fatal(err)
			}
			same(t, y, x)
		}
	})
}

func FuzzNPY(f *testing.F) {
	f.Add("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", make([]byte, 24), byte(1))
	f.Add("{'shape':(2,3L),'fortran_order':True,\"descr\":\">i8\"}", make([]byte, 48), byte(2))
	f.Add("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", []byte{1}, byte(3))
	f.Fuzz(func(t *testing.T, header string, data []byte, version byte) {
		head := append([]byte(npy.Magic), version, 0)
		if version == 1 {
			head = binary.LittleEndian.AppendUint16(head, uint16(len(header)))
		} else {
			head = binary.LittleEndian.AppendUint32(head, uint32(len(header)))
		}
		readAll(t, slices.Concat(head, []byte(header), data))
	})
}

// FuzzNPZ reads an archive whose one member is the input, stored and deflated: a mutated archive seldom opens.
func FuzzNPZ(f *testing.F) {
	seed(f, "*.npy")
	f.Fuzz(func(t *testing.T, b []byte) {
		stored := readAll(t, archiveOf(t, part{"a.npy", string(b), zip.Store, 0}))
		packed := readAll(t, archiveOf(t, part{"a.npy", string(b), zip.Deflate, 0}))
		if (stored == nil) != (packed == nil) {
			t.Error("one is read and the other is not")
		}
	})
}

// FuzzTorch is a pickle and a storage in PyTorch's archive.
func FuzzTorch(f *testing.F) {
	f.Add([]byte(state("FloatStorage", 2, 0, numbers(2), numbers(1))), []byte("12345678"))
	files, err := filepath.Glob("testdata/*.pt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if pickle, storage, ok := unpacked(name); ok {
			f.Add(pickle, storage)
		}
	}
	f.Fuzz(func(t *testing.T, pickle, storage []byte) {
		readAll(t, torchFile(t, string(pickle), string(storage), string(storage)))
	})
}

// unpacked returns the pickle and the first storage of a file of PyTorch.
func unpacked(name string) (pickle, storage []byte, ok bool) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, nil, false
	}
	defer z.Close()
	for _, m := range z.File {
		switch filepath.Base(m.Name) {
		case "data.pkl":
			pickle = inflated(m)
		case "0":
			storage = inflated(m)
		}
	}
	return pickle, storage, pickle != nil
}

func inflated(m *zip.File) []byte {
	r, err := m.Open()
	if err != nil {
		return nil
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		return nil
	}
	return b.Bytes()
}

func FuzzLegacy(f *testing.F) {
	seed(f, "*legacy.pt*")
	f.Fuzz(func(t *testing.T, b []byte) {
		readAll(t, slices.Concat(legacyMagic, b[min(len(b), len(legacyMagic)):]))
	})
}

// FuzzPickle runs the interpreter alone, with limits that no byte may cross.
func FuzzPickle(f *testing.F) {
	f.Add([]byte(state("FloatStorage", 2, 0, numbers(2), numbers(1))))
	files, err := filepath.Glob("testdata/torch-*.pt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if pickle, _, ok := unpacked(name); ok {
			f.Add(pickle)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := storages{}
		v, err := s.unpickle(newCursor(bytes.NewReader(b), int64(len(b))), int64(len(b)))
		if err != nil {
			return
		}
		if d, err := findStateDict(v); err == nil && len(d.pairs) > 4*len(b)+1024 {
			t.Errorf("%d pairs of %d bytes", len(d.pairs), len(b))
		}
	})
}
