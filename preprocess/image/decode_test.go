package image

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	goimage "image"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// goldens is testdata/goldens.json; make_goldens.py says what is in it.
type goldens struct {
	Decoded    map[string]decodedGolden
	Normalised []normalisedGolden
	Resized    []resizedGolden
}

type decodedGolden struct {
	Width, Height int
	SHA256        string
	RGB           []byte // deflated, of JPEG files only
}

func (g decodedGolden) pixels(t *testing.T) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(g.RGB))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readGoldens(t *testing.T) (g goldens) {
	t.Helper()
	data, err := os.ReadFile("testdata/goldens.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func picture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "pictures", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// whole returns the RGB bytes of a decoded picture after orientation.
func whole(t *testing.T, img goimage.Image, orientation int) []byte {
	t.Helper()
	b := img.Bounds()
	w, h := orientedSize(orientation, b.Dx(), b.Dy())
	rgb := make([]byte, 3*w*h)
	if err := must(New(Settings{Height: h, Width: w}, Limits{})).Pixels(rgb, img, orientation); err != nil {
		t.Fatal(err)
	}
	return rgb
}

// jpegTolerance is the largest and the mean difference in levels from libjpeg-turbo's pixels. Go's inverse cosine transform
// rounds otherwise than libjpeg's; after colour conversion a difference of one level in chroma can be two in blue.
type jpegTolerance struct{ most, mean float64 }

// Measured with Go 1.26 against libjpeg-turbo 3.2: at most 3 levels and 0.045 in the mean. YCCK, which Go converts before
// this package sees it, truncating where libjpeg rounds, has 0.15 in the mean.
var (
	usualTolerance = jpegTolerance{most: 4, mean: 0.06}
	tolerances     = map[string]jpegTolerance{"jpeg_ycck.jpg": {most: 4, mean: 0.2}}
)

func TestDecodedEqualsPIL(t *testing.T) {
	g := readGoldens(t)
	for name, want := range g.Decoded {
		t.Run(name, func(t *testing.T) {
			img, meta, err := Decode(picture(t, name), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if w, h := orientedSize(meta.Orientation, meta.Width, meta.Height); w != want.Width || h != want.Height {
				t.Fatalf("%d x %d pixels, want %d x %d", w, h, want.Width, want.Height)
			}
			got := whole(t, img, meta.Orientation)
			if want.RGB == nil {
				if sum(got) != want.SHA256 {
					t.Errorf("pixels of %T differ from PIL's", img)
				}
				return
			}
			most, mean := difference(got, want.pixels(t))
			t.Logf("%T: at most %v, mean %.4f", img, most, mean)
			limit, ok := tolerances[name]
			if !ok {
				limit = usualTolerance
			}
			if most > limit.most || mean > limit.mean {
				t.Errorf("pixels differ from PIL's by %v at most and %.4f in the mean, want %v", most, mean, limit)
			}
		})
	}
}

func difference(a, b []byte) (most, mean float64) {
	if len(a) != len(b) {
		return 255, 255
	}
	for i := range a {
		d := float64(max(a[i], b[i]) - min(a[i], b[i]))
		most, mean = max(most, d), mean+d/float64(len(a))
	}
	return most, mean
}

// TestEveryPictureIsAGolden keeps a picture from lying in the folder untested.
func TestEveryPictureIsAGolden(t *testing.T) {
	g := readGoldens(t)
	files, err := filepath.Glob("testdata/pictures/*")
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(files)
	for _, f := range files {
		name := filepath.Base(f)
		if _, ok := g.Decoded[name]; !ok && !strings.HasPrefix(name, "bad_") {
			t.Errorf("%s: not in goldens.json", name)
		}
	}
	if len(files) < 60 {
		t.Errorf("%d pictures, want at least 60", len(files))
	}
}

// TestParseGIFTruncated: the header is known from the byte on that completes the first frame's descriptor, not before.
func TestParseGIFTruncated(t *testing.T) {
	data := picture(t, "gif_offset_transparent.gif")
	want, ok := parseGIF(data)
	if !ok || want.width != 50 || want.height != 41 || want.transparent != 2 {
		t.Fatalf("got %+v, %v", want, ok)
	}
	known := 0
	for n := range data {
		if h, ok := parseGIF(data[:n]); ok {
			known++
			if h.transparent != want.transparent || h.width != want.width {
				t.Fatalf("%d bytes: got %+v", n, h)
			}
		} else if known > 0 {
			t.Fatalf("%d bytes: unknown again", n)
		}
	}
	if known == 0 || known == len(data) {
		t.Errorf("known for %d of %d lengths", known, len(data))
	}
}
