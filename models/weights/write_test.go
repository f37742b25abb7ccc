package weights

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/replace"
)

// float32s makes a tensor, or ends the test.
func float32s(t *testing.T, name string, shape []int, values ...float32) *Tensor {
	t.Helper()
	x, err := NewFloat32(name, shape, values)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// broken is a tensor whose elements cannot be read.
func broken(name string) *Tensor {
	return &Tensor{name: name, dtype: F32, shape: []int{1}, size: 4, fill: func([]byte) error { return errors.New("cannot be read") }}
}

func same(t *testing.T, got, want *Tensor) {
	t.Helper()
	g, err1 := got.Bytes()
	w, err2 := want.Bytes()
	if err := errors.Join(err1, err2); err != nil || got.String() != want.String() || !bytes.Equal(g, w) {
		t.Errorf("got %s % x, want %s % x (%v)", got, g, want, w, err)
	}
}

// Every type, a scalar, an empty tensor, and the names that archives make much of, come back as they were, and written twice the same.
// That numpy reads the archive is checked by testdata/check_npz.py.
func TestSaveRoundTrips(t *testing.T) {
	f := open(t, "testdata/all.safetensors")
	tensors := append(f.Tensors(), float32s(t, "a/b/../c.npy", []int{1, 2}, 1, 2), float32s(t, "", nil, 3), float32s(t, "größe", []int{1}, 4))
	for _, name := range []string{"x.npz", "x.safetensors"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Save(path, tensors, nil); err != nil {
			t.Fatal(err)
		}
		first, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := open(t, path)
		if len(got.Names()) != len(tensors) {
			t.Errorf("%s: %d tensors, want %d", name, len(got.Names()), len(tensors))
		}
		for _, want := range tensors {
			x, err := got.Tensor(want.Name())
			if err != nil {
				t.Fatal(err)
			}
			same(t, x, want)
		}
		slices.Reverse(tensors)
		err = Save(path, got.Tensors(), nil) // over the file that it reads
		if goruntime.GOOS == "windows" {     // which Windows does not allow
			if !replace.Held(err) {
				t.Errorf("%s: over an open file: %v", name, err)
			}
			path = filepath.Join(t.TempDir(), name)
			err = Save(path, got.Tensors(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if second, err := os.ReadFile(path); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: other bytes the second time (%v)", name, err)
		}
	}
}

func TestNPZIsTheGolden(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, open(t, "testdata/all.safetensors").Tensors()); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/written.npz")
	if err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%d bytes, other than those that numpy was seen to read (%v)", b.Len(), err)
	}
}

func TestNaNsKeepTheirPayload(t *testing.T) {
	bits := []uint32{0x7f800001, 0xffc12345, 0x7fffffff, 0x80000000, 0xff800000}
	var values []float32
	for _, v := range bits {
		values = append(values, math.Float32frombits(v))
	}
	x := float32s(t, "x", []int{len(bits)}, values...)
	for _, name := range []string{"x.npz", "x.safetensors"} {
		path := filepath.Join(t.TempDir(), name)
		if err := Save(path, []*Tensor{x}, nil); err != nil {
			t.Fatal(err)
		}
		f := open(t, path)
		same(t, f.Tensors()[0], x)
		got, err := f.Tensors()[0].Float32s()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if math.Float32bits(v) != bits[i] {
				t.Errorf("%s: %08x became %08x", name, bits[i], math.Float32bits(v))
			}
		}
	}
}

// A write that fails leaves the old file and nothing else.
func TestSaveIsWholeOrNotAtAll(t *testing.T) {
	for _, name := range []string{"x.npz", "x.safetensors"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Save(path, []*Tensor{float32s(t, "a", []int{1}, 1), broken("b")}, nil)
		if err == nil || !strings.Contains(err.Error(), `models/weights: tensor "b": cannot be read`) {
			t.Error(err)
		}
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 {
			t.Errorf("%v (%v), want %s alone", files, err, name)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
			t.Errorf("%q (%v)", text, err)
		}
	}
}

func TestSaveKeepsPermissions(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	old, fresh := filepath.Join(dir, "old.npz"), filepath.Join(dir, "fresh.npz")
	for path, mode := range map[string]fs.FileMode{plain: 0o666, old: 0o600} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	for path, want := range map[string]fs.FileMode{old: mode(old), fresh: mode(plain)} {
		if err := Save(path, []*Tensor{float32s(t, "a", nil, 1)}, nil); err != nil {
			t.Fatal(err)
		}
		if mode(path) != want {
			t.Errorf("%s: %v, want %v", filepath.Base(path), mode(path), want)
		}
	}
}

func TestSaveRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d.npz"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d.npz", filepath.Join(dir, "l.npz")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	a := float32s(t, "a", nil, 1)
	half, err := New("h", BF16, nil, []byte{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		tensors  []*Tensor
		metadata map[string]string
		want     string
	}{
		{"d.npz", []*Tensor{a}, nil, "no regular file"},
		{"l.npz", []*Tensor{a}, nil, "no regular file"},
		{"x.pt", []*Tensor{a}, nil, "want .safetensors or .npz"},
		{"x.npz", []*Tensor{a}, map[string]string{"k": "v"}, "holds no metadata"},
		{"x.npz", []*Tensor{a, a}, nil, "the name is taken"},
		{"x.npz", []*Tensor{half}, nil, "numpy has no BF16"},
		{"x.safetensors", []*Tensor{a, a}, nil, "the name is taken"},
		{"x.safetensors", []*Tensor{a.Named("__metadata__")}, nil, "the name is taken"},
		{"x.safetensors", []*Tensor{a.Named("\xff")}, nil, "invalid UTF-8"},
		{"x.npz", []*Tensor{a.Named("\xff")}, nil, "invalid UTF-8"},
		{"x.npz", []*Tensor{a.Named(strings.Repeat("n", 5000))}, nil, "a name of 5000 bytes"},
	} {
		if err := Save(filepath.Join(dir, c.name), c.tensors, c.metadata); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if err := Save(filepath.Join(dir, "no", "x.npz"), []*Tensor{a}, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("left behind: %v (%v)", files, err)
	}
}
