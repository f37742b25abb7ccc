package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	goimage "image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// replaced returns data with part of it overwritten.
func replaced(data []byte, at int, with ...byte) []byte {
	out := bytes.Clone(data)
	copy(out[at:], with)
	return out
}

// claiming returns a JPEG whose header claims another size.
func claiming(jpeg []byte, w, h uint16) []byte {
	at := bytes.Index(jpeg, []byte{0xff, 0xc0})
	size := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, h), w)
	return replaced(jpeg, at+5, size...)
}

// bomb is a progressive JPEG whose last scan is repeated without end.
func bomb(t *testing.T) []byte {
	t.Helper()
	data := picture(t, "jpeg_420_progressive.jpg")
	at := bytes.LastIndex(data, startOfScan)
	return append(data[:at:at], bytes.Repeat(data[at:len(data)-2], maxScans+1)...)
}

func TestHostileBytes(t *testing.T) {
	jpeg, png := picture(t, "jpeg_420.jpg"), picture(t, "png_rgb.png")
	cases := []struct {
		name string
		data []byte
		want string // part of the error
	}{
		{"no bytes", nil, "empty file"},
		{"zero bytes", make([]byte, 4096), "not a picture: 4096 zero bytes"},
		{"text", []byte("Dear diary, today I saw a fox."), `not a picture: starts with "Dear diary, toda"`},
		{"video", []byte("\x00\x00\x00\x18ftypmp42"), "not a picture: starts with"},
		{"start only", jpeg[:2], "truncated JPEG"},
		{"header only", jpeg[:40], "truncated JPEG"},
		{"half a JPEG", jpeg[:len(jpeg)/2], "truncated JPEG"},
		{"half a PNG", png[:len(png)/2], "truncated PNG"},
		{"half a GIF", firstHalf(picture(t, "gif_whole.gif")), "truncated GIF"},
		{"half a BMP", firstHalf(picture(t, "bmp_24.bmp")), "truncated BMP"},
		{"half a TIFF", firstHalf(picture(t, "tiff_raw.tif")), "truncated TIFF"},
		{"half a WebP", firstHalf(picture(t, "webp_lossy.webp")), "WebP"},
		{"huge JPEG", claiming(jpeg, 65500, 65500), "JPEG of 65500 x 65500 pixels exceeds the limit of 134217728 pixels"},
		{"empty JPEG", claiming(jpeg, 0, 0), "JPEG of 0 x 0 pixels is empty"},
		{"large JPEG of few bytes", claiming(jpeg, 11000, 11000), "truncated JPEG"},
		{"long PNG", replaced(png, 16, 0, 1, 0, 0, 0, 0, 0, 1), "PNG"},
		{"damaged PNG", replaced(png, len(png)/2, 1, 2, 3, 4), "damaged PNG"},
		{"damaged JPEG", replaced(jpeg, len(jpeg)-60, 0xff, 0xc0, 0xff, 0xc0), "JPEG"},
		{"endless scans", bomb(t), " scans, more than 500"},
		{"palette index out of range", picture(t, "bad_palette_index.tif"), "damaged TIFF"},
		{"animated WebP", picture(t, "bad_animated.webp"), "unsupported WebP: it is animated"},
		{"planar TIFF", picture(t, "bad_planar.tif"), "unsupported TIFF: its colours lie in separate planes"},
		{"two components", twoComponents(t), "unsupported JPEG"},
	}
	tr := must(New(imagenet(Bilinear), Limits{}))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := tr.Bytes(make([]float32, 3*224*224), c.data)
			if err == nil {
				t.Fatal("no error")
			}
			if text := err.Error(); !strings.Contains(text, c.want) || !strings.HasPrefix(text, "preprocess/image: ") {
				t.Errorf("error %q, want %q in it", text, c.want)
			}
		})
	}
}

// twoComponents is a JPEG whose frame says so, which no decoder here reads.
func twoComponents(t *testing.T) []byte {
	data := picture(t, "jpeg_grey.jpg")
	at := bytes.Index(data, []byte{0xff, 0xc0})
	return slices.Concat(data[:at], []byte{0xff, 0xc0, 0, 14}, data[at+4:at+9], []byte{2, 1, 0x11, 0, 2, 0x11, 0}, data[at+13:])
}

func firstHalf(b []byte) []byte { return b[:len(b)/2] }

