package camera

import (
	"bytes"
	goimage "image"
	stdjpeg "image/jpeg"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// narrow runs do without the kernel.
func narrow(t testing.TB, do func()) {
	t.Helper()
	before := wide
	setWide(false)
	defer setWide(before)
	do()
}

// compare decodes with both decoders: what this one takes, the other takes as well, with the same pixels. It says whether this one did.
func compare(t testing.TB, d *Decoder, name string, data []byte) bool {
	t.Helper()
	got, ok := d.Decode(data)
	if !ok {
		return false
	}
	want, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: the standard decoder refuses what this one takes: %v", name, err)
	}
	if got.Bounds() != want.Bounds() {
		t.Fatalf("%s: %v, want %v", name, got.Bounds(), want.Bounds())
	}
	switch want := want.(type) {
	case *goimage.Gray:
		got := got.(*goimage.Gray)
		if got.Stride != want.Stride || !bytes.Equal(got.Pix, want.Pix) {
			t.Fatalf("%s: other samples than the standard decoder's", name)
		}
	case *goimage.YCbCr:
		got := got.(*goimage.YCbCr)
		same := got.YStride == want.YStride && got.CStride == want.CStride && got.SubsampleRatio == want.SubsampleRatio && got.Rect == want.Rect
		if !same || !bytes.Equal(got.Y, want.Y) || !bytes.Equal(got.Cb, want.Cb) || !bytes.Equal(got.Cr, want.Cr) {
			t.Fatalf("%s: other samples than the standard decoder's", name)
		}
	default:
		t.Fatalf("%s: the standard decoder gives a %T", name, want)
	}
	return true
}

// pictures are the JPEGs below the folders, which may be absent.
func pictures(t testing.TB, folders ...string) (files []string) {
	t.Helper()
	for _, dir := range folders {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if ext := strings.ToLower(filepath.Ext(path)); err == nil && !e.IsDir() && (ext == ".jpg" || ext == ".jpeg") {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Every picture of the repository: those of real cameras are taken, and of the made ones those that are of the kind.
func TestEqualsTheStandardDecoder(t *testing.T) {
	var d Decoder
	samples := pictures(t, filepath.Join(testdata.Root(), "datasets/samples"))
	made := pictures(t, "../../testdata/pictures", "../jpeg/testdata/pictures")
	if len(samples) < 10 || len(made) < 50 {
		t.Fatal(len(samples), len(made))
	}
	all := func() {
		for _, f := range samples {
			if !compare(t, &d, f, read(t, f)) {
				t.Errorf("%s is left", f)
			}
		}
		taken := map[string]bool{}
		for _, f := range made {
			taken[filepath.Base(f)] = compare(t, &d, f, read(t, f))
		}
		for _, name := range []string{
			"jpeg_420.jpg", "jpeg_420_even.jpg", "jpeg_420_narrow.jpg", "jpeg_422.jpg", "jpeg_422_narrow.jpg", "jpeg_440.jpg", "jpeg_444.jpg",
			"jpeg_411.jpg", "jpeg_1x1.jpg", "jpeg_1x5000.jpg", "jpeg_grey.jpg", "jpeg_orient6.jpg", "jpeg_restart.jpg", "plain.jpg",
		} {
			if !taken[name] {
				t.Errorf("%s is left", name)
			}
		}
		for name := range taken {
			if strings.HasPrefix(name, "damaged_") && taken[name] {
				t.Errorf("%s is taken", name)
			}
		}
	}
	all()
	narrow(t, all)
}

// Pictures of real cameras, where there are some: nearly all are taken.
func TestEqualsTheStandardDecoderOnCameras(t *testing.T) {
	files := pictures(t, testdata.Shared(t, "data", "cameratrap", "images"))
	var d Decoder
	taken := 0
	for _, f := range files {
		if compare(t, &d, f, read(t, f)) {
			taken++
		} else {
			t.Logf("%s is left", f)
		}
	}
	t.Logf("%d of %d are taken", taken, len(files))
	if taken*10 < len(files)*9 {
		t.Errorf("only %d of %d are taken", taken, len(files))
	}
}

// A file cut anywhere, and one with any byte changed, is left or gives the standard decoder's picture.
func TestDamage(t *testing.T) {
	var d Decoder
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"jpeg_420.jpg", "jpeg_restart.jpg", "jpeg_grey.jpg", "jpeg_422_narrow.jpg"} {
		data := read(t, "../../testdata/pictures/"+name)
		for n := range data {
			if compare(t, &d, name, data[:n]) {
				t.Errorf("%s: %d of %d bytes are taken for a whole file", name, n, len(data))
			}
			changed := bytes.Clone(data)
			changed[n] = byte(r.Uint32())
			compare(t, &d, name, changed)
		}
	}
}

// The kernel and the plain transform give the same bytes, of coefficients that no encoder writes, too.
func TestKernelIsThePlainTransform(t *testing.T) {
	if !wide {
		t.Skip("this processor has no AVX2")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var block [64]int32
		bits, filled := 1+r.IntN(32), 1+r.IntN(64)
		for range filled {
			block[r.IntN(64)] = int32(r.Uint32()) >> (32 - bits)
		}
		const stride = 11
		var got, want [8 * stride]uint8
		a, b := block, block
		inverseWide(&got[0], stride, &a)
		inverse(want[:], stride, &b)
		if got != want {
			t.Fatalf("%v: %v, want %v", block, got, want)
		}
		if a != b || a != [64]int32{} {
			t.Fatal("the block is not cleared")
		}
	}
}

// Nothing is allocated for a picture like the one before.
func TestAllocations(t *testing.T) {
	var d Decoder
	data := read(t, "../../testdata/pictures/jpeg_420.jpg")
	if n := testing.AllocsPerRun(20, func() { d.Decode(data) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// The planes of a large picture do not stay.
func TestTrim(t *testing.T) {
	var b bytes.Buffer
	if err := stdjpeg.Encode(&b, goimage.NewGray(goimage.Rect(0, 0, 6000, 6000)), nil); err != nil {
		t.Fatal(err)
	}
	var d Decoder
	for _, c := range []struct {
		data []byte
		kept bool
	}{{b.Bytes(), false}, {read(t, "../../testdata/pictures/jpeg_420.jpg"), true}} {
		if _, ok := d.Decode(c.data); !ok {
			t.Fatal("left")
		}
		if d.Trim(); (d.planes != nil) != c.kept {
			t.Errorf("%d bytes are kept", cap(d.planes))
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range pictures(f, "../../testdata/pictures", "../jpeg/testdata/pictures") {
		if data := read(f, name); len(data) < 6000 {
			f.Add(data)
		}
	}
	var d Decoder
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := stdjpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil || c.Width*c.Height > 1<<18 {
			return
		}
		compare(t, &d, "bytes", data)
	})
}

func BenchmarkDecode(b *testing.B) {
	files := pictures(b, filepath.Join(testdata.Root(), "datasets/samples/heron"))
	var data [][]byte
	for _, f := range files {
		data = append(data, read(b, f))
	}
	b.Run("camera", func(b *testing.B) {
		var d Decoder
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, ok := d.Decode(data[i%len(data)]); !ok {
				b.Fatal("left")
			}
		}
	})
	b.Run("standard", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := stdjpeg.Decode(bytes.NewReader(data[i%len(data)])); err != nil {
				b.Fatal(err)
			}
		}
	})
}
