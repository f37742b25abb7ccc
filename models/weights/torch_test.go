package weights

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// told is what PyTorch says of a tensor that it wrote.
type told struct {
	DType string
	Shape []int
	Bits  []int32 // of the elements as float32
}

// What PyTorch itself wrote reads as PyTorch says: each file of testdata/torch-new.json (2.15) and torch-old.json (1.13).
func TestFilesOfPyTorch(t *testing.T) {
	for _, tag := range []string{"old", "new"} {
		text, err := os.ReadFile("testdata/torch-" + tag + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var files map[string]map[string]told
		if err := json.Unmarshal(text, &files); err != nil {
			t.Fatal(err)
		}
		for name, tensors := range files {
			if tensors == nil {
				refused(t, name)
			} else {
				compare(t, name, tensors)
			}
		}
	}
}

func compare(t *testing.T, file string, want map[string]told) {
	t.Helper()
	f := open(t, filepath.Join("testdata", file))
	if len(f.Names()) != len(want) {
		t.Errorf("%s: %v, want %d tensors", file, f.Names(), len(want))
	}
	for name, w := range want {
		x, err := f.Tensor(name)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, err := x.Float32s()
		same := slices.EqualFunc(got, w.Bits, func(v float32, bits int32) bool { return int32(math.Float32bits(v)) == bits })
		if err != nil || x.DType().String() != w.DType || !slices.Equal(x.Shape(), w.Shape) || !same {
			t.Errorf("%s: %s: got %v (%v), want %v", file, x, got, err, w)
		}
	}
}

// A file that was unpacked and packed again by another program is compressed, and reads all the same.
func TestCompressedFileOfPyTorch(t *testing.T) {
	z, err := zip.OpenReader("testdata/torch-new-checkpoint.pt")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var parts []part
	for _, m := range z.File {
		parts = append(parts, part{m.Name, string(inflated(m)), zip.Deflate, 0})
	}
	file := archiveOf(t, parts...)
	got, err := Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	want := open(t, "testdata/torch-new-checkpoint.pt")
	if !slices.Equal(got.Names(), want.Names()) {
		t.Fatal(got.Names())
	}
	for i, x := range got.Tensors() {
		same(t, x, want.Tensors()[i])
	}
}

// refusals say what stands in the way, by the second part of the file's name, and what to do.
var refusals = map[string]string{
	"module":        `global "__main__.Net": not among those of a state dict, and nothing from a file is executed; save model.state_dict() alone`,
	"module-legacy": `global "__main__.Bare": not among those of a state dict`,
	"system":        `global "posix.system": not among those of a state dict`,
	"sparse":        "save its to_dense()",
	"quantized":     "save its dequantize()",
	"complex":       "save real and imag apart",
	"meta":          "has no elements",
	"negated":       "save its resolve_neg()",
	"float8":        "save them as bfloat16",
}

func refused(t *testing.T, file string) {
	t.Helper()
	want, ok := refusals[strings.TrimSuffix(strings.SplitN(file, "-", 3)[2], ".pt")]
	if !ok {
		t.Fatalf("%s: no refusal is expected of this name", file)
	}
	if _, err := Open(filepath.Join("testdata", file)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", file, err, want)
	}
}
