package datasets

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// strip makes a strip of n pictures in which pixel (x, y) of picture i is the colour (x, y, i).
func strip(t *testing.T, n int) string {
	img := image.NewRGBA(image.Rect(0, 0, 1024, n))
	for i := range n {
		for p := range 1024 {
			img.SetRGBA(p, i, color.RGBA{uint8(p % 32), uint8(p / 32), uint8(i), 255})
		}
	}
	return writeStrip(t, img)
}

func writeStrip(t *testing.T, img image.Image) string {
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return filepath.Join(tree(t, map[string]string{"strip.png": b.String()}), "strip.png")
}

func readPNG(t *testing.T, path string) image.Image {
	b, err := os.ReadFile(path)
	must(t, err)
	img, err := png.Decode(bytes.NewReader(b))
	must(t, err)
	return img
}

func TestUnpackCIFAR(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "folder")
	s := CIFARStrips{Strips: []string{strip(t, 2), strip(t, 1)}, Labels: []int{3, 0, 9, 1, 2}, Names: CIFARNames()}
	n, err := UnpackCIFAR(context.Background(), s, out)
	if err != nil || n != 3 {
		t.Fatalf("%d pictures, %v", n, err)
	}
	for name, b := range map[string]uint8{"00000.png": 0, "00001.png": 1, "00002.png": 0} {
		img := readPNG(t, filepath.Join(out, name))
		if img.Bounds() != image.Rect(0, 0, 32, 32) {
			t.Errorf("%s: bounds %v", name, img.Bounds())
		}
		if got, want := color.RGBAModel.Convert(img.At(5, 7)), (color.RGBA{5, 7, b, 255}); got != want {
			t.Errorf("%s: pixel %v, want %v", name, got, want)
		}
	}
	l, err := List(context.Background(), out, Options{Metadata: filepath.Join(out, "labels.csv")})
	must(t, err)
	want(t, transcript(l, nil), "", `
stream folder
  00000.png = cat
  00001.png = airplane
  00002.png = truck
ignored .csv: 1
warning 1 stream without any capture time, ordered by name: folder
`)
	if _, err := UnpackCIFAR(context.Background(), s, out); err == nil || !strings.Contains(err.Error(), "folder is not empty") {
		t.Errorf("into a full folder: %v", err)
	}
}

func TestUnpackCIFARErrors(t *testing.T) {
	good := strip(t, 2)
	for want, s := range map[string]CIFARStrips{
		"no CIFAR strip given":          {},
		"no such file or directory":     {Strips: []string{"missing.png"}},
		"CIFAR label 1: 10 is no class": {Strips: []string{good}, Labels: []int{0, 10}, Names: CIFARNames()},
		"CIFAR label 0: -1 is no class": {Strips: []string{good}, Labels: []int{-1}},
		"2 pictures, but 1 labels":      {Strips: []string{good}, Labels: []int{0}},
		"want a strip 1024 wide":        {Strips: []string{writeStrip(t, image.NewRGBA(image.Rect(0, 0, 1023, 1)))}},
		"no batch of records of 3073":   {Strips: []string{filepath.Join(tree(t, map[string]string{"x": "hello, this is text"}), "x")}},
	} {
		if _, err := UnpackCIFAR(context.Background(), s, filepath.Join(t.TempDir(), "out")); err == nil || !strings.Contains(testdata.Plain(err.Error()), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := UnpackCIFAR(ctx, CIFARStrips{Strips: []string{good}}, t.TempDir()); err == nil {
		t.Error("cancelled: no error")
	}
}

// Labels in both of their forms are the same, and a strip of real pictures comes out pixel for pixel.
func TestCIFARReal(t *testing.T) {
	fromJSON, err := ReadCIFARLabels(testdata.Asset(t, "cifar10", "test_lables.json"))
	must(t, err)
	fromBytes, err := ReadCIFARLabels(testdata.Shared(t, "data", "cifar10", "test_labels.u8"))
	must(t, err)
	if len(fromJSON) != 10000 || !slices.Equal(fromJSON, fromBytes) {
		t.Errorf("labels differ: %d and %d", len(fromJSON), len(fromBytes))
	}
	source := testdata.Shared(t, "data", "cifar10c", "fog.png")
	out := t.TempDir()
	n, err := UnpackCIFAR(context.Background(), CIFARStrips{Strips: []string{source}, Labels: fromJSON}, out)
	if err != nil || n != 1000 {
		t.Fatalf("%d pictures, %v", n, err)
	}
	whole := readPNG(t, source)
	for _, i := range []int{0, 1, 500, 999} {
		img := readPNG(t, filepath.Join(out, cifarName(i)))
		for p := range 1024 {
			if color.RGBAModel.Convert(img.At(p%32, p/32)) != color.RGBAModel.Convert(whole.At(p, i)) {
				t.Fatalf("picture %d differs at pixel %d", i, p)
			}
		}
	}
	labels, err := ReadLabels(filepath.Join(out, "labels.csv"))
	must(t, err)
	for i, e := range labels.Entries {
		if got, err := strconv.Atoi(e.Label); err != nil || got != fromJSON[i] || e.File != cifarName(i) {
			t.Fatalf("label %d: %+v resolves to %d, %v", i, e, got, err)
		}
	}
}
