package datasets

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// cifarPixel is what the tests draw: the pixel (x, y) of picture i.
func cifarPixel(i, x, y int) [3]byte { return [3]byte{byte(x), byte(y), byte(i)} }

// cifarArray writes pictures as CIFAR-10.1 and CIFAR-10-C are written.
func cifarArray(n int) []byte {
	h := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 32, 32, 3), }\n", n)
	b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(h)))
	b = append(b, h...)
	for i := range n {
		for p := range 1024 {
			rgb := cifarPixel(i, p%32, p/32)
			b = append(b, rgb[:]...)
		}
	}
	return b
}

// cifarBatch writes pictures as CIFAR-10's binary version has them, of class i mod 10.
func cifarBatch(n int) (b []byte) {
	for i := range n {
		b = append(b, byte(i%10))
		for channel := range 3 {
			for p := range 1024 {
				b = append(b, cifarPixel(i, p%32, p/32)[channel])
			}
		}
	}
	return b
}

func writeTemp(t *testing.T, name string, b []byte) string {
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, b, 0o644))
	return path
}

// The layouts are told apart by what is in them, and the same pictures come out of each.
func TestReadCIFARLayouts(t *testing.T) {
	const n = 12
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write(cifarBatch(n))
	must(t, err)
	must(t, z.Close())
	for layout, file := range map[string]string{
		"strip":  strip(t, n),
		"array":  writeTemp(t, "x", cifarArray(n)),
		"batch":  writeTemp(t, "x", cifarBatch(n)),
		"zipped": writeTemp(t, "x", zipped.Bytes()),
	} {
		c, err := ReadCIFAR(file)
		if err != nil || c.Len() != n {
			t.Fatalf("%s: %d pictures, %v", layout, c.Len(), err)
		}
		for i := range n {
			img := c.Image(i)
			for p := range 1024 {
				rgb := cifarPixel(i, p%32, p/32)
				if got := img.Pix[4*p : 4*p+4]; !slices.Equal(got, append(rgb[:], 255)) {
					t.Fatalf("%s: picture %d pixel %d is %v", layout, i, p, got)
				}
			}
		}
		if labels := layout == "batch" || layout == "zipped"; labels != (c.Labels != nil) || labels && !slices.Equal(c.Labels, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1}) {
			t.Errorf("%s: labels %v", layout, c.Labels)
		}
	}
}