// TestEveryTruncationIsAnErrorOrAPicture cuts every picture everywhere: decoders may be lenient, but must end in peace.
func TestEveryTruncationIsAnErrorOrAPicture(t *testing.T) {
	files, err := filepath.Glob("testdata/pictures/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no pictures", err)
	}
	tr := must(New(Settings{Resize: 8, Height: 8, Width: 8}, Limits{}))
	x := make([]float32, 3*8*8)
	for _, f := range files {
		data := picture(t, filepath.Base(f))
		for n := 0; n < len(data); n += 1 + n/16 {
			if err := tr.Bytes(x, data[:n]); n < 8 && err == nil {
				t.Errorf("%s: %d bytes made a picture", f, n)
			}
		}
	}
}

// TestMissingEndMarker: cameras that lose power leave it off, and PIL reads such files.
func TestMissingEndMarker(t *testing.T) {
	for _, name := range []string{"jpeg_420.jpg", "jpeg_420_progressive.jpg"} {
		data := picture(t, name)
		want, _, err := Decode(data, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Decode(data[:len(data)-2], Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(whole(t, got, 1), whole(t, want, 1)) {
			t.Errorf("%s: other pixels without the end marker", name)
		}
	}
}

// TestPaletteIndexOutOfRange is CVE-2023-36308: a picture whose pixels lie outside its palette makes imaging panic in a
// goroutine, beyond any recover. Decoders refuse such files by now; a picture from elsewhere must do no harm either.
func TestPaletteIndexOutOfRange(t *testing.T) {
	m := goimage.NewPaletted(goimage.Rect(0, 0, 20, 10), color.Palette{color.White, color.Black})
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	tr := must(New(Settings{Height: 4, Width: 4}, Limits{}))
	for orientation := range 10 {
		crop := bytes.Repeat([]byte{7}, 3*4*4)
		if err := tr.Pixels(crop, m, orientation); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(crop, make([]byte, len(crop))) {
			t.Errorf("orientation %d: not black: %v", orientation, crop)
		}
	}
}

// lying is a picture that panics: a stand-in for a decoder's mistakes.
type lying struct{ goimage.Image }

func (lying) ColorModel() color.Model   { return color.GrayModel }
func (lying) Bounds() goimage.Rectangle { return goimage.Rect(0, 0, 9, 9) }

func TestPanicsBecomeErrors(t *testing.T) {
	var err error
	func() {
		defer recovered(&err)
		lying{}.At(0, 0)
	}()
	if err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("got %v", err)
	}
}

func TestLimits(t *testing.T) {
	data := picture(t, "jpeg_420.jpg") // 67 x 45
	for _, c := range []struct {
		limits Limits
		want   string
	}{
		{Limits{MaxPixels: 67*45 - 1}, "JPEG of 67 x 45 pixels exceeds the limit of 3014 pixels"},
		{Limits{MaxPixels: 67 * 45}, ""},
		{Limits{MaxSide: 66}, "exceeds the limit of 66 pixels a side"},
		{Limits{MaxSide: 67}, ""},
		{Limits{MaxBytes: int64(len(data)) - 1}, "exceeds the limit of"},
		{Limits{MaxBytes: int64(len(data))}, ""},
		{Limits{MaxBytes: -1}, "MaxBytes -1: want"},
	} {
		_, _, err := Decode(data, c.limits)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got error %v, want %q", c.limits, err, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	tr := must(New(imagenet(Bilinear), Limits{}))
	got, want := make([]float32, 3*224*224), make([]float32, 3*224*224)

	if err := tr.File(got, filepath.Join(dir, "none.jpg")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := tr.File(got, dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: %v", err)
	}
	empty := filepath.Join(dir, "empty.jpg")
	write(t, empty, nil)
	if err := tr.File(got, empty); err == nil || !strings.HasSuffix(err.Error(), "empty.jpg: empty file") {
		t.Errorf("empty file: %v", err)
	}
	// The content decides, whatever the name says; and a smaller file after a larger one sees none of its bytes.
	for _, name := range []string{"jpeg_1x5000.jpg", "png_rgb.png", "gif_whole.gif"} {
		path := filepath.Join(dir, name+".bmp")
		write(t, path, picture(t, name))
		if err := tr.File(got, path); err != nil {
			t.Fatal(err)
		}
		if err := tr.Bytes(want, picture(t, name)); err != nil {
			t.Fatal(err)
		}
		if !equal(got, want) {
			t.Errorf("%s: File and Bytes differ", name)
		}
	}
	small := must(New(imagenet(Bilinear), Limits{MaxBytes: 10}))
	if err := small.File(got, filepath.Join(dir, "png_rgb.png.bmp")); err == nil || !strings.Contains(err.Error(), "limit of 10") {
		t.Errorf("large file: %v", err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