func TestReadCIFARErrors(t *testing.T) {
	array := cifarArray(2)
	wrong := cifarBatch(2)
	wrong[3073] = 10
	for want, b := range map[string][]byte{
		"no batch of records":            array[6:],
		"0 bytes are no batch":           {},
		"want bytes [N, 32, 32, 3]":      bytes.Replace(array, []byte("(2, 32, 32, 3)"), []byte("(2, 32, 96, 1)"), 1),
		"got 6143 or more":               array[:len(array)-1],
		"record 1: 10 is no class":       wrong,
		"no batch of records of 3073":    wrong[:3072],
		"unexpected EOF":                 []byte("\x89PNG\r\n\x1a\n no picture at all"),
		"want a strip 1024 wide, 100000": pngHeader(1024, 100_001),
	} {
		if _, err := ReadCIFAR(writeTemp(t, "x", b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// pngHeader is a PNG of which there is only the header: enough to be refused before any memory is taken.
func pngHeader(width, height uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	b = binary.BigEndian.AppendUint32(b, width)
	b = binary.BigEndian.AppendUint32(b, height)
	b = append(b, 8, 2, 0, 0, 0)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}

// An array of CIFAR-10-C has its test set five times, and a severity is one of them; labels of the whole test set still fit.
func TestUnpackCIFARSeverity(t *testing.T) {
	file := writeTemp(t, "fog.npy", cifarArray(10))
	out := filepath.Join(t.TempDir(), "out")
	n, err := UnpackCIFAR(context.Background(), CIFARStrips{Strips: []string{file}, Severity: 5, Labels: []int{3, 4}}, out)
	if err != nil || n != 2 {
		t.Fatalf("%d pictures, %v", n, err)
	}
	for i, name := range []string{"00000.png", "00001.png"} {
		if _, _, b, _ := readPNG(t, filepath.Join(out, name)).At(1, 1).RGBA(); int(b>>8) != 8+i {
			t.Errorf("%s holds picture %d, want %d", name, b>>8, 8+i)
		}
	}
	c, err := ReadCIFAR(writeTemp(t, "x.bin", cifarBatch(10)))
	must(t, err)
	if s, err := c.Severity(2); err != nil || !slices.Equal(s.Labels, []int{2, 3}) {
		t.Errorf("labels of severity 2: %v, %v", s.Labels, err)
	}
	for _, s := range []CIFARStrips{{Strips: []string{file}, Severity: 6}, {Strips: []string{strip(t, 4)}, Severity: 1}} {
		if _, err := UnpackCIFAR(context.Background(), s, filepath.Join(t.TempDir(), "out")); err == nil {
			t.Errorf("severity %d of %s passed", s.Severity, s.Strips)
		}
	}
}

// The classes in a batch are its labels, unless others are given.
func TestUnpackCIFARBatch(t *testing.T) {
	file := writeTemp(t, "data_batch_1.bin", cifarBatch(3))
	out := filepath.Join(t.TempDir(), "out")
	if n, err := UnpackCIFAR(context.Background(), CIFARStrips{Strips: []string{file, file}, Names: CIFARNames()}, out); err != nil || n != 6 {
		t.Fatalf("%d pictures, %v", n, err)
	}
	labels, err := ReadLabels(filepath.Join(out, "labels.csv"))
	must(t, err)
	got := []string{}
	for _, e := range labels.Entries {
		got = append(got, e.Label)
	}
	if want := strings.Fields("airplane automobile bird airplane automobile bird"); !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
	few := CIFARStrips{Strips: []string{file}, Names: []string{"a", "b"}}
	if _, err := UnpackCIFAR(context.Background(), few, filepath.Join(t.TempDir(), "out")); err == nil || !strings.Contains(err.Error(), "label 2: 2 is no class") {
		t.Errorf("two names for three classes: %v", err)
	}
}

// The classes of CIFAR-10.1 v6: 2000, as many of each but for a few.
func TestCIFAR101Labels(t *testing.T) {
	labels, err := ReadCIFARLabels(testdata.Shared(t, "data", "cifar10", "cifar10.1_v6_labels.npy"))
	must(t, err)
	var of [10]int
	for _, class := range labels {
		of[class]++
	}
	if len(labels) != 2000 || slices.Min(of[:]) != 200 || slices.Max(of[:]) != 200 {
		t.Errorf("%d labels, by class %v", len(labels), of)
	}
	if _, err := ReadCIFARLabels(writeTemp(t, "images.npy", cifarArray(1))); err == nil {
		t.Error("pictures passed as labels")
	}
}

// A batch of 10,000 training pictures, loss-free: its colours are about those of the whole set, which everybody normalises with.
func TestReadCIFARReal(t *testing.T) {
	c, err := ReadCIFAR(testdata.Asset(t, "cifar10", "data_batch_1.png"))
	must(t, err)
	var sum [3]float64
	for i, v := range c.Pixels {
		sum[i%3] += float64(v) / 255
	}
	if c.Len() != 10_000 {
		t.Errorf("%d pictures", c.Len())
	}
	for channel, want := range []float64{.4914, .4822, .4465} {
		near(t, sum[channel]/float64(len(c.Pixels)/3), want, 4e-3, "mean of channel %d is", channel)
	}
}

func FuzzReadCIFAR(f *testing.F) {
	f.Add(cifarArray(1))
	f.Add(cifarBatch(1))
	f.Add(pngHeader(1024, 3))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := readCIFAR(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		if c.Labels != nil && len(c.Labels) != c.Len() {
			t.Errorf("%d labels of %d pictures", len(c.Labels), c.Len())
		}
		for i := range min(c.Len(), 2) {
			if c.Image(i).Rect != image.Rect(0, 0, 32, 32) {
				t.Error("picture of another size")
			}
		}
	})
}
